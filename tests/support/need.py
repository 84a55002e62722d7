"""Asks for programs that a test cannot do without."""

from __future__ import annotations

import os
import shutil

import pytest


def need(*programs: str) -> None:
    """Skip the test with a sentence, or fail it under LTM_REQUIRE_ALL=1, if one is missing."""
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    sentence = f"install {', '.join(missing)} to run this test"
    if os.environ.get("LTM_REQUIRE_ALL") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)
