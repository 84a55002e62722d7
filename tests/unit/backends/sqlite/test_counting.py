"""How the SQLite store counts: its sizes, its indexes, and both ways to count matches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ltm_tray.backends.sqlite import SqliteStore, counting
from ltm_tray.backends.sqlite.filtering import condition_of
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.catalog import EVERYTHING, ItemFilter
from ltm_tray.domain.facets import Count
from ltm_tray.domain.memory import Forget, HitKind
from tests.support.builders import HERE, a_memory, an_observation
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "ltm.sqlite", clock=TickingClock(), new_id=CountingIds())
    yield store
    store.close()


def test_the_sizes_are_those_of_the_file_and_its_log(store: SqliteStore, tmp_path: Path) -> None:
    store.remember(a_memory("grün"))
    store.observe(an_observation("User: wie?", title="wie?"))
    size = store.totals().size
    assert size.text_bytes == store.project(HERE.id).text_bytes == 24
    assert size.wal_bytes == (tmp_path / "ltm.sqlite-wal").stat().st_size > 0
    assert size.database_bytes == size.text_bytes + size.index_bytes


def test_free_pages_are_no_index(store: SqliteStore) -> None:
    saved = store.remember(a_memory(" ".join(f"word{n}" for n in range(5_000))))
    full = store.totals().size
    store.forget(Forget(project_id=HERE.id, memory_ids=(saved.id,)))
    emptied = store.totals().size
    assert emptied.database_bytes == full.database_bytes
    assert emptied.index_bytes < full.index_bytes
    assert emptied.text_bytes == 0


def test_many_matches_are_counted_like_few(store: SqliteStore) -> None:
    for n in range(12):
        word = "tabs" if n % 4 else "tabs spaces"
        store.remember(a_memory(f"{word} note{n} topic{n}"))
        store.observe(an_observation(f"{word} {n}", dedup_key=str(n)))
    asked = {text: match_expression(query_terms(text), [1]) for text in ("tabs", "spaces")}
    with store._database.read() as connection:
        many = {
            (text, kind): bool(connection.execute(sql, (expression,)).fetchone())
            for text, expression in asked.items()
            for kind, sql in counting._MANY_SQL.items()
        }
    assert {text for (text, _), is_many in many.items() if is_many} == {"tabs"}
    assert store.facets(EVERYTHING, "tabs").kinds == (Count("memory", 12), Count("observation", 12))
    assert store.facets(EVERYTHING, "spaces").kinds == (Count("memory", 3), Count("observation", 3))


@pytest.mark.parametrize("kind", list(HitKind))
def test_counting_everything_reads_an_index_in_order_and_no_row(
    store: SqliteStore, kind: HitKind
) -> None:
    condition = condition_of(ItemFilter(), kind)
    assert condition is not None
    sql = counting._CELLS_SQL[kind].replace("{source}", counting._ALL[kind])
    with store._database.read() as connection:
        plan = [row[3] for row in condition.ask(connection, f"EXPLAIN QUERY PLAN {sql}")]
    assert len(plan) == 1
    assert "USING COVERING INDEX" in plan[0]
