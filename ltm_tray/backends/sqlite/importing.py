"""Takes in the records of an export, each within the transaction of the connection it is given.

A record is judged before anything is written; a bad one changes nothing.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from ltm_tray.backends.sqlite import browsing, index, rows
from ltm_tray.domain.archive import (
    ArchivedObservation,
    ArchivedProject,
    Change,
    Outcome,
    Record,
    met,
    with_labels_of,
)
from ltm_tray.domain.memory import Memory
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.times import to_iso

_NUMBER_SQL = "SELECT m.number, m.id FROM memories m WHERE "
_NEW, _KNOWN, _CHANGED = (Outcome(c) for c in (Change.NEW, Change.KNOWN, Change.CHANGED))


@dataclass(frozen=True, slots=True)
class _Stored:
    """A memory with its row number, and that of its project."""

    number: int
    project: int
    memory: Memory


def take_in(connection: sqlite3.Connection, record: Record) -> Outcome:
    """Add a record, or find it there already; see `Archive.take_in`."""
    if isinstance(record, ArchivedProject):
        return _take_project(connection, record)
    if isinstance(record, Memory):
        return _take_memory(connection, record)
    return _take_observation(connection, record)


def _take_project(connection: sqlite3.Connection, project: ArchivedProject) -> Outcome:
    seen = to_iso(project.first_seen_at), to_iso(project.last_seen_at)
    row = connection.execute(
        "SELECT first_seen_at, last_seen_at FROM projects WHERE project_id = ?", (project.id,)
    ).fetchone()
    if row is None:
        connection.execute(
            "INSERT INTO projects (project_id, cwd, first_seen_at, last_seen_at)"
            " VALUES (?, ?, ?, ?)",
            (project.id, project.cwd, *seen),
        )
        return _NEW
    together = min(row[0], seen[0]), max(row[1], seen[1])
    if together == row:
        return _KNOWN
    connection.execute(
        "UPDATE projects SET first_seen_at = ?, last_seen_at = ? WHERE project_id = ?",
        (*together, project.id),
    )
    return _CHANGED


def _take_memory(connection: sqlite3.Connection, there: Memory) -> Outcome:
    project = _project_number(connection, there.project_id)
    if project is None:
        return _bad("projectId: the project is not there")
    if there.parent_id is not None and not _is_of_project(connection, there):
        return _bad("parentId: the earlier version is not there")
    here = _stored(connection, project, "m.id = ?", there.id)
    if here is None:
        return _add(connection, project, there)
    if here.memory.project_id != there.project_id:
        return _bad("id: another project has it")
    return _update(connection, here, met(here.memory, there))


def _add(connection: sqlite3.Connection, project: int, there: Memory) -> Outcome:
    _retire_parent(connection, project, there)
    same = _same_text(connection, project, there) if there.is_latest else None
    if same is not None:
        return _update(connection, same, with_labels_of(same.memory, there))
    number = rows.insert_memory(connection, there)
    if there.is_latest:
        index.add_memory(connection, project, number, _texts(there))
    return _NEW


def _update(connection: sqlite3.Connection, here: _Stored, together: Memory) -> Outcome:
    if together == here.memory:
        return _KNOWN
    index.remove_memory(connection, here.project, here.number, here.memory.content)
    number = here.number
    if together.parent_id != here.memory.parent_id:
        # An earlier version must have the smaller number: exports go by it.
        (number,) = connection.execute("SELECT max(number) + 1 FROM memories").fetchone()
    connection.execute("DELETE FROM memories WHERE number = ?", (here.number,))
    rows.insert_memory(connection, together, number)
    if together.is_latest:
        index.add_memory(connection, here.project, number, _texts(together))
    _retire_parent(connection, here.project, together)
    return _CHANGED


def _retire_parent(connection: sqlite3.Connection, project: int, memory: Memory) -> None:
    """Take what has a newer version out of the index, whatever its own record says."""
    parent = _stored(connection, project, "m.id = ? AND m.is_latest = 1", memory.parent_id)
    if parent is not None:
        _update(connection, parent, replace(parent.memory, is_latest=False))


def _take_observation(connection: sqlite3.Connection, there: ArchivedObservation) -> Outcome:
    item = there.item
    project = _project_number(connection, item.project_id)
    if project is None:
        return _bad("projectId: the project is not there")
    row = connection.execute(rows.OBSERVATION_SQL + " WHERE o.id = ?", (there.id,)).fetchone()
    if row is not None:
        here = rows.observation_of(row)
        says = (here.project_id, here.session_id, here.kind, here.title, here.narrative)
        same = says == (item.project_id, item.session_id, item.kind, item.title, item.narrative)
        return _KNOWN if same else _bad("id: another observation has it")
    number = rows.insert_observation(connection, item, there.id, there.created_at)
    index.add_observation(connection, project, number, (item.title, item.narrative))
    return _NEW


def _project_number(connection: sqlite3.Connection, project_id: str) -> int | None:
    sql = "SELECT number FROM projects WHERE project_id = ?"
    row = connection.execute(sql, (project_id,)).fetchone()
    return None if row is None else int(row[0])


def _is_of_project(connection: sqlite3.Connection, child: Memory) -> bool:
    sql = "SELECT 1 FROM memories WHERE id = ? AND project_id = ? AND id != ?"
    values = (child.parent_id, child.project_id, child.id)
    return connection.execute(sql, values).fetchone() is not None


def _stored(
    connection: sqlite3.Connection, project: int, where: str, *values: object
) -> _Stored | None:
    row = connection.execute(_NUMBER_SQL + where, values).fetchone()
    return (
        None if row is None else _Stored(row[0], project, browsing.memory(connection, row[1], None))
    )


def _same_text(connection: sqlite3.Connection, project: int, there: Memory) -> _Stored | None:
    where = "m.project_id = ? AND m.text_key = ? AND m.is_latest = 1"
    return _stored(connection, project, where, there.project_id, same_text_key(there.content))


def _texts(memory: Memory) -> tuple[str, str, str]:
    """Return what is searched of a memory: its title, its content, its concepts and files."""
    return memory.title, memory.content, " ".join((*memory.concepts, *memory.files))


def _bad(reason: str) -> Outcome:
    return Outcome(Change.BAD, reason)
