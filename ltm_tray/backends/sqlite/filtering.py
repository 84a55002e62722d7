"""Filters as SQL conditions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ltm_tray.backends.sqlite.rows import as_json
from ltm_tray.domain.catalog import ItemFilter, RecallLogFilter
from ltm_tray.domain.memory import HitKind, MemoryType, ObservationKind
from ltm_tray.domain.times import first_iso_from


@dataclass(frozen=True, slots=True)
class Source:
    """A base table as filters see it: its alias, its column of types and what they can be."""

    alias: str
    type_column: str
    types: frozenset[str]


SOURCES = {
    HitKind.MEMORY: Source("m", "type", frozenset(MemoryType)),
    HitKind.OBSERVATION: Source("o", "kind", frozenset(ObservationKind)),
}


@dataclass(slots=True)
class Condition:
    """Tests that all must hold, with the values of their placeholders in order."""

    tests: list[str] = field(default_factory=list)
    values: list[object] = field(default_factory=list)

    def add(self, test: str, *values: object) -> None:
        """Add a test; it holds as many `?` as there are values."""
        self.tests.append(test)
        self.values += values

    def add_equal(self, column: str, value: object | None) -> None:
        """Add that a column has a value; None asks for nothing."""
        if value is not None:
            self.add(f"{column} = ?", value)

    def add_within(self, column: str, since: datetime | None, until: datetime | None) -> None:
        """Add bounds of a time, of which the later is excluded; None bounds nothing."""
        if since is not None:
            self.add(f"{column} >= ?", first_iso_from(since))
        if until is not None:
            self.add(f"{column} < ?", first_iso_from(until))

    @property
    def sql(self) -> str:
        """The tests joined; one that always holds where there is none."""
        return " AND ".join(self.tests) or "1"

    def ask(self, connection: sqlite3.Connection, sql: str, *more: object) -> sqlite3.Cursor:
        """Run a statement with the tests in place of its `{where}`; `more` values come behind."""
        return connection.execute(sql.replace("{where}", self.sql), (*self.values, *more))


def of_project(project_id: str | None) -> Condition:
    """Return the test for rows of a project; None means of every one."""
    condition = Condition()
    condition.add_equal("project_id", project_id)
    return condition


def condition_of(wanted: ItemFilter, kind: HitKind) -> Condition | None:
    """Return the tests for the items of one kind, by the alias of their table.

    None means that the filter lets nothing of this kind through.
    """
    source = SOURCES[kind]
    types = sorted(wanted.types & source.types)
    untagged = bool(wanted.concepts) and kind is not HitKind.MEMORY
    if kind not in wanted.kinds or (wanted.types and not types) or untagged:
        return None
    condition = Condition()
    if kind is HitKind.MEMORY:
        condition.add("m.is_latest = 1")
    condition.add_equal(f"{source.alias}.project_id", wanted.project_id)
    if types:
        condition.add(f"{source.alias}.{source.type_column} IN ({_marks(types)})", *types)
    if wanted.concepts:
        condition.add(
            "(SELECT count(DISTINCT held.value) FROM json_each(m.concepts_json) held"
            " WHERE held.value IN (SELECT value FROM json_each(?))) >= ?",
            as_json(sorted(wanted.concepts)),
            1 if wanted.any_concept else len(wanted.concepts),
        )
    condition.add_within(f"{source.alias}.created_at", wanted.since, wanted.until)
    return condition


def recall_condition_of(wanted: RecallLogFilter, before_id: int | None) -> Condition:
    """Return the tests for entries of the recall log."""
    condition = of_project(wanted.project_id)
    condition.add_equal("source", wanted.source)
    if wanted.only_empty:
        condition.add("hit_count = 0")
    condition.add_within("asked_at", wanted.since, wanted.until)
    if before_id is not None:
        # As text, which SQLite turns back: a number of more than 64 bits cannot be bound.
        condition.add("id < ?", str(before_id))
    return condition


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
