"""One app over a fresh SQLite file, asked in the process or over a socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ltm_tray.fronts.web.server import LocalServer
from tests.support.web import Web, a_web, served


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    made = a_web(tmp_path)
    yield made
    made.service.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, LocalServer]]:
    with served(tmp_path_factory.mktemp("served")) as pair:
        yield pair
