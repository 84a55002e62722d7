"""Keeps one database file whole: looks at it when it is opened, and mends what is broken.

The index is made anew in place. A damaged file is replaced by a new one with all that can
be saved, and kept under a dated name. Whoever calls these sees to it that no other process
opens the file meanwhile.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from ltm_tray.backends.sqlite import backups, faults, integrity, opening, rebuild, recovery, wal
from ltm_tray.backends.sqlite.connection import transaction
from ltm_tray.backends.sqlite.migrations import migrate
from ltm_tray.backends.sqlite.recovery import Recovered, Recovery
from ltm_tray.backends.sqlite.salvage import Counts, salvage
from ltm_tray.domain.errors import BackendUnavailable, LtmError
from ltm_tray.domain.upkeep import BackupKind
from ltm_tray.files import PRIVATE_FILE_MODE, aside_name, keep_copy, write_private_file
from ltm_tray.ports import Clock

FindBackup = Callable[[Path], Path | None]
"""Takes the folder of backups; returns the newest that is known to be good, or None."""

SMALL_BYTES = 4 * 1024 * 1024
"""A file up to this size is looked at page by page whenever it is opened."""
_TRY_AGAIN_S = 10.0
_START = b"SQLite format 3\0"
_REPAIRING = "The database is damaged; what can be read is being saved."

logger = logging.getLogger(__name__)


class Mending:
    """Looks after one store's file; `work` says what it is doing, None while nothing."""

    def __init__(self, file: Path, clock: Clock, find_backup: FindBackup) -> None:
        self.work: str | None = None
        self._file = file
        self._clock = clock
        self._find_backup = find_backup
        self._failed: tuple[float, LtmError] | None = None

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Bring a file to the current schema, and its index to what the tables hold.

        Raises:
            sqlite3.DatabaseError: The file is damaged.
        """
        if _bytes(connection) <= SMALL_BYTES:
            _require_none(integrity.page_check(connection))
        migrate(connection, before=lambda: self._back_up(connection))
        self._index(connection, integrity.quick_check)

    def _back_up(self, connection: sqlite3.Connection) -> None:
        """Keep the database as it is before an update changes it."""
        if not self._file.samefile(connection.execute("PRAGMA database_list").fetchone()[2]):
            return  # a private copy is brought up to date; what it is a copy of stays
        folder = backups.folder_of(self._file)
        lend = partial(backups.snapshot, connection)
        try:
            backups.back_up(lend, folder, BackupKind.BEFORE_UPDATE, self._clock())
        except BackendUnavailable:
            _require_none(integrity.page_check(connection))  # damage is mended, not told
            raise
        backups.delete_superfluous(folder)

    def examine(self, connection: sqlite3.Connection) -> None:
        """Look at all pages and the inside of the index, and make the index anew if need be.

        Raises:
            sqlite3.DatabaseError: The file is damaged.
        """
        _require_none(integrity.damage_check(connection))
        self._index(connection, integrity.index_check)

    def mend(self, file: Path) -> None:
        """Put a new file in the place of a damaged one; what is lost is noted in it.

        Raises:
            BackendUnavailable: The file is not ours, or it cannot be done now.
            sqlite3.Error: The same, as SQLite tells it.
            OSError: The same, as the system tells it.
        """
        if self._failed and monotonic() < self._failed[0]:
            raise self._failed[1]
        _require_ours(file)
        self.work = _REPAIRING
        logger.warning("%s", _REPAIRING)
        try:
            self._replace(file)
        except (LtmError, OSError, sqlite3.Error) as error:
            # It may be costly, and it will hardly go better a moment later.
            told = _as_told(file, error)
            self._failed = (monotonic() + _TRY_AGAIN_S, told)
            raise told from error
        finally:
            self.work = None

    def _index(
        self,
        connection: sqlite3.Connection,
        check: Callable[[sqlite3.Connection], list[integrity.Finding]],
    ) -> None:
        def is_needed() -> bool:
            found = check(connection)
            for finding in found:
                logger.warning("%s", finding.sentence)
                if finding.part is not integrity.Part.INDEX:
                    raise faults.Damaged(finding.sentence)
            return bool(found) or rebuild.is_outdated(connection)

        try:
            rebuild.rebuild_if_needed(connection, is_needed, self._tell)
        finally:
            self.work = None

    def _tell(self, done: int, total: int) -> None:
        """Note how far a rebuild is; health can be asked meanwhile, all else waits for its end."""
        self.work = f"The search index is being made anew: {done:,} of {total:,} items are done."
        logger.info("Search index: %d of %d items", done, total)

    def _replace(self, file: Path) -> None:
        backup = self._find_backup(backups.folder_of(file))
        kept = aside_name(file, "damaged")
        with ExitStack() as open_files, _draft(file) as draft:
            source = open_files.enter_context(_held(file))
            with closing(opening.connect(draft)) as target:
                done = self._filled(target, source, backup, kept)
            _keep(file, kept)
            if os.name == "nt":  # which cannot replace a file that is open
                open_files.close()
            draft.replace(file)
            for left in (wal.log_of(file), wal.index_of(file)):
                left.unlink(missing_ok=True)
        logger.warning("%s", done.sentence)
        write_private_file(
            kept.with_name(f"{kept.name}.txt"), f"{done.sentence}\n{done.next_step}\n"
        )

    def _filled(
        self,
        target: sqlite3.Connection,
        source: sqlite3.Connection | None,
        backup: Path | None,
        kept: Path,
    ) -> Recovery:
        wal.begin_count(target)
        migrate(target, before=_nothing)
        target.execute("PRAGMA foreign_keys = OFF")
        with ExitStack() as open_files, transaction(target):
            older = None
            if backup is not None:
                older = open_files.enter_context(closing(opening.connect_to_copy(backup)))
            counts = salvage(source, older, target)
            rebuild.rebuild(target, self._tell)
            done = self._recovery(counts, backup, kept)
            recovery.keep(target, done)
        return done

    def _recovery(self, counts: dict[str, Counts], backup: Path | None, kept: Path) -> Recovery:
        return Recovery(
            at=self._clock(),
            kept_as=kept.name,
            backup=backup.name if backup else None,
            tables=tuple(
                Recovered(table=name, read=c.read, restored=c.restored, lost=c.lost)
                for name, c in counts.items()
            ),
        )


def _nothing() -> None:
    """There is nothing to keep of an empty draft."""


def _bytes(connection: sqlite3.Connection) -> int:
    sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    return int(connection.execute(sql).fetchone()[0])


def _require_none(found: list[integrity.Finding]) -> None:
    if found:
        raise faults.Damaged(found[0].sentence)


def _require_ours(file: Path) -> None:
    """Raise for a file that someone else may have put there: such a one is left as it is."""
    with file.open("rb") as stream:
        start = stream.read(len(_START))
    if start.strip(b"\0") and start != _START:
        raise faults.unusable(file, faults.NOT_A_DATABASE)


@contextmanager
def _held(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Keep other writers off the damaged file and lend what can read it; None if nothing can."""
    with ExitStack() as opened:
        source = None
        # SQLite would delete the log of an empty file, and that log may hold what is missed.
        if file.stat().st_size:
            with _unless_damaged():
                connection = opening.connect(file)
                opened.callback(connection.close)
                source = connection if _holds_memories(file, connection) else None
        if source:
            with _unless_damaged():
                source.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            with _unless_damaged():
                source.execute("BEGIN IMMEDIATE")
        yield source


