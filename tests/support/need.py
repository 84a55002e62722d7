"""Says what to install where a test needs a program that this machine lacks."""

from __future__ import annotations

import os
import shutil

import pytest


def need(*programs: str) -> None:
    """Skip the test unless all programs are there; with LTM_REQUIRE_ALL=1 it fails instead."""
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    sentence = f"This test needs {', '.join(missing)}; install it to run the test."
    if os.environ.get("LTM_REQUIRE_ALL") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)
