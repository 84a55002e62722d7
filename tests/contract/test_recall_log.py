"""What every backend promises about the recall log."""

from __future__ import annotations

from typing import Any

import pytest

from ltm_tray.domain.catalog import RecalledItem, RecallLogEntry, RecallLogFilter
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import RECALL_LOG_MAX, Forget, HitKind
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.support.builders import HERE, THERE, a_memory, an_observation


def note(subject: Subject, query: str, *hit_ids: str, **changes: Any) -> None:
    values: dict[str, Any] = {
        "project_id": HERE.id,
        "query": query,
        "source": "pi",
        "session_id": "session-1",
        "hit_ids": hit_ids,
        "duration_ms": 1.5,
        "asked_at": subject.clock(),
    }
    subject.store.record_recall(RecallLogEntry(**{**values, **changes}))


def asked(store: Store, **changes: Any) -> list[str]:
    return [entry.query for entry in store.recalls(RecallLogFilter(**changes)).entries]


def test_the_log_can_be_narrowed_to_a_project_a_source_and_empty_answers(
    subject: Subject,
) -> None:
    note(subject, "one", "mem_1")
    note(subject, "two", project_id=THERE.id)
    note(subject, "three", source="cli")
    assert asked(subject.store) == ["three", "two", "one"]
    assert asked(subject.store, project_id=HERE.id) == ["three", "one"]
    assert asked(subject.store, source="pi") == ["two", "one"]
    assert asked(subject.store, only_empty=True) == ["three", "two"]
    assert asked(subject.store, only_empty=True, project_id=HERE.id) == ["three"]


def test_the_log_can_be_narrowed_to_a_time(subject: Subject) -> None:
    for query in ("one", "two", "three"):
        note(subject, query)
    _, two, one = subject.store.recalls().entries
    assert asked(subject.store, since=two.asked_at) == ["three", "two"]
    assert asked(subject.store, since=one.asked_at, until=two.asked_at) == ["one"]


def test_pages_of_the_log_hold_every_entry_once_while_more_is_asked(subject: Subject) -> None:
    for n in range(5):
        note(subject, f"question {n}")
    listed: list[str] = []
    before_id = None
    while True:
        page = subject.store.recalls(limit=2, before_id=before_id)
        listed += [entry.query for entry in page.entries]
        note(subject, "late")
        before_id = page.next_before_id
        if before_id is None:
            break
    assert listed == [f"question {n}" for n in (4, 3, 2, 1, 0)]


def test_a_page_that_holds_the_rest_leads_nowhere(subject: Subject) -> None:
    note(subject, "one")
    note(subject, "two")
    assert subject.store.recalls(limit=2).next_before_id is None


def test_an_entry_shows_its_hits_as_they_are_now(subject: Subject) -> None:
    store = subject.store
    old = store.remember(a_memory("the port of the service is 8080 today"))
    gone = store.remember(a_memory("forget me"))
    seen = store.observe(an_observation()).observation_id or ""
    note(subject, "port?", seen, gone.id, old.id, "obs_gone")
    store.remember(a_memory("the port of the service is 8080 now today"))
    store.forget(Forget(project_id=HERE.id, memory_ids=(gone.id,)))
    (logged,) = store.recalls().entries
    detail = store.recall_entry(logged.id)
    assert detail.entry == logged
    assert detail.hits == (
        RecalledItem(
            id=seen,
            kind=HitKind.OBSERVATION,
            project_id=HERE.id,
            title="why is it slow?",
            type="agent_end",
        ),
        RecalledItem(id=gone.id, kind=HitKind.MEMORY, forgotten=True),
        RecalledItem(
            id=old.id,
            kind=HitKind.MEMORY,
            project_id=HERE.id,
            title="the port of the service is 8080 today",
            type="fact",
            superseded=True,
        ),
        RecalledItem(id="obs_gone", kind=HitKind.OBSERVATION, forgotten=True),
    )


def test_an_unknown_entry_is_not_found(store: Store) -> None:
    for number in (1, 0, -1, 10**30):
        with pytest.raises(NotFound):
            store.recall_entry(number)


def test_a_page_can_begin_before_any_number(subject: Subject) -> None:
    note(subject, "one")
    assert len(subject.store.recalls(before_id=10**30).entries) == 1
    assert subject.store.recalls(before_id=-(10**30)).entries == ()


def test_an_item_knows_where_it_was_recalled(subject: Subject) -> None:
    note(subject, "one", "mem_1", "mem_2")
    note(subject, "two", "mem_2")
    note(subject, "three", "obs_1", "mem_2")

    def where(item_id: str, limit: int = 20) -> list[str]:
        return [entry.query for entry in subject.store.recalls_of(item_id, limit=limit)]

    assert where("mem_1") == ["one"]
    assert where("mem_2") == ["three", "two", "one"]
    assert where("mem_2", limit=2) == ["three", "two"]
    assert where("mem") == where('"') == where("%") == []


def test_the_log_keeps_the_newest_entries_only(subject: Subject) -> None:
    for number in range(RECALL_LOG_MAX + 2):
        note(subject, f"question {number}", f"mem_{number}")
        if number % 500 == 0:  # so many wait to be written, and no more than 1,000 may
            subject.store.recalls(limit=1)
    newest, *_ = subject.store.recalls(limit=1).entries
    oldest = subject.store.recalls_of("mem_2")[0]
    assert newest.id - oldest.id + 1 == RECALL_LOG_MAX
    assert subject.store.recalls_of("mem_1") == []
    assert subject.store.totals().recalls.count == RECALL_LOG_MAX
    assert len(subject.store.totals().most_recalled) == 0
