"""The contract in its plainest form: everything in lists, every search a scan.

Read this to know what a backend does; the tests hold the real ones to it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from ltm_tray.domain.analysis import QueryTerm, begun_terms, query_terms, term_set
from ltm_tray.domain.catalog import Item, ItemPage, ProjectSummary, RecallLogEntry
from ltm_tray.domain.cursor import Position, position_of
from ltm_tray.domain.errors import BackendUnavailable, NotFound
from ltm_tray.domain.hits import hit_of, memory_item, observation_item
from ltm_tray.domain.memory import (
    DEDUP_WINDOW_S,
    RECALL_LOG_MAX,
    Forget,
    Health,
    HitKind,
    Memory,
    NewMemory,
    NewObservation,
    Observation,
    Observed,
    ProjectStats,
    RecallHit,
    RecallQuery,
    Saved,
    Sort,
)
from ltm_tray.domain.ranking import rate_all
from ltm_tray.domain.similarity import is_superseded_by, jaccard
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.versions import merged, new_version
from ltm_tray.ports import Clock, NewId


class InMemoryStore:
    """Keeps memories for the life of the process; see `ports.Store` for every method."""

    def __init__(self, *, clock: Clock, new_id: NewId) -> None:
        self._clock = clock
        self._new_id = new_id
        self._guard = threading.RLock()
        self._memories: dict[str, Memory] = {}
        self._observations: dict[str, Observation] = {}
        self._moments: dict[str, tuple[str, str, str]] = {}
        self._recalls: list[RecallLogEntry] = []
        self._projects: dict[str, ProjectSummary] = {}
        self._closed = False

    def remember(self, item: NewMemory, /) -> Saved:
        """See `MemoryBackend.remember`."""
        with self._guard:
            self._open()
            self._see(item.project_id, item.cwd)
            same = self._identical(item)
            if same is not None:
                self._memories[same.id] = merged(same, item, self._clock())
                return Saved(id=same.id, type=same.type, deduplicated=True)
            old = self._superseded(item)
            memory = new_version(item, old, self._new_id("mem"), self._clock())
            if old is not None:
                self._memories[old.id] = replace(old, is_latest=False)
            self._memories[memory.id] = memory
            return Saved(id=memory.id, type=memory.type, supersedes=memory.parent_id)

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        """See `MemoryBackend.recall`."""
        terms = query_terms(query.text)
        return self._search(query, terms) or self._search(query, begun_terms(terms))

    def observe(self, item: NewObservation, /) -> Observed:
        """See `MemoryBackend.observe`."""
        moment = (item.session_id, item.kind.value, item.dedup_key)
        with self._guard:
            self._open()
            self._see(item.project_id, item.cwd)
            now = self._clock()
            for known in self._observations.values():
                age = now - known.created_at
                if self._moments[known.id] == moment and age < timedelta(seconds=DEDUP_WINDOW_S):
                    return Observed(observation_id=None)
            new = Observation(
                id=self._new_id("obs"),
                project_id=item.project_id,
                cwd=item.cwd,
                session_id=item.session_id,
                kind=item.kind,
                title=item.title,
                narrative=item.narrative,
                source=item.source,
                created_at=now,
            )
            self._observations[new.id] = new
            self._moments[new.id] = moment
            return Observed(observation_id=new.id)

    def forget(self, item: Forget, /) -> int:
        """See `MemoryBackend.forget`."""
        with self._guard:
            self._open()
            gone = [id_ for named in item.memory_ids for id_ in self._lineage(named, item)]
            deleted = sum(self._memories.pop(id_, None) is not None for id_ in gone)
            for memory in self._memories.values():
                if memory.parent_id in gone:
                    self._memories[memory.id] = replace(memory, parent_id=None)
            for id_ in item.observation_ids:
                found = self._observations.get(id_)
                if found is not None and found.project_id == item.project_id:
                    del self._observations[id_]
                    deleted += 1
            return deleted

    def stats(self, project_id: str, /) -> ProjectStats:
        """See `MemoryBackend.stats`."""
        with self._guard:
            self._open()
            memories = [m for m in self._memories.values() if m.project_id == project_id]
            observed = [o for o in self._observations.values() if o.project_id == project_id]
            asked = [r for r in self._recalls if r.project_id == project_id]
            return ProjectStats(
                memory_count=sum(m.is_latest for m in memories),
                version_count=sum(not m.is_latest for m in memories),
                observation_count=len(observed),
                last_saved_at=max((m.updated_at for m in memories), default=None),
                last_observed_at=max((o.created_at for o in observed), default=None),
                last_recalled_at=max((r.asked_at for r in asked), default=None),
            )

    def health(self) -> Health:
        """See `MemoryBackend.health`."""
        detail = "The store is closed." if self._closed else None
        return Health(ok=not self._closed, backend="inmemory", detail=detail)

    def close(self) -> None:
        """See `MemoryBackend.close`."""
        self._closed = True

    def projects(self) -> list[ProjectSummary]:
        """See `MemoryCatalog.projects`."""
        with self._guard:
            self._open()
            counted = [self._counted(project) for project in self._projects.values()]
            return sorted(counted, key=lambda p: (p.last_seen_at, p.project_id), reverse=True)

    def newest(
        self,
        *,
        project_id: str | None = None,
        kinds: frozenset[HitKind] = frozenset(HitKind),
        limit: int = 50,
        cursor: str | None = None,
    ) -> ItemPage:
        """See `MemoryCatalog.newest`."""
        before = position_of(cursor) if cursor else None
        with self._guard:
            self._open()
            items = [i for i in self._items() if i.kind in kinds]
        items = [i for i in items if project_id in {None, i.project_id}]
        items = [i for i in items if before is None or _position(i) < before]
        items.sort(key=_position, reverse=True)
        more = len(items) > limit
        next_cursor = _position(items[limit - 1]).cursor() if more else None
        return ItemPage(items=tuple(items[:limit]), next_cursor=next_cursor)

    def memory(self, memory_id: str, /, *, project_id: str | None = None) -> Memory:
        """See `MemoryCatalog.memory`."""
        with self._guard:
            self._open()
            found = self._memories.get(memory_id)
        if found is None or project_id not in {None, found.project_id}:
            raise NotFound(f"There is no memory {memory_id} here.")
        return found

    def versions(self, memory_id: str, /) -> list[Memory]:
        """See `MemoryCatalog.versions`."""
        with self._guard:
            self._open()
            children = {m.parent_id: m.id for m in self._memories.values() if m.parent_id}
            newest: str | None = memory_id
            while newest in children:
                newest = children[newest]
            chain = []
            while newest in self._memories:
                chain.append(self._memories[newest])
                newest = chain[-1].parent_id
            return chain

    def observation(self, observation_id: str, /, *, project_id: str | None = None) -> Observation:
        """See `MemoryCatalog.observation`."""
        with self._guard:
            self._open()
            found = self._observations.get(observation_id)
        if found is None or project_id not in {None, found.project_id}:
            raise NotFound(f"There is no observation {observation_id} here.")
        return found

    def record_recall(self, entry: RecallLogEntry, /) -> None:
        """See `MemoryCatalog.record_recall`."""
        with self._guard:
            self._open()
            number = self._recalls[-1].id + 1 if self._recalls else 1
            self._recalls.append(replace(entry, id=number))
            del self._recalls[:-RECALL_LOG_MAX]

    def recalls(self, *, project_id: str | None = None, limit: int = 50) -> list[RecallLogEntry]:
        """See `MemoryCatalog.recalls`."""
        with self._guard:
            self._open()
            asked = [r for r in self._recalls if project_id in {None, r.project_id}]
            return asked[::-1][:limit]

    def _search(self, query: RecallQuery, terms: Sequence[QueryTerm]) -> list[RecallHit]:
        with self._guard:
            self._open()
            items = [item for item in self._items() if _asked(item, query)]
            texts = {item.id: self._searched(item) for item in items}
        rated = rate_all(texts, terms)
        found = sorted((i for i in items if rated[i.id].score > 0), key=_position, reverse=True)
        if query.sort is Sort.RELEVANCE:
            found.sort(key=lambda item: rated[item.id].score, reverse=True)
        best = found[: query.limit]
        return [hit_of(item, rated[item.id], terms, explain=query.explain) for item in best]

    def _open(self) -> None:
        if self._closed:
            raise BackendUnavailable("The store is closed.")

    def _see(self, project_id: str, cwd: str) -> None:
        now = self._clock()
        known = self._projects.get(project_id)
        first = known.first_seen_at if known else now
        self._projects[project_id] = ProjectSummary(
            project_id=project_id,
            cwd=cwd,
            memory_count=0,
            observation_count=0,
            first_seen_at=first,
            last_seen_at=now,
        )

    def _counted(self, project: ProjectSummary) -> ProjectSummary:
        counts = self.stats(project.project_id)
        return replace(
            project,
            memory_count=counts.memory_count,
            observation_count=counts.observation_count,
        )

    def _latest(self, project_id: str) -> list[Memory]:
        latest = [m for m in self._memories.values() if m.is_latest]
        return [m for m in latest if m.project_id == project_id]

    def _identical(self, item: NewMemory) -> Memory | None:
        key = same_text_key(item.content)
        same = [m for m in self._latest(item.project_id) if same_text_key(m.content) == key]
        return same[-1] if same else None

    def _superseded(self, item: NewMemory) -> Memory | None:
        new = term_set(item.content)
        near = [
            (jaccard(term_set(old.content), new), old.created_at, old.id)
            for old in self._latest(item.project_id)
            if is_superseded_by(term_set(old.content), new)
        ]
        return self._memories[max(near)[2]] if near else None

    def _lineage(self, memory_id: str, item: Forget) -> list[str]:
        """The id and those of its earlier versions, if it is of the project."""
        found = []
        at: str | None = memory_id
        while at in self._memories and self._memories[at].project_id == item.project_id:
            found.append(at)
            at = self._memories[at].parent_id
        return found

    def _searched(self, item: Item) -> tuple[HitKind, str, str]:
        """The kind, the title, and the text with its labels: what a query is held against."""
        if item.kind is HitKind.OBSERVATION:
            return item.kind, item.title, item.text
        memory = self._memories[item.id]
        return item.kind, item.title, " ".join((item.text, *memory.concepts, *memory.files))

    def _items(self) -> Iterable[Item]:
        yield from (memory_item(m) for m in self._memories.values() if m.is_latest)
        yield from (observation_item(o) for o in self._observations.values())


def _asked(item: Item, query: RecallQuery) -> bool:
    return item.kind in query.kinds and query.project_id in {None, item.project_id}


def _position(item: Item) -> Position:
    return Position(item.created_at, item.id)
