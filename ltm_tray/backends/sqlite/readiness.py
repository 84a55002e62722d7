"""Brings a database file to where it can be used: alone with it, its log looked at, mended."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ltm_tray.backends.sqlite import faults, opening, wal
from ltm_tray.backends.sqlite.opening import Identity, identity
from ltm_tray.domain.health import Notice, StoreState

logger = logging.getLogger(__name__)

Prepare = Callable[[sqlite3.Connection], None]
"""Brings a freshly opened file to the current schema."""


@dataclass(frozen=True, slots=True)
class Care:
    """How a file that several programs use, and that may be damaged, is looked after.

    `examine` looks at all of an opened file; what it cannot put right there it raises as
    `sqlite3.DatabaseError`. `mend` puts a sound file in the place of a damaged one, or
    raises the error to be told. Both are called while no other process opens the file.
    """

    examine: Callable[[sqlite3.Connection], None]
    mend: Callable[[Path], None]


class Readiness:
    """Opens one file again and again, and remembers which it was; `notices` are to be told.

    Without `care` the file is a private one: no other program is kept off it, and damage
    is only told.
    """

    def __init__(self, file: Path, prepare: Prepare, care: Care | None) -> None:
        self.notices: list[Notice] = []
        self.waits = False
        """Whether another process is at the file right now."""
        self._file = file
        self._prepare = prepare
        self._care = care
        self._was: Identity | None = None
        self._log_was: Identity | None = None

    @property
    def is_same_file(self) -> bool:
        """Whether the file that was opened last is still the one that is there."""
        return self._was is not None and self._was == identity(self._file)

    def open(self, *, wait_s: float, thorough: bool) -> sqlite3.Connection:
        """Return a connection to the file that is there now, or to a new one.

        Raises:
            LtmError: It cannot be used, or another process is at it for too long.
            sqlite3.Error: The same, as SQLite tells it.
            OSError: The same, as the system tells it.
        """
        with self._alone(wait_s):
            if self._was is not None and not self.is_same_file:
                self._tell_replaced()
                self._was = None
            connection = self._opened(wait_s=wait_s, thorough=thorough)
            self._was = identity(self._file)
            self._log_was = identity(wal.log_of(self._file))
            return connection

    @contextmanager
    def _alone(self, wait_s: float) -> Iterator[None]:
        if self._care is None:
            yield
            return
        self.waits = True
        try:
            with opening.alone(self._file, wait_s=wait_s):
                self.waits = False
                yield
        finally:
            self.waits = False

    def _tell_replaced(self) -> None:
        """Keep the log of a file that is gone from being played into the one that is there."""
        log_is = identity(wal.log_of(self._file))
        kept = wal.set_aside(self._file) if log_is and log_is == self._log_was else None
        self._tell(
            f"The database file {self._file} was deleted or replaced while LTM Tray ran; "
            "it works with the file that is there now.",
            kept,
        )

    def _opened(self, *, wait_s: float, thorough: bool) -> sqlite3.Connection:
        try:
            return self._ready(wait_s=wait_s, thorough=thorough)
        except sqlite3.DatabaseError as error:
            if self._care is None or not faults.is_damage(error):
                raise
            self._care.mend(self._file)
        return self._ready(wait_s=wait_s, thorough=False)

    def _ready(self, *, wait_s: float, thorough: bool) -> sqlite3.Connection:
        made = opening.claim(self._file)
        if self._care:
            self._check_log(made=made)
        connection = opening.connect(self._file, wait_s=wait_s)
        try:
            if made:
                wal.begin_count(connection)
            self._prepare(connection)  # which may refuse the file, so nothing changes before
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()  # begins the log
            if thorough and self._care:
                self._care.examine(connection)
        except BaseException:
            connection.close()
            raise
        for file in opening.private_again(self._file):
            self._tell(f"Others could get at {file}; only you can now.", state=StoreState.NOTED)
        return connection

    def _check_log(self, *, made: bool) -> None:
        """Look whether SQLite may have the log, before it plays it into the file."""
        if not made and self._file.stat().st_size == 0:
            raise faults.Damaged("The file is empty.")
        if made or not wal.belongs(self._file):
            kept = wal.set_aside(self._file)
            if kept:
                self._tell("The database file was replaced while LTM Tray did not run.", kept)

    def _tell(
        self, sentence: str, kept_log: Path | None = None, state: StoreState = StoreState.REPLACED
    ) -> None:
        if kept_log:
            sentence += f" The last changes of the file before are kept as {kept_log.name}."
        logger.warning("%s", sentence)
        self.notices.append(Notice(state, sentence))
