"""The shapes of agentmemory's answers, and what they are as memories and observations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ltm_tray.domain.memory import Memory, MemoryType, Observation, ObservationKind
from ltm_tray.domain.text import title_of

PROJECT_PREFIX = "proj_"
"""How the projects of LTM Tray begin; agentmemory's other clients name theirs after folders."""


class Row(msgspec.Struct, rename="camel"):
    """A part of an answer, in the server's camelCase."""


class MemoryRow(Row):
    """A memory."""

    id: str
    content: str
    created_at: datetime
    updated_at: datetime
    type: str = MemoryType.FACT
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source_observation_ids: tuple[str, ...] = ()
    project: str | None = None
    is_latest: bool = True
    parent_id: str | None = None


class ObservationRow(Row):
    """An observation, or a memory as a search finds it."""

    id: str
    timestamp: datetime
    title: str = ""
    narrative: str = ""
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class SessionRow(Row):
    """A session."""

    id: str
    project: str = ""
    cwd: str = ""


class FoundRow(Row):
    """A hit; only what is ours is looked into."""

    observation: dict[str, Any]
    session_id: str
    score: float


class Found(Row):
    """The answer to a search."""

    results: list[FoundRow]


class OneMemory(Row):
    """The answer to a question for one memory."""

    memory: MemoryRow


class MemoryList(Row):
    """A page of all memories; newer servers name where the next one begins."""

    memories: list[dict[str, Any]]
    total: int | None = None
    next_cursor: str | None = None


class SessionList(Row):
    """All sessions."""

    sessions: list[dict[str, Any]]


class ObservationList(Row):
    """All observations of a session."""

    observations: list[dict[str, Any]]


class Captured(Row):
    """The answer to an observation."""

    observation_id: str | None = None
    deduplicated: bool = False


class Deleted(Row):
    """The answer to a forget."""

    deleted: int


class Alive(Row):
    """The answer of the server's sign of life."""

    service: str


class Condition(Row):
    """The server's own report on its health."""

    status: str
    version: str = ""


class Session(NamedTuple):
    """What the id of one of our sessions says.

    The kind is part of it because agentmemory has no field for it, and the project because
    an observation has none and a session keeps the first one it was used with.
    """

    project_id: str
    kind: ObservationKind
    session_id: str

    def key(self) -> str:
        """Return the id that agentmemory knows the session by."""
        return "/".join(self)


def session_of(key: str) -> Session | None:
    """Return what a session's id says, or None for a session of another client."""
    project_id, _, rest = key.partition("/")
    kind, _, session_id = rest.partition("/")
    if not project_id.startswith(PROJECT_PREFIX) or kind not in set(ObservationKind):
        return None
    return Session(project_id, ObservationKind(kind), session_id)


def memory_of(row: MemoryRow) -> Memory:
    """Return a memory; the server keeps no directory and no session with it."""
    known = row.type in set(MemoryType)
    return Memory(
        id=row.id,
        project_id=row.project or "",
        cwd="",
        type=MemoryType(row.type) if known else MemoryType.FACT,
        title=title_of(row.content),
        content=row.content,
        concepts=row.concepts,
        files=row.files,
        source_observation_ids=row.source_observation_ids,
        is_latest=row.is_latest,
        parent_id=row.parent_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def observation_of(row: ObservationRow, session: Session, cwd: str) -> Observation:
    """Return an observation, of which the server keeps the first 400 characters."""
    return Observation(
        id=row.id,
        project_id=session.project_id,
        cwd=cwd,
        session_id=session.session_id,
        kind=session.kind,
        title=row.title.strip(),
        narrative=row.narrative.strip(),
        created_at=row.timestamp,
    )
