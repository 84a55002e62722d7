"""What the console lists: projects, items with their versions, the recall log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ltm_tray.backends.inmemory.data import Data, is_within, position
from ltm_tray.domain.catalog import (
    Item,
    ItemPage,
    ProjectDetail,
    ProjectSummary,
    RecallDetail,
    RecalledItem,
    RecallLogEntry,
    RecallLogFilter,
    RecallPage,
)
from ltm_tray.domain.cursor import Position
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import HitKind, Memory, Observation, ProjectStats


def stats(data: Data, project_id: str) -> ProjectStats:
    """See `MemoryBackend.stats`."""
    memories = data.memories_of(project_id)
    observed = data.observations_of(project_id)
    return ProjectStats(
        memory_count=sum(m.is_latest for m in memories),
        version_count=sum(not m.is_latest for m in memories),
        observation_count=len(observed),
        last_saved_at=_last(m.updated_at for m in memories),
        last_observed_at=_last(o.created_at for o in observed),
        last_recalled_at=_last(r.asked_at for r in data.recalls_of(project_id)),
        redacted=data.redacted_of(project_id),
    )


def projects(data: Data) -> list[ProjectSummary]:
    """See `MemoryCatalog.projects`."""
    return [detail.summary for detail in project_details(data)]


def project_details(data: Data) -> list[ProjectDetail]:
    """See `MemoryCatalog.project_details`."""
    found = [project(data, project_id) for project_id in data.projects]
    return sorted(found, key=lambda p: (p.summary.last_seen_at, p.summary.project_id), reverse=True)


def project(data: Data, project_id: str) -> ProjectDetail:
    """See `MemoryCatalog.project`."""
    if project_id not in data.projects:
        raise NotFound("There is no project with that id.")
    counts = stats(data, project_id)
    texts = [text for m in data.memories_of(project_id) for text in (m.title, m.content)]
    texts += [text for o in data.observations_of(project_id) for text in (o.title, o.narrative)]
    return ProjectDetail(
        summary=replace(
            data.projects[project_id],
            memory_count=counts.memory_count,
            observation_count=counts.observation_count,
        ),
        version_count=counts.version_count,
        last_saved_at=counts.last_saved_at,
        last_observed_at=counts.last_observed_at,
        last_recalled_at=counts.last_recalled_at,
        text_bytes=sum(len(text.encode()) for text in texts),
    )


def newest(listed: Sequence[Item], limit: int, before: Position | None) -> ItemPage:
    """Return a page of what is listed newest first; see `MemoryCatalog.newest`."""
    items = [i for i in listed if before is None or position(i) < before]
    more = len(items) > limit
    next_cursor = position(items[limit - 1]).cursor() if more else None
    return ItemPage(items=tuple(items[:limit]), next_cursor=next_cursor)


def whole(data: Data, listed: Sequence[Item]) -> list[Memory | Observation]:
    """Return what stands behind the items of a list."""
    return [
        data.memories[item.id] if item.kind is HitKind.MEMORY else data.observations[item.id]
        for item in listed
    ]


def versions(data: Data, memory_id: str) -> list[Memory]:
    """See `MemoryCatalog.versions`."""
    children = {m.parent_id: m.id for m in data.memories.values() if m.parent_id}
    at: str | None = memory_id
    while at in children:
        at = children[at]
    chain = []
    while at in data.memories:
        chain.append(data.memories[at])
        at = chain[-1].parent_id
    return chain


def recalls(data: Data, wanted: RecallLogFilter, limit: int, before_id: int | None) -> RecallPage:
    """See `MemoryCatalog.recalls`."""
    found = [
        entry
        for entry in reversed(data.recalls_of(wanted.project_id))
        if wanted.source in {None, entry.source}
        and not (wanted.only_empty and entry.hit_ids)
        and is_within(entry.asked_at, wanted.since, wanted.until)
        and (before_id is None or entry.id < before_id)
    ]
    page = tuple(found[:limit])
    return RecallPage(entries=page, next_before_id=page[-1].id if len(found) > limit else None)


def recall_entry(data: Data, entry_id: int) -> RecallDetail:
    """See `MemoryCatalog.recall_entry`."""
    for entry in data.recalls:
        if entry.id == entry_id:
            return RecallDetail(entry=entry, hits=tuple(recalled(data, i) for i in entry.hit_ids))
    raise NotFound("The recall log has no such entry; it keeps the newest ones only.")


def recalls_of(data: Data, item_id: str, limit: int) -> list[RecallLogEntry]:
    """See `MemoryCatalog.recalls_of`."""
    return [entry for entry in reversed(data.recalls) if item_id in entry.hit_ids][:limit]


def recalled(data: Data, item_id: str) -> RecalledItem:
    """Return what a hit of the recall log is now."""
    memory = data.memories.get(item_id)
    if memory is not None:
        return RecalledItem(
            id=item_id,
            kind=HitKind.MEMORY,
            project_id=memory.project_id,
            title=memory.title,
            type=memory.type,
            superseded=not memory.is_latest,
        )
    observation = data.observations.get(item_id)
    if observation is None:
        return RecalledItem.gone(item_id)
    return RecalledItem(
        id=item_id,
        kind=HitKind.OBSERVATION,
        project_id=observation.project_id,
        title=observation.title,
        type=observation.kind,
    )


def _last(times: Iterable[datetime]) -> datetime | None:
    return max(times, default=None)
