"""What every backend promises about filters: in lists, counts, recall and export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from ltm_tray.domain.catalog import EVERYTHING, ItemFilter
from ltm_tray.domain.facets import Count, Facets
from ltm_tray.domain.memory import HitKind, Memory, MemoryType, Observation, ObservationKind, Sort
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.support.builders import HERE, THERE, a_memory, a_query, an_observation

DAY_S = 86_400
MEMORIES = frozenset({HitKind.MEMORY})


@pytest.fixture
def stocked(subject: Subject) -> Subject:
    """Four memories and two observations: a bug and a fact here, a day later the rest."""
    store = subject.store
    store.remember(a_memory("tabs broke the build", type=MemoryType.BUG))
    store.remember(a_memory("tea is served at four", type=MemoryType.FACT))
    subject.clock.advance(DAY_S)
    store.remember(a_memory("tabs are wide", project_id=THERE.id, cwd=THERE.cwd))
    store.remember(
        a_memory("lint hates tabs", project_id=THERE.id, cwd=THERE.cwd, type=MemoryType.BUG)
    )
    store.observe(an_observation("User: spaces or tabs?", title="spaces"))
    store.observe(an_observation("User: coffee?", title="coffee", kind=ObservationKind.PRE_COMPACT))
    return subject


def texts(store: Store, wanted: ItemFilter) -> list[str]:
    return [item.text for item in store.newest(wanted).items]


def test_newest_can_be_narrowed_to_types_of_memories_and_observations(stocked: Subject) -> None:
    wanted = ItemFilter(types=frozenset({"bug", "pre_compact"}))
    assert texts(stocked.store, wanted) == [
        "User: coffee?",
        "lint hates tabs",
        "tabs broke the build",
    ]


def test_a_type_of_the_other_kind_or_of_none_finds_nothing(stocked: Subject) -> None:
    assert texts(stocked.store, ItemFilter(kinds=MEMORIES, types=frozenset({"agent_end"}))) == []
    assert texts(stocked.store, ItemFilter(types=frozenset({"opinion"}))) == []


def test_newest_can_be_narrowed_to_a_time_that_includes_its_start_but_not_its_end(
    stocked: Subject,
) -> None:
    items = stocked.store.newest().items
    wanted = ItemFilter(since=items[3].created_at, until=items[1].created_at)
    assert texts(stocked.store, wanted) == [items[2].text, items[3].text]


def test_a_bound_between_two_milliseconds_falls_between_their_items(stocked: Subject) -> None:
    items = stocked.store.newest().items
    late = items[3].created_at + timedelta(microseconds=1)
    assert texts(stocked.store, ItemFilter(since=late)) == [item.text for item in items[:3]]
    assert texts(stocked.store, ItemFilter(until=late)) == [item.text for item in items[3:]]


def test_pages_under_a_filter_hold_every_item_once(subject: Subject) -> None:
    for n in range(9):
        kind = MemoryType.BUG if n % 2 else MemoryType.FACT
        subject.store.remember(a_memory(f"note{n} on topic{n}", type=kind))
    wanted = ItemFilter(types=frozenset({"fact"}))
    listed: list[str] = []
    cursor = None
    while True:
        page = subject.store.newest(wanted, limit=2, cursor=cursor)
        listed += [item.text for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert listed == [f"note{n} on topic{n}" for n in (8, 6, 4, 2, 0)]


@pytest.mark.parametrize(("text", "wanted"), [("tabs", 4), ("tab", 4), ("lin", 1), ("spa", 1)])
def test_newest_can_be_narrowed_to_what_a_text_finds(
    stocked: Subject, text: str, wanted: int
) -> None:
    query = a_query(text, project_id=None, sort=Sort.NEWEST)
    hits = [hit.id for hit in stocked.store.recall(query)]
    assert [item.id for item in stocked.store.newest(text=text).items] == hits
    assert [item.id for item in stocked.store.items(text=text)] == hits
    assert len(hits) == stocked.store.facets(EVERYTHING, text).total == wanted


def test_what_a_text_finds_can_be_narrowed_by_a_filter(stocked: Subject) -> None:
    wanted = ItemFilter(project_id=THERE.id, types=frozenset({"bug"}))
    found = stocked.store.newest(wanted, text="tabs").items
    assert [item.text for item in found] == ["lint hates tabs"]
    # Nothing there holds the word, but something holds one that begins with it.
    assert [item.text for item in stocked.store.newest(wanted, text="hat").items] == [
        "lint hates tabs"
    ]


@pytest.mark.parametrize("text", ["", "?!", "unheard"])
def test_a_text_that_finds_nothing_lists_and_exports_nothing(stocked: Subject, text: str) -> None:
    assert stocked.store.newest(text=text).items == ()
    assert list(stocked.store.items(text=text)) == []


def test_pages_of_what_a_text_finds_hold_items_of_one_moment_once_each(subject: Subject) -> None:
    for n in range(7):
        subject.store.observe(an_observation(f"tabs {n}", dedup_key=str(n)))
        subject.store.remember(a_memory(f"tabs note{n} of topic{n}"))
        subject.clock.advance(-0.002)  # all in one millisecond
    listed: list[str] = []
    cursor = None
    while True:
        page = subject.store.newest(limit=3, cursor=cursor, text="tabs")
        listed += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(listed) == len(set(listed)) == 14
    assert listed == [item.id for item in subject.store.items(text="tabs")]


def test_recall_can_be_narrowed_to_types_and_a_time(stocked: Subject) -> None:
    def found(**changes: object) -> list[str]:
        query = a_query("tabs", project_id=None, **changes)
        return sorted(hit.snippet for hit in stocked.store.recall(query))

    noon = stocked.store.newest().items[3].created_at
    assert found(types=frozenset({"bug"})) == ["lint hates tabs", "tabs broke the build"]
    assert found(types=frozenset({"bug"}), since=noon) == ["lint hates tabs"]
    assert found(until=noon) == ["tabs broke the build"]
    assert found(types=frozenset({"agent_end"})) == ["User: spaces or tabs?"]
    assert found(types=frozenset({"agent_end"}), kinds=MEMORIES) == []


def test_a_narrowed_recall_finds_what_many_better_matches_would_hide(subject: Subject) -> None:
    wanted = subject.store.remember(
        a_memory("among other remarks, tabs " + "filler " * 40, type=MemoryType.BUG)
    )
    for n in range(120):
        subject.store.remember(a_memory(f"tabs tabs remark{n}", type=MemoryType.FACT))
    for sort in Sort:
        query = a_query("tabs", types=frozenset({"bug"}), sort=sort, limit=5)
        assert [hit.id for hit in subject.store.recall(query)] == [wanted.id]


def test_facets_of_everything_count_what_is_listed(stocked: Subject) -> None:
    assert stocked.store.facets() == Facets(
        projects=(Count(HERE.id, 4), Count(THERE.id, 2)),
        kinds=(Count("memory", 4), Count("observation", 2)),
        types=(Count("bug", 2), Count("fact", 2), Count("agent_end", 1), Count("pre_compact", 1)),
        total=6,
    )


def test_each_facet_leaves_its_own_choice_open(stocked: Subject) -> None:
    wanted = ItemFilter(project_id=HERE.id, kinds=MEMORIES, types=frozenset({"bug"}))
    facets = stocked.store.facets(wanted)
    assert set(facets.projects) == {Count(HERE.id, 1), Count(THERE.id, 1)}
    assert facets.kinds == (Count("memory", 1),)
    assert facets.types == (Count("bug", 1), Count("fact", 1))
    assert facets.total == 1


def test_facets_with_a_text_count_what_holds_a_term_of_it(stocked: Subject) -> None:
    facets = stocked.store.facets(ItemFilter(project_id=THERE.id), "tabs")
    assert set(facets.projects) == {Count(HERE.id, 2), Count(THERE.id, 2)}
    assert facets.kinds == (Count("memory", 2),)
    assert facets.total == 2


def test_facets_of_a_time_count_that_time_only(stocked: Subject) -> None:
    first = stocked.store.newest().items[-1].created_at
    wanted = ItemFilter(until=first + timedelta(hours=1))
    assert stocked.store.facets(wanted).types == (Count("bug", 1), Count("fact", 1))
    assert stocked.store.facets(wanted, "tabs").types == (Count("bug", 1),)


@pytest.mark.parametrize("text", ["", "?!", "unheard"])
def test_facets_of_a_text_that_finds_nothing_are_empty(stocked: Subject, text: str) -> None:
    empty = Facets(projects=(), kinds=(), types=(), total=0)
    assert stocked.store.facets(EVERYTHING, text) == empty


def test_facets_of_an_empty_store_are_empty(store: Store) -> None:
    empty = Facets(projects=(), kinds=(), types=(), total=0)
    assert store.facets() == store.facets(EVERYTHING, "tabs") == empty


def test_replaced_versions_and_forgotten_items_count_in_no_facet(store: Store) -> None:
    store.remember(a_memory("the port of the service is 8080 today"))
    store.remember(a_memory("the port of the service is 8080 now today"))
    assert store.facets().total == store.facets(EVERYTHING, "port").total == 1


def test_an_export_yields_whole_items_newest_first(stocked: Subject) -> None:
    found = list(stocked.store.items())
    assert [item.id for item in found] == [item.id for item in stocked.store.newest().items]
    memory = next(item for item in found if isinstance(item, Memory))
    assert memory == stocked.store.memory(memory.id)
    observation = next(item for item in found if isinstance(item, Observation))
    assert observation == stocked.store.observation(observation.id)


def test_an_export_obeys_the_filter(stocked: Subject) -> None:
    wanted = ItemFilter(project_id=THERE.id, types=frozenset({"bug"}))
    assert [item.title for item in stocked.store.items(wanted)] == ["lint hates tabs"]


def test_an_export_of_nothing_yields_nothing(store: Store) -> None:
    assert list(store.items()) == []


def test_a_long_export_holds_every_item_once_while_others_are_saved(subject: Subject) -> None:
    for n in range(230):
        subject.store.observe(an_observation(f"turn {n}", dedup_key=f"leaf-{n}"))
    exported: Iterator[Memory | Observation] = subject.store.items()
    times: list[datetime] = []
    for item in exported:
        if len(times) % 50 == 0:
            subject.store.remember(a_memory(f"late{len(times)} remark{len(times)}"))
        times.append(item.created_at)
    assert len(times) == 230
    assert all(newer > older for newer, older in pairwise(times))
    assert times[0].tzinfo is UTC
