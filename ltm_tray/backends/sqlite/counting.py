"""The figures of the console: counts by project, kind and type, by day, and in all."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ltm_tray.backends.sqlite import asking, rows
from ltm_tray.backends.sqlite.filtering import Condition, condition_of, of_project
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.backends.sqlite.sizes import store_size
from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.catalog import ItemFilter
from ltm_tray.domain.facets import Cell, Facets, counts_of, facets_of
from ltm_tray.domain.figures import (
    TOP_MAX,
    BusyProject,
    Day,
    DayActivity,
    OftenRecalled,
    RecallFigures,
    Totals,
    busiest_of,
    recall_figures,
)
from ltm_tray.domain.memory import HitKind
from ltm_tray.domain.times import from_iso, to_iso

_CELLS_SQL = {
    HitKind.MEMORY: """
SELECT project_id, type, count(*) FROM memories m WHERE {where} GROUP BY project_id, type
""",
    HitKind.OBSERVATION: """
SELECT project_id, kind, count(*) FROM observations o WHERE {where} GROUP BY project_id, kind
""",
}
_MATCHING = {
    HitKind.MEMORY: "m.number IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)",
    HitKind.OBSERVATION: (
        "o.number IN (SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?)"
    ),
}
_DAYS_SQL = """
WITH days (number, first, after) AS MATERIALIZED (
    SELECT key, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)
)
SELECT
    (SELECT count(*) FROM memories
     WHERE is_latest IN (0, 1) AND created_at >= first AND created_at < after {project}),
    (SELECT count(*) FROM observations
     WHERE created_at >= first AND created_at < after {project}),
    (SELECT count(*) FROM recalls
     WHERE asked_at >= first AND asked_at < after {project}),
    (SELECT count(*) FROM recalls
     WHERE asked_at >= first AND asked_at < after AND hit_count = 0 {project})
FROM days ORDER BY number
"""
_SPARKS_SQL = """
SELECT project_id, (strftime('%s', at) - strftime('%s', ?1)) / 86400 AS day, count(*) FROM (
    SELECT project_id, created_at AS at FROM memories
    WHERE is_latest IN (0, 1) AND created_at >= ?1 AND created_at < ?2
    UNION ALL SELECT project_id, created_at FROM observations
    WHERE created_at >= ?1 AND created_at < ?2
    UNION ALL SELECT project_id, asked_at FROM recalls WHERE asked_at >= ?1 AND asked_at < ?2
) GROUP BY project_id, day
"""
_HITS_SQL = """
WITH hits (id, times, last) AS MATERIALIZED (
    SELECT hit.value, count(*), max(asked_at)
    FROM recalls, json_each(hit_ids_json) hit WHERE {where} GROUP BY hit.value
)
"""
_MOST_SQL = """
SELECT id, times, last FROM hits
WHERE EXISTS (SELECT 1 FROM memories m WHERE m.id = hits.id)
   OR EXISTS (SELECT 1 FROM observations o WHERE o.id = hits.id)
