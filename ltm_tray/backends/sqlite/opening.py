"""Opens database files: private, one process at a time, and never led elsewhere by a link.

The only module that calls `sqlite3.connect`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout

from ltm_tray.backends.sqlite import faults, wal
from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy
from ltm_tray.files import PRIVATE_FILE_MODE, close_to_others, make_private_dir

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another process before it gives up."""
_SETTINGS = (
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
    "cache_size = -8000",
    f"journal_size_limit = {wal.KEPT_BYTES}",
)

Identity = tuple[int, int]


def connect(file: Path, *, wait_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Open an existing database file; `wait_s` is how long it waits for other writers.

    What is committed is on the disk before the commit returns, so that it survives a
    loss of power too.
    """
    connection = sqlite3.connect(
        f"file:{quote(str(file))}?mode=rw",
        uri=True,
        timeout=wait_s,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_to_copy(file: Path) -> sqlite3.Connection:
    """Open a file that nobody writes, such as a backup, without a trace beside it."""
    # A file in use would be read wrongly, so what still has a log is opened as usual.
    mode = "mode=ro" if wal.log_of(file).exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, isolation_level=None)


@contextmanager
def alone(file: Path, *, wait_s: float) -> Iterator[None]:
    """Keep all other processes from opening, making or mending the file meanwhile.

    Raises:
        DatabaseBusy: Another process is at it for too long.
        OSError: The folder cannot be used.
    """
    make_private_dir(file.parent)
    lock = FileLock(f"{file}.lock", timeout=wait_s, mode=PRIVATE_FILE_MODE, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise DatabaseBusy(faults.BUSY_SENTENCE) from None
    try:
        yield
    finally:
        lock.release()


def claim(file: Path) -> bool:
    """Make sure a regular file of the user's is there; True where it had to be made.

    Call it while this process does not use the file; see `wal.belongs`.

    Raises:
        BackendUnavailable: A link or something else is in its place.
        OSError: It cannot be opened for writing.
    """
    make_private_dir(file.parent)
    for part in (file, wal.log_of(file), wal.index_of(file)):
        if part.is_symlink():
            raise faults.unusable(part, faults.LINK)
    made = not os.path.lexists(file)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file, flags, PRIVATE_FILE_MODE)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise faults.unusable(file, faults.NOT_A_FILE)
    finally:
        os.close(descriptor)
    return made


def private_again(file: Path) -> list[Path]:
    """Close the database's files to other users; return those that were open to them."""
    return close_to_others((file, wal.log_of(file), wal.index_of(file)))


def identity(file: Path) -> Identity | None:
    """Return what tells a file from one that takes its name; None without a file."""
    try:
        found = file.stat(follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def require_fts5() -> None:
    """Raise `BackendUnavailable` when this Python's SQLite cannot search full text."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError as error:
        raise BackendUnavailable(
            f"The SQLite {sqlite3.sqlite_version} of this Python has no FTS5 full-text search; "
            "use a Python from python.org or your system's packages."
        ) from error
    finally:
        connection.close()
