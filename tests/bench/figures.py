"""What the figures of the console cost, in a big store."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ltm_tray.backends.sqlite import SqliteStore, rows
from ltm_tray.domain.catalog import ItemFilter, RecallLogEntry
from ltm_tray.domain.memory import RECALL_LOG_MAX, MemoryType, ObservationKind
from ltm_tray.domain.versions import new_version
from tests.bench.report import Row
from tests.bench.timing import times_ms
from tests.support.builders import a_memory, an_observation
from tests.support.ids import CountingIds
from tests.support.web import a_web

ITEMS = 100_000
"""How many memories there are, and how many observations, over a year."""
PROJECTS = 60
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
RUNS = 7


def figures() -> list[Row]:
    """Everything `/stats` shows, and the other counts, at 100,000 of each kind."""
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "big.sqlite", clock=lambda: NOW, new_id=CountingIds())
        _fill(store)
        client = a_web(Path(folder), store=store).client
        month = ItemFilter(since=NOW - timedelta(days=30))
        measured = [
            _row("totals and a year of days", lambda: (store.totals(), store.activity(365))),
            _row("the page of stats", lambda: client.get("/stats?days=365"), 300),
            _row("details and sparklines", lambda: (store.project_details(), store.sparklines(30))),
            _row("facets", store.facets),
            _row("facets of a month", lambda: store.facets(month)),
        ]
        store.close()
    return measured


def _row(what: str, ask: Callable[[], object], at_most: float | None = None) -> Row:
    value = median(times_ms(lambda _: ask(), range(RUNS)))
    return Row(
        what=f"{what}, p50, 100k memories, 100k turns", value=value, unit="ms", at_most=at_most
    )


def _fill(store: SqliteStore) -> None:
    """Write rows without their index for search, which these figures do not look at."""
    pick = random.Random(20260102)  # noqa: S311 — test data
    ids, types, kinds = CountingIds(), list(MemoryType), list(ObservationKind)
    projects = [f"proj_{number:016x}" for number in range(PROJECTS)]
    saved: list[str] = []
    with store._database.write() as connection:
        connection.executemany(
            "INSERT INTO projects (project_id, cwd, first_seen_at, last_seen_at)"
            " VALUES (?, ?, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
            [(project, f"/work/{project}") for project in projects],
        )
        for number in range(ITEMS):
            at = NOW - timedelta(seconds=(ITEMS - number) * 365 * 86_400 // ITEMS)
            project = projects[min(int(pick.expovariate(1 / 8)), PROJECTS - 1)]
            item = a_memory("word " * 60, project_id=project, type=pick.choice(types))
            saved.append(ids("mem"))
            rows.insert_memory(connection, new_version(item, None, saved[-1], at))
            turn = an_observation("word " * 60, project_id=project, kind=pick.choice(kinds))
            rows.insert_observation(connection, turn, ids("obs"), at)
    for number in range(RECALL_LOG_MAX):
        store.record_recall(
            RecallLogEntry(
                project_id=pick.choice(projects),
                query="why is it slow?",
                source="pi",
                session_id=None,
                hit_ids=tuple(pick.sample(saved, pick.choice((0, 3, 10, 10)))),
                duration_ms=pick.random() * 20,
                asked_at=NOW - timedelta(minutes=10 * (RECALL_LOG_MAX - number)),
            )
        )
        if number % 500 == 0:
            store.recalls()
