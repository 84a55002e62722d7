"""What a text finds, as MATCH expressions and conditions for lists and counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ltm_tray.backends.sqlite.filtering import condition_of
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.domain.analysis import begun_terms, query_terms
from ltm_tray.domain.catalog import ItemFilter
from ltm_tray.domain.memory import HitKind

AMONG_FOUND = {
    HitKind.MEMORY: "number IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)",
    HitKind.OBSERVATION: (
        "number IN (SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?)"
    ),
}
"""The tests for rows that an expression finds."""

NOTHING = '""'
"""The expression that finds nothing."""

_ANY_SQL = {
    HitKind.MEMORY: "SELECT 1 FROM memories m WHERE {where} LIMIT 1",
    HitKind.OBSERVATION: "SELECT 1 FROM observations o WHERE {where} LIMIT 1",
}


def expressions(
    connection: sqlite3.Connection, text: str, project_id: str | None = None
) -> Iterator[str]:
    """Yield what to look for, in turn until something is found: words, then beginnings of words."""
    sql = "SELECT number FROM projects WHERE ? IN (project_id, '')"
    projects = [row[0] for row in connection.execute(sql, (project_id or "",))]
    terms = query_terms(text)
    for asked in (terms, begun_terms(terms)):
        if asked and projects:
            yield match_expression(asked, projects)


def finding(connection: sqlite3.Connection, text: str, wanted: ItemFilter) -> str:
    """Return the first expression that finds something under a filter, as a recall would."""
    for expression in expressions(connection, text, wanted.project_id):
        if any(_finds(connection, expression, wanted, kind) for kind in HitKind):
            return expression
    return NOTHING


def _finds(
    connection: sqlite3.Connection, expression: str, wanted: ItemFilter, kind: HitKind
) -> bool:
    condition = condition_of(wanted, kind)
    if condition is None:
        return False
    condition.add(AMONG_FOUND[kind], expression)
    return condition.ask(connection, _ANY_SQL[kind]).fetchone() is not None
