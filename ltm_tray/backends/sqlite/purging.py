"""Removes old texts for good: rows, index terms, free pages, the write-ahead log, older copies.

A deleted row is overwritten at once (`secure_delete`), but the full-text index keeps its
terms until its segments merge, and the write-ahead log keeps old pages until it is reset.
FTS5 could take terms out at once since SQLite 3.42, but then older ones, with which other
programs may use the same file, cannot read the index any more; it is made anew instead.
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from glob import escape
from itertools import chain
from math import inf
from pathlib import Path
from time import monotonic, sleep

from ltm_tray.backends.sqlite import backups
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.opening import BUSY_TIMEOUT_S
from ltm_tray.domain.archive import NO_LIMITS, Limits, OldCopy, Purged, PurgeWish
from ltm_tray.domain.errors import DatabaseBusy
from ltm_tray.domain.times import first_iso_from
from ltm_tray.domain.upkeep import BackupKind

_BATCH_ROWS = 500
_SIDE_FILES = ("", "-wal", "-shm")
_OVERDUE_SQL = """
SELECT number FROM (
    SELECT number, created_at, id, row_number() OVER (
        PARTITION BY project_id ORDER BY created_at DESC, id DESC
    ) AS place FROM observations
) WHERE created_at < ?1 OR place > ?2 ORDER BY created_at, id
"""
_VERSIONS_SQL = "SELECT number FROM memories WHERE is_latest = 0 ORDER BY number"
_DELETE_VERSIONS_SQL = (
    f"DELETE FROM memories WHERE number IN ({_VERSIONS_SQL} LIMIT ?) RETURNING id"  # noqa: S608
)
_QUESTIONS_SQL = """
SELECT DISTINCT recall_id FROM recall_hits WHERE hit_id NOT IN (
    SELECT id FROM memories WHERE {kept} UNION ALL
    SELECT id FROM observations WHERE number NOT IN ({overdue})
)
"""
_GONE_SQL = _QUESTIONS_SQL.format(kept="1", overdue="SELECT NULL WHERE 0")
_DELETE_QUESTIONS_SQL = f"DELETE FROM recalls WHERE id IN ({_GONE_SQL})"  # noqa: S608
_MORE_THAN_ANY = 2**62
_PAUSE_S = 0.02
_LOG_IN_USE = (
    "Another program reads the memory all the time, so that its write-ahead log cannot be"
    " emptied: what was removed can still be found in that file. End that program and purge again."
)


def purgeable(database: Database, wish: PurgeWish) -> Purged:
    """See `Archive.purgeable`."""
    size = _size(database.file)
    with database.read(within_s=inf) as connection:
        versions = _count(connection, _VERSIONS_SQL) if wish.versions else 0
        questions = _QUESTIONS_SQL.format(
            kept="is_latest = 1" if wish.versions else "1", overdue=_OVERDUE_SQL
        )
        return Purged(
            versions=versions,
            observations=count_overdue(connection, wish.limits),
            questions=_count(connection, questions, *_bounds(wish.limits)),
            bytes_before=size,
            bytes_after=size,
            copies=_copies(database.file),
        )


def purge(database: Database, wish: PurgeWish, now: datetime) -> Purged:
    """See `Archive.purge`."""
    before = _size(database.file)
    copies = _copies(database.file)
    versions = _in_batches(lambda: _delete_versions(database)) if wish.versions else 0
    observations = _in_batches(lambda: delete_overdue(database, wish.limits, _BATCH_ROWS))
    with database.write() as connection:
        questions = _delete_questions(connection)
        for table in ("memories_fts", "observations_fts"):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608
    _rewrite(database)
    if wish.backups:
        _replace_copies(database, copies, now)
    return Purged(
        versions=versions,
        observations=observations,
        questions=questions,
        bytes_before=before,
        bytes_after=_size(database.file),
        copies=copies,
        copies_removed=wish.backups,
    )


def _replace_copies(database: Database, copies: Sequence[OldCopy], now: datetime) -> None:
    """Delete the older copies, once there is a backup of what is left."""
    lend = partial(database.read, within_s=inf)
    made = backups.back_up(lend, backups.folder_of(database.file), BackupKind.DAILY, now)
    kept = backups.folder_of(database.file) / made.name
    for copy in copies:
        file = database.file.parent / copy.name
        if file != kept:
            file.unlink(missing_ok=True)


def delete_overdue(database: Database, limits: Limits, most: int) -> int:
    """See `Archive.delete_overdue`."""
    if limits == NO_LIMITS:
        return 0
    with database.write() as connection:
        bounds = _bounds(limits)
        numbers = connection.execute(f"{_OVERDUE_SQL} LIMIT ?3", (*bounds, most)).fetchall()
        connection.executemany("DELETE FROM observations WHERE number = ?", numbers)
        connection.executemany("DELETE FROM observations_fts WHERE rowid = ?", numbers)
    return len(numbers)


def count_overdue(connection: sqlite3.Connection, limits: Limits) -> int:
    """See `Archive.count_overdue`."""
    return 0 if limits == NO_LIMITS else _count(connection, _OVERDUE_SQL, *_bounds(limits))


def _delete_versions(database: Database) -> int:
    with database.write() as connection:
        gone = connection.execute(_DELETE_VERSIONS_SQL, (_BATCH_ROWS,)).fetchall()
        connection.executemany("UPDATE memories SET parent_id = NULL WHERE parent_id = ?", gone)
    return len(gone)


def _delete_questions(connection: sqlite3.Connection) -> int:
    return connection.execute(_DELETE_QUESTIONS_SQL).rowcount


def _in_batches(delete: Callable[[], int]) -> int:
    """Delete until nothing is left, in transactions that keep other writers waiting briefly."""
    total = 0
    while (gone := delete()) > 0:
        total += gone
    return total


def _rewrite(database: Database) -> None:
    """Write the whole file anew and empty the log."""
    with database.alone() as connection:
        connection.execute("VACUUM")
        give_up_at_s = monotonic() + BUSY_TIMEOUT_S
        # SQLite itself waits for readers, but not for another connection's checkpoint.
        while _is_log_busy(connection):
            if monotonic() > give_up_at_s:
                raise DatabaseBusy(_LOG_IN_USE)
            sleep(_PAUSE_S)


def _is_log_busy(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])


def _bounds(limits: Limits) -> tuple[str, int]:
    before = first_iso_from(limits.created_before) if limits.created_before else ""
    return before, limits.most_of_project or _MORE_THAN_ANY


def _count(connection: sqlite3.Connection, sql: str, *values: object) -> int:
    return int(connection.execute(f"SELECT count(*) FROM ({sql})", values).fetchone()[0])  # noqa: S608


def _size(file: Path) -> int:
    parts = [file.with_name(file.name + end) for end in _SIDE_FILES]
    return sum(part.stat().st_size for part in parts if part.exists())


def _copies(file: Path) -> tuple[OldCopy, ...]:
    """Return the backups, and what was kept aside beside the database under a longer name."""
    own = {file.name + end for end in (*_SIDE_FILES, ".lock")}
    beside = (f for f in file.parent.glob(f"{escape(file.name)}*") if f.name not in own)
    found = []
    for copy in chain(file.parent.glob("backups/*.sqlite*"), beside):
        state = copy.stat(follow_symlinks=False)
        if stat.S_ISREG(state.st_mode):
            name = copy.relative_to(file.parent).as_posix()
            made_at = datetime.fromtimestamp(state.st_mtime, UTC)
            found.append(OldCopy(name=name, made_at=made_at, size_bytes=state.st_size))
    return tuple(sorted(found, key=lambda copy: (copy.made_at, copy.name)))
