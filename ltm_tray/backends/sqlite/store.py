"""SqliteStore: the verbs on one SQLite file, each write in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ltm_tray.backends.sqlite import (
    asking,
    backups,
    browsing,
    counting,
    recovery,
    redactions,
    search,
    writing,
)
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.mending import FindBackup, Mending
from ltm_tray.backends.sqlite.opening import require_fts5
from ltm_tray.backends.sqlite.readiness import Care
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
from ltm_tray.domain.health import Notice, StoreState, told
from ltm_tray.domain.left_out import told as left_out
from ltm_tray.domain.memory import (
    CONTENT_MAX_CHARACTERS,
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
from ltm_tray.ports import Clock, NewId

_WAITS = "Another program makes the memory ready, or puts it right; this one waits for that."
_BATCH_PLACES = 2_000
"""How many items an export finds at a time, without their texts."""
_BATCH_ITEMS = 100
"""How many items an export reads at a time; one can have 64 KiB of text."""


class SqliteStore:
    """Memories in one SQLite file; see `ports.Store` for every method.

    The file is opened at the first use. Several processes may use it at the same time.
    """

    def __init__(
        self,
        db_file: Path,
        *,
        clock: Clock,
        new_id: NewId,
        find_backup: FindBackup = backups.newest_good,
    ) -> None:
        """Look at SQLite, not yet at the file.

        `find_backup` is asked for what fills the gaps when the file is damaged.

        Raises:
            BackendUnavailable: This Python's SQLite lacks FTS5.
        """
        require_fts5()
        self._clock = clock
        self._new_id = new_id
        self._mending = Mending(db_file, clock, find_backup)
        care = Care(examine=self._mending.examine, mend=self._mending.mend)
        self._database = Database(db_file, self._mending.prepare, care=care)
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
        work = self._mending.work or (_WAITS if self._database.waits else None)
        if work is not None:
            state = StoreState.REBUILDING
            return Health(ok=True, backend="sqlite", state=state, detail=work, facts=facts)
        try:
            notices, redacted = self._looked_over()
        except LtmError as error:
            return Health.of_error("sqlite", error, facts)
        if redacted:
            facts["redacted"] = redacted
        state, detail, next_step = told(notices)
        return Health(
            ok=True, backend="sqlite", state=state, detail=detail, next_step=next_step, facts=facts
        )

    def _looked_over(self) -> tuple[list[Notice], str]:
        """Try what a write and a read need; return what there is to tell, and what is left out."""
        if self._database.trouble is not None:
            self._try_to_write()
        with self._database.read() as connection:
            connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone()
            recovered = recovery.notice_of(connection, self._clock())
            redacted = left_out(redactions.counted(connection, None))
        return [*self._database.notices, *filter(None, [recovered])], redacted

    def _try_to_write(self) -> None:
        """Find out whether the trouble of the last write is over: is there room for a text?"""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO store_facts (name, value) VALUES ('room', ?)",
                (" " * CONTENT_MAX_CHARACTERS,),
            )
        with self._database.write() as connection:
            connection.execute("DELETE FROM store_facts WHERE name = 'room'")

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
