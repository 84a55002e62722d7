"""The figures of the console: counts by project, kind and type, by day, and in all."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ltm_tray.backends.sqlite import asking, redactions, rows
from ltm_tray.backends.sqlite.filtering import Condition, condition_of, of_project
from ltm_tray.backends.sqlite.finding import AMONG_FOUND, expressions
from ltm_tray.backends.sqlite.sizes import store_size
from ltm_tray.domain.catalog import ItemFilter
from ltm_tray.domain.facets import Cell, Facets, counts_of, facets_of, ordered_counts
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
SELECT project_id, type, count(*) FROM {source} WHERE {where} GROUP BY project_id, type
""",
    HitKind.OBSERVATION: """
SELECT project_id, kind, count(*) FROM {source} WHERE {where} GROUP BY project_id, kind
""",
}
_ALL = {
    HitKind.MEMORY: "memories m INDEXED BY memories_counted",
    HitKind.OBSERVATION: "observations o INDEXED BY observations_counted",
}
"""The indexes that hold all that is counted, in groups: going through one reads no row."""
_FOUND = {
    HitKind.MEMORY: "memories_fts CROSS JOIN memories m ON m.number = memories_fts.rowid",
    HitKind.OBSERVATION: (
        "observations_fts CROSS JOIN observations o ON o.number = observations_fts.rowid"
    ),
}
"""What a text finds, each looked up in its row."""
_MATCH = {HitKind.MEMORY: "memories_fts MATCH ?", HitKind.OBSERVATION: "observations_fts MATCH ?"}
_MANY_SQL = {
    HitKind.MEMORY: """
SELECT 1 FROM memories_fts WHERE memories_fts MATCH ?
LIMIT 1 OFFSET (SELECT coalesce(max(number), 0) / 4 FROM memories)
""",
    HitKind.OBSERVATION: """
SELECT 1 FROM observations_fts WHERE observations_fts MATCH ?
LIMIT 1 OFFSET (SELECT coalesce(max(number), 0) / 4 FROM observations)
""",
}
"""Tells whether a text finds a quarter of all: then going through the index is faster."""
_HELD_SQL = {
    HitKind.MEMORY: """
SELECT project_id, type, count(*), sum(text_bytes) FROM memories INDEXED BY memories_counted
WHERE is_latest = 1 GROUP BY project_id, type
""",
    HitKind.OBSERVATION: """
SELECT project_id, kind, count(*), sum(text_bytes)
FROM observations INDEXED BY observations_counted GROUP BY project_id, kind
""",
}
_VERSIONS_SQL = "SELECT count(*) FROM memories WHERE is_latest = 0 AND {where}"
_REPLACED_BYTES_SQL = "SELECT coalesce(sum(text_bytes), 0) FROM memories WHERE is_latest = 0"
_DAYS_SQL = """
WITH days (number, first, after) AS MATERIALIZED (
    SELECT key, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1)
)
SELECT {project},
    (SELECT count(*) FROM memories
     WHERE is_latest IN (0, 1) AND created_at >= first AND created_at < after {of_project}),
    (SELECT count(*) FROM observations
     WHERE created_at >= first AND created_at < after {of_project}),
    (SELECT count(*) FROM recalls
     WHERE asked_at >= first AND asked_at < after {of_project}),
    (SELECT count(*) FROM recalls
     WHERE asked_at >= first AND asked_at < after AND hit_count = 0 {of_project})
FROM {source} ORDER BY {project}, days.number
"""
_ALL_DAYS_SQL = _DAYS_SQL.format(project="NULL", of_project="", source="days")
_PROJECT_DAYS_SQL = _DAYS_SQL.format(project="?2", of_project="AND project_id = ?2", source="days")
_EACH_PROJECT_DAYS_SQL = _DAYS_SQL.format(
    project="p.project_id",
    of_project="AND project_id = p.project_id",
    source="projects p CROSS JOIN days",
)
_MOST_SQL = """
SELECT hit_id, times, (SELECT asked_at FROM recalls WHERE id = last) FROM (
    SELECT hit_id, count(*) AS times, max(recall_id) AS last FROM recall_hits
    WHERE {where} GROUP BY hit_id ORDER BY times DESC, hit_id LIMIT ? OFFSET ?
)
"""
_RECALLED_SQL = """
SELECT count(*) FROM (SELECT DISTINCT hit_id FROM recall_hits WHERE {where}) hits
WHERE EXISTS (SELECT 1 FROM memories WHERE id = hits.hit_id)
"""
_REPLACED_SQL = """
SELECT count(*) FROM memories m WHERE m.is_latest = 0
AND EXISTS (SELECT 1 FROM recall_hits WHERE hit_id = m.id AND {where})
"""


def facets(connection: sqlite3.Connection, wanted: ItemFilter, text: str | None) -> Facets:
    """See `MemoryCatalog.facets`."""
    in_time = ItemFilter(since=wanted.since, until=wanted.until)
    if text is None:
        return facets_of(cells(connection, in_time), wanted)
    found = facets_of([], wanted)
    for expression in expressions(connection, text):
        found = facets_of(cells(connection, in_time, expression), wanted)
        if found.total:
            break
    return found


