"""What every backend promises about counting what was taken out before storing."""

from __future__ import annotations

from datetime import UTC, datetime

from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.facets import Count
from ltm_tray.domain.memory import Forget
from ltm_tray.ports import Store
from tests.support.builders import HERE, THERE, a_memory, an_observation


def a_question(**redacted: int) -> RecallLogEntry:
    return RecallLogEntry(
        project_id=HERE.id,
        query="why?",
        source="api",
        session_id=None,
        hit_ids=(),
        duration_ms=1.0,
        asked_at=datetime(2026, 1, 2, tzinfo=UTC),
        redacted=redacted,
    )


def test_nothing_is_counted_where_nothing_was_taken_out(store: Store) -> None:
    store.remember(a_memory())
    assert store.stats(HERE.id).redacted == {}
    assert store.totals().redacted == ()
    assert "redacted" not in store.health().facts


def test_memories_observations_and_questions_are_counted_together(store: Store) -> None:
    store.remember(a_memory(redacted={"password": 2, "jwt": 1}))
    store.observe(an_observation(redacted={"password": 1}))
    store.record_recall(a_question(jwt=1))
    assert store.recalls().entries[0].redacted == {}
    assert store.stats(HERE.id).redacted == {"jwt": 2, "password": 3}
    assert store.health().facts["redacted"] == "password 3, jwt 2"


def test_each_project_has_its_own_counts_and_totals_add_them_up(store: Store) -> None:
    store.remember(a_memory("one", redacted={"jwt": 1}))
    store.remember(
        a_memory("two", project_id=THERE.id, cwd=THERE.cwd, redacted={"jwt": 1, "private": 4})
    )
    assert store.stats(THERE.id).redacted == {"jwt": 1, "private": 4}
    assert store.totals(HERE.id).redacted == (Count("jwt", 1),)
    assert store.totals().redacted == (Count("private", 4), Count("jwt", 2))
    assert store.stats("proj_0000000000000000").redacted == {}


def test_what_adds_no_row_is_not_counted_again(store: Store) -> None:
    for _ in range(2):
        store.remember(a_memory(redacted={"jwt": 1}))
        store.observe(an_observation(redacted={"password": 1}))
    assert store.stats(HERE.id).redacted == {"jwt": 1, "password": 1}


def test_forgetting_does_not_undo_a_count(store: Store) -> None:
    saved = store.remember(a_memory(redacted={"jwt": 1}))
    store.forget(Forget(project_id=HERE.id, memory_ids=(saved.id,)))
    assert store.stats(HERE.id).redacted == {"jwt": 1}
