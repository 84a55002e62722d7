"""One database file for all threads of this process: pooled, one writer, honest when it breaks."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from time import monotonic

from ltm_tray.backends.sqlite import faults, opening, wal
from ltm_tray.backends.sqlite.opening import BUSY_TIMEOUT_S
from ltm_tray.backends.sqlite.readiness import Care, Prepare, Readiness
from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy
from ltm_tray.domain.health import Notice

READ_TIMEOUT_S = 2
"""How long one read may compute before it is stopped."""
OPENING_TIMEOUT_S = 5
"""How long others wait while one opens the file, which may have to be mended."""
WRITERS_MAX = 12
"""How many writers of this process wait at a time, so that threads are left for readers."""
_STEPS_BETWEEN_CHECKS = 50_000


class Database:
    """One database file for all threads of this process.

    Reads run side by side on connections that cannot write; writes run one after
    another in a transaction each. A file that was deleted or replaced meanwhile, or
    turned out to be damaged, is noticed at the next use: the connections are closed
    and the path is opened anew.
    """

    def __init__(self, file: Path, prepare: Prepare, *, care: Care | None = None) -> None:
        """Remember the path; without `care` it is a private file of this process."""
        self.file = file
        self.trouble: BackendUnavailable | None = None
        """Why the last write failed; None once one has not."""
        self._prepare = prepare
        self._readiness = Readiness(file, prepare, care)
        self._write_guard = threading.Lock()
        self._writers = threading.Semaphore(WRITERS_MAX)
        self._free = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._in_use = 0
        self._opening = False
        self._distrusted = False
        self._closed = False

    @property
    def notices(self) -> list[Notice]:
        """What there is to tell about the file; more may be added."""
        return self._readiness.notices

    @property
    def waits(self) -> bool:
        """Whether another program is at the file that this one wants to open."""
        return self._readiness.waits

    @contextmanager
    def read(self, *, within_s: float = READ_TIMEOUT_S) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one state of the data; it cannot write.

        Raises:
            DatabaseBusy: The file stayed locked.
            BackendUnavailable: The file cannot be opened or read, or the work took too long.
        """
        with self._translated(), self._entered():
            connection = self._idle_reader()
            deadline = monotonic() + within_s
            connection.set_progress_handler(lambda: monotonic() > deadline, _STEPS_BETWEEN_CHECKS)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection in a transaction: all of the block happens, or nothing.

        Raises:
            DatabaseBusy: Another process kept the file locked for 30 s, or too many
                writers of this one wait already.
            BackendUnavailable: The file cannot be opened or written.
        """
        try:
            with self._translated(), self._turn(), self._begun() as connection:
                with finished(connection):
                    wal.count_up(connection)
                    yield connection
                wal.keep_small(connection, self.file)
        except BackendUnavailable as error:
            self.trouble = error
            raise
        self.trouble = None

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection without a transaction, for work on the file as a whole.

        Raises:
            DatabaseBusy: Another process kept the file locked for 30 s.
            BackendUnavailable: The file cannot be opened or written.
        """
        with self._translated(), self._turn(), self._entered():
            yield self._writing()

    def copy_to(self, file: Path) -> Database:
        """Write the present state to a new file, and return that as a database of its own.

        Raises:
            BackendUnavailable: One of the files cannot be opened, read or written.
        """
        with self.read(within_s=inf) as source:
            opening.claim(file)
            with closing(opening.connect(file)) as target:
                source.backup(target)
        return self.at(file)

    def at(self, file: Path) -> Database:
        """Return another, private file as such a database; it is opened at its first use."""
        return Database(file, self._prepare)

    def distrust(self) -> None:
        """Have the whole file examined, and mended if need be, at the next use."""
        self._distrusted = True

    def close(self) -> None:
        """Close every connection once the running work is done; calling it again does nothing."""
        with self._free:
            self._closed = True
            self._free.wait_for(lambda: self._in_use == 0 and not self._opening)
            self._close_all()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the other writers of this process, if there are not too many already."""
        if not self._writers.acquire(blocking=False):
            raise DatabaseBusy(faults.BUSY_SENTENCE)
        try:
            if not self._write_guard.acquire(timeout=BUSY_TIMEOUT_S):
                raise DatabaseBusy(faults.BUSY_SENTENCE)
            try:
                yield
            finally:
                self._write_guard.release()
        finally:
            self._writers.release()

    @contextmanager
    def _begun(self) -> Iterator[sqlite3.Connection]:
        """Lend the writing connection with the write lock of the file that is there now.

        Another process may have put a new file in its place while this one waited for
        the old one's lock; what would be written to that one would be lost.
        """
        while True:
            with self._entered():
                connection = self._writing()
                connection.execute("BEGIN IMMEDIATE")
                if self._readiness.is_same_file:
                    yield connection
                    return
                connection.execute("ROLLBACK")

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Keep the file from being reopened meanwhile; open it where that must be."""
        with self._free:
            self._wait_for_opening()
            if self._closed:
                raise BackendUnavailable("The store is closed.")
            must_open = self._opening = self._must_open()
            if not must_open:
                self._in_use += 1
        if must_open:
            self._open_anew()
        try:
            yield
        finally:
            with self._free:
                self._in_use -= 1
                self._free.notify_all()

    def _wait_for_opening(self) -> None:
        if not self._free.wait_for(lambda: not self._opening, OPENING_TIMEOUT_S):
            raise DatabaseBusy(
                "The memory is being made ready, which takes a while; try again in a moment."
            )

    def _must_open(self) -> bool:
        return self._distrusted or self._writer is None or not self._readiness.is_same_file

    def _open_anew(self) -> None:
        """Open the path and enter; closing the old file later would take the new one's log."""
        users = 0
        try:
            with self._free:
                self._free.wait_for(lambda: self._in_use == 0)
                self._close_all()
            self._writer = self._readiness.open(wait_s=BUSY_TIMEOUT_S, thorough=self._distrusted)
            self._distrusted = False
            users = 1
        finally:
            with self._free:
                self._opening = False
                self._in_use = users
                self._free.notify_all()

    def _close_all(self) -> None:
        for connection in filter(None, (*self._idle, self._writer)):
            connection.close()
        self._idle.clear()
        self._writer = None

    def _writing(self) -> sqlite3.Connection:
        assert self._writer is not None  # noqa: S101 — whoever has entered has opened
        return self._writer

    def _idle_reader(self) -> sqlite3.Connection:
        with self._free:
            if self._idle:
                return self._idle.pop()
        connection = opening.connect(self.file, wait_s=BUSY_TIMEOUT_S)
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
            if faults.is_damage(error):
                self.distrust()
            raise faults.domain_error(self.file, error) from error
        except OSError as error:
            raise faults.system_error(self.file, error) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a block in a write transaction: all of it happens, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    with finished(connection):
        yield connection


@contextmanager
def finished(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit the transaction that runs at the end of a block, or undo it where that fails."""
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
