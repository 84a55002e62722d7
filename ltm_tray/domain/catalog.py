"""The values of browsing: projects, pages of items, the recall log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ltm_tray.domain.memory import HitKind


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
    """A question that was asked, by which front, and the hits it got, best first."""

    id: int = 0
    project_id: str
    query: str
    source: str
    session_id: str | None
    hit_ids: tuple[str, ...]
    duration_ms: float
    asked_at: datetime