def cells(
    connection: sqlite3.Connection, wanted: ItemFilter, expression: str | None = None
) -> list[Cell]:
    """Count what a filter lets through, and a MATCH expression, by project, kind and type."""
    found: list[Cell] = []
    for kind, sql in _CELLS_SQL.items():
        condition = condition_of(wanted, kind)
        if condition is None:
            continue
        source = _ALL[kind]
        if expression is not None:
            many = connection.execute(_MANY_SQL[kind], (expression,)).fetchone()
            source = source if many else _FOUND[kind]
            condition.add(AMONG_FOUND[kind] if many else _MATCH[kind], expression)
        found += [
            Cell(project_id, kind, type_, count)
            for project_id, type_, count in condition.ask(
                connection, sql.replace("{source}", source)
            )
        ]
    return found


def activity(
    connection: sqlite3.Connection, days: Sequence[Day], project_id: str | None
) -> list[DayActivity]:
    """See `MemoryCatalog.activity`."""
    if project_id is None:
        found = connection.execute(_ALL_DAYS_SQL, (_bounds(days),))
    else:
        found = connection.execute(_PROJECT_DAYS_SQL, (_bounds(days), project_id))
    return [
        DayActivity(
            day=day.day,
            memories=memories,
            observations=observations,
            recalls=recalls,
            empty_recalls=empty,
        )
        for day, (_, memories, observations, recalls, empty) in zip(days, found, strict=True)
    ]


def sparklines(connection: sqlite3.Connection, days: Sequence[Day]) -> dict[str, tuple[int, ...]]:
    """See `MemoryCatalog.sparklines`."""
    lines: dict[str, list[int]] = {}
    for project_id, *counts, _ in connection.execute(_EACH_PROJECT_DAYS_SQL, (_bounds(days),)):
        lines.setdefault(project_id, []).append(sum(counts))
    return {project_id: tuple(line) for project_id, line in lines.items() if any(line)}


def _bounds(days: Sequence[Day]) -> str:
    return rows.as_json([(to_iso(day.start), to_iso(day.end)) for day in days])


def totals(connection: sqlite3.Connection, project_id: str | None, file: Path) -> Totals:
    """See `MemoryCatalog.totals`; `file` is the database."""
    held = _held(connection)
    counted = [cell for cell, _ in held if project_id in {None, cell.project_id}]
    memories = [cell for cell in counted if cell.kind is HitKind.MEMORY]
    observations = [cell for cell in counted if cell.kind is HitKind.OBSERVATION]
    one = of_project(project_id)
    (versions,) = one.ask(connection, _VERSIONS_SQL).fetchone()
    (replaced_bytes,) = connection.execute(_REPLACED_BYTES_SQL).fetchone()
    hits = _hits_of(project_id)
    return Totals(
        memories=counts_of(memories, lambda cell: cell.type),
        observations=counts_of(observations, lambda cell: cell.type),
        version_count=versions,
        recalls=_recalls(connection, one),
        size=store_size(connection, file, replaced_bytes + sum(size for _, size in held)),
        busiest=_busiest(connection, counted, one),
        most_recalled=_most_recalled(connection, hits),
        never_recalled=sum(cell.count for cell in memories) - _recalled(connection, hits),
        redacted=ordered_counts(redactions.counted(connection, project_id)),
    )


def _held(connection: sqlite3.Connection) -> list[tuple[Cell, int]]:
    """Count all there is by project, kind and type, with the bytes of its texts, in one go."""
    return [
        (Cell(project_id, kind, type_, count), text_bytes)
        for kind, sql in _HELD_SQL.items()
        for project_id, type_, count, text_bytes in connection.execute(sql)
    ]


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


def _hits_of(project_id: str | None) -> Condition:
    condition = Condition()
    if project_id is not None:
        condition.add("recall_id IN (SELECT id FROM recalls WHERE project_id = ?)", project_id)
    return condition


def _recalled(connection: sqlite3.Connection, hits: Condition) -> int:
    """Count the latest memories among the hits: all without the replaced, to read no row."""
    (known,) = hits.ask(connection, _RECALLED_SQL).fetchone()
    (replaced,) = hits.ask(connection, _REPLACED_SQL).fetchone()
    return int(known - replaced)


def _most_recalled(connection: sqlite3.Connection, hits: Condition) -> tuple[OftenRecalled, ...]:
    most: list[OftenRecalled] = []
    # Some may be forgotten: a few more are asked for, and all if those are not enough.
    for limit, offset in ((2 * TOP_MAX, 0), (-1, 2 * TOP_MAX)):
        some = hits.ask(connection, _MOST_SQL, limit, offset).fetchall()
        known = asking.recalled(connection, [hit[0] for hit in some])
        most += [
            OftenRecalled(item=known[id_], times=times, last_recalled_at=from_iso(last))
            for id_, times, last in some
            if id_ in known
        ]
        if len(most) >= TOP_MAX:
            break
    return tuple(most[:TOP_MAX])
