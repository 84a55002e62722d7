"""How stored items look in a list and as results."""

from __future__ import annotations

from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item
from ltm_tray.domain.memory import HitKind, Memory, Observation, RecallHit
from ltm_tray.domain.ranking import Rated
from ltm_tray.domain.snippet import snippet_of


def memory_item(memory: Memory) -> Item:
    """Return a memory as an item of a list."""
    return Item(
        kind=HitKind.MEMORY,
        id=memory.id,
        project_id=memory.project_id,
        title=memory.title,
        text=memory.content,
        type=memory.type,
        created_at=memory.created_at,
    )


def observation_item(observation: Observation) -> Item:
    """Return an observation as an item of a list."""
    return Item(
        kind=HitKind.OBSERVATION,
        id=observation.id,
        project_id=observation.project_id,
        title=observation.title,
        text=observation.narrative,
        type=observation.kind,
        created_at=observation.created_at,
    )


def hit_of(item: Item, rated: Rated, asked: Asked, *, explain: bool = False) -> RecallHit:
    """Return an item as a result, with the snippet that shows why it was found."""
    snippet = snippet_of(item.text, asked)
    return RecallHit(
        kind=item.kind,
        id=item.id,
        project_id=item.project_id,
        title=item.title,
        snippet=snippet.text,
        score=rated.score,
        type=item.type,
        created_at=item.created_at,
        truncated=snippet.truncated,
        explanation=rated.explanation() if explain else None,
    )