ORDER BY times DESC, id LIMIT ?
"""
_LATEST_HITS_SQL = """
SELECT count(*) FROM hits JOIN memories m ON m.id = hits.id WHERE m.is_latest = 1
"""


def facets(connection: sqlite3.Connection, wanted: ItemFilter, text: str | None) -> Facets:
    """See `MemoryCatalog.facets`."""
    in_time = ItemFilter(since=wanted.since, until=wanted.until)
    if text is None:
        return facets_of(cells(connection, in_time), wanted)
    terms = query_terms(text)
    projects = [row[0] for row in connection.execute("SELECT number FROM projects")]
    if not terms or not projects:
        return facets_of([], wanted)
    return facets_of(cells(connection, in_time, match_expression(terms, projects)), wanted)


def cells(
    connection: sqlite3.Connection, wanted: ItemFilter, expression: str | None = None
) -> list[Cell]:
    """Count what a filter lets through, and a MATCH expression, by project, kind and type."""
    found: list[Cell] = []
    for kind, sql in _CELLS_SQL.items():
        condition = condition_of(wanted, kind)
        if condition is None:
            continue
        if expression is not None:
            condition.add(_MATCHING[kind], expression)
        found += [
            Cell(project_id, kind, type_, count)
            for project_id, type_, count in condition.ask(connection, sql)
        ]
    return found


def activity(
    connection: sqlite3.Connection, days: Sequence[Day], project_id: str | None
) -> list[DayActivity]:
    """See `MemoryCatalog.activity`."""
    bounds = rows.as_json([(to_iso(day.start), to_iso(day.end)) for day in days])
    sql = _DAYS_SQL.format(project="" if project_id is None else "AND project_id = ?2")
    found = connection.execute(sql, (bounds,) if project_id is None else (bounds, project_id))
    return [
        DayActivity(
            day=day.day,
            memories=memories,
            observations=observations,
            recalls=recalls,
            empty_recalls=empty,
        )
        for day, (memories, observations, recalls, empty) in zip(days, found, strict=True)
    ]


def sparklines(connection: sqlite3.Connection, days: Sequence[Day]) -> dict[str, tuple[int, ...]]:
    """See `MemoryCatalog.sparklines`."""
    bounds = (to_iso(days[0].start), to_iso(days[-1].end))
    lines: dict[str, list[int]] = {}
    for project_id, day, count in connection.execute(_SPARKS_SQL, bounds):
        lines.setdefault(project_id, [0] * len(days))[day] = count
    return {project_id: tuple(line) for project_id, line in lines.items()}


def totals(connection: sqlite3.Connection, project_id: str | None, file: Path) -> Totals:
    """See `MemoryCatalog.totals`; `file` is the database."""
    counted = cells(connection, ItemFilter(project_id=project_id))
    memories = [cell for cell in counted if cell.kind is HitKind.MEMORY]
    observations = [cell for cell in counted if cell.kind is HitKind.OBSERVATION]
    one = of_project(project_id)
    replaced = "SELECT count(*) FROM memories WHERE is_latest = 0 AND {where}"
    (versions,) = one.ask(connection, replaced).fetchone()
    never = sum(cell.count for cell in memories) - _recalled_memories(connection, one)
    return Totals(
        memories=counts_of(memories, lambda cell: cell.type),
        observations=counts_of(observations, lambda cell: cell.type),
        version_count=versions,
        recalls=_recalls(connection, one),
        size=store_size(connection, file),
        busiest=_busiest(connection, counted, one),
        most_recalled=_most_recalled(connection, one),
        never_recalled=never,
    )


def _recalls(connection: sqlite3.Connection, one: Condition) -> RecallFigures:
    sql = "SELECT duration_ms, hit_count = 0 FROM recalls WHERE {where}"
    found = one.ask(connection, sql).fetchall()
    return recall_figures((row[0] for row in found), sum(row[1] for row in found))


def _busiest(
    connection: sqlite3.Connection, counted: Sequence[Cell], one: Condition
) -> tuple[BusyProject, ...]:
    held: Counter[tuple[str, HitKind]] = Counter()
    for cell in counted:
        held[cell.project_id, cell.kind] += cell.count
    recalls = "SELECT project_id, count(*) FROM recalls WHERE {where} GROUP BY project_id"
    asked = dict(one.ask(connection, recalls).fetchall())
    known = one.ask(connection, "SELECT project_id, cwd FROM projects WHERE {where}")
    return busiest_of(
        BusyProject(
            project_id=project_id,
            cwd=cwd,
            memory_count=held[project_id, HitKind.MEMORY],
            observation_count=held[project_id, HitKind.OBSERVATION],
            recall_count=asked.get(project_id, 0),
        )
        for project_id, cwd in known
    )


def _most_recalled(connection: sqlite3.Connection, one: Condition) -> tuple[OftenRecalled, ...]:
    most = one.ask(connection, _HITS_SQL + _MOST_SQL, TOP_MAX).fetchall()
    known = asking.recalled(connection, [row[0] for row in most])
    return tuple(
        OftenRecalled(item=known[id_], times=times, last_recalled_at=from_iso(last))
        for id_, times, last in most
    )


def _recalled_memories(connection: sqlite3.Connection, one: Condition) -> int:
    (count,) = one.ask(connection, _HITS_SQL + _LATEST_HITS_SQL).fetchone()
    return int(count)
