"""What callers ask for, and the rules that turn it into values a backend may trust."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from ltm_tray.domain.errors import FieldProblem, InvalidInput, invalid
from ltm_tray.domain.memory import (
    CONTENT_MAX_CHARACTERS,
    NARRATIVE_MAX_CHARACTERS,
    RECALL_LIMIT_DEFAULT,
    RECALL_LIMIT_MAX,
    Forget,
    HitKind,
    MemoryType,
    NewMemory,
    NewObservation,
    ObservationKind,
    RecallQuery,
    Sort,
)
from ltm_tray.domain.project import Project
from ltm_tray.domain.text import is_storable
from ltm_tray.domain.times import from_iso

if TYPE_CHECKING:
    from ltm_tray.domain.redaction import Redactor

LABEL_MAX_CHARACTERS = 1_024
"""Longest concept, file name, id, session id or title."""
LABELS_MAX = 200
"""Most entries of a list field."""
QUERY_MAX_CHARACTERS = 1_048_576
SOURCES = frozenset({"api", "cli", "pi", "console", "mcp"})

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """A wish to save a memory; see `NewMemory` for the fields."""

    cwd: str
    content: str
    type: str | None = None
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source_observation_ids: tuple[str, ...] = ()
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question. `source` names the front that asks, for the recall log."""

    cwd: str
    query: str
    limit: int = RECALL_LIMIT_DEFAULT
    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    concept_match: str = "all"
    since: str | None = None
    until: str | None = None
    sort: str = Sort.RELEVANCE
    explain: bool = False
    source: str = "api"
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveRequest:
    """A moment to capture. `idempotency_key` names it; without one its title does."""

    cwd: str
    session_id: str
    kind: str
    title: str
    narrative: str
    source: Any = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """A wish to delete items by id."""

    cwd: str
    memory_ids: tuple[str, ...] = ()
    observation_ids: tuple[str, ...] = ()


def new_memory(request: RememberRequest, project: Project) -> NewMemory:
    """Check a request to remember, and take out of it what is never stored.

    Lengths are those of what was sent.

    Raises:
        InvalidInput: Lists every rule the request breaks, or nothing of the content is left.
    """
    check = _Checks()
    check.text("content", request.content, CONTENT_MAX_CHARACTERS)
    kind = check.choice("type", request.type, MemoryType) if request.type is not None else None
    check.labels("concepts", request.concepts)
    check.labels("files", request.files)
    check.labels("sourceObservationIds", request.source_observation_ids)
    check.optional_label("sessionId", request.session_id)
    check.done()
    redactor = new_redactor()
    return NewMemory(
        project_id=project.id,
        cwd=project.cwd,
        content=_redacted("content", request.content, redactor),
        type=kind,
        concepts=tuple(dict.fromkeys(redactor.labels(request.concepts))),
        files=tuple(dict.fromkeys(redactor.labels(request.files))),
        source_observation_ids=tuple(dict.fromkeys(request.source_observation_ids)),
        session_id=request.session_id,
        redacted=redactor.counts,
    )


def recall_query(request: RecallRequest, project: Project) -> RecallQuery:
    """Check a request to recall; a limit over 50 is lowered to 50, no kinds mean all kinds.

    Raises:
        InvalidInput: Lists every rule the request breaks.
    """
    check = _Checks()
    check.text("q", request.query, QUERY_MAX_CHARACTERS)
    if not 1 <= request.limit < 2**63:
        check.add("limit", "out_of_range", f"must be 1 to {RECALL_LIMIT_MAX}")
    kinds = [check.choice("kinds", kind, HitKind) for kind in request.kinds]
    for type_ in request.types:
        check.one_of("types", type_, (*MemoryType, *ObservationKind))
    check.labels("concepts", request.concepts)
    check.one_of("conceptMatch", request.concept_match, ("all", "any"))
    since, until = check.time("since", request.since), check.time("until", request.until)
    sort = check.choice("sort", request.sort, Sort)
    check.optional_label("sessionId", request.session_id)
    check.done()
    return RecallQuery(
        text=request.query,
        project_id=project.id,
        limit=min(request.limit, RECALL_LIMIT_MAX),
        kinds=frozenset(kind for kind in kinds if kind) or frozenset(HitKind),
        types=frozenset(request.types),
        concepts=frozenset(request.concepts),
        any_concept=request.concept_match == "any",
        since=since,
        until=until,
        sort=sort or Sort.RELEVANCE,
        explain=request.explain,
    )


