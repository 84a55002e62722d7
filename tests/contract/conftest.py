"""The backends that the contract is tested on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.domain.errors import NotSupported
from ltm_tray.ports import Store
from tests.contract.limits import is_agentmemory, limit_of
from tests.support.clock import TickingClock
from tests.support.fake_agentmemory import FakeAgentMemory, an_agentmemory
from tests.support.ids import CountingIds
from tests.support.real_agentmemory import OwnProjects, RealAgentMemory, installed_agentmemory

Maker = Callable[[Path, TickingClock], Store]

MAKERS: dict[str, Maker] = {
    "agentmemory": lambda folder, clock: an_agentmemory(FakeAgentMemory(clock), clock),
    "inmemory": lambda folder, clock: InMemoryStore(clock=clock, new_id=CountingIds()),
    "sqlite": lambda folder, clock: SqliteStore(
        folder / "memory" / "ltm.sqlite", clock=clock, new_id=CountingIds()
    ),
}
REAL = pytest.param("agentmemory-real", marks=pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Take it for an expected failure where agentmemory says that it cannot do something."""
    try:
        return (yield)
    except NotSupported as error:
        if is_agentmemory(str(pyfuncitem.callspec.params.get("subject"))):
            pytest.xfail(error.message)
        raise


@dataclass
class Subject:
    """A store under test and the clock it looks at."""

    store: Store
    clock: TickingClock


@pytest.fixture(scope="session")
def network() -> Iterator[httpx.HTTPTransport]:
    with httpx.HTTPTransport() as transport:
        yield transport


@pytest.fixture(scope="session")
def real_agentmemory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealAgentMemory]:
    """The real server; it stays up, and each test has projects of its own in it."""
    with RealAgentMemory(installed_agentmemory(), tmp_path_factory.mktemp("agentmemory")) as real:
        yield real


@pytest.fixture(params=[*sorted(MAKERS), REAL])
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    limit = limit_of(request.param, request.node)
    if limit:
        request.applymarker(limit)
    clock = TickingClock()
    if request.param == "agentmemory-real":
        real: RealAgentMemory = request.getfixturevalue("real_agentmemory")
        transport = OwnProjects(request.getfixturevalue("network"))
        store: Store = an_agentmemory(transport, clock, real.url)
    else:
        store = MAKERS[request.param](tmp_path, clock)
    yield Subject(store, clock)
    store.close()


@pytest.fixture
def store(subject: Subject) -> Store:
    return subject.store
