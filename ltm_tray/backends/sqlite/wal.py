"""The write-ahead log beside a database: whether it belongs to it, and how large it may grow.

SQLite plays any log it finds into the file beside it. Where that file was replaced, by
a copy from a backup say, an old log would spoil it. So each write counts up a number in
the header of the database (the application id, which nothing else uses): the log's first
commit carries the number after the file's, unless the two were never one.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from ltm_tray.backends.sqlite import frames
from ltm_tray.files import keep_aside

KEPT_BYTES = 16 * 1024 * 1024
"""A log that was played into the database is cut to this size, if it is larger."""
TRY_BYTES = 8 * 1024 * 1024
"""From this size on the log is emptied as soon as no reader is in the way."""
WAIT_BYTES = 32 * 1024 * 1024
"""From this size on a writer waits for the readers that are in the way."""
_WAIT_S = 2.5

_MAGIC = b"SQLite format 3\0"
_PAGE_START_BYTES = 100
_LOOKS = 20


def log_of(file: Path) -> Path:
    """Return where the log of a database is."""
    return file.with_name(f"{file.name}-wal")


def index_of(file: Path) -> Path:
    """Return where SQLite keeps its index of the log; it is made anew when missing."""
    return file.with_name(f"{file.name}-shm")


def size_of(file: Path) -> int:
    """Return the bytes of a database's log; 0 without one."""
    try:
        return log_of(file).stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def begin_count(connection: sqlite3.Connection) -> None:
    """Give a new database a number to count from that no other one has."""
    first = int.from_bytes(os.urandom(4), "big") % (1 << 30) + 1
    connection.execute(f"PRAGMA application_id = {first}")


def stop_count(connection: sqlite3.Connection) -> None:
    """Take the number from a database that will be written over another one as a whole.

    What is written to that one next begins a new count.
    """
    connection.execute("PRAGMA application_id = 0")


def count_up(connection: sqlite3.Connection) -> None:
    """Note, within a transaction, that the database has one commit more."""
    (number,) = connection.execute("PRAGMA application_id").fetchone()
    if number:
        connection.execute(f"PRAGMA application_id = {number + 1}")
    else:
        begin_count(connection)


def belongs(file: Path) -> bool:
    """Tell whether the log beside a database may be played into it; True where none is.

    False only if that would mix two databases, or two states of one that lie apart: the
    file's number is neither the one before the log's first nor one of the log's own.
    Other processes may use both meanwhile. This one must not: closing a file gives up all
    POSIX locks that a process has on it, also those of SQLite.
    """
    log = log_of(file)
    if _fits(_number_of(file), frames.numbers_in(log, committed=False)):
        return True
    for _ in range(_LOOKS):
        before = (_number_of(file), frames.header_of(log))
        numbers = frames.numbers_in(log, committed=True)
        # Others may be writing meanwhile: only what did not move can be compared.
        if before == (_number_of(file), frames.header_of(log)):
            return _fits(before[0], numbers)
    return True


def _fits(number: int, numbers: list[int]) -> bool:
    # What has no number at all, or none yet, cannot be judged.
    if not number or not numbers or not numbers[0]:
        return True
    return number in {numbers[0] - 1, *numbers}


def set_aside(file: Path) -> Path | None:
    """Move the log away, keeping it under a dated name, and return where it is now."""
    kept = keep_aside(log_of(file), "stale") if size_of(file) else None
    log_of(file).unlink(missing_ok=True)
    index_of(file).unlink(missing_ok=True)
    return kept


def keep_small(connection: sqlite3.Connection, file: Path) -> None:
    """Empty a log that has grown; readers that never pause would let it grow for ever."""
    size = size_of(file)
    if size < TRY_BYTES:
        return
    # What was committed is safe either way, so nothing here may fail a write.
    with suppress(sqlite3.Error):
        (wait_ms,) = connection.execute("PRAGMA busy_timeout").fetchone()
        wait_for_readers_ms = int(_WAIT_S * 1_000) if size >= WAIT_BYTES else 0
        connection.execute(f"PRAGMA busy_timeout = {wait_for_readers_ms}")
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {wait_ms}")


def _number_of(file: Path) -> int:
    try:
        with file.open("rb") as stream:
            start = stream.read(_PAGE_START_BYTES)
    except OSError:
        return 0
    return frames.number_of(start) if start.startswith(_MAGIC) else 0
