"""The backends that the contract is tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.ports import Store
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds

Maker = Callable[[Path, TickingClock], Store]

MAKERS: dict[str, Maker] = {
    "inmemory": lambda folder, clock: InMemoryStore(clock=clock, new_id=CountingIds()),
    "sqlite": lambda folder, clock: SqliteStore(
        folder / "memory" / "ltm.sqlite", clock=clock, new_id=CountingIds()
    ),
}


@dataclass
class Subject:
    """A store under test and the clock it looks at."""

    store: Store
    clock: TickingClock


@pytest.fixture(params=sorted(MAKERS))
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    clock = TickingClock()
    store = MAKERS[request.param](tmp_path, clock)
    yield Subject(store, clock)
    store.close()


@pytest.fixture
def store(subject: Subject) -> Store:
    return subject.store
