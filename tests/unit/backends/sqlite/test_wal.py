"""A log is told from one of another file, or of another time, and never mistaken for one."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, SqliteUpkeep, frames, wal
from ltm_tray.domain.upkeep import BackupKind
from tests.support.builders import a_memory
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.writer import text_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = a_store(tmp_path / "one" / "ltm.sqlite")
    yield store
    store.close()


def a_store(file: Path) -> SqliteStore:
    store = SqliteStore(file, clock=TickingClock(), new_id=CountingIds())
    save(store)
    return store


def save(store: SqliteStore) -> None:
    number = len(store.newest(limit=100).items)
    store.remember(a_memory(text_of("a", number)))


def empty_the_log(store: SqliteStore) -> None:
    with store.database.alone() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def play_in_some(store: SqliteStore) -> None:
    with store.database.alone() as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def write_anew(store: SqliteStore) -> None:
    with store.database.alone() as connection:
        connection.execute("VACUUM")


def restore(store: SqliteStore) -> None:
    upkeep = SqliteUpkeep(store.database, clock=TickingClock())
    made = upkeep.back_up(BackupKind.MANUAL)
    save(store)
    save(store)
    upkeep.restore(made.name)


STEPS: list[Callable[[SqliteStore], None]] = [
    save,
    empty_the_log,
    save,
    play_in_some,
    save,
    write_anew,
    save,
    restore,
    save,
    empty_the_log,
    write_anew,
    save,
]


def crashed(store: SqliteStore, folder: Path) -> Path:
    """Copy what a crash would leave."""
    folder.mkdir()
    file = store.database.file
    for part in (file, wal.log_of(file)):
        shutil.copy(part, folder / part.name)
    return folder / file.name


def test_the_log_that_a_crash_leaves_always_belongs(store: SqliteStore, tmp_path: Path) -> None:
    for number, step in enumerate(STEPS):
        step(store)
        assert wal.belongs(crashed(store, tmp_path / f"after-{number}")), step


def test_an_older_copy_of_the_file_does_not_belong_to_the_log(
    store: SqliteStore, tmp_path: Path
) -> None:
    empty_the_log(store)
    older = crashed(store, tmp_path / "older")
    for _ in range(2):
        save(store)
        empty_the_log(store)
    save(store)
    file = crashed(store, tmp_path / "crashed")
    shutil.copy(older, file)
    assert not wal.belongs(file)


def test_another_file_does_not_belong_to_the_log(store: SqliteStore, tmp_path: Path) -> None:
    save(store)
    file = crashed(store, tmp_path / "crashed")
    other = a_store(tmp_path / "other" / "ltm.sqlite")
    other.close()
    shutil.copy(other.database.file, file)
    assert not wal.belongs(file)


@pytest.mark.parametrize("content", [b"", b"not a log" * 100, bytes(5_000)])
def test_what_is_no_log_does_no_harm(store: SqliteStore, content: bytes) -> None:
    store.close()
    file = store.database.file
    wal.log_of(file).write_bytes(content)
    assert wal.belongs(file)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_the_committed_frames_are_told_as_sqlite_reads_them(
    store: SqliteStore, tmp_path: Path
) -> None:
    for _ in range(5):
        save(store)
    log = wal.log_of(crashed(store, tmp_path / "crashed"))
    numbers = frames.numbers_in(log, committed=True)
    assert numbers == frames.numbers_in(log, committed=False)
    assert numbers[-5:] == list(range(numbers[-1] - 4, numbers[-1] + 1))
    with log.open("r+b") as stream:  # the last transaction was being written when all ended
        stream.truncate(log.stat().st_size - 1_000)
    assert frames.numbers_in(log, committed=True) == numbers[:-1]
    assert frames.numbers_in(log, committed=False) == numbers


@pytest.mark.slow
def test_a_log_that_others_write_to_is_never_taken_for_a_strange_one(
    store: SqliteStore, tmp_path: Path
) -> None:
    done = threading.Event()

    def write() -> None:
        for _ in range(60):
            save(store)
            empty_the_log(store)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    looks = 0
    while not done.is_set():
        assert wal.belongs(store.database.file)
        looks += 1
    writer.join()
    assert looks > 0
