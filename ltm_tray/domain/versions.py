"""How a saved text becomes a version: a new memory, one that replaces another, or a merge."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ltm_tray.domain.memory import Memory, MemoryType, NewMemory
from ltm_tray.domain.text import title_of


def new_version(item: NewMemory, old: Memory | None, memory_id: str, now: datetime) -> Memory:
    """Return the memory to store; type, concepts and files it does not name are those of `old`."""
    return Memory(
        id=memory_id,
        project_id=item.project_id,
        cwd=item.cwd,
        type=item.type or (old.type if old else MemoryType.FACT),
        title=title_of(item.content),
        content=item.content,
        concepts=item.concepts or (old.concepts if old else ()),
        files=item.files or (old.files if old else ()),
        source_observation_ids=item.source_observation_ids,
        session_id=item.session_id,
        parent_id=old.id if old else None,
        created_at=now,
        updated_at=now,
    )


def merged(same: Memory, item: NewMemory, now: datetime) -> Memory:
    """Return a memory whose text was saved again, with the labels and sources of both."""
    return replace(
        same,
        concepts=_union(same.concepts, item.concepts),
        files=_union(same.files, item.files),
        source_observation_ids=_union(same.source_observation_ids, item.source_observation_ids),
        updated_at=max(now, same.updated_at),  # the clock may have been put back
    )


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
