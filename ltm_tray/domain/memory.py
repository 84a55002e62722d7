"""The values of the four verbs: what is saved, asked, found, captured and forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ltm_tray.domain.errors import BackendUnavailable, DatabaseBusy, LtmError
from ltm_tray.domain.health import StoreState

CONTENT_MAX_CHARACTERS = 65_536
"""Longest content of a memory; a longer one is refused whole."""
NARRATIVE_MAX_CHARACTERS = 4_000
"""Longest narrative of an observation; a longer one is refused whole."""
DEDUP_WINDOW_S = 600
"""How long a captured moment is known, so that a repeated one is stored once."""
RECALL_LOG_MAX = 5_000
"""How many questions the recall log keeps."""
RECALL_LIMIT_DEFAULT = 10
RECALL_LIMIT_MAX = 50
"""A larger limit is lowered to this one."""


class MemoryType(StrEnum):
    """What sort of statement a memory is."""

    PATTERN = "pattern"
    PREFERENCE = "preference"
    ARCHITECTURE = "architecture"
    BUG = "bug"
    WORKFLOW = "workflow"
    FACT = "fact"


class ObservationKind(StrEnum):
    """What moment an observation was captured at."""

    AGENT_END = "agent_end"
    PRE_COMPACT = "pre_compact"


class HitKind(StrEnum):
    """Where a hit was found."""

    MEMORY = "memory"
    OBSERVATION = "observation"


class Sort(StrEnum):
    """The order of hits: best first, or newest first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A memory to save. `type` None means: inherit from what it replaces, else `fact`.

    `redacted` counts by kind what was taken out of it before.
    """

    project_id: str
    cwd: str
    content: str
    type: MemoryType | None = None
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source_observation_ids: tuple[str, ...] = ()
    session_id: str | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The answer to remember: the id that now holds the text.

    `supersedes` is the id of the version it replaced. `deduplicated` says that the
    project already had this text under this id and no row was added. `redacted` counts
    by kind what was taken out of what was sent.
    """

    id: str
    type: MemoryType
    supersedes: str | None = None
    deduplicated: bool = False
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A stored memory. `parent_id` is the version it replaced; `is_latest` says it is current."""

    id: str
    project_id: str
    cwd: str
    type: MemoryType
    title: str
    content: str
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source_observation_ids: tuple[str, ...] = ()
    session_id: str | None = None
    is_latest: bool = True
    parent_id: str | None = None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewObservation:
    """An observation to store.

    `dedup_key` names the captured moment: the same session, kind and key within the
    window of `MemoryBackend.observe` is stored once. `source` is JSON data. `redacted`
    counts by kind what was taken out of all before.
    """

    project_id: str
    cwd: str
    session_id: str
    kind: ObservationKind
    title: str
    narrative: str
    dedup_key: str
    source: Any = None
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The answer to observe: the id of the new observation, or None when it was stored before.

    `redacted` counts by kind what was taken out of what was sent.
    """

    observation_id: str | None
    redacted: Mapping[str, int] = field(default_factory=dict)

    @property
    def deduplicated(self) -> bool:
        """Whether the same moment was stored already."""
        return self.observation_id is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A stored observation."""

    id: str
    project_id: str
    cwd: str
    session_id: str
    kind: ObservationKind
    title: str
    narrative: str
    source: Any = None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """A question to the memory. `project_id` None asks all projects (the console only).

    `types` holds memory types and observation kinds; empty, it asks for every type.
    `concepts` asks for memories saved with all of these concepts, with `any_concept` for
    one of them; observations have none.
    `since` and `until` are aware times that bound when a hit was created; `until`
    itself is excluded.
    """

    text: str
    project_id: str | None
    limit: int = RECALL_LIMIT_DEFAULT
    kinds: frozenset[HitKind] = frozenset(HitKind)
    types: frozenset[str] = frozenset()
    concepts: frozenset[str] = frozenset()
    any_concept: bool = False
    since: datetime | None = None
    until: datetime | None = None
    sort: Sort = Sort.RELEVANCE
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedTerm:
    """A term of the query that a hit holds, and what it added to the score.

    `frequency` counts its occurrences, one at the start a little more; `holders` is how
    many items of the project hold it: the fewer, the more it tells.
    """

    term: str
    frequency: float
    holders: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a hit has its score: the sum of its terms' scores, times the two factors.

    `coverage` grows with how much of the query the hit holds, from just over 1 to 1.5;
    `kind_weight` puts what was saved on purpose before what was captured.
    """

    terms: tuple[MatchedTerm, ...]
    coverage: float
    kind_weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """One result. `score` grows with relevance and compares within one answer only.

    `snippet` is the whole text up to 600 characters, beyond that the best window
    around the matches, with `truncated` set. `explanation` is there if it was asked for.
    """

    kind: HitKind
    id: str
    project_id: str
    title: str
    snippet: str
    score: float
    type: str
    created_at: datetime
    truncated: bool = False
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """What to delete, by id, within one project."""

    project_id: str
    memory_ids: tuple[str, ...] = ()
    observation_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectStats:
    """How much one project holds: latest memories, replaced versions, observations.

    `redacted` counts by kind what was taken out of all that was ever stored there.
    """

    memory_count: int = 0
    version_count: int = 0
    observation_count: int = 0
    last_saved_at: datetime | None = None
    last_observed_at: datetime | None = None
    last_recalled_at: datetime | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a backend can answer, and what it tells about itself.

    `detail` says in plain words what is wrong or was put right, `next_step` what a
    person can do about it; each is None where there is nothing to say.
    """

    ok: bool
    backend: str
    state: StoreState = StoreState.OK
    detail: str | None = None
    next_step: str | None = None
    facts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_error(cls, backend: str, error: LtmError, facts: dict[str, str] | None = None) -> Health:
        """Return the health of a backend that cannot answer, and why."""
        state, detail, next_step = StoreState.UNAVAILABLE, error.message, ""
        if isinstance(error, BackendUnavailable):
            state, detail, next_step = error.state, error.sentence, error.next_step
        elif isinstance(error, DatabaseBusy):
            state = StoreState.BUSY
        return cls(
            ok=False,
            backend=backend,
            state=state,
            detail=detail,
            next_step=next_step or None,
            facts=facts or {},
        )
