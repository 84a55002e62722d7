"""The writing verbs: each runs within the transaction of the connection it is given."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from ltm_tray.backends.sqlite import browsing, index, redactions, rows
from ltm_tray.domain.memory import (
    DEDUP_WINDOW_S,
    Forget,
    Memory,
    NewMemory,
    NewObservation,
    Observed,
    Saved,
)
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.times import to_iso
from ltm_tray.domain.versions import merged, new_version
from ltm_tray.ports import NewId


def remember(
    connection: sqlite3.Connection, item: NewMemory, now: datetime, new_id: NewId
) -> Saved:
    """Save a memory; see `MemoryBackend.remember`."""
    project = _see(connection, item.project_id, item.cwd, now)
    same = _identical(connection, item)
    if same is not None:
        _merge(connection, project, same, item, now)
        return Saved(id=same.memory.id, type=same.memory.type, deduplicated=True)
    old = _superseded(connection, project, item.content)
    new = new_version(item, old.memory if old else None, new_id("mem"), now)
    if old is not None:
        _retire(connection, project, old)
    number = rows.insert_memory(connection, new)
    redactions.add(connection, item.project_id, item.redacted)
    index.add_memory(connection, project, number, _texts(new))
    return Saved(id=new.id, type=new.type, supersedes=new.parent_id)


def observe(
    connection: sqlite3.Connection, item: NewObservation, now: datetime, new_id: NewId
) -> Observed:
    """Store an observation; see `MemoryBackend.observe`."""
    project = _see(connection, item.project_id, item.cwd, now)
    window = timedelta(seconds=DEDUP_WINDOW_S)
    known = connection.execute(
        "SELECT 1 FROM observations WHERE session_id = ? AND kind = ? AND dedup_key = ?"
        " AND created_at > ? AND created_at < ?",  # the clock may have been put back
        (item.session_id, item.kind, item.dedup_key, to_iso(now - window), to_iso(now + window)),
    ).fetchone()
    if known:
        return Observed(observation_id=None)
    observation_id = new_id("obs")
    number = rows.insert_observation(connection, item, observation_id, now)
    redactions.add(connection, item.project_id, item.redacted)
    index.add_observation(connection, project, number, (item.title, item.narrative))
    return Observed(observation_id=observation_id)


def forget(connection: sqlite3.Connection, item: Forget) -> int:
    """Delete items and return how many rows went; see `MemoryBackend.forget`."""
    memories = sum(_forget_memory(connection, item, id_) for id_ in item.memory_ids)
    return memories + sum(_forget_observation(connection, item, i) for i in item.observation_ids)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A memory and its row number."""

    number: int
    memory: Memory


_STORED_SQL = "SELECT m.number, m.id FROM memories m WHERE "


def _see(connection: sqlite3.Connection, project_id: str, cwd: str, now: datetime) -> int:
    """Note that the project was active and return its number."""
    row = connection.execute(
        "INSERT INTO projects (project_id, cwd, first_seen_at, last_seen_at)"
        " VALUES (?1, ?2, ?3, ?3)"
        " ON CONFLICT (project_id) DO UPDATE SET cwd = ?2, last_seen_at = ?3 RETURNING number",
        (project_id, cwd, to_iso(now)),
    ).fetchone()
    return int(row[0])


def _stored(
    connection: sqlite3.Connection, where: str, value: tuple[object, ...]
) -> _Stored | None:
    row = connection.execute(_STORED_SQL + where, value).fetchone()
    return None if row is None else _Stored(row[0], browsing.memory(connection, row[1], None))


def _identical(connection: sqlite3.Connection, item: NewMemory) -> _Stored | None:
    return _stored(
        connection,
        "m.project_id = ? AND m.text_key = ? AND m.is_latest = 1",
        (item.project_id, same_text_key(item.content)),
    )


def _superseded(connection: sqlite3.Connection, project: int, content: str) -> _Stored | None:
    number = index.find_superseded(connection, project, content)
    return None if number is None else _stored(connection, "m.number = ?", (number,))


def _merge(
    connection: sqlite3.Connection, project: int, same: _Stored, item: NewMemory, now: datetime
) -> None:
    memory = merged(same.memory, item, now)
    connection.execute(
        "UPDATE memories SET concepts_json = ?, files_json = ?, source_observation_ids_json = ?,"
        " updated_at = ? WHERE number = ?",
        (
            rows.as_json(memory.concepts),
            rows.as_json(memory.files),
            rows.as_json(memory.source_observation_ids),
            to_iso(memory.updated_at),
            same.number,
        ),
    )
    if _texts(memory) != _texts(same.memory):
        index.remove_memory(connection, project, same.number, memory.content)
        index.add_memory(connection, project, same.number, _texts(memory))


def _retire(connection: sqlite3.Connection, project: int, old: _Stored) -> None:
    """Make a memory a version of the past: readable, but no longer found."""
    connection.execute("UPDATE memories SET is_latest = 0 WHERE number = ?", (old.number,))
    index.remove_memory(connection, project, old.number, old.memory.content)


def _forget_memory(connection: sqlite3.Connection, item: Forget, memory_id: str) -> int:
    """Delete a memory with its earlier versions; a later version stays and becomes the first."""
    deleted = 0
    at: str | None = memory_id
    while at is not None:
        found = _stored(connection, "m.id = ? AND m.project_id = ?", (at, item.project_id))
        if found is None:
            break
        project = _number(connection, item.project_id)
        index.remove_memory(connection, project, found.number, found.memory.content)
        connection.execute("UPDATE memories SET parent_id = NULL WHERE parent_id = ?", (at,))
        connection.execute("DELETE FROM memories WHERE number = ?", (found.number,))
        deleted += 1
        at = found.memory.parent_id
    return deleted


def _forget_observation(connection: sqlite3.Connection, item: Forget, observation_id: str) -> int:
    row = connection.execute(
        "DELETE FROM observations WHERE id = ? AND project_id = ? RETURNING number",
        (observation_id, item.project_id),
    ).fetchone()
    if row is None:
        return 0
    connection.execute("DELETE FROM observations_fts WHERE rowid = ?", row)
    return 1


def _number(connection: sqlite3.Connection, project_id: str) -> int:
    sql = "SELECT number FROM projects WHERE project_id = ?"
    return int(connection.execute(sql, (project_id,)).fetchone()[0])


def _texts(memory: Memory) -> tuple[str, str, str]:
    """Return what is searched of a memory: its title, its content, its concepts and files."""
    return memory.title, memory.content, " ".join((*memory.concepts, *memory.files))
