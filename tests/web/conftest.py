"""One app over a fresh SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.web import Web, a_web


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    made = a_web(tmp_path)
    yield made
    made.service.close()
