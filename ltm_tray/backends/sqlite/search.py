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
from ltm_tray.domain.ranking import MEMORY_WEIGHT, Asked, Text, Weights

_CANDIDATES_MIN = 50
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
    weight: float


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
        MEMORY_WEIGHT,
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
        1.0,
    ),
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    table: _Table
    number: int
    text: Text


@dataclass(frozen=True, slots=True)
class _Found:
    item: Item
    score: float


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
    best = _ordered(connection, _scored(candidates, Weights(holders)), query)
    return [hit_of(found.item, found.score, terms) for found in best]


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


def _scored(candidates: Sequence[_Candidate], weights: Weights) -> list[tuple[_Candidate, float]]:
    scored = []
    for table in _TABLES:
        own = [c for c in candidates if c.table is table]
        mean_length = sum(c.text.length for c in own) / max(1, len(own))
        scored += [(c, weights.score(c.text, mean_length) * table.weight) for c in own]
    return scored


def _ordered(
    connection: sqlite3.Connection, scored: list[tuple[_Candidate, float]], query: RecallQuery
) -> list[_Found]:
    """Read the best and put them in order; equally good ones come newest first."""
    if query.sort is Sort.RELEVANCE:
        scored.sort(key=lambda pair: (pair[1], pair[0].number), reverse=True)
        # A tie across the limit is decided by time, which only the rows tell.
        last = scored[: query.limit][-1][1] if scored else 0.0
        scored = [pair for pair in scored if pair[1] >= last]
    found = [_Found(_item(connection, candidate), score_) for candidate, score_ in scored]
    found.sort(key=lambda f: (f.item.created_at, f.item.id), reverse=True)
    if query.sort is Sort.RELEVANCE:
        found.sort(key=lambda f: f.score, reverse=True)
    return found[: query.limit]


def _item(connection: sqlite3.Connection, candidate: _Candidate) -> Item:
    row = connection.execute(candidate.table.item_sql, (candidate.number,)).fetchone()
    return rows.item_of(row)
