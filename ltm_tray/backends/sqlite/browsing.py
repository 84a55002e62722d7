"""What the console lists: projects, pages of items, single items with their versions."""

from __future__ import annotations

import sqlite3

from ltm_tray.backends.sqlite import rows
from ltm_tray.domain.catalog import ItemPage, ProjectSummary, RecallLogEntry
from ltm_tray.domain.cursor import Position, position_of
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import HitKind, Memory, Observation, ProjectStats
from ltm_tray.domain.times import from_iso, to_iso

_LISTS = {
    HitKind.MEMORY: (
        "SELECT 'memory', id, project_id, title, content, type, created_at FROM memories"
        " WHERE is_latest = 1"
    ),
    HitKind.OBSERVATION: (
        "SELECT 'observation', id, project_id, title, narrative, kind, created_at"
        " FROM observations WHERE 1"
    ),
}


_VERSIONS_SQL = f"""
WITH RECURSIVE later (id) AS (
    SELECT id FROM memories WHERE id = ?1
    UNION SELECT m.id FROM memories m JOIN later ON m.parent_id = later.id
), chain (id) AS (
    SELECT id FROM later
    UNION SELECT m.parent_id FROM memories m JOIN chain ON m.id = chain.id
    WHERE m.parent_id IS NOT NULL
)
{rows.MEMORY_SQL} WHERE m.id IN (SELECT id FROM chain) ORDER BY m.number DESC
"""  # noqa: S608 — made of constants


def projects(connection: sqlite3.Connection) -> list[ProjectSummary]:
    """See `MemoryCatalog.projects`."""
    found = connection.execute(
        "SELECT p.project_id, p.cwd,"
        " (SELECT count(*) FROM memories m WHERE m.project_id = p.project_id AND m.is_latest = 1),"
        " (SELECT count(*) FROM observations o WHERE o.project_id = p.project_id),"
        " p.first_seen_at, p.last_seen_at FROM projects p"
        " ORDER BY p.last_seen_at DESC, p.project_id DESC"
    )
    return [rows.project_of(row) for row in found]


def newest(
    connection: sqlite3.Connection,
    project_id: str | None,
    kinds: frozenset[HitKind],
    *,
    limit: int,
    cursor: str | None,
) -> ItemPage:
    """See `MemoryCatalog.newest`."""
    before = position_of(cursor) if cursor else None
    found = [
        rows.item_of(row)
        for kind in HitKind
        if kind in kinds
        for row in _list(connection, _LISTS[kind], project_id, before, limit + 1)
    ]
    found.sort(key=lambda item: (item.created_at, item.id), reverse=True)
    page = tuple(found[:limit])
    more = len(found) > limit
    return ItemPage(
        items=page,
        next_cursor=Position(page[-1].created_at, page[-1].id).cursor() if more else None,
    )


def memory(connection: sqlite3.Connection, memory_id: str, project_id: str | None) -> Memory:
    """See `MemoryCatalog.memory`."""
    row = connection.execute(rows.MEMORY_SQL + " WHERE m.id = ?", (memory_id,)).fetchone()
    if row is None or project_id not in {None, row[1]}:
        raise NotFound("This project has no memory with that id.")
    return rows.memory_of(row)


def versions(connection: sqlite3.Connection, memory_id: str) -> list[Memory]:
    """See `MemoryCatalog.versions`."""
    found = connection.execute(_VERSIONS_SQL, (memory_id,))
    return [rows.memory_of(row) for row in found]


def observation(
    connection: sqlite3.Connection, observation_id: str, project_id: str | None
) -> Observation:
    """See `MemoryCatalog.observation`."""
    row = connection.execute(rows.OBSERVATION_SQL + " WHERE o.id = ?", (observation_id,)).fetchone()
    if row is None or project_id not in {None, row[1]}:
        raise NotFound("This project has no observation with that id.")
    return rows.observation_of(row)


def recalls(
    connection: sqlite3.Connection, project_id: str | None, limit: int
) -> list[RecallLogEntry]:
    """See `MemoryCatalog.recalls`."""
    found = connection.execute(
        "SELECT id, project_id, query, source, session_id, hit_ids_json, duration_ms, asked_at"
        " FROM recalls WHERE ?1 IS NULL OR project_id = ?1 ORDER BY id DESC LIMIT ?2",
        (project_id, limit),
    )
    return [rows.recall_of(row) for row in found]


def stats(connection: sqlite3.Connection, project_id: str) -> ProjectStats:
    """See `MemoryBackend.stats`."""
    latest, versions_, saved = connection.execute(
        "SELECT count(*) FILTER (WHERE is_latest = 1), count(*) FILTER (WHERE is_latest = 0),"
        " max(updated_at) FROM memories WHERE project_id = ?",
        (project_id,),
    ).fetchone()
    observed, observed_at = connection.execute(
        "SELECT count(*), max(created_at) FROM observations WHERE project_id = ?", (project_id,)
    ).fetchone()
    (asked_at,) = connection.execute(
        "SELECT max(asked_at) FROM recalls WHERE project_id = ?", (project_id,)
    ).fetchone()
    return ProjectStats(
        memory_count=latest,
        version_count=versions_,
        observation_count=observed,
        last_saved_at=from_iso(saved) if saved else None,
        last_observed_at=from_iso(observed_at) if observed_at else None,
        last_recalled_at=from_iso(asked_at) if asked_at else None,
    )


def _list(
    connection: sqlite3.Connection,
    sql: str,
    project_id: str | None,
    before: Position | None,
    limit: int,
) -> list[rows.Row]:
    values: list[object] = []
    if project_id is not None:
        sql += " AND project_id = ?"
        values.append(project_id)
    if before is not None:
        sql += " AND (created_at, id) < (?, ?)"
        values += [to_iso(before.created_at), before.id]
    sql += " ORDER BY created_at DESC, id DESC LIMIT ?"
    return connection.execute(sql, (*values, limit)).fetchall()
