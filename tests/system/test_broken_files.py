"""What becomes of the database file when something happens to it: told apart, put right."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, wal
from ltm_tray.domain.health import StoreState
from tests.support.asking import found
from tests.support.builders import a_memory, an_observation
from tests.support.damage import execute, findings, leaf_pages_of, zero_pages
from tests.support.killed import KILLED, killed_at
from tests.support.writer import Writer, acknowledged, open_store, text_of

POSIX_ONLY = pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files in their place.")
SAVED = 80


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "ltm.sqlite"


@pytest.fixture
def ids(file: Path) -> list[str]:
    """The ids of what a closed file holds."""
    store = open_store(file)
    found = [store.remember(a_memory(text_of("a", number))).id for number in range(SAVED)]
    store.observe(an_observation("User: why is the heron slow?"))
    store.close()
    return found


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    store = open_store(file)
    yield store
    store.close()


def held(store: SqliteStore) -> set[str]:
    return {item.id for item in store.items() if item.id.startswith("mem_")}


def left_behind(file: Path, state: Path) -> None:
    """Leave file and log as a killed program does: nothing of it is closed."""
    for part in (file, wal.log_of(file)):
        shutil.copy(part, state / part.name)


@POSIX_ONLY
def test_one_of_several_programs_mends_a_damaged_file_and_the_others_wait(
    file: Path, ids: list[str]
) -> None:
    zero_pages(file, leaf_pages_of(file, "memories")[2:4])
    writers = [Writer(file, f"p{number}", 5) for number in range(3)]
    written = {id_ for writer in writers for id_, _ in acknowledged(writer, writer.lines())}
    assert len(written) == 15
    kept = list(file.parent.glob("*.damaged-*[0-9]"))
    assert len(kept) == 1
    again = open_store(file)
    assert written < held(again)
    assert again.health().state is StoreState.RECOVERED
    again.close()
    assert findings(file) == []


@POSIX_ONLY
def test_a_program_that_writes_on_while_another_mends_loses_nothing(
    file: Path, ids: list[str], store: SqliteStore
) -> None:
    store.remember(a_memory("Use tabs"))
    with store.database.read():
        pass
    zero_pages(file, leaf_pages_of(file, "recall_hits"))
    other = open_store(file)
    other.database.distrust()
    assert other.health().ok
    saved = store.remember(a_memory("Never spaces")).id
    assert found(other, "never spaces") == [saved]
    other.close()


@POSIX_ONLY
def test_a_log_of_another_file_is_not_played_into_the_one_that_is_there(
    file: Path, ids: list[str], store: SqliteStore, tmp_path: Path
) -> None:
    shutil.copy(file, tmp_path / "older.sqlite")
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    store.remember(a_memory("Use tabs"))
    with store.database.read() as connection:  # keeps the log from being emptied
        connection.execute("SELECT count(*) FROM memories").fetchone()
        left_behind(file, crashed)
    for number in range(3):  # and some generations of the log later
        store.remember(a_memory(f"Only the log has this {number}"))
        store.database._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
    store.remember(a_memory("The last word"))
    left_behind(file, crashed)
    shutil.copy(tmp_path / "older.sqlite", crashed / file.name)
    reopened = open_store(crashed / file.name)
    assert held(reopened) == set(ids)
    assert reopened.health().state is StoreState.REPLACED
    assert "ltm.sqlite-wal.stale-" in (reopened.health().detail or "")
    reopened.close()
    assert findings(crashed / file.name) == []


@POSIX_ONLY
def test_a_log_that_a_killed_program_left_is_played_in(
    file: Path, ids: list[str], store: SqliteStore, tmp_path: Path
) -> None:
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    saved = [store.remember(a_memory(text_of("b", number))).id for number in range(3)]
    left_behind(file, crashed)
    reopened = open_store(crashed / file.name)
    assert held(reopened) == {*ids, *saved}
    assert reopened.health().state is StoreState.OK
    reopened.close()


@POSIX_ONLY
def test_a_file_put_in_place_under_the_running_app_is_taken_as_it_is(
    file: Path, ids: list[str], store: SqliteStore, tmp_path: Path
) -> None:
    shutil.copy(file, tmp_path / "older.sqlite")
    store.remember(a_memory("Use tabs"))
    (tmp_path / "older.sqlite").replace(file)
    assert held(store) == set(ids)
    assert store.health().state is StoreState.REPLACED
    saved = store.remember(a_memory("Use spaces")).id
    store.close()
    assert findings(file) == []
    again = open_store(file)
    assert held(again) == {*ids, saved}
    again.close()


def test_the_log_beside_an_emptied_file_is_kept_with_it(
    file: Path, ids: list[str], store: SqliteStore, tmp_path: Path
) -> None:
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    store.remember(a_memory("Use tabs"))
    left_behind(file, crashed)
    log = wal.log_of(crashed / file.name).read_bytes()
    os.truncate(crashed / file.name, 0)
    reopened = open_store(crashed / file.name)
    assert held(reopened) == set()
    assert reopened.health().state is StoreState.RECOVERED
    reopened.close()
    (kept,) = crashed.glob("*.damaged-*-wal")
    assert kept.read_bytes() == log


@pytest.mark.parametrize(
    "broken",
    [
        ("DROP TABLE memories_fts",),
        ("PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name LIKE '%s_fts%'"),
        ("DROP TABLE memory_terms",),
        ("DELETE FROM memories_fts WHERE rowid = 7",),
        ("DELETE FROM memories_fts_docsize WHERE id = 7",),
        ("DELETE FROM observations_fts",),
        ("UPDATE memories SET is_latest = 0 WHERE number = 7",),
        ("UPDATE memories_fts_docsize SET id = 1007 WHERE id = 7",),
    ],
    ids=lambda statements: str(statements[-1]).lower(),
)
def test_an_index_that_differs_from_the_tables_is_made_anew_at_the_next_start(
    file: Path, ids: list[str], broken: tuple[str, ...]
) -> None:
    execute(file, *broken)
    store = open_store(file)
    assert found(store, "a8w3") == [ids[8]]
    store.close()
    assert findings(file) == []


def test_a_damaged_index_is_made_anew_once_a_question_has_met_it(
    file: Path, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(file, "UPDATE memories_fts_data SET block = zeroblob(length(block)) WHERE id > 10")
    store = open_store(file)
    store.database.distrust()
    assert len(found(store, "a8w3")) == 1
    assert store.health().ok
    store.close()
    assert findings(file) == []


@POSIX_ONLY
@pytest.mark.parametrize("moment", ["in a migration", "in the first migration", "in a rebuild"])
def test_a_start_that_is_killed_is_done_anew_by_the_next(
    file: Path, ids: list[str], moment: str
) -> None:
    if moment == "in the first migration":
        file.unlink()
        ids.clear()
    assert killed_at(moment, file) == KILLED
    store = open_store(file)
    assert held(store) == set(ids)
    assert store.health().state is StoreState.OK
    store.close()
    assert findings(file) == []


@POSIX_ONLY
@pytest.mark.parametrize(
    "moment",
    [
        "while rows are being saved",
        "before the new file is in place",
        "after the new file is in place",
    ],
)
def test_mending_that_is_killed_is_done_anew_by_the_next(
    file: Path, ids: list[str], moment: str
) -> None:
    zero_pages(file, leaf_pages_of(file, "memories")[2:4])
    assert killed_at(moment, file) == KILLED
    store = open_store(file)
    assert len(held(store)) > SAVED - 30
    assert store.health().state is StoreState.RECOVERED
    store.close()
    assert findings(file) == []


def test_a_database_of_the_future_is_left_alone_and_named_as_such(
    file: Path, ids: list[str], store: SqliteStore
) -> None:
    execute(file, "PRAGMA user_version = 1000")
    health = store.health()
    assert (health.ok, health.state) == (False, StoreState.NEWER_VERSION)
    assert health.next_step == "Update LTM Tray to use it."
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (SAVED,)
