"""Backups: whole, checked copies of the database file beside it, and which of them to keep."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import NamedTuple

from ltm_tray.backends.sqlite.migrations import newest
from ltm_tray.backends.sqlite.opening import connect, connect_to_copy
from ltm_tray.domain.errors import BackendUnavailable, InvalidInput, invalid
from ltm_tray.domain.upkeep import Backup, BackupKind, Tell, backup_name, backup_of, superfluous
from ltm_tray.files import PRIVATE_FILE_MODE, make_private_dir

_PAGES_AT_A_TIME = 256
_PAUSE_S = 0.002
"""Between two stretches of a copy, so that writers have the disk in between."""
_DRAFT_LIVES_S = 3_600
"""A draft this old is of a backup that was cut off."""


Lend = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Lends a connection for the time of a block."""


class Held(NamedTuple):
    """How much a database holds: memories of all versions, and observations."""

    memories: int
    observations: int


def folder_of(db_file: Path) -> Path:
    """Return where the backups of a database file are."""
    return db_file.parent / "backups"


def listed(folder: Path) -> list[Backup]:
    """Return the backups in a folder, newest first; none where there is no folder."""
    found = []
    for file in folder.glob("ltm-*.sqlite"):
        try:
            backup = backup_of(file.name, file.stat().st_size)
        except OSError:  # deleted meanwhile
            continue
        if backup is not None:
            found.append(backup)
    return sorted(found, key=lambda backup: (backup.made_at, backup.name), reverse=True)


def newest_good(folder: Path) -> Path | None:
    """Return the newest backup that is still whole; None where there is none."""
    for backup in listed(folder):
        file = folder / backup.name
        try:
            checked(file)
        except InvalidInput:
            continue
        return file
    return None


def back_up(
    lend: Lend,
    folder: Path,
    kind: BackupKind,
    made_at: datetime,
    tell: Tell | None = None,
) -> Backup:
    """Copy one state of a database into the folder; a copy counts when it proved whole.

    `lend` lends a connection in a transaction: others may write meanwhile, and what they
    write is not in the copy. It has its connection back before the copy is checked, because
    what is written cannot go from the log into the file until then.

    Raises:
        BackendUnavailable: The copy cannot be written, or is not whole.
    """
    name = backup_name(kind, made_at)
    try:
        make_private_dir(folder)
        _delete_old_drafts(folder, made_at)
        with draft_in(folder, name) as draft:
            with lend() as source:
                held = _held(source)
                copy(source, draft, tell)
            _compare(checked(draft), held)
            draft.replace(folder / name)
        size = (folder / name).stat().st_size
    except (OSError, sqlite3.Error, InvalidInput) as error:
        raise BackendUnavailable(f"No backup can be made in {folder}: {error}.") from error
    return Backup(name=name, kind=kind, made_at=made_at, size_bytes=size)


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Let a block read one state of the data, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK")


def delete_superfluous(folder: Path) -> None:
    """Delete the backups that the rule does not keep; see `domain.upkeep.superfluous`."""
    for backup in superfluous(listed(folder)):
        (folder / backup.name).unlink(missing_ok=True)


@contextmanager
def draft_in(folder: Path, name: str) -> Iterator[Path]:
    """Lend an empty file that only the user can read; what of it is left behind is deleted."""
    draft = folder / f".{name}.{os.getpid()}.part"
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE))
    try:
        yield draft
    finally:
        for left in (draft, *(draft.with_name(draft.name + end) for end in ("-wal", "-shm"))):
            left.unlink(missing_ok=True)


def copy(source: sqlite3.Connection, file: Path, tell: Tell | None = None) -> None:
    """Copy a database into an empty file, a stretch at a time, and on to the disk."""
    descriptor = os.open(file, os.O_RDWR)

    def pause(_: int, remaining: int, total: int) -> None:
        os.fsync(descriptor)  # all at once at the end would keep writers from the disk
        if tell is not None:
            tell(total - remaining, total)
        sleep(_PAUSE_S)

    try:
        with closing(connect(file)) as target:
            target.execute("PRAGMA synchronous = OFF")  # it is brought to the disk here instead
            source.backup(target, pages=_PAGES_AT_A_TIME, progress=pause)
            target.execute("PRAGMA journal_mode = DELETE")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checked(file: Path) -> Held:
    """Return how much a copy holds, once it proved whole.

    Raises:
        InvalidInput: It is damaged, no memory of ours, or of a newer version.
    """
    try:
        with closing(connect_to_copy(file)) as copied:
            version = copied.execute("PRAGMA user_version").fetchone()[0]
            if version > newest():
                raise invalid("backup", "newer", "was made by a newer LTM Tray; update this one")
            ((result,), *_) = copied.execute("PRAGMA quick_check(1)").fetchall()
            if result != "ok":
                raise invalid("backup", "damaged", f"is damaged: {result}")
            return _held(copied)
    except sqlite3.Error as error:
        raise invalid("backup", "damaged", f"cannot be read: {error}") from error


def _held(connection: sqlite3.Connection) -> Held:
    sql = "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM observations)"
    return Held(*connection.execute(sql).fetchone())


def _compare(copied: Held, held: Held) -> None:
    if copied != held:
        raise invalid("backup", "incomplete", f"holds {copied}, not {held}")


def _delete_old_drafts(folder: Path, now: datetime) -> None:
    for draft in folder.glob(".ltm-*.part*"):
        if now.timestamp() - draft.stat().st_mtime > _DRAFT_LIVES_S:
            draft.unlink(missing_ok=True)
