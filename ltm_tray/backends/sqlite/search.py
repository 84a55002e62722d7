"""Recall: from a query to the best hits of one project, or of all."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ltm_tray.backends.sqlite import rows
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.hits import hit_of
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import MEMORY_WEIGHT


@dataclass(frozen=True, slots=True)
class _Table:
    """What is asked of one full-text table; bm25 takes a weight for each column."""

    kind: HitKind
    match_sql: str
    item_sql: str
    weight: float


_TABLES = (
    _Table(
        HitKind.MEMORY,
        "SELECT rowid, bm25(memories_fts, 0.0, 5.0, 5.0) AS score FROM memories_fts"
        " WHERE memories_fts MATCH ?",
        "SELECT 'memory', id, project_id, title, content, type, created_at"
        " FROM memories WHERE number = ?",
        MEMORY_WEIGHT,
    ),
    _Table(
        HitKind.OBSERVATION,
        "SELECT rowid, bm25(observations_fts, 2.0, 5.0) AS score FROM observations_fts"
        " WHERE observations_fts MATCH ?",
        "SELECT 'observation', id, project_id, title, narrative, kind, created_at"
        " FROM observations WHERE number = ?",
        1.0,
    ),
)


@dataclass(frozen=True, slots=True)
class _Found:
    table: _Table
    number: int
    score: float


def recall(connection: sqlite3.Connection, query: RecallQuery) -> list[RecallHit]:
    """Return the hits of a query; see `MemoryBackend.recall`."""
    terms = query_terms(query.text)
    projects = _numbers(connection, query.project_id)
    if not terms or not projects:
        return []
    expression = match_expression(terms, projects)
    found = [
        hit
        for table in _TABLES
        if table.kind in query.kinds
        for hit in _matching(connection, table, expression, query)
    ]
    items = [(f, rows.item_of(_row(connection, f))) for f in found]
    items.sort(key=lambda pair: (pair[1].created_at, pair[1].id), reverse=True)
    if query.sort is Sort.RELEVANCE:
        items.sort(key=lambda pair: pair[0].score, reverse=True)
    return [hit_of(item, f.score, terms) for f, item in items[: query.limit]]


def _numbers(connection: sqlite3.Connection, project_id: str | None) -> Sequence[int]:
    sql = "SELECT number FROM projects WHERE ? IN (project_id, '')"
    return [row[0] for row in connection.execute(sql, (project_id or "",))]


def _matching(
    connection: sqlite3.Connection, table: _Table, expression: str, query: RecallQuery
) -> list[_Found]:
    order = "rowid DESC" if query.sort is Sort.NEWEST else "score, rowid DESC"
    found = connection.execute(
        f"{table.match_sql} ORDER BY {order} LIMIT ?", (expression, query.limit)
    )
    return [_Found(table, number, -score * table.weight) for number, score in found]


def _row(connection: sqlite3.Connection, found: _Found) -> rows.Row:
    row: rows.Row = connection.execute(found.table.item_sql, (found.number,)).fetchone()
    return row
