"""A clock that is put back loses nothing, repeats no id, and spoils no order."""

from __future__ import annotations

from tests.contract.conftest import Subject
from tests.support.asking import found
from tests.support.builders import HERE, a_memory, an_observation

HOUR_S = 3_600


def test_a_repeated_moment_is_known_although_the_clock_was_put_back_a_little(
    subject: Subject,
) -> None:
    assert subject.store.observe(an_observation()).observation_id
    subject.clock.advance(-60)
    assert subject.store.observe(an_observation()).observation_id is None


def test_a_new_moment_like_one_of_the_future_is_stored(subject: Subject) -> None:
    first = subject.store.observe(an_observation()).observation_id
    subject.clock.advance(-HOUR_S)
    second = subject.store.observe(an_observation()).observation_id
    assert second is not None
    assert second != first


def test_versions_keep_the_order_in_which_they_were_saved(subject: Subject) -> None:
    words = " ".join(f"w{n}" for n in range(20))
    first = subject.store.remember(a_memory(f"{words} one")).id
    subject.clock.advance(-HOUR_S)
    second = subject.store.remember(a_memory(f"{words} two"))
    assert second.supersedes == first
    assert found(subject.store, "w7") == [second.id]
    assert [version.id for version in subject.store.versions(second.id)] == [second.id, first]


def test_pages_show_each_item_once(subject: Subject) -> None:
    saved = set()
    for number in range(9):
        saved.add(subject.store.remember(a_memory(f"subject{number} word{number}")).id)
        subject.clock.advance(-HOUR_S if number % 2 else 60)
    seen, cursor = [], None
    while True:
        page = subject.store.newest(limit=2, cursor=cursor)
        seen += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(saved)
    assert set(seen) == saved


def test_a_merge_never_dates_a_memory_before_its_beginning(subject: Subject) -> None:
    saved = subject.store.remember(a_memory("Use tabs"))
    subject.clock.advance(-HOUR_S)
    assert subject.store.remember(a_memory("Use tabs", concepts=("style",))).deduplicated
    memory = subject.store.memory(saved.id, project_id=HERE.id)
    assert memory.concepts == ("style",)
    assert memory.updated_at >= memory.created_at
