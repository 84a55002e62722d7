from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.app import RunningApp
from tests.support.fake_llm import FakeLlm
from tests.support.pi import Pi
from tests.support.pi_install import PI_VERSIONS, InstalledPi, installed_pi


# For the whole session: npm needs the real home, which each test hides.
@pytest.fixture(scope="session", params=PI_VERSIONS)
def installed(request: pytest.FixtureRequest) -> InstalledPi:
    return installed_pi(request.param)


@pytest.fixture(scope="session")
def oldest() -> InstalledPi:
    """The oldest Pi served, on the oldest Node."""
    return installed_pi(next(iter(PI_VERSIONS)))


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as running:
        yield running


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that refuses connections, and that no other program can take meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


@pytest.fixture
def pi(installed: InstalledPi, llm: FakeLlm, silent_port: int, home: Path, tmp_path: Path) -> Pi:
    """A Pi with the extension, in a project directory; no app runs."""
    pi = Pi(installed, llm, tmp_path / "project", silent_port)
    pi.install_extension()
    return pi


@pytest.fixture
def app(home: Path) -> Iterator[RunningApp]:
    with RunningApp("serve") as running:
        yield running
