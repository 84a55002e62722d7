"""What the JSON API answers: the shapes of its answers, with their names on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from ltm_tray.domain.health import StoreState
from ltm_tray.domain.memory import Memory, ProjectStats
from ltm_tray.domain.project import Project
from ltm_tray.domain.times import to_iso

Shape = TypeVar("Shape", bound=msgspec.Struct)


class Time(str):
    """A time as text: ISO-8601, UTC, milliseconds."""

    __slots__ = ()


class Answer(msgspec.Struct, rename="camel", kw_only=True, omit_defaults=True):
    """Base of all answers; a field with a default is left out where it has that value."""


class HealthAnswer(Answer):
    """The answer of health; `service` tells this program from any other on the port.

    `state` says as a code what `detail` says in words; `next_step` is for a person.
    """

    ok: bool
    service: str
    version: str
    enabled: bool
    backend: str
    state: StoreState
    detail: str | None = None
    next_step: str | None = None
    facts: dict[str, str] = {}


class SavedAnswer(Answer):
    """The answer of remember; `redacted` counts by kind what was taken out of what was sent."""

    id: str
    type: str
    supersedes: str | None = None
    deduplicated: bool = False
    redacted: dict[str, int] = {}


class MatchedTermAnswer(Answer):
    """A term of the question that a hit holds, and what it added to the score."""

    term: str
    frequency: float
    holders: int
    score: float


class ExplanationAnswer(Answer):
    """Why a hit has its score: the sum of its terms' scores, times the two factors."""

    terms: tuple[MatchedTermAnswer, ...]
    coverage: float
    kind_weight: float


class HitAnswer(Answer):
    """One hit of recall; `explanation` is there where it was asked for."""

    kind: str
    id: str
    title: str
    snippet: str
    score: float
    type: str
    created_at: Time
    truncated: bool
    explanation: ExplanationAnswer | None = None


class HitsAnswer(Answer):
    """The answer of recall, best hit first."""

    hits: list[HitAnswer]


class ObservedAnswer(Answer):
    """The answer of observe: one of the two; `redacted` as in the answer of remember."""

    observation_id: str | None = None
    deduplicated: bool = False
    redacted: dict[str, int] = {}


class DeletedAnswer(Answer):
    """The answer of forget: how many rows went."""

    deleted: int


class StatsAnswer(Answer):
    """The answer of stats; a time is null where nothing has happened yet.

    `redacted` counts by kind what was taken out of all that was ever stored.
    """

    project_id: str
    cwd: str
    memory_count: int
    version_count: int
    observation_count: int
    last_saved_at: Time | None
    last_observed_at: Time | None
    last_recalled_at: Time | None
    redacted: dict[str, int]


class MemoryAnswer(Answer):
    """A whole memory; the one asked for has all its `versions`, newest first."""

    id: str
    project_id: str
    cwd: str
    type: str
    title: str
    content: str
    concepts: tuple[str, ...]
    files: tuple[str, ...]
    source_observation_ids: tuple[str, ...]
    session_id: str | None
    is_latest: bool
    parent_id: str | None
    created_at: Time
    updated_at: Time
    versions: list[MemoryAnswer] = []


class ObservationAnswer(Answer):
    """A whole observation."""

    id: str
    project_id: str
    cwd: str
    session_id: str
    kind: str
    title: str
    narrative: str
    source: Any
    created_at: Time


class SettingAnswer(Answer):
    """One effective setting; `pinnedBy` names the environment variable that decides it."""

    key: str
    value: Any
    origin: str
    pinned_by: str | None = None


class SettingsAnswer(Answer):
    """The effective settings."""

    enabled: bool
    settings: list[SettingAnswer]


class ToolsAnswer(Answer):
    """The specifications of the agent's tools."""

    tools: list[dict[str, Any]]


def shaped(value: object, shape: type[Shape]) -> Shape:
    """Return a domain value in the shape of an answer that has fields of the same names."""
    return msgspec.convert(value, shape, from_attributes=True, dec_hook=_time_of)


def stats_answer(value: ProjectStats, project: Project) -> StatsAnswer:
    """Return the stats of a project."""
    return StatsAnswer(
        project_id=project.id,
        cwd=project.cwd,
        memory_count=value.memory_count,
        version_count=value.version_count,
        observation_count=value.observation_count,
        last_saved_at=_optional_time(value.last_saved_at),
        last_observed_at=_optional_time(value.last_observed_at),
        last_recalled_at=_optional_time(value.last_recalled_at),
        redacted=dict(value.redacted),
    )


def memory_answer(value: Memory, versions: list[Memory]) -> MemoryAnswer:
    """Return a memory with its versions."""
    answer = shaped(value, MemoryAnswer)
    answer.versions = [shaped(version, MemoryAnswer) for version in versions]
    return answer


def encoded(answer: Answer) -> bytes:
    """Return an answer as JSON."""
    return msgspec.json.encode(answer, enc_hook=str)


def _time_of(kind: type, value: Any) -> Time:
    if kind is Time and isinstance(value, datetime):
        return Time(to_iso(value))
    raise NotImplementedError


def _optional_time(value: datetime | None) -> Time | None:
    return None if value is None else Time(to_iso(value))
