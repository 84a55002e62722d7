"""An export's lines: canonical JSON, one record each, and the rules that each one keeps.

The first line names the format, its version and the counts. Every other line is an
object whose `record` is `project`, `memory` or `observation`; keys are sorted and no
space stands between them, so that equal stores give equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from ltm_tray.domain.archive import ArchivedObservation, ArchivedProject, Counts, Record
from ltm_tray.domain.errors import InvalidInput, invalid
from ltm_tray.domain.left_out import without_replacements
from ltm_tray.domain.memory import (
    CONTENT_MAX_CHARACTERS,
    NARRATIVE_MAX_CHARACTERS,
    Memory,
    MemoryType,
    NewObservation,
    ObservationKind,
)
from ltm_tray.domain.project import Project, project_of
from ltm_tray.domain.requests import LABEL_MAX_CHARACTERS
from ltm_tray.domain.text import is_storable
from ltm_tray.domain.times import from_iso, to_iso

FORMAT = "ltm-tray-export"
VERSION = 1
LINE_MAX_BYTES = 8 * 1024 * 1024
"""A longer line is bad; the longest memory takes less than 1 MiB."""

_MEMORY_ID = re.compile(r"mem_[A-Za-z0-9_-]{1,200}")
_OBSERVATION_ID = re.compile(r"obs_[A-Za-z0-9_-]{1,200}")
_PROJECT_ID = re.compile(r"proj_[0-9a-f]{16}")


class BadRecord(Exception):
    """A line that breaks a rule; its text says which, and holds nothing that is kept."""


class _Header(msgspec.Struct, rename="camel", kw_only=True):
    format: str
    version: int
    counts: dict[str, int] = {}


class _Tagged(
    msgspec.Struct, rename="camel", kw_only=True, tag_field="record", forbid_unknown_fields=True
):
    """What all records share: names in camelCase, their sort in `record`, nothing unknown."""


class _Project(_Tagged, tag="project"):
    id: str
    cwd: str
    first_seen_at: str
    last_seen_at: str


class _Memory(_Tagged, tag="memory"):
    id: str
    project_id: str
    type: MemoryType
    title: str
    content: str
    concepts: tuple[str, ...]
    files: tuple[str, ...]
    source_observation_ids: tuple[str, ...]
    session_id: str | None
    is_latest: bool
    parent_id: str | None
    created_at: str
    updated_at: str


class _Observation(_Tagged, tag="observation"):
    id: str
    project_id: str
    session_id: str
    kind: ObservationKind
    title: str
    narrative: str
    source: Any
    dedup_key: str
    created_at: str


_Line = _Project | _Memory | _Observation
_DECODER = msgspec.json.Decoder(_Line)


def header_line(counts: Counts) -> bytes:
    """Return the first line of an export of so many records."""
    counted = {
        "projects": counts.projects,
        "memories": counts.memories,
        "observations": counts.observations,
    }
    return _encoded({"format": FORMAT, "version": VERSION, "counts": counted})


def promised_by(line: bytes) -> int:
    """Return how many records the first line of an export promises.

    Raises:
        InvalidInput: It is not the first line of an export, or a newer version made it.
    """
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, RecursionError):
        raise _not_ours() from None
    if header.format != FORMAT or header.version < 1:
        raise _not_ours()
    if header.version > VERSION:
        raise invalid(
            "FILE",
            "version",
            f"a newer LTM Tray made this export (format {header.version}, this one knows "
            f"{VERSION}); update LTM Tray to import it",
        )
    return sum(header.counts.values())


def line_of(record: Record) -> bytes:
    """Return a record as a line of an export."""
    if isinstance(record, ArchivedProject):
        return _encoded(_project_line(record))
    return _encoded(_memory_line(record) if isinstance(record, Memory) else _seen_line(record))


def record_of(line: bytes) -> Record:
    """Read a line of an export that is not its first.

    Raises:
        BadRecord: It breaks a rule.
    """
    if len(line) >= LINE_MAX_BYTES:
        raise BadRecord("it is longer than 8 MiB")
    try:
        found = _DECODER.decode(line)
    except msgspec.ValidationError as error:
        raise BadRecord(str(error)) from None
    except (msgspec.DecodeError, RecursionError):
        raise BadRecord("it is not a whole JSON object") from None
    if isinstance(found, _Project):
        return _project(found)
    return _memory(found) if isinstance(found, _Memory) else _observation(found)


def _not_ours() -> InvalidInput:
    return invalid("FILE", "format", f'its first line does not tell of the format "{FORMAT}"')


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted") + b"\n"


def _project_line(project: ArchivedProject) -> _Project:
    return _Project(
        id=project.id,
        cwd=project.cwd,
        first_seen_at=to_iso(project.first_seen_at),
        last_seen_at=to_iso(project.last_seen_at),
    )


def _memory_line(memory: Memory) -> _Memory:
    return _Memory(
        id=memory.id,
        project_id=memory.project_id,
        type=memory.type,
        title=memory.title,
        content=memory.content,
        concepts=memory.concepts,
        files=memory.files,
        source_observation_ids=memory.source_observation_ids,
        session_id=memory.session_id,
        is_latest=memory.is_latest,
        parent_id=memory.parent_id,
        created_at=to_iso(memory.created_at),
        updated_at=to_iso(memory.updated_at),
    )


def _seen_line(observation: ArchivedObservation) -> _Observation:
    item = observation.item
    return _Observation(
        id=observation.id,
        project_id=item.project_id,
        session_id=item.session_id,
        kind=item.kind,
        title=item.title,
        narrative=item.narrative,
        source=item.source,
        dedup_key=item.dedup_key,
        created_at=to_iso(observation.created_at),
    )


def _project(line: _Project) -> ArchivedProject:
    fitting = [project for project in _projects_of(line.cwd) if project.id == line.id]
    if not fitting:
        raise BadRecord("id: does not fit the project's cwd")
    return ArchivedProject(
        id=line.id,
        cwd=fitting[0].cwd,
        first_seen_at=_time("firstSeenAt", line.first_seen_at),
        last_seen_at=_time("lastSeenAt", line.last_seen_at),
    )


def _memory(line: _Memory) -> Memory:
    _matches("id", line.id, _MEMORY_ID)
    _matches("projectId", line.project_id, _PROJECT_ID)
    if line.parent_id is not None:
        _matches("parentId", line.parent_id, _MEMORY_ID)
    _text("content", line.content, CONTENT_MAX_CHARACTERS)
    _labels("title", [line.title])
    _labels("concepts", line.concepts)
    _labels("files", line.files)
    _labels("sourceObservationIds", line.source_observation_ids)
    _labels("sessionId", [] if line.session_id is None else [line.session_id])
    return Memory(
        id=line.id,
        project_id=line.project_id,
        cwd="",
        type=line.type,
        title=line.title,
        content=line.content,
        concepts=line.concepts,
        files=line.files,
        source_observation_ids=line.source_observation_ids,
        session_id=line.session_id,
        is_latest=line.is_latest,
        parent_id=line.parent_id,
        created_at=_time("createdAt", line.created_at),
        updated_at=_time("updatedAt", line.updated_at),
    )


def _observation(line: _Observation) -> ArchivedObservation:
    _matches("id", line.id, _OBSERVATION_ID)
    _matches("projectId", line.project_id, _PROJECT_ID)
    _text("narrative", line.narrative, NARRATIVE_MAX_CHARACTERS)
    _labels("sessionId", [line.session_id])
    _labels("title", [line.title])
    _labels("dedupKey", [line.dedup_key])
    item = NewObservation(
        project_id=line.project_id,
        cwd="",
        session_id=line.session_id,
        kind=line.kind,
        title=line.title,
        narrative=line.narrative,
        dedup_key=line.dedup_key,
        source=line.source,
    )
    created_at = _time("createdAt", line.created_at)
    return ArchivedObservation(id=line.id, created_at=created_at, item=item)


def _projects_of(cwd: str) -> Iterable[Project]:
    """Yield what a directory is on Windows and elsewhere: a file may travel."""
    for windows in (False, True):
        try:
            yield project_of(cwd, windows=windows)
        except InvalidInput:
            continue


def _matches(field: str, value: str, pattern: re.Pattern[str]) -> None:
    if not pattern.fullmatch(value):
        raise BadRecord(f"{field}: is not an id as LTM Tray gives them")


def _labels(field: str, values: Iterable[str]) -> None:
    for value in values:
        _text(field, value, LABEL_MAX_CHARACTERS)


def _text(field: str, value: str, most: int) -> None:
    if not value.strip():
        raise BadRecord(f"{field}: must not be empty")
    if len(without_replacements(value)) > most:  # what was left out may have been shorter
        raise BadRecord(f"{field}: at most {most:,} characters")
    if not is_storable(value):
        raise BadRecord(f"{field}: must be valid Unicode without NUL")


def _time(field: str, text: str) -> datetime:
    try:
        return from_iso(text)
    except (ValueError, OverflowError):
        raise BadRecord(f"{field}: must be a time such as 2026-01-02T03:04:05.006Z") from None
