"""InMemoryStore: all memories in this process, one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ltm_tray.backends.inmemory import browsing, counting, searching, writing
from ltm_tray.backends.inmemory.data import Data
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
from ltm_tray.domain.cursor import position_of
from ltm_tray.domain.errors import BackendUnavailable, NotFound
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.figures import DayActivity, Totals, last_days
from ltm_tray.domain.left_out import told
from ltm_tray.domain.memory import (
    RECALL_LOG_MAX,
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


class InMemoryStore:
    """Keeps memories for the life of the process; see `ports.Store` for every method."""

    def __init__(self, *, clock: Clock, new_id: NewId) -> None:
        self._clock = clock
        self._new_id = new_id
        self._guard = threading.RLock()
        self._data = Data()
        self._closed = False

    def remember(self, item: NewMemory, /) -> Saved:
        """See `MemoryBackend.remember`."""
        with self._open() as data:
            return writing.remember(data, item, self._clock, self._new_id)

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        """See `MemoryBackend.recall`."""
        with self._open() as data:
            return searching.recall(data, query)

    def observe(self, item: NewObservation, /) -> Observed:
        """See `MemoryBackend.observe`."""
        with self._open() as data:
            return writing.observe(data, item, self._clock, self._new_id)

    def forget(self, item: Forget, /) -> int:
        """See `MemoryBackend.forget`."""
        with self._open() as data:
            return writing.forget(data, item)

    def stats(self, project_id: str, /) -> ProjectStats:
        """See `MemoryBackend.stats`."""
        with self._open() as data:
            return browsing.stats(data, project_id)

    def health(self) -> Health:
        """See `MemoryBackend.health`."""
        if self._closed:
            return Health.of_error("inmemory", BackendUnavailable("The store is closed."))
        redacted = told(self._data.redacted_of(None))
        facts = {"redacted": redacted} if redacted else {}
        return Health(ok=True, backend="inmemory", facts=facts)

    def close(self) -> None:
        """See `MemoryBackend.close`."""
        self._closed = True

    def projects(self) -> list[ProjectSummary]:
        """See `MemoryCatalog.projects`."""
        with self._open() as data:
            return browsing.projects(data)

    def project(self, project_id: str, /) -> ProjectDetail:
        """See `MemoryCatalog.project`."""
        with self._open() as data:
            return browsing.project(data, project_id)

    def project_details(self) -> list[ProjectDetail]:
        """See `MemoryCatalog.project_details`."""
        with self._open() as data:
            return browsing.project_details(data)

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
        with self._open() as data:
            return browsing.newest(searching.listed(data, wanted, text), limit, before)

    def items(
        self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None
    ) -> Iterator[Memory | Observation]:
        """See `MemoryCatalog.items`."""
        with self._open() as data:
            found = browsing.whole(data, searching.listed(data, wanted, text))
        yield from found

    def facets(self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None) -> Facets:
        """See `MemoryCatalog.facets`."""
        with self._open() as data:
            return searching.facets(data, wanted, text)

    def memory(self, memory_id: str, /, *, project_id: str | None = None) -> Memory:
        """See `MemoryCatalog.memory`."""
        with self._open() as data:
            found = data.memories.get(memory_id)
        if found is None or project_id not in {None, found.project_id}:
            raise NotFound(f"There is no memory {memory_id} here.")
        return found

    def versions(self, memory_id: str, /) -> list[Memory]:
        """See `MemoryCatalog.versions`."""
        with self._open() as data:
            return browsing.versions(data, memory_id)

    def observation(self, observation_id: str, /, *, project_id: str | None = None) -> Observation:
        """See `MemoryCatalog.observation`."""
        with self._open() as data:
            found = data.observations.get(observation_id)
        if found is None or project_id not in {None, found.project_id}:
            raise NotFound(f"There is no observation {observation_id} here.")
        return found

    def record_recall(self, entry: RecallLogEntry, /) -> None:
        """See `MemoryCatalog.record_recall`."""
        with self._open() as data:
            number = data.recalls[-1].id + 1 if data.recalls else 1
            data.recalls.append(replace(entry, id=number, redacted={}))
            data.count_redacted(entry.project_id, entry.redacted)
            del data.recalls[:-RECALL_LOG_MAX]

    def recalls(
        self,
        wanted: RecallLogFilter = EVERY_RECALL,
        /,
        *,
        limit: int = 50,
        before_id: int | None = None,
    ) -> RecallPage:
        """See `MemoryCatalog.recalls`."""
        with self._open() as data:
            return browsing.recalls(data, wanted, limit, before_id)

    def recall_entry(self, entry_id: int, /) -> RecallDetail:
        """See `MemoryCatalog.recall_entry`."""
        with self._open() as data:
            return browsing.recall_entry(data, entry_id)

    def recalls_of(self, item_id: str, /, *, limit: int = 20) -> list[RecallLogEntry]:
        """See `MemoryCatalog.recalls_of`."""
        with self._open() as data:
            return browsing.recalls_of(data, item_id, limit)

    def activity(
        self, days: int, /, *, project_id: str | None = None, utc_offset_minutes: int = 0
    ) -> list[DayActivity]:
        """See `MemoryCatalog.activity`."""
        counted = last_days(self._clock(), days, utc_offset_minutes)
        with self._open() as data:
            return counting.activity(data, counted, project_id)

    def sparklines(
        self, days: int, /, *, utc_offset_minutes: int = 0
    ) -> dict[str, tuple[int, ...]]:
        """See `MemoryCatalog.sparklines`."""
        counted = last_days(self._clock(), days, utc_offset_minutes)
        with self._open() as data:
            return counting.sparklines(data, counted)

    def totals(self, project_id: str | None = None, /) -> Totals:
        """See `MemoryCatalog.totals`."""
        with self._open() as data:
            return counting.totals(data, project_id)

    @contextmanager
    def _open(self) -> Iterator[Data]:
        """Lend the data while nobody else uses it."""
        with self._guard:
            if self._closed:
                raise BackendUnavailable("The store is closed.")
            yield self._data
