"""SqliteUpkeep: backups of a database in use, and the way back to one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic

from ltm_tray.backends.sqlite import backups, checkup, wal
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.opening import BUSY_TIMEOUT_S, connect, connect_to_copy
from ltm_tray.domain.checkup import Finding
from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy, InvalidInput, NotFound, invalid
from ltm_tray.domain.upkeep import Backup, BackupKind, Restored, Tell, backup_name
from ltm_tray.files import make_private_dir
from ltm_tray.ports import Clock

_PAGES_AT_A_TIME = 1_000


class SqliteUpkeep:
    """See `ports.Upkeep` for every method."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._folder = backups.folder_of(database.file)

    def back_up(self, kind: BackupKind, tell: Tell | None = None, /) -> Backup:
        """See `Upkeep.back_up`."""
        lend = partial(self._database.read, within_s=inf)
        try:
            made = backups.back_up(lend, self._folder, kind, self._clock(), tell)
        except BackendUnavailable as error:
            if isinstance(error.__cause__, InvalidInput):  # the copy is not whole
                self._database.distrust()
            raise
        backups.delete_superfluous(self._folder)
        return made

    def backups(self) -> list[Backup]:
        """See `Upkeep.backups`."""
        return backups.listed(self._folder)

    def is_empty(self) -> bool:
        """See `Upkeep.is_empty`."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM memories UNION ALL SELECT 1 FROM observations"
            " UNION ALL SELECT 1 FROM projects)"
        )
        with self._database.read() as connection:
            return not connection.execute(sql).fetchone()[0]

    def examine(self, *, full: bool) -> Finding:
        """See `Upkeep.examine`."""
        try:
            return checkup.examine(self._database, full=full)
        except BackendUnavailable as error:
            return checkup.unreadable(error.message, self.backups())

    def give_log_back(self) -> str:
        """See `Upkeep.give_log_back`."""
        with self._database.alone() as connection:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise DatabaseBusy("Some program reads on and on; end it and try again.")
        return "Wrote the log into the file and shortened it."

    def restore(self, source: str, tell: Tell | None = None, /) -> Restored:
        """See `Upkeep.restore`."""
        file = self._file_of(source)
        with self._ready(file) as ready:
            held = backups.checked(ready)
            kept, aside = self._keep_present()
            if aside is None:
                self._fill(ready, tell)
            else:
                ready.replace(self._database.file)
        return Restored(
            source=str(file),
            memories=held.memories,
            observations=held.observations,
            kept=kept,
            set_aside=aside,
        )

    def _file_of(self, source: str) -> Path:
        named = self._folder / source
        if Path(source).name == source and named.is_file():
            return named
        file = Path(source).absolute()
        if not file.is_file():
            raise NotFound(f'There is no backup "{source}"; see them with: ltm-tray backup --list')
        if file == self._database.file.absolute():
            raise invalid("backup", "in_use", "is the database itself")
        return file

    @contextmanager
    def _ready(self, file: Path) -> Iterator[Path]:
        """Lend a copy of a backup that is brought to the present schema and index."""
        backups.checked(file)
        make_private_dir(self._folder)
        name = backup_name(BackupKind.BEFORE_RESTORE, self._clock())
        with backups.draft_in(self._folder, f"{name}.ready") as draft:
            with closing(connect_to_copy(file)) as copied:
                backups.copy(copied, draft)
            prepared = self._database.at(draft)
            try:
                with prepared.alone() as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    connection.execute("PRAGMA journal_mode = DELETE")
                    wal.stop_count(connection)
            finally:
                prepared.close()
            yield draft

    def _keep_present(self) -> tuple[Backup | None, str | None]:
        """Back up what is there; a file that cannot be read is set aside instead."""
        try:
            if self.is_empty():
                return None, None
            return self.back_up(BackupKind.BEFORE_RESTORE), None
        except DatabaseBusy:
            raise
        except BackendUnavailable:
            return None, str(self._set_aside())

    def _set_aside(self) -> Path:
        file = self._database.file
        aside = file.with_name(f"{file.name}.damaged-{self._clock():%Y%m%dT%H%M%S}")
        for end in ("-wal", "-shm", ""):
            part = file.with_name(file.name + end)
            if part.exists():
                part.replace(aside.with_name(aside.name + end))
        return aside

    def _fill(self, ready: Path, tell: Tell | None) -> None:
        """Write a copy over the database, in one transaction of the file as a whole."""
        give_up_at_s = monotonic() + BUSY_TIMEOUT_S

        def watch(status: int, remaining: int, total: int) -> None:
            if status == sqlite3.SQLITE_OK and tell is not None:
                tell(total - remaining, total)
            waits = status in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
            if waits and monotonic() > give_up_at_s:
                raise DatabaseBusy("Another program is writing; try the restore again.")

        with self._database.alone() as live, closing(connect(ready)) as source:
            source.backup(live, pages=_PAGES_AT_A_TIME, progress=watch, sleep=0.05)
            live.execute("PRAGMA wal_checkpoint(TRUNCATE)")
