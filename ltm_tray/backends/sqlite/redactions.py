"""How much was taken out of what is stored, by project and kind; never what it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ltm_tray.backends.sqlite.filtering import of_project

_ADD_SQL = """
INSERT INTO redactions (project_id, kind, amount) VALUES (?, ?, ?)
ON CONFLICT (project_id, kind) DO UPDATE SET amount = amount + excluded.amount
"""
_SUM_SQL = "SELECT kind, sum(amount) FROM redactions WHERE {where} GROUP BY kind ORDER BY kind"


def add(connection: sqlite3.Connection, project_id: str, redacted: Mapping[str, int]) -> None:
    """Count what was taken out of one item, by kind."""
    rows = [(project_id, kind, amount) for kind, amount in redacted.items()]
    connection.executemany(_ADD_SQL, rows)


def counted(connection: sqlite3.Connection, project_id: str | None) -> dict[str, int]:
    """Return the counts by kind of a project; None means of every project."""
    return dict(of_project(project_id).ask(connection, _SUM_SQL).fetchall())
