"""The database file: who waits for whom, and what is said when it cannot be used."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ltm_tray.backends.sqlite import SqliteStore, connection, opening
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy
from ltm_tray.domain.health import StoreState
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.waiting import wait_until

FOREVER = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "db" / "x.sqlite", create)
    yield database
    database.close()


def create(made: sqlite3.Connection) -> None:
    made.execute("CREATE TABLE IF NOT EXISTS notes (text TEXT)")


def add(database: Database, text: str) -> None:
    with database.write() as writing:
        writing.execute("INSERT INTO notes VALUES (?)", (text,))


def count(database: Database) -> int:
    with database.read() as reading:
        return int(reading.execute("SELECT count(*) FROM notes").fetchone()[0])


def test_a_read_that_takes_too_long_is_stopped_and_says_so(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "READ_TIMEOUT_S", 0.05)
    with pytest.raises(BackendUnavailable, match="too long"), database.read() as reading:
        reading.execute(FOREVER).fetchone()
    assert count(database) == 0


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(BackendUnavailable), database.read() as reading:
        reading.execute("INSERT INTO notes VALUES ('x')")
    assert count(database) == 0


def test_a_block_that_fails_leaves_nothing_written(database: Database) -> None:
    def fail() -> None:
        with database.write() as writing:
            writing.execute("INSERT INTO notes VALUES ('x')")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert count(database) == 0


def test_a_writer_that_is_kept_waiting_too_long_is_told_to_try_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_S", 0.05)
    add(database, "first")
    database.close()
    again = Database(database.file, create)
    with closing(sqlite3.connect(database.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusy, match="try again"):
            add(again, "second")
        assert count(again) == 1
    again.close()


def test_writers_of_one_process_take_turns(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_S", 0.05)
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with database.write():
            inside.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(10)
    with pytest.raises(DatabaseBusy):
        add(database, "too early")
    leave.set()
    holder.join()
    add(database, "now")
    assert count(database) == 1


def test_the_wal_file_of_a_new_database_is_never_taken_away(database: Database) -> None:
    add(database, "old")
    database.file.unlink()
    for number in range(3):
        add(database, f"new {number}")
    database.close()
    reopened = Database(database.file, create)
    assert count(reopened) == 3
    reopened.close()


def test_a_python_without_full_text_search_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Lacking(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if "fts5" in sql:
                raise sqlite3.OperationalError("no such module: fts5")
            return super().execute(sql, *values)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, **k, factory=Lacking))
    with pytest.raises(BackendUnavailable, match="FTS5"):
        SqliteStore(tmp_path / "x.sqlite", clock=TickingClock(), new_id=CountingIds())


def test_others_are_told_to_try_again_while_opening_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "OPENING_TIMEOUT_S", 0.05)
    begun, go_on = threading.Event(), threading.Event()

    def prepare_slowly(made: sqlite3.Connection) -> None:
        create(made)
        begun.set()
        go_on.wait(10)

    database = Database(tmp_path / "x.sqlite", prepare_slowly)
    opener = threading.Thread(target=add, args=(database, "first"))
    opener.start()
    begun.wait(10)
    with pytest.raises(DatabaseBusy, match="made ready"):
        count(database)
    go_on.set()
    opener.join()
    assert count(database) == 1
    database.close()


def test_health_says_that_another_program_is_at_the_file(tmp_path: Path) -> None:
    file = tmp_path / "memory" / "ltm.sqlite"
    store = SqliteStore(file, clock=TickingClock(), new_id=CountingIds())
    with opening.alone(file, wait_s=0):
        asking = threading.Thread(target=store.projects)
        asking.start()
        wait_until(lambda: store.database.waits, "it waits")
        assert store.health().state is StoreState.REBUILDING
        assert "Another program" in (store.health().detail or "")
    asking.join()
    assert store.health().state is StoreState.OK
    store.close()
