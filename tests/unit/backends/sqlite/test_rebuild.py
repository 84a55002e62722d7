"""The index is made anew when the analyser has changed, and says how far it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, rebuild
from ltm_tray.backends.sqlite.mending import Mending
from tests.support.asking import found
from tests.support.builders import a_memory, an_observation
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds


def open_store(file: Path) -> SqliteStore:
    return SqliteStore(file, clock=TickingClock(), new_id=CountingIds())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with two memories of one chain, another, and an observation."""
    file = tmp_path / "ltm.sqlite"
    store = open_store(file)
    words = "alpha bravo charlie delta echo foxtrot golf hotel"
    store.remember(a_memory(f"{words} old", concepts=("labelled",)))
    store.remember(a_memory(f"{words} new"))
    store.remember(a_memory("Use tabs"))
    store.observe(an_observation("User: tabs in a turn"))
    store.close()
    return file


def dump(file: Path) -> list[list[tuple[object, ...]]]:
    queries = (
        "SELECT rowid, title, content, labels FROM memories_fts",
        "SELECT rowid, title, narrative FROM observations_fts",
        "SELECT project, term, term_count, memory FROM memory_terms",
        "SELECT project, term, holders FROM term_holders",
    )
    with closing(sqlite3.connect(file)) as connection:
        return [sorted(connection.execute(query)) for query in queries]


def test_an_index_of_another_analyser_is_made_anew_at_the_next_use(file: Path) -> None:
    before = dump(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM memories_fts")
        connection.execute("DELETE FROM memory_terms")
        connection.execute("UPDATE store_facts SET value = 'older'")
    store = open_store(file)
    assert len(found(store, "tabs")) == 2
    assert len(found(store, "labelled")) == 1
    store.close()
    assert dump(file) == before


def test_an_index_that_is_as_it_should_be_is_left_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "rebuild", never)
    store = open_store(file)
    assert len(found(store, "tabs")) == 2
    store.close()


def never(*_: object) -> None:
    raise AssertionError("the index was made anew")


def test_a_rebuild_tells_how_far_it_is(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "_TELL_EVERY", 1)
    told: list[tuple[int, int]] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        rebuild.rebuild(connection, lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_rebuild_that_fails_leaves_the_old_index(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(file)
    monkeypatch.setattr(rebuild, "ANALYSER_VERSION", 99)

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ltm_tray.backends.sqlite.index.add_observation", fail)
    store = open_store(file)
    with pytest.raises(KeyboardInterrupt):
        store.remember(a_memory("never saved"))
    store.close()
    assert dump(file) == before


def test_health_answers_while_the_index_is_being_made(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "ANALYSER_VERSION", 99)
    monkeypatch.setattr(rebuild, "_TELL_EVERY", 1)
    store = open_store(file)
    details: list[str | None] = []
    tell = Mending._tell

    def look(mending: Mending, done: int, total: int) -> None:
        tell(mending, done, total)
        details.append(store.health().detail)

    monkeypatch.setattr(Mending, "_tell", look)
    assert len(found(store, "tabs")) == 2
    assert details[-1] == "The search index is being made anew: 3 of 3 items are done."
    assert store.health().detail is None
    store.close()