def new_observation(request: ObserveRequest, project: Project) -> NewObservation:
    """Check a request to observe, and take out of it what is never stored.

    Raises:
        InvalidInput: Lists every rule the request breaks, or nothing of the narrative is left.
    """
    check = _Checks()
    check.text("sessionId", request.session_id, LABEL_MAX_CHARACTERS)
    kind = check.choice("kind", request.kind, ObservationKind)
    check.text("title", request.title, LABEL_MAX_CHARACTERS)
    check.text("narrative", request.narrative, NARRATIVE_MAX_CHARACTERS)
    check.optional_label("leafId", request.idempotency_key)
    check.done()
    redactor = new_redactor()
    title = redactor.text(request.title)
    moment = request.idempotency_key or "title:" + hashlib.sha256(title.encode()).hexdigest()
    return NewObservation(
        project_id=project.id,
        cwd=project.cwd,
        session_id=request.session_id,
        kind=kind or ObservationKind.AGENT_END,
        title=title,
        narrative=_redacted("narrative", request.narrative, redactor),
        dedup_key=moment,
        source=redactor.json(request.source),
        redacted=redactor.counts,
    )


def new_redactor() -> Redactor:
    """Return what takes secrets out of one request."""
    from ltm_tray.domain.redaction import Redactor  # its rules are made where something is written

    return Redactor()


def _redacted(field: str, text: str, redactor: Redactor) -> str:
    redacted = redactor.words(text)
    if not redacted:
        raise invalid(field, "redacted", "holds nothing but secrets or private passages")
    return redacted


def forget(request: ForgetRequest, project: Project) -> Forget:
    """Check a request to forget.

    Raises:
        InvalidInput: No id is named, or one is not a usable text.
    """
    check = _Checks()
    check.labels("memoryIds", request.memory_ids)
    check.labels("observationIds", request.observation_ids)
    if not request.memory_ids and not request.observation_ids:
        check.add("memoryIds", "required", "name at least one memory or observation id")
    check.done()
    return Forget(
        project_id=project.id,
        memory_ids=tuple(dict.fromkeys(request.memory_ids)),
        observation_ids=tuple(dict.fromkeys(request.observation_ids)),
    )


class _Checks:
    """Collects broken rules, so that a caller learns all of them at once."""

    def __init__(self) -> None:
        self._problems: list[FieldProblem] = []

    def add(self, field: str, code: str, message: str) -> None:
        self._problems.append(FieldProblem(field, code, message))

    def done(self) -> None:
        if self._problems:
            raise InvalidInput(*self._problems)

    def text(self, field: str, value: str, most: int) -> None:
        if not value.strip():
            self.add(field, "required", "must not be empty")
        elif len(value) > most:
            self.add(field, "too_long", f"at most {most:,} characters")
        elif not is_storable(value):
            self.add(field, "invalid_text", "must be valid Unicode without NUL")

    def optional_label(self, field: str, value: str | None) -> None:
        if value is not None:
            self.text(field, value, LABEL_MAX_CHARACTERS)

    def labels(self, field: str, values: Iterable[str]) -> None:
        listed = list(values)
        if len(listed) > LABELS_MAX:
            self.add(field, "too_many", f"at most {LABELS_MAX} entries")
            return
        for value in listed:
            self.text(field, value, LABEL_MAX_CHARACTERS)

    def one_of(self, field: str, value: str, options: Sequence[str]) -> None:
        if value not in options:
            self.add(field, "unknown", "must be one of " + ", ".join(options))

    def time(self, field: str, value: str | None) -> datetime | None:
        if value is None:
            return None
        try:
            return from_iso(value)
        except (ValueError, OverflowError):
            self.add(field, "wrong_type", "must be a time such as 2026-01-02T03:04:05Z")
            return None

    def choice(self, field: str, value: str, options: type[Choice]) -> Choice | None:
        try:
            return options(value)
        except ValueError:
            self.add(field, "unknown", "must be one of " + ", ".join(options))
            return None
