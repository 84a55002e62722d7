"""The writing verbs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from ltm_tray.backends.inmemory.data import Data
from ltm_tray.domain.analysis import term_set
from ltm_tray.domain.catalog import ProjectSummary
from ltm_tray.domain.memory import (
    DEDUP_WINDOW_S,
    Forget,
    Memory,
    NewMemory,
    NewObservation,
    Observation,
    Observed,
    Saved,
)
from ltm_tray.domain.similarity import is_superseded_by, jaccard
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.versions import merged, new_version
from ltm_tray.ports import Clock, NewId


def remember(data: Data, item: NewMemory, clock: Clock, new_id: NewId) -> Saved:
    """See `MemoryBackend.remember`."""
    now = clock()
    _see(data, item, now)
    same = _identical(data, item)
    if same is not None:
        data.memories[same.id] = merged(same, item, now)
        return Saved(id=same.id, type=same.type, deduplicated=True)
    old = _superseded(data, item)
    memory = new_version(item, old, new_id("mem"), now)
    if old is not None:
        data.memories[old.id] = replace(old, is_latest=False)
    data.memories[memory.id] = memory
    data.count_redacted(item.project_id, item.redacted)
    return Saved(id=memory.id, type=memory.type, supersedes=memory.parent_id)


def observe(data: Data, item: NewObservation, clock: Clock, new_id: NewId) -> Observed:
    """See `MemoryBackend.observe`."""
    moment = (item.session_id, item.kind.value, item.dedup_key)
    now = clock()
    _see(data, item, now)
    for known in data.observations.values():
        apart = abs(now - known.created_at)  # the clock may have been put back
        if data.moments[known.id] == moment and apart < timedelta(seconds=DEDUP_WINDOW_S):
            return Observed(observation_id=None)
    new = Observation(
        id=new_id("obs"),
        project_id=item.project_id,
        cwd=item.cwd,
        session_id=item.session_id,
        kind=item.kind,
        title=item.title,
        narrative=item.narrative,
        source=item.source,
        created_at=now,
    )
    data.observations[new.id] = new
    data.moments[new.id] = moment
    data.count_redacted(item.project_id, item.redacted)
    return Observed(observation_id=new.id)


def forget(data: Data, item: Forget) -> int:
    """See `MemoryBackend.forget`."""
    gone = [id_ for named in item.memory_ids for id_ in _lineage(data, named, item)]
    deleted = sum(data.memories.pop(id_, None) is not None for id_ in gone)
    for memory in data.memories.values():
        if memory.parent_id in gone:
            data.memories[memory.id] = replace(memory, parent_id=None)
    for id_ in item.observation_ids:
        found = data.observations.get(id_)
        if found is not None and found.project_id == item.project_id:
            del data.observations[id_]
            deleted += 1
    return deleted


def _see(data: Data, item: NewMemory | NewObservation, now: datetime) -> None:
    known = data.projects.get(item.project_id)
    data.projects[item.project_id] = ProjectSummary(
        project_id=item.project_id,
        cwd=item.cwd,
        memory_count=0,
        observation_count=0,
        first_seen_at=known.first_seen_at if known else now,
        last_seen_at=now,
    )


def _latest(data: Data, project_id: str) -> list[Memory]:
    return [m for m in data.memories_of(project_id) if m.is_latest]


def _identical(data: Data, item: NewMemory) -> Memory | None:
    key = same_text_key(item.content)
    same = [m for m in _latest(data, item.project_id) if same_text_key(m.content) == key]
    return same[-1] if same else None


def _superseded(data: Data, item: NewMemory) -> Memory | None:
    new = term_set(item.content)
    near = [
        (jaccard(term_set(old.content), new), old.created_at, old.id)
        for old in _latest(data, item.project_id)
        if is_superseded_by(term_set(old.content), new)
    ]
    return data.memories[max(near)[2]] if near else None


def _lineage(data: Data, memory_id: str, item: Forget) -> list[str]:
    """The id and those of its earlier versions, if it is of the project."""
    found = []
    at: str | None = memory_id
    while at in data.memories and data.memories[at].project_id == item.project_id:
        found.append(at)
        at = data.memories[at].parent_id
    return found
