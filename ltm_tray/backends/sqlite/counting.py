"""The figures of the console: counts by project, kind and type, by day, and in all."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ltm_tray.backends.sqlite import asking, redactions, rows
from ltm_tray.backends.sqlite.filtering import Condition, condition_of, of_project
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.backends.sqlite.sizes import store_size
from ltm_tray.domain.analysis import query_terms
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
SELECT project_id, type, count(*) FROM memories m {index} WHERE {where} GROUP BY project_id, type
""",
    HitKind.OBSERVATION: """
SELECT project_id, kind, count(*) FROM observations o {index} WHERE {where}
GROUP BY project_id, kind
""",
}
_COUNTING_INDEX = {
    HitKind.MEMORY: "INDEXED BY memories_counted",
    HitKind.OBSERVATION: "INDEXED BY observations_counted",
}
"""The indexes that hold all that is counted, in groups: going through one reads no row."""
_MATCHING = {
    HitKind.MEMORY: "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?",
    HitKind.OBSERVATION: "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?",
}
_FEW = 2_000
"""Up to so many matches are looked up one by one; for more, going through the index is faster."""
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
CROSS JOIN memories m ON m.id = hits.hit_id WHERE m.is_latest = 1
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
        index = _COUNTING_INDEX[kind]
        if expression is not None:
            if _is_few(connection, _MATCHING[kind], expression):
                index = ""
            condition.add(f"number IN ({_MATCHING[kind]})", expression)
        found += [
            Cell(project_id, kind, type_, count)
            for project_id, type_, count in condition.ask(connection, sql.replace("{index}", index))
        ]
    return found


def _is_few(connection: sqlite3.Connection, matching: str, expression: str) -> bool:
    found = connection.execute(matching + " LIMIT ?", (expression, _FEW + 1)).fetchall()
    return len(found) <= _FEW


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
    counted = cells(connection, ItemFilter(project_id=project_id))
    memories = [cell for cell in counted if cell.kind is HitKind.MEMORY]
    observations = [cell for cell in counted if cell.kind is HitKind.OBSERVATION]
    one = of_project(project_id)
    replaced = "SELECT count(*) FROM memories WHERE is_latest = 0 AND {where}"
    (versions,) = one.ask(connection, replaced).fetchone()
    hits = _hits_of(project_id)
    (recalled,) = hits.ask(connection, _RECALLED_SQL).fetchone()
    return Totals(
        memories=counts_of(memories, lambda cell: cell.type),
        observations=counts_of(observations, lambda cell: cell.type),
        version_count=versions,
        recalls=_recalls(connection, one),
        size=store_size(connection, file),
        busiest=_busiest(connection, counted, one),
        most_recalled=_most_recalled(connection, hits),
        never_recalled=sum(cell.count for cell in memories) - recalled,
        redacted=ordered_counts(redactions.counted(connection, project_id)),
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


def _hits_of(project_id: str | None) -> Condition:
    condition = Condition()
    if project_id is not None:
        condition.add("recall_id IN (SELECT id FROM recalls WHERE project_id = ?)", project_id)
    return condition


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
