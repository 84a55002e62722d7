"""One database file for all threads of this process: pooled, one writer, honest when it breaks."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ltm_tray.backends.sqlite import faults, opening, wal
from ltm_tray.backends.sqlite.opening import Identity, identity
from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy
from ltm_tray.domain.health import Notice, StoreState

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another process before it gives up."""
READ_TIMEOUT_S = 2
"""How long one read may compute before it is stopped."""
WRITERS_MAX = 12
"""How many writers of this process wait at a time, so that threads are left for readers."""
_STEPS_BETWEEN_CHECKS = 50_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Care:
    """How a file that may be damaged is looked after, with no other process at it.

    `examine` looks at all of an opened file; what it cannot put right there it raises as
    `sqlite3.DatabaseError`. `mend` puts a sound file in the place of a damaged one, or
    raises the error to be told.
    """

    examine: Callable[[sqlite3.Connection], None]
    mend: Callable[[Path], None]


class Database:
    """One database file for all threads of this process.

    Reads run side by side on connections that cannot write; writes run one after
    another in a transaction each. A file that was deleted or replaced meanwhile, or
    turned out to be damaged, is noticed at the next use: the connections are closed
    and the path is opened anew.
    """

    def __init__(
        self,
        file: Path,
        prepare: Callable[[sqlite3.Connection], None],
        *,
        care: Care | None = None,
    ) -> None:
        """Remember the path; `prepare` brings a freshly opened file to the current schema."""
        self.file = file
        self.notices: list[Notice] = []
        self.trouble: BackendUnavailable | None = None
        """Why the last write failed; None once one has not."""
        self._prepare = prepare
        self._care = care
        self._write_guard = threading.Lock()
        self._writers = threading.Semaphore(WRITERS_MAX)
        self._free = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._in_use = 0
        self._identity: Identity | None = None
        self._log_identity: Identity | None = None
        self._distrusted = False
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one state of the data; it cannot write.

        Raises:
            DatabaseBusy: The file stayed locked.
            BackendUnavailable: The file cannot be opened or read, or the work took too long.
        """
        with self._translated(), self._entered():
            connection = self._idle_reader()
            deadline = monotonic() + READ_TIMEOUT_S
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

    def distrust(self) -> None:
        """Have the whole file examined, and mended if need be, at the next use."""
        self._distrusted = True

    def close(self) -> None:
        """Close every connection once the running work is done; calling it again does nothing."""
        with self._free:
            self._closed = True
            self._free.wait_for(lambda: self._in_use == 0)
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
                connection = self._writer = self._writer or self._connected()
                connection.execute("BEGIN IMMEDIATE")
                if self._identity == identity(self.file):
                    yield connection
                    return
                connection.execute("ROLLBACK")

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Keep the file from being reopened meanwhile."""
        with self._free:
            if self._closed:
                raise BackendUnavailable("The store is closed.")
            if self._must_open():
                self._free.wait_for(lambda: self._in_use == 0)
                if self._must_open():  # another thread may have done it meanwhile
                    self._open_anew()
            self._in_use += 1
        try:
            yield
        finally:
            with self._free:
                self._in_use -= 1
                self._free.notify_all()

    def _must_open(self) -> bool:
        return self._distrusted or self._identity is None or self._identity != identity(self.file)

    def _open_anew(self) -> None:
        was = self._identity
        self._close_all()
        with opening.alone(self.file, wait_s=BUSY_TIMEOUT_S):
            if was is not None and was != identity(self.file):
                self._tell_replaced()
            self._writer = self._opened()
        self._identity = identity(self.file)
        self._log_identity = identity(wal.log_of(self.file))
        self._distrusted = False

    def _tell_replaced(self) -> None:
        """Keep the log of a file that is gone from being played into the one that is there."""
        log_is = identity(wal.log_of(self.file))
        kept = wal.set_aside(self.file) if log_is and log_is == self._log_identity else None
        self._tell(
            f"The database file {self.file} was deleted or replaced while LTM Tray ran; "
            "it works with the file that is there now.",
            kept,
        )

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._ready(thorough=self._distrusted)
        except sqlite3.DatabaseError as error:
            if self._care is None or not faults.is_damage(error):
                raise
            self._care.mend(self.file)
        return self._ready(thorough=False)

    def _ready(self, *, thorough: bool) -> sqlite3.Connection:
        made = opening.claim(self.file)
        self._check_log(made=made)
        connection = self._connected()
        try:
            if made:
                wal.begin_count(connection)
            self._prepare(connection)  # which may refuse the file, so nothing changes before
            connection.execute("PRAGMA journal_mode = WAL")
            if thorough and self._care:
                self._care.examine(connection)
        except BaseException:
            connection.close()
            raise
        for file in opening.private_again(self.file):
            self._tell(f"Others could get at {file}; only you can now.", state=StoreState.NOTED)
        return connection

    def _check_log(self, *, made: bool) -> None:
        """Look whether SQLite may have the log, before it plays it into the file."""
        if not made and self._care and self.file.stat().st_size == 0:
            raise faults.Damaged("The file is empty.")
        if made or not wal.belongs(self.file):
            kept = wal.set_aside(self.file)
            if kept:
                self._tell("The database file was replaced while LTM Tray did not run.", kept)

    def _tell(
        self, sentence: str, kept_log: Path | None = None, state: StoreState = StoreState.REPLACED
    ) -> None:
        if kept_log:
            sentence += f" The last changes of the file before are kept as {kept_log.name}."
        logger.warning("%s", sentence)
        self.notices.append(Notice(state, sentence))

    def _close_all(self) -> None:
        for connection in filter(None, (*self._idle, self._writer)):
            connection.close()
        self._idle.clear()
        self._writer = None
        self._identity = None

    def _connected(self) -> sqlite3.Connection:
        return opening.connect(self.file, wait_s=BUSY_TIMEOUT_S)

    def _idle_reader(self) -> sqlite3.Connection:
        with self._free:
            if self._idle:
                return self._idle.pop()
        connection = self._connected()
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
