"""SqliteStore: the verbs on one SQLite file, each write in one transaction."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ltm_tray.backends.sqlite import (
    asking,
    backups,
    browsing,
    counting,
    redactions,
    search,
    writing,
)
from ltm_tray.backends.sqlite.connection import Database, require_fts5
from ltm_tray.backends.sqlite.migrations import migrate
from ltm_tray.backends.sqlite.rebuild import rebuild_if_outdated
from ltm_tray.backends.sqlite.recall_log import RecallLog
from ltm_tray.domain.catalog import (
    EVERY_RECALL,
    EVERYTHING,
    ItemFilter,
    ItemPage,
    ProjectDetail,
    ProjectSummary,
    RecallDetail,
    RecallLogEntry,
    RecallLogFilter,
    RecallPage,
)
from ltm_tray.domain.cursor import Position, position_of
from ltm_tray.domain.errors import LtmError
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.figures import DayActivity, Totals, last_days
from ltm_tray.domain.left_out import told
from ltm_tray.domain.memory import (
    Forget,
    Health,
    Memory,
    NewMemory,
    NewObservation,
    Observation,
    Observed,
    ProjectStats,
    RecallHit,
    RecallQuery,
    Saved,
)
from ltm_tray.domain.upkeep import BackupKind
from ltm_tray.ports import Clock, NewId

_BATCH_PLACES = 2_000
"""How many items an export finds at a time, without their texts."""
_BATCH_ITEMS = 100
"""How many items an export reads at a time; one can have 64 KiB of text."""

logger = logging.getLogger(__name__)


class SqliteStore:
    """Memories in one SQLite file; see `ports.Store` for every method.

    The file is opened at the first use. Several processes may use it at the same time.
    """

    def __init__(self, db_file: Path, *, clock: Clock, new_id: NewId) -> None:
        """Look at SQLite, not yet at the file.

        Raises:
            BackendUnavailable: This Python's SQLite lacks FTS5.
        """
        require_fts5()
        self._clock = clock
        self._new_id = new_id
        self._work: str | None = None
        self._database = Database(db_file, self._prepare)
        self._recall_log = RecallLog(self._database)

    @property
    def database(self) -> Database:
        """The file, for what else is kept in it."""
        return self._database

    def remember(self, item: NewMemory, /) -> Saved:
        """See `MemoryBackend.remember`."""
        with self._database.write() as connection:
            return writing.remember(connection, item, self._clock(), self._new_id)

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        """See `MemoryBackend.recall`."""
        with self._database.read() as connection:
            return search.recall(connection, query)

    def observe(self, item: NewObservation, /) -> Observed:
        """See `MemoryBackend.observe`."""
        with self._database.write() as connection:
            return writing.observe(connection, item, self._clock(), self._new_id)

    def forget(self, item: Forget, /) -> int:
        """See `MemoryBackend.forget`."""
        with self._database.write() as connection:
            return writing.forget(connection, item)

    def stats(self, project_id: str, /) -> ProjectStats:
        """See `MemoryBackend.stats`."""
        with self._database.read() as connection:
            return browsing.stats(connection, project_id)

    def health(self) -> Health:
        """See `MemoryBackend.health`."""
        facts = {"dbPath": str(self._database.file), "sqliteVersion": sqlite3.sqlite_version}
        if self._work is not None:
            return Health(ok=True, backend="sqlite", detail=self._work, facts=facts)
        try:
            with self._database.read() as connection:
                connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone()
                redacted = told(redactions.counted(connection, None))
        except LtmError as error:
            return Health(ok=False, backend="sqlite", detail=error.message, facts=facts)
        if redacted:
            facts["redacted"] = redacted
        detail = " ".join(self._database.notices) or None
        return Health(ok=True, backend="sqlite", detail=detail, facts=facts)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        migrate(connection, before=lambda: self._back_up(connection))
        try:
            rebuild_if_outdated(connection, self._tell)
        finally:
            self._work = None

    def _back_up(self, connection: sqlite3.Connection) -> None:
        """Keep the database as it is before an update changes it."""
        file = self._database.file
        if not file.samefile(connection.execute("PRAGMA database_list").fetchone()[2]):
            return  # a private copy is brought up to date; what it is a copy of stays
        folder = backups.folder_of(file)
        lend = partial(backups.snapshot, connection)
        backups.back_up(lend, folder, BackupKind.BEFORE_UPDATE, self._clock())
        backups.delete_superfluous(folder)

    def _tell(self, done: int, total: int) -> None:
        """Note how far a rebuild is; health can be asked meanwhile, all else waits for its end."""
        self._work = f"The search index is being made anew: {done:,} of {total:,} items are done."
        logger.info("Search index: %d of %d items", done, total)

    def close(self) -> None:
        """See `MemoryBackend.close`."""
        self._recall_log.close()
        self._database.close()

    def projects(self) -> list[ProjectSummary]:
        """See `MemoryCatalog.projects`."""
        with self._database.read() as connection:
            return browsing.projects(connection)

    def project(self, project_id: str, /) -> ProjectDetail:
        """See `MemoryCatalog.project`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return browsing.project(connection, project_id)

    def project_details(self) -> list[ProjectDetail]:
        """See `MemoryCatalog.project_details`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return browsing.project_details(connection)

    def newest(
        self,
        wanted: ItemFilter = EVERYTHING,
        /,
        *,
        limit: int = 50,
        cursor: str | None = None,
        text: str | None = None,
    ) -> ItemPage:
        """See `MemoryCatalog.newest`."""
        before = position_of(cursor) if cursor else None
        with self._database.read() as connection:
            listing = browsing.listing_of(connection, wanted, text)
            return browsing.newest(connection, listing, limit, before)

    def items(
        self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None
    ) -> Iterator[Memory | Observation]:
        """See `MemoryCatalog.items`."""
        with self._database.read() as connection:
            listing = browsing.listing_of(connection, wanted, text)
        before: Position | None = None
        while True:
            with self._database.read() as connection:
                places = browsing.places(connection, listing, _BATCH_PLACES, before)
            for at in range(0, len(places), _BATCH_ITEMS):
                with self._database.read() as connection:
                    batch = browsing.whole(connection, places[at : at + _BATCH_ITEMS])
                yield from batch
            if len(places) < _BATCH_PLACES:
                return
            before = places[-1].position

    def facets(self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None) -> Facets:
        """See `MemoryCatalog.facets`."""
        with self._database.read() as connection:
            return counting.facets(connection, wanted, text)

    def memory(self, memory_id: str, /, *, project_id: str | None = None) -> Memory:
        """See `MemoryCatalog.memory`."""
        with self._database.read() as connection:
            return browsing.memory(connection, memory_id, project_id)

    def versions(self, memory_id: str, /) -> list[Memory]:
        """See `MemoryCatalog.versions`."""
        with self._database.read() as connection:
            return browsing.versions(connection, memory_id)

    def observation(self, observation_id: str, /, *, project_id: str | None = None) -> Observation:
        """See `MemoryCatalog.observation`."""
        with self._database.read() as connection:
            return browsing.observation(connection, observation_id, project_id)

    def record_recall(self, entry: RecallLogEntry, /) -> None:
        """See `MemoryCatalog.record_recall`."""
        self._recall_log.add(entry)

    def recalls(
        self,
        wanted: RecallLogFilter = EVERY_RECALL,
        /,
        *,
        limit: int = 50,
        before_id: int | None = None,
    ) -> RecallPage:
        """See `MemoryCatalog.recalls`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return asking.recalls(connection, wanted, limit, before_id)

    def recall_entry(self, entry_id: int, /) -> RecallDetail:
        """See `MemoryCatalog.recall_entry`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return asking.recall_entry(connection, entry_id)

    def recalls_of(self, item_id: str, /, *, limit: int = 20) -> list[RecallLogEntry]:
        """See `MemoryCatalog.recalls_of`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return asking.recalls_of(connection, item_id, limit)

    def activity(
        self, days: int, /, *, project_id: str | None = None, utc_offset_minutes: int = 0
    ) -> list[DayActivity]:
        """See `MemoryCatalog.activity`."""
        counted = last_days(self._clock(), days, utc_offset_minutes)
        self._recall_log.flush()
        with self._database.read() as connection:
            return counting.activity(connection, counted, project_id)

    def sparklines(
        self, days: int, /, *, utc_offset_minutes: int = 0
    ) -> dict[str, tuple[int, ...]]:
        """See `MemoryCatalog.sparklines`."""
        counted = last_days(self._clock(), days, utc_offset_minutes)
        self._recall_log.flush()
        with self._database.read() as connection:
            return counting.sparklines(connection, counted)

    def totals(self, project_id: str | None = None, /) -> Totals:
        """See `MemoryCatalog.totals`."""
        self._recall_log.flush()
        with self._database.read() as connection:
            return counting.totals(connection, project_id, self._database.file)
