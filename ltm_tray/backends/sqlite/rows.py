"""Rows of the database to domain values and back."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from typing import Any

from ltm_tray.domain.catalog import Item, ProjectSummary, RecallLogEntry
from ltm_tray.domain.memory import (
    HitKind,
    Memory,
    MemoryType,
    NewObservation,
    Observation,
    ObservationKind,
)
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.times import from_iso, to_iso

MEMORY_SQL = """
SELECT m.id, m.project_id, p.cwd, m.type, m.title, m.content, m.concepts_json, m.files_json,
       m.source_observation_ids_json, m.session_id, m.is_latest, m.parent_id, m.created_at,
       m.updated_at
FROM memories m JOIN projects p ON p.project_id = m.project_id
"""
OBSERVATION_SQL = """
SELECT o.id, o.project_id, p.cwd, o.session_id, o.kind, o.title, o.narrative, o.source_json,
       o.created_at
FROM observations o JOIN projects p ON p.project_id = o.project_id
"""

Row = tuple[Any, ...]


def memory_of(row: Row) -> Memory:
    """Read a row of `MEMORY_SQL`."""
    return Memory(
        id=row[0],
        project_id=row[1],
        cwd=row[2],
        type=MemoryType(row[3]),
        title=row[4],
        content=row[5],
        concepts=tuple(json.loads(row[6])),
        files=tuple(json.loads(row[7])),
        source_observation_ids=tuple(json.loads(row[8])),
        session_id=row[9],
        is_latest=bool(row[10]),
        parent_id=row[11],
        created_at=from_iso(row[12]),
        updated_at=from_iso(row[13]),
    )


def observation_of(row: Row) -> Observation:
    """Read a row of `OBSERVATION_SQL`."""
    return Observation(
        id=row[0],
        project_id=row[1],
        cwd=row[2],
        session_id=row[3],
        kind=ObservationKind(row[4]),
        title=row[5],
        narrative=row[6],
        source=None if row[7] is None else json.loads(row[7]),
        created_at=from_iso(row[8]),
    )


def item_of(row: Row) -> Item:
    """Read a row of kind, id, project_id, title, text, type, created_at."""
    return Item(
        kind=HitKind(row[0]),
        id=row[1],
        project_id=row[2],
        title=row[3],
        text=row[4],
        type=row[5],
        created_at=from_iso(row[6]),
    )


def project_of(row: Row) -> ProjectSummary:
    """Read a row of project_id, cwd, memories, observations, first and last seen."""
    return ProjectSummary(
        project_id=row[0],
        cwd=row[1],
        memory_count=row[2],
        observation_count=row[3],
        first_seen_at=from_iso(row[4]),
        last_seen_at=from_iso(row[5]),
    )


def recall_of(row: Row) -> RecallLogEntry:
    """Read a row of the recall log."""
    return RecallLogEntry(
        id=row[0],
        project_id=row[1],
        query=row[2],
        source=row[3],
        session_id=row[4],
        hit_ids=tuple(json.loads(row[5])),
        duration_ms=row[6],
        asked_at=from_iso(row[7]),
    )


def insert_memory(connection: sqlite3.Connection, memory: Memory, number: int | None = None) -> int:
    """Add a memory's row and return its number, the next one if none is given."""
    cursor = connection.execute(
        "INSERT INTO memories (number, id, project_id, type, title, content, concepts_json,"
        " files_json, source_observation_ids_json, session_id, is_latest, parent_id, text_key,"
        " text_bytes, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            memory.id,
            memory.project_id,
            memory.type,
            memory.title,
            memory.content,
            as_json(memory.concepts),
            as_json(memory.files),
            as_json(memory.source_observation_ids),
            memory.session_id,
            int(memory.is_latest),
            memory.parent_id,
            same_text_key(memory.content),
            _bytes(memory.title, memory.content),
            to_iso(memory.created_at),
            to_iso(memory.updated_at),
        ),
    )
    return int(cursor.lastrowid or 0)


def insert_observation(
    connection: sqlite3.Connection, item: NewObservation, observation_id: str, now: datetime
) -> int:
    """Add an observation's row and return its number."""
    cursor = connection.execute(
        "INSERT INTO observations (id, project_id, session_id, kind, title, narrative,"
        " source_json, dedup_key, text_bytes, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            observation_id,
            item.project_id,
            item.session_id,
            item.kind,
            item.title,
            item.narrative,
            None if item.source is None else as_json(item.source),
            item.dedup_key,
            _bytes(item.title, item.narrative),
            to_iso(now),
        ),
    )
    return int(cursor.lastrowid or 0)


def labels(concepts_json: str, files_json: str) -> str:
    """Return the concepts and files of a memory's row as one text to be searched."""
    return " ".join([*json.loads(concepts_json), *json.loads(files_json)])


def as_json(value: object) -> str:
    """Return the value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _bytes(title: str, text: str) -> int:
    return len(title.encode()) + len(text.encode())
