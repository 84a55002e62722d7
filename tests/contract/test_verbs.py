"""What every backend promises about remember, observe, forget and its own state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.memory import Forget, HitKind, MemoryType, ObservationKind
from ltm_tray.ports import Store
from tests.contract.conftest import Subject
from tests.support.asking import found
from tests.support.builders import HERE, THERE, a_memory, a_query, an_observation

BLUE = "The deploy host is blue and it runs nginx on port eighty with two workers"
GREEN = "The deploy host is green and it runs nginx on port eighty with two workers"


def test_a_saved_memory_is_recalled_with_all_it_says(store: Store) -> None:
    saved = store.remember(a_memory("Use tabs in Makefiles", type=MemoryType.PREFERENCE))
    (hit,) = store.recall(a_query("tabs"))
    assert (hit.kind, hit.id, hit.type) == (HitKind.MEMORY, saved.id, "preference")
    assert (hit.title, hit.snippet, hit.truncated) == (
        "Use tabs in Makefiles",
        "Use tabs in Makefiles",
        False,
    )
    assert hit.score > 0


def test_a_memory_without_a_type_is_a_fact(store: Store) -> None:
    assert store.remember(a_memory()).type is MemoryType.FACT


def test_identical_text_adds_no_row_and_merges_its_labels(store: Store) -> None:
    first = store.remember(a_memory("Tea  at four", concepts=("tea",), files=("a.md",)))
    again = store.remember(a_memory("Tea at\nfour", concepts=("time",), files=("a.md", "b.md")))
    assert (again.id, again.deduplicated, again.supersedes) == (first.id, True, None)
    kept = store.memory(first.id)
    assert (kept.concepts, kept.files) == (("tea", "time"), ("a.md", "b.md"))
    assert store.stats(HERE.id).memory_count == 1


def test_composed_and_decomposed_letters_are_identical_text(store: Store) -> None:
    first = store.remember(a_memory("caf\u00e9 opens at nine"))
    assert store.remember(a_memory("cafe\u0301 opens at nine")).id == first.id


def test_the_same_text_in_another_project_is_its_own_memory(store: Store) -> None:
    first = store.remember(a_memory("Tea at four"))
    second = store.remember(a_memory("Tea at four", project_id=THERE.id, cwd=THERE.cwd))
    assert second.id != first.id
    assert not second.deduplicated


def test_a_nearly_equal_text_supersedes_and_keeps_the_old_one_as_a_version(store: Store) -> None:
    old = store.remember(a_memory(BLUE))
    new = store.remember(a_memory(GREEN))
    assert new.supersedes == old.id
    assert found(store, "deploy host") == [new.id]
    assert found(store, "blue") == []
    assert [m.id for m in store.versions(old.id)] == [new.id, old.id]
    assert not store.memory(old.id).is_latest


def test_a_new_version_inherits_what_it_does_not_name(store: Store) -> None:
    store.remember(a_memory(BLUE, type=MemoryType.ARCHITECTURE, concepts=("deploy",), files=("x",)))
    new = store.memory(store.remember(a_memory(GREEN, files=("y",))).id)
    assert (new.type, new.concepts, new.files) == (MemoryType.ARCHITECTURE, ("deploy",), ("y",))


def test_a_similarity_of_exactly_seven_tenths_does_not_supersede(store: Store) -> None:
    store.remember(a_memory("one two three four five six seven old1 old2"))
    saved = store.remember(a_memory("one two three four five six seven new1"))
    assert saved.supersedes is None


def test_texts_that_differ_in_their_numbers_are_both_kept(store: Store) -> None:
    store.remember(a_memory("build 41 took 120 s"))
    assert store.remember(a_memory("build 42 took 180 s")).supersedes is None
    assert store.stats(HERE.id).memory_count == 2


def test_the_most_similar_memory_is_superseded(store: Store) -> None:
    words = [f"word{n}" for n in range(20)]
    store.remember(a_memory(" ".join([*words[:18], "left1", "left2"])))
    near = store.remember(a_memory(" ".join([*words[:19], "other1", "other2", "other3"])))
    if near.supersedes is None:
        exact = store.remember(a_memory(" ".join([*words[:19], "other1", "other2"])))
        assert exact.supersedes == near.id


def test_a_superseded_memory_is_never_superseded_again(store: Store) -> None:
    store.remember(a_memory(BLUE))
    second = store.remember(a_memory(GREEN))
    third = store.remember(a_memory(GREEN.replace("green", "red")))
    assert third.supersedes == second.id


def test_content_comes_back_byte_for_byte(store: Store) -> None:
    content = "  leading, trailing \t\n" + "word " * 13_000 + "\n\u2028 end\n"
    saved = store.remember(a_memory(content))
    assert store.memory(saved.id).content == content


def test_an_observation_is_found_by_a_word_of_its_narrative(store: Store) -> None:
    kind = ObservationKind.PRE_COMPACT
    seen = store.observe(an_observation("User: the flux capacitor leaks", kind=kind))
    (hit,) = store.recall(a_query("capacitor"))
    assert (hit.id, hit.kind, hit.type) == (seen.observation_id, HitKind.OBSERVATION, "pre_compact")


def test_a_moment_is_stored_once(subject: Subject) -> None:
    first = subject.store.observe(an_observation())
    again = subject.store.observe(an_observation("User: said otherwise"))
    assert not first.deduplicated
    assert again.deduplicated
    assert subject.store.stats(HERE.id).observation_count == 1


@pytest.mark.parametrize(
    "change", [{"session_id": "s2"}, {"kind": ObservationKind.PRE_COMPACT}, {"dedup_key": "leaf-2"}]
)
def test_another_session_kind_or_key_is_another_moment(
    store: Store, change: dict[str, Any]
) -> None:
    store.observe(an_observation())
    assert not store.observe(an_observation(**change)).deduplicated


def test_a_moment_is_forgotten_after_ten_minutes(subject: Subject) -> None:
    subject.store.observe(an_observation())
    subject.clock.advance(601)
    assert not subject.store.observe(an_observation()).deduplicated


def test_forgotten_items_are_gone_everywhere(store: Store) -> None:
    memory = store.remember(a_memory("tabs in memory"))
    seen = store.observe(an_observation("User: tabs in a turn"))
    assert seen.observation_id
    wish = Forget(
        project_id=HERE.id, memory_ids=(memory.id,), observation_ids=(seen.observation_id,)
    )
    assert store.forget(wish) == 2
    assert found(store, "tabs") == []
    assert store.newest().items == ()
    assert store.stats(HERE.id).memory_count == store.stats(HERE.id).observation_count == 0


def test_a_memory_is_forgotten_with_its_earlier_versions(store: Store) -> None:
    store.remember(a_memory(BLUE))
    new = store.remember(a_memory(GREEN))
    assert store.forget(Forget(project_id=HERE.id, memory_ids=(new.id,))) == 2
    assert store.versions(new.id) == []


def test_forgetting_an_old_version_keeps_the_new_one(store: Store) -> None:
    old = store.remember(a_memory(BLUE))
    new = store.remember(a_memory(GREEN))
    assert store.forget(Forget(project_id=HERE.id, memory_ids=(old.id,))) == 1
    assert found(store, "deploy host") == [new.id]
    assert store.memory(new.id).parent_id is None


def test_a_forgotten_text_can_be_saved_anew(store: Store) -> None:
    first = store.remember(a_memory())
    store.forget(Forget(project_id=HERE.id, memory_ids=(first.id,)))
    again = store.remember(a_memory())
    assert not again.deduplicated
    assert found(store, "tea") == [again.id]


def test_another_project_cannot_forget(store: Store) -> None:
    saved = store.remember(a_memory())
    assert store.forget(Forget(project_id=THERE.id, memory_ids=(saved.id,))) == 0
    assert found(store, "tea") == [saved.id]


def test_unknown_ids_count_nothing(store: Store) -> None:
    wish = Forget(project_id=HERE.id, memory_ids=("mem_x",), observation_ids=("obs_x",))
    assert store.forget(wish) == 0


def test_stats_of_an_unknown_project_are_zero(store: Store) -> None:
    counts = store.stats("proj_0000000000000000")
    assert (counts.memory_count, counts.observation_count, counts.last_saved_at) == (0, 0, None)


def test_stats_count_latest_memories_versions_and_observations(store: Store) -> None:
    store.remember(a_memory(BLUE))
    store.remember(a_memory(GREEN))
    store.observe(an_observation())
    counts = store.stats(HERE.id)
    assert (counts.memory_count, counts.version_count, counts.observation_count) == (1, 1, 1)


def test_eight_threads_lose_nothing(store: Store) -> None:
    def save(number: int) -> str:
        return store.remember(a_memory(f"note{number} about topic{number} in area{number}")).id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(save, range(80)))
    assert len(ids) == 80
    assert store.stats(HERE.id).memory_count == 80


def test_two_threads_superseding_one_memory_make_one_chain(store: Store) -> None:
    base = "shared words that stay the same in every version of this one note number"
    first = store.remember(a_memory(f"{base} zero"))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.remember(a_memory(f"{base} n{n}")), range(16)))
    assert store.stats(HERE.id).memory_count == 1
    chain = store.versions(first.id)
    assert len(chain) == 17
    assert [m.parent_id for m in chain] == [*(m.id for m in chain[1:]), None]


def test_a_healthy_backend_says_so(store: Store) -> None:
    assert store.health().ok


def test_a_closed_backend_says_so_and_answers_nothing(store: Store) -> None:
    store.remember(a_memory())
    store.close()
    store.close()
    assert not store.health().ok
    with pytest.raises(BackendUnavailable):
        store.recall(a_query("tea"))
