"""What can be wrong with a database file: SQLite's and the system's errors in plain words."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import NamedTuple

from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy, LtmError
from ltm_tray.domain.health import StoreState

BUSY_SENTENCE = "Another program is writing to the memory; try again in a moment."
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Fault(NamedTuple):
    """What is wrong, how the sentence about the file goes on, and what to do."""

    state: StoreState
    what: str
    next_step: str


DAMAGED = Fault(
    StoreState.DAMAGED,
    "is damaged; what can be read is being saved",
    "Try again in a moment.",
)
NOT_A_DATABASE = Fault(
    StoreState.NOT_A_DATABASE,
    "is not an SQLite database; it is left as it is",
    "Move it elsewhere, or name another file in dbPath.",
)
OTHER_PROGRAM = Fault(
    StoreState.OTHER_PROGRAM,
    "belongs to another program; it is left as it is",
    "Name another file in dbPath.",
)
NOT_A_FILE = Fault(
    StoreState.NOT_A_FILE,
    "is not a regular file",
    "Move what is there elsewhere, or name another file in dbPath.",
)
LINK = Fault(
    StoreState.LINK,
    "is a link, and links are not followed",
    "Put the file itself there, or name where it is in dbPath.",
)
_DISK_FULL = Fault(
    StoreState.DISK_FULL, "cannot grow: the disk is full", "Free some space; no restart is needed."
)
_READ_ONLY = Fault(
    StoreState.READ_ONLY,
    "cannot be written",
    "Make the file and its folder yours and writable; no restart is needed.",
)
_CANNOT_OPEN = Fault(
    StoreState.CANNOT_OPEN,
    "cannot be opened",
    "Check that its folder exists and is yours.",
)
_DISK_ERROR = Fault(
    StoreState.DISK_ERROR,
    "cannot be read or written",
    "Check the disk, and the space left on it.",
)
_TOO_SLOW = Fault(StoreState.TOO_SLOW, "took too long to answer", "Ask for less.")

_OF_SQLITE = {
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: NOT_A_DATABASE,
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _CANNOT_OPEN,
    sqlite3.SQLITE_IOERR: _DISK_ERROR,
    sqlite3.SQLITE_INTERRUPT: _TOO_SLOW,
}
_OF_SYSTEM = {
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EISDIR: NOT_A_FILE,
    errno.ELOOP: LINK,
}


class Damaged(sqlite3.DatabaseError):
    """Something was found that SQLite itself had not complained about so far."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether an error says that the file does not hold what it should."""
    return _code(error) in _DAMAGE


def unusable(file: Path, fault: Fault) -> BackendUnavailable:
    """Return the error for a file with that fault."""
    return BackendUnavailable(
        f"The database file {file} {fault.what}.", state=fault.state, next_step=fault.next_step
    )


def domain_error(file: Path, error: sqlite3.Error) -> LtmError:
    """Return the error that callers can act on for one of SQLite's."""
    if _code(error) in _BUSY:
        return DatabaseBusy(BUSY_SENTENCE)
    fault = _OF_SQLITE.get(_code(error))
    if fault is not None:
        return unusable(file, fault)
    return BackendUnavailable(
        f"The database file {file} cannot be used ({type(error).__name__}); the log says more."
    )


def system_error(file: Path, error: OSError) -> BackendUnavailable:
    """Return the error that callers can act on for one of the system's."""
    fault = _OF_SYSTEM.get(error.errno or 0)
    if fault is not None:
        return unusable(file, fault)
    return BackendUnavailable(
        f"The database file {file} cannot be used: {error.strerror or error}.",
        state=StoreState.CANNOT_OPEN,
        next_step=_CANNOT_OPEN.next_step,
    )


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
