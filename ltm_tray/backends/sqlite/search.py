"""Recall: from a query to the best hits of one project, or of all.

SQLite finds the candidates and orders them roughly; the best of them are scored once
more by the rules of `domain.ranking`, the same for memories and observations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ltm_tray.backends.sqlite import rows
from ltm_tray.backends.sqlite.index import match_expression, scoped_terms
from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.catalog import Item
from ltm_tray.domain.hits import hit_of
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import Asked, Rated, Text, Weights, mean_length_of

_CANDIDATES_MIN = 20
"""How many of SQLite's best are scored again, at least; twice the limit if that is more."""


@dataclass(frozen=True, slots=True)
class _Table:
    """What is asked of one full-text table; bm25 takes a weight for each column."""

    kind: HitKind
    best_sql: str
    newest_sql: str
    count_sql: str
    terms_sql: str
    item_sql: str


_TABLES = (
    _Table(
        HitKind.MEMORY,
        "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?"
        " ORDER BY bm25(memories_fts, 1.0, 5.0, 5.0), rowid DESC LIMIT ?",
        "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
        "SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?",
        "SELECT title, content || ' ' || labels FROM memories_fts WHERE rowid = ?",
        "SELECT 'memory', id, project_id, title, content, type, created_at"
        " FROM memories WHERE number = ?",
    ),
    _Table(
        HitKind.OBSERVATION,
        "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?"
        " ORDER BY bm25(observations_fts, 1.0, 5.0), rowid DESC LIMIT ?",
        "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?"
        " ORDER BY rowid DESC LIMIT ?",
        "SELECT count(*) FROM observations_fts WHERE observations_fts MATCH ?",
        "SELECT title, narrative FROM observations_fts WHERE rowid = ?",
        "SELECT 'observation', id, project_id, title, narrative, kind, created_at"
        " FROM observations WHERE number = ?",
    ),
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    table: _Table
    number: int
    text: Text


@dataclass(frozen=True, slots=True)
class _Found:
    table: _Table
    number: int
    rated: Rated


def recall(connection: sqlite3.Connection, query: RecallQuery) -> list[RecallHit]:
    """Return the hits of a query; see `MemoryBackend.recall`."""
    terms = query_terms(query.text)
    projects = _numbers(connection, query.project_id)
    if not terms or not projects:
        return []
    asked = Asked(terms)
    tables = [table for table in _TABLES if table.kind in query.kinds]
    expression = match_expression(asked.terms.values(), projects)
    candidates = [
        candidate
        for table in tables
        for candidate in _candidates(connection, table, expression, query, asked)
    ]
    holders = {
        key: sum(_count(connection, table, match_expression([term], projects)) for table in tables)
        for key, term in asked.terms.items()
    }
    found = _rated(candidates, Weights(asked, holders))
    return [
        hit_of(item, rated, terms, explain=query.explain)
        for item, rated in _ordered(connection, found, query)
    ]


def _numbers(connection: sqlite3.Connection, project_id: str | None) -> Sequence[int]:
    sql = "SELECT number FROM projects WHERE ? IN (project_id, '')"
    return [row[0] for row in connection.execute(sql, (project_id or "",))]


def _candidates(
    connection: sqlite3.Connection,
    table: _Table,
    expression: str,
    query: RecallQuery,
    asked: Asked,
) -> list[_Candidate]:
    if query.sort is Sort.NEWEST:
        found = connection.execute(table.newest_sql, (expression, query.limit))
    else:
        depth = max(_CANDIDATES_MIN, 2 * query.limit)
        found = connection.execute(table.best_sql, (expression, depth))
    terms = scoped_terms(asked.starts)
    return [
        _Candidate(
            table,
            number,
            asked.count(terms.findall(title), terms.findall(body), body.count(" ") + 1),
        )
        for (number,) in found.fetchall()
        for title, body in connection.execute(table.terms_sql, (number,))
    ]


def _count(connection: sqlite3.Connection, table: _Table, expression: str) -> int:
    return int(connection.execute(table.count_sql, (expression,)).fetchone()[0])


def _rated(candidates: Sequence[_Candidate], weights: Weights) -> list[_Found]:
    found = []
    for table in _TABLES:
        own = [c for c in candidates if c.table is table]
        mean = mean_length_of(c.text for c in own)
        found += [_Found(table, c.number, Rated(c.text, weights, mean, table.kind)) for c in own]
    return found


def _ordered(
    connection: sqlite3.Connection, found: list[_Found], query: RecallQuery
) -> list[tuple[Item, Rated]]:
    """Read the best and put them in order; equally good ones come newest first."""
    if query.sort is Sort.RELEVANCE and len(found) > query.limit:
        # Ties across the limit are decided by time, which only the rows tell.
        found.sort(key=lambda f: f.rated.score, reverse=True)
        last = found[query.limit - 1].rated.score
        found = [f for f in found if f.rated.score >= last]
    read = [(_item(connection, f), f.rated) for f in found]
    read.sort(key=lambda pair: (pair[0].created_at, pair[0].id), reverse=True)
    if query.sort is Sort.RELEVANCE:
        read.sort(key=lambda pair: pair[1].score, reverse=True)
    return read[: query.limit]


def _item(connection: sqlite3.Connection, found: _Found) -> Item:
    row = connection.execute(found.table.item_sql, (found.number,)).fetchone()
    return rows.item_of(row)
