"""The values of browsing: projects, filters, pages of items, the recall log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ltm_tray.domain.memory import HitKind, RecallQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A project as the console lists it."""

    project_id: str
    cwd: str
    memory_count: int
    observation_count: int
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectDetail:
    """A project with when it was last used, and how much it holds.

    A time is None where nothing of its sort is there: `last_saved_at` is of the newest
    save, a repeated one too, `last_recalled_at` of the newest recall that the log keeps.
    `text_bytes` is the length in UTF-8 of the titles and texts of all memories,
    replaced versions too, and observations.
    """

    summary: ProjectSummary
    version_count: int
    last_saved_at: datetime | None
    last_observed_at: datetime | None
    last_recalled_at: datetime | None
    text_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """Which latest memories and observations are meant; without arguments all of them.

    `project_id` None means every project. `types` holds memory types and observation
    kinds; empty, it means every type. `concepts` means memories saved with all of these,
    with `any_concept` with one of them. `since` and `until` are aware times that bound
    when an item was created; `until` itself is excluded.
    """

    project_id: str | None = None
    kinds: frozenset[HitKind] = frozenset(HitKind)
    types: frozenset[str] = frozenset()
    concepts: frozenset[str] = frozenset()
    any_concept: bool = False
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def of(cls, query: RecallQuery) -> ItemFilter:
        """Return what a query is limited to."""
        return cls(
            project_id=query.project_id,
            kinds=query.kinds,
            types=query.types,
            concepts=query.concepts,
            any_concept=query.any_concept,
            since=query.since,
            until=query.until,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory or observation in a list. `type` is the memory's type or the observation's kind."""

    kind: HitKind
    id: str
    project_id: str
    title: str
    text: str
    type: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """A page of items, newest first. `next_cursor` is None on the last page."""

    items: tuple[Item, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLogEntry:
    """A question that was asked, by which front, and the hits it got, best first.

    `redacted` counts by kind what was taken out of the question before it was noted; it is
    empty in what the log gives back.
    """

    id: int = 0
    project_id: str
    query: str
    source: str
    session_id: str | None
    hit_ids: tuple[str, ...]
    duration_ms: float
    asked_at: datetime
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLogFilter:
    """Which entries of the recall log are meant; without arguments all of them.

    `source` names the front that asked; `only_empty` means those that found nothing.
    `since` and `until` are aware times that bound when it was asked; `until` itself is
    excluded.
    """

    project_id: str | None = None
    source: str | None = None
    only_empty: bool = False
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPage:
    """A page of the recall log, newest first. `next_before_id` is None on the last page."""

    entries: tuple[RecallLogEntry, ...]
    next_before_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """What a hit of the recall log is now.

    A forgotten item keeps only its id and kind: title, type and project are empty.
    `superseded` says that a newer version has replaced this memory since.
    """

    id: str
    kind: HitKind
    project_id: str = ""
    title: str = ""
    type: str = ""
    superseded: bool = False
    forgotten: bool = False

    @classmethod
    def gone(cls, item_id: str) -> RecalledItem:
        """Return an item that was forgotten since; its id tells what it was."""
        kind = HitKind.OBSERVATION if item_id.startswith("obs_") else HitKind.MEMORY
        return cls(id=item_id, kind=kind, forgotten=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDetail:
    """An entry of the recall log with its hits, best first."""

    entry: RecallLogEntry
    hits: tuple[RecalledItem, ...]


EVERYTHING = ItemFilter()
"""The filter that leaves nothing out."""
EVERY_RECALL = RecallLogFilter()
"""The filter that leaves no entry of the recall log out."""
