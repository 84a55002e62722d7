"""What every backend promises about browsing and the recall log."""

from __future__ import annotations

import pytest

from ltm_tray.domain.catalog import ItemFilter, RecallLogEntry, RecallLogFilter
from ltm_tray.domain.errors import InvalidInput, NotFound
from ltm_tray.domain.memory import HitKind
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.support.builders import HERE, THERE, a_memory, an_observation


def an_entry(subject: Subject, query: str, project_id: str = HERE.id) -> RecallLogEntry:
    return RecallLogEntry(
        project_id=project_id,
        query=query,
        source="pi",
        session_id="session-1",
        hit_ids=("mem_1", "obs_2"),
        duration_ms=1.5,
        asked_at=subject.clock(),
    )


def test_a_fresh_store_has_no_projects(store: Store) -> None:
    assert store.projects() == []


def test_projects_come_last_seen_first_with_their_counts(store: Store) -> None:
    store.remember(a_memory("one"))
    store.remember(a_memory("two", project_id=THERE.id, cwd=THERE.cwd))
    store.observe(an_observation())
    first, second = store.projects()
    assert (first.cwd, first.memory_count, first.observation_count) == (HERE.cwd, 1, 1)
    assert (second.cwd, second.memory_count, second.observation_count) == (THERE.cwd, 1, 0)
    assert first.first_seen_at < first.last_seen_at


def test_newest_lists_memories_and_observations_together(store: Store) -> None:
    saved = store.remember(a_memory("one"))
    seen = store.observe(an_observation())
    assert [item.id for item in store.newest().items] == [seen.observation_id, saved.id]


def test_newest_can_be_narrowed_to_a_project_and_a_kind(store: Store) -> None:
    saved = store.remember(a_memory("one"))
    store.remember(a_memory("two", project_id=THERE.id, cwd=THERE.cwd))
    store.observe(an_observation())
    page = store.newest(ItemFilter(project_id=HERE.id, kinds=frozenset({HitKind.MEMORY})))
    assert [item.id for item in page.items] == [saved.id]


def test_pages_hold_every_item_once_while_others_are_saved(store: Store) -> None:
    ids = [store.remember(a_memory(f"note{n} on topic{n}")).id for n in range(7)]
    listed: list[str] = []
    cursor = None
    while True:
        page = store.newest(limit=3, cursor=cursor)
        listed += [item.id for item in page.items]
        store.remember(a_memory(f"late{len(listed)} remark{len(listed)}"))
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == ids[::-1]


def test_a_cursor_that_is_not_ours_is_refused(store: Store) -> None:
    for cursor in ("x", "~", "2026-01-01~id", "2026-01-01T00:00:00.000Z~"):
        with pytest.raises(InvalidInput, match="cursor"):
            store.newest(cursor=cursor)


def test_an_item_is_read_whole(store: Store) -> None:
    saved = store.remember(
        a_memory("one", concepts=("c",), source_observation_ids=("obs_1",), session_id="s")
    )
    memory = store.memory(saved.id)
    assert (memory.cwd, memory.session_id, memory.source_observation_ids) == (
        HERE.cwd,
        "s",
        ("obs_1",),
    )
    seen = store.observe(an_observation(source={"leaf": [1, "ä", None]}))
    observation = store.observation(seen.observation_id or "")
    assert (observation.source, observation.title) == ({"leaf": [1, "ä", None]}, "why is it slow?")


@pytest.mark.parametrize("project_id", [None, HERE.id])
def test_an_unknown_item_is_not_found(store: Store, project_id: str | None) -> None:
    with pytest.raises(NotFound):
        store.memory("mem_x", project_id=project_id)
    with pytest.raises(NotFound):
        store.observation("obs_x", project_id=project_id)


def test_an_item_of_another_project_is_not_found(store: Store) -> None:
    saved = store.remember(a_memory("one"))
    seen = store.observe(an_observation())
    with pytest.raises(NotFound):
        store.memory(saved.id, project_id=THERE.id)
    with pytest.raises(NotFound):
        store.observation(seen.observation_id or "", project_id=THERE.id)


def test_versions_of_an_unknown_memory_are_none(store: Store) -> None:
    assert store.versions("mem_x") == []


def test_the_recall_log_gives_back_what_was_asked_newest_first(subject: Subject) -> None:
    subject.store.record_recall(an_entry(subject, "first"))
    subject.store.record_recall(an_entry(subject, "second", THERE.id))
    second, first = subject.store.recalls().entries
    assert (first.query, second.query) == ("first", "second")
    assert (first.source, first.session_id, first.hit_ids) == (
        "pi",
        "session-1",
        ("mem_1", "obs_2"),
    )
    assert first.id < second.id


def test_the_recall_log_can_be_narrowed_to_a_project(subject: Subject) -> None:
    subject.store.record_recall(an_entry(subject, "first"))
    subject.store.record_recall(an_entry(subject, "second", THERE.id))
    only_here = RecallLogFilter(project_id=HERE.id)
    assert [entry.query for entry in subject.store.recalls(only_here).entries] == ["first"]


def test_stats_tell_the_last_save_observation_and_recall(subject: Subject) -> None:
    subject.store.remember(a_memory())
    subject.store.observe(an_observation())
    subject.store.record_recall(an_entry(subject, "tea"))
    (entry,) = subject.store.recalls().entries
    counts = subject.store.stats(HERE.id)
    assert counts.last_saved_at is not None
    assert counts.last_observed_at is not None
    assert counts.last_saved_at < counts.last_observed_at
    assert counts.last_recalled_at == entry.asked_at
