"""What every backend promises about the figures of the console."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ltm_tray.domain.errors import InvalidInput, NotFound
from ltm_tray.domain.facets import Count
from ltm_tray.domain.figures import DayActivity, RecallFigures
from ltm_tray.domain.memory import Forget, MemoryType
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.contract.test_recall_log import note
from tests.support.builders import HERE, THERE, a_memory, an_observation

DAY_S = 86_400
TODAY = date(2026, 1, 2)
"""The day that the clock of the tests starts on, at 03:04:05 UTC."""


def test_every_day_is_there_with_zeros_where_nothing_happened(subject: Subject) -> None:
    subject.store.remember(a_memory())
    subject.clock.advance(2 * DAY_S)
    subject.store.observe(an_observation())
    note(subject, "one", "mem_1")
    note(subject, "two")
    assert subject.store.activity(4) == [
        DayActivity(day=TODAY - timedelta(days=1)),
        DayActivity(day=TODAY, memories=1),
        DayActivity(day=TODAY + timedelta(days=1)),
        DayActivity(day=TODAY + timedelta(days=2), observations=1, recalls=2, empty_recalls=1),
    ]


def test_a_year_of_an_empty_store_is_a_year_of_zeros(store: Store) -> None:
    year = store.activity(366)
    assert year == [DayActivity(day=TODAY - timedelta(days=back)) for back in range(365, -1, -1)]


def test_activity_counts_versions_that_were_replaced_since(store: Store) -> None:
    store.remember(a_memory("the port of the service is 8080 today"))
    store.remember(a_memory("the port of the service is 8080 now today"))
    assert store.activity(1) == [DayActivity(day=TODAY, memories=2)]


def test_activity_can_be_narrowed_to_a_project(subject: Subject) -> None:
    subject.store.remember(a_memory("one"))
    subject.store.remember(a_memory("two", project_id=THERE.id, cwd=THERE.cwd))
    subject.store.observe(an_observation())
    note(subject, "three", project_id=THERE.id)
    here, there = (subject.store.activity(1, project_id=p.id) for p in (HERE, THERE))
    assert here == [DayActivity(day=TODAY, memories=1, observations=1)]
    assert there == [DayActivity(day=TODAY, memories=1, recalls=1, empty_recalls=1)]


@pytest.mark.parametrize(
    ("offset_minutes", "day"),
    [(0, TODAY), (-4 * 60, TODAY - timedelta(days=1)), (-3 * 60, TODAY), (14 * 60, TODAY)],
)
def test_days_are_those_of_the_zone_that_is_asked_for(
    store: Store, offset_minutes: int, day: date
) -> None:
    store.remember(a_memory())
    (counted,) = store.activity(1, utc_offset_minutes=offset_minutes)
    assert counted == DayActivity(day=day, memories=1)


def test_a_day_begins_at_its_first_millisecond(subject: Subject) -> None:
    # One look at the clock moves it by a millisecond; a save looks once.
    subject.clock.advance(DAY_S - (3 * 3_600 + 4 * 60 + 5) - 0.002)
    for n in range(3):
        subject.store.remember(a_memory(f"note{n} on topic{n}"))
    assert [day.memories for day in subject.store.activity(2)] == [1, 2]


def test_what_is_dated_after_today_is_left_out(subject: Subject) -> None:
    subject.clock.advance(3 * DAY_S)
    subject.store.remember(a_memory())
    note(subject, "later")
    subject.clock.advance(-3 * DAY_S)
    assert subject.store.activity(7) == [
        DayActivity(day=TODAY - timedelta(days=back)) for back in range(6, -1, -1)
    ]
    assert subject.store.sparklines(7) == {}


@pytest.mark.parametrize(("days", "offset"), [(0, 0), (367, 0), (1, 841), (1, -841)])
def test_days_that_cannot_be_counted_are_refused(store: Store, days: int, offset: int) -> None:
    with pytest.raises(InvalidInput):
        store.activity(days, utc_offset_minutes=offset)
    with pytest.raises(InvalidInput):
        store.sparklines(days, utc_offset_minutes=offset)


def test_sparklines_add_up_the_days_of_each_project(subject: Subject) -> None:
    subject.store.remember(a_memory("one"))
    subject.clock.advance(DAY_S)
    subject.store.observe(an_observation())
    note(subject, "asked")
    subject.store.remember(a_memory("two", project_id=THERE.id, cwd=THERE.cwd))
    assert subject.store.sparklines(3) == {HERE.id: (0, 1, 2), THERE.id: (0, 0, 1)}
    assert subject.store.sparklines(1) == {HERE.id: (2,), THERE.id: (1,)}
    assert subject.store.sparklines(3, utc_offset_minutes=-4 * 60) == {
        HERE.id: (0, 1, 2),
        THERE.id: (0, 0, 1),
    }


def test_totals_of_an_empty_store_are_zeros(store: Store) -> None:
    totals = store.totals()
    assert (totals.memories, totals.observations, totals.busiest) == ((), (), ())
    assert (totals.memory_count, totals.observation_count, totals.version_count) == (0, 0, 0)
    assert totals.recalls == RecallFigures()
    assert totals.recalls.hit_rate is None
    assert (totals.most_recalled, totals.never_recalled) == ((), 0)


def test_totals_count_types_kinds_and_versions(store: Store) -> None:
    store.remember(a_memory("the port of the service is 8080 today"))
    store.remember(a_memory("the port of the service is 8080 now today"))
    store.remember(a_memory("tea at four", type=MemoryType.PREFERENCE))
    store.remember(a_memory("cake", project_id=THERE.id, cwd=THERE.cwd))
    store.observe(an_observation())
    totals = store.totals()
    assert totals.memories == (Count("fact", 2), Count("preference", 1))
    assert totals.observations == (Count("agent_end", 1),)
    assert (totals.memory_count, totals.observation_count, totals.version_count) == (3, 1, 1)
    here = store.totals(HERE.id)
    assert here.memories == (Count("fact", 1), Count("preference", 1))
    assert store.totals(THERE.id).version_count == 0


def test_totals_tell_how_recalls_went(subject: Subject) -> None:
    for duration_ms in range(1, 21):
        hits = () if duration_ms % 4 == 0 else ("mem_1",)
        note(subject, "asked", *hits, duration_ms=float(duration_ms))
    note(subject, "elsewhere", project_id=THERE.id, duration_ms=500.0)
    recalls = subject.store.totals(HERE.id).recalls
    assert recalls == RecallFigures(count=20, empty_count=5, p50_ms=10.0, p95_ms=19.0)
    assert recalls.hit_rate == pytest.approx(0.75)
    assert subject.store.totals().recalls.count == 21


def test_totals_rank_projects_by_what_happened_in_them(subject: Subject) -> None:
    subject.store.remember(a_memory("one"))
    subject.store.remember(a_memory("two", project_id=THERE.id, cwd=THERE.cwd))
    note(subject, "asked", project_id=THERE.id)
    first, second = subject.store.totals().busiest
    assert (first.cwd, first.memory_count, first.recall_count) == (THERE.cwd, 1, 1)
    assert (second.cwd, second.total) == (HERE.cwd, 1)
    assert [project.cwd for project in subject.store.totals(HERE.id).busiest] == [HERE.cwd]


def test_totals_name_what_is_recalled_most_and_count_what_never_is(subject: Subject) -> None:
    store = subject.store
    often = store.remember(a_memory("often"))
    once = store.remember(a_memory("once"))
    store.remember(a_memory("never"))
    gone = store.remember(a_memory("gone"))
    note(subject, "a", gone.id, often.id)
    note(subject, "b", gone.id, often.id, once.id)
    store.forget(Forget(project_id=HERE.id, memory_ids=(gone.id,)))
    totals = store.totals()
    assert [(top.item.title, top.times) for top in totals.most_recalled] == [
        ("often", 2),
        ("once", 1),
    ]
    assert totals.most_recalled[0].last_recalled_at == store.recalls().entries[0].asked_at
    assert totals.never_recalled == 1


def test_forgotten_items_make_room_among_the_most_recalled(subject: Subject) -> None:
    there = subject.store.remember(a_memory("still here"))
    gone = [f"mem_gone{n}" for n in range(45)]
    note(subject, "a", *gone)
    note(subject, "b", *gone, there.id)
    (top,) = subject.store.totals().most_recalled
    assert (top.item.id, top.times) == (there.id, 1)


def test_a_project_tells_its_last_uses_and_its_size(subject: Subject) -> None:
    store = subject.store
    store.remember(a_memory("grün"))
    seen = store.observe(an_observation("User: wie?", title="wie?"))
    note(subject, "asked")
    store.remember(a_memory("other", project_id=THERE.id, cwd=THERE.cwd))
    found = store.project(HERE.id)
    assert (found.summary.cwd, found.summary.memory_count, found.version_count) == (HERE.cwd, 1, 0)
    observation = store.observation(seen.observation_id or "")
    assert found.last_observed_at == observation.created_at
    assert found.last_recalled_at == store.recalls().entries[0].asked_at
    assert found.last_saved_at is not None
    assert found.last_saved_at < observation.created_at
    assert found.text_bytes == 2 * len("grün".encode()) + len("wie?User: wie?")


def test_all_projects_come_with_the_same_details(subject: Subject) -> None:
    store = subject.store
    store.remember(a_memory("the port of the service is 8080 today"))
    store.remember(a_memory("the port of the service is 8080 now today"))
    store.observe(an_observation(project_id=THERE.id, cwd=THERE.cwd))
    assert store.project_details() == [store.project(THERE.id), store.project(HERE.id)]
    assert [detail.summary for detail in store.project_details()] == store.projects()
    assert store.project(HERE.id).version_count == 1
    assert store.project(THERE.id).last_saved_at is None


def test_an_unknown_project_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound):
        store.project("proj_x")
    assert store.totals("proj_x").memory_count == 0
