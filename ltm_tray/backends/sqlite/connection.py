"""Opens the database file: private, pooled, one writer, and honest when it breaks.

The only module that calls `sqlite3.connect`.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from time import monotonic
from urllib.parse import quote

from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another process before it gives up."""
READ_TIMEOUT_S = 2
"""How long one read may compute before it is stopped."""
_CACHE_KIB = 8_000
_STEPS_BETWEEN_CHECKS = 50_000

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_BUSY_SENTENCE = "Another program is writing to the memory; try again in a moment."
_SENTENCES = {
    sqlite3.SQLITE_CORRUPT: "is damaged; move it aside to start with an empty one",
    sqlite3.SQLITE_NOTADB: "is not an SQLite database; move it aside to start with an empty one",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "cannot be written; check its permissions",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that its folder exists and is yours",
    sqlite3.SQLITE_IOERR: "cannot be read or written; check the disk",
    sqlite3.SQLITE_INTERRUPT: f"took longer than {READ_TIMEOUT_S} s to answer; ask for less",
}

Identity = tuple[int, int]


class Database:
    """One database file for all threads of this process.

    Reads run side by side on connections that cannot write; writes run one after
    another in a transaction each. A file that was deleted or replaced meanwhile is
    noticed at the next use: the connections are closed and the path is opened anew.
    """

    def __init__(self, file: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        """Remember the path; `prepare` brings a freshly opened file to the current schema."""
        self.file = file
        self.notices: list[str] = []
        self._prepare = prepare
        self._write_guard = threading.Lock()
        self._free = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._in_use = 0
        self._identity: Identity | None = None
        self._closed = False

    @contextmanager
    def read(self, *, within_s: float = READ_TIMEOUT_S) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one state of the data; it cannot write.

        Raises:
            DatabaseBusy: The file stayed locked.
            BackendUnavailable: The file cannot be opened or read, or the work took too long.
        """
        with self._translated():
            self._enter()
            try:
                connection = self._idle_reader()
                deadline = monotonic() + within_s
                connection.set_progress_handler(
                    lambda: monotonic() > deadline, _STEPS_BETWEEN_CHECKS
                )
                try:
                    connection.execute("BEGIN")
                    yield connection
                finally:
                    self._give_back(connection)
            finally:
                self._leave()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection in a transaction: all of the block happens, or nothing.

        Raises:
            DatabaseBusy: Another process kept the file locked for 30 s.
            BackendUnavailable: The file cannot be opened or written.
        """
        with self._translated(), self._turn(), transaction(self._writing()) as connection:
            yield connection

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection without a transaction, for work on the file as a whole.

        Raises:
            DatabaseBusy: Another process kept the file locked for 30 s.
            BackendUnavailable: The file cannot be opened or written.
        """
        with self._translated(), self._turn():
            yield self._writing()

    def copy_to(self, file: Path) -> Database:
        """Write the present state to a new file, and return that as a database of its own.

        Raises:
            BackendUnavailable: One of the files cannot be opened, read or written.
        """
        with self.read(within_s=inf) as source:
            _create_private(file)
            with closing(connect(file)) as target:
                source.backup(target)
        return self.at(file)

    def at(self, file: Path) -> Database:
        """Return another file as such a database; it is opened at its first use."""
        return Database(file, self._prepare)

    def close(self) -> None:
        """Close every connection once the running work is done; calling it again does nothing."""
        with self._free:
            self._closed = True
            self._free.wait_for(lambda: self._in_use == 0)
            self._close_all()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the other writers of this process, then keep the file from being reopened."""
        if not self._write_guard.acquire(timeout=BUSY_TIMEOUT_S):
            raise DatabaseBusy(_BUSY_SENTENCE)
        try:
            self._enter()
            try:
                yield
            finally:
                self._leave()
        finally:
            self._write_guard.release()

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = connect(self.file)
        return self._writer

    def _enter(self) -> None:
        with self._free:
            if self._closed:
                raise BackendUnavailable("The store is closed.")
            if self._identity is None or self._identity != _identity(self.file):
                self._free.wait_for(lambda: self._in_use == 0)
                self._open_anew()
            self._in_use += 1

    def _leave(self) -> None:
        with self._free:
            self._in_use -= 1
            self._free.notify_all()

    def _open_anew(self) -> None:
        """Open the path; closing the old file later would take the new one's WAL along."""
        if self._identity is not None and self._identity != _identity(self.file):
            self.notices.append(
                f"The database file {self.file} was deleted or replaced while LTM Tray ran; "
                "it works with the file that is there now."
            )
        self._close_all()
        _create_private(self.file)
        connection = connect(self.file)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._writer = connection
        self._identity = _identity(self.file)

    def _close_all(self) -> None:
        for connection in filter(None, (*self._idle, self._writer)):
            connection.close()
        self._idle.clear()
        self._writer = None
        self._identity = None

    def _idle_reader(self) -> sqlite3.Connection:
        with self._free:
            if self._idle:
                return self._idle.pop()
        connection = connect(self.file)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(None, 0)
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._free:
            self._idle.append(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _domain_error(self.file, error) from error
        except OSError as error:
            raise BackendUnavailable(
                f"The database file {self.file} cannot be used: {error.strerror}."
            ) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a block in a write transaction: all of it happens, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


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


def connect(file: Path) -> sqlite3.Connection:
    """Open an existing database file to read and write."""
    connection = sqlite3.connect(
        f"file:{quote(str(file))}?mode=rw",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def connect_to_copy(file: Path) -> sqlite3.Connection:
    """Open a file that nobody writes, such as a backup, without a trace beside it."""
    # A file in use would be read wrongly, so what still has a log is opened as usual.
    mode = "mode=ro" if file.with_name(f"{file.name}-wal").exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"file:{quote(str(file))}?{mode}", uri=True, isolation_level=None)


def _create_private(file: Path) -> None:
    """Make sure the file is there, is a regular file and no link, and is the user's alone."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(file, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BackendUnavailable(f"The database path {file} is not a regular file.")
    finally:
        os.close(descriptor)


def _identity(file: Path) -> Identity | None:
    try:
        found = file.stat(follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _domain_error(file: Path, error: sqlite3.Error) -> BackendUnavailable | DatabaseBusy:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return DatabaseBusy(_BUSY_SENTENCE)
    sentence = _SENTENCES.get(code, f"cannot be used ({type(error).__name__})")
    return BackendUnavailable(f"The database file {file} {sentence}.")