@contextmanager
def _unless_damaged() -> Iterator[None]:
    """Let a step fail where it fails because of the damage."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not faults.is_damage(error):
            raise


def _holds_memories(file: Path, source: sqlite3.Connection) -> bool:
    """Tell whether there is something to read; raise for another program's database."""
    names = {row[0] for row in source.execute("SELECT name FROM sqlite_schema")}
    if names and not names & {"memories", "observations"}:
        raise faults.unusable(file, faults.OTHER_PROGRAM)
    return bool(names)


@contextmanager
def _draft(file: Path) -> Iterator[Path]:
    """Make an empty file beside the damaged one; what is left of it at the end goes."""
    draft = file.with_name(f"{file.name}.draft")
    parts = (draft, draft.with_name(f"{draft.name}-journal"))
    for part in parts:
        part.unlink(missing_ok=True)
    opening.claim(draft)
    try:
        yield draft
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _keep(file: Path, kept: Path) -> None:
    """Give the damaged file, and its log if it has one, a second name."""
    keep_copy(file, kept)
    kept.chmod(PRIVATE_FILE_MODE)
    if wal.size_of(file):
        keep_copy(wal.log_of(file), wal.log_of(kept))


def _as_told(file: Path, error: LtmError | OSError | sqlite3.Error) -> LtmError:
    if isinstance(error, LtmError):
        return error
    if isinstance(error, OSError):
        return faults.system_error(file, error)
    if faults.is_damage(error):
        return BackendUnavailable(
            f"The database file {file} is damaged, and nothing could be saved from it.",
            state=faults.DAMAGED.state,
            next_step="Move it elsewhere to start with an empty one, or restore a backup.",
        )
    return faults.domain_error(file, error)
