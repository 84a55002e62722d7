"""What every backend promises about recall."""

from __future__ import annotations

import pytest

from ltm_tray.domain.memory import HitKind, Sort
from ltm_tray.ports import Store
from tests.support.asking import found
from tests.support.builders import THERE, a_memory, a_query, an_observation


def test_another_project_finds_nothing(store: Store) -> None:
    store.remember(a_memory("Use tabs in Makefiles"))
    assert found(store, "tabs", project_id=THERE.id) == []


def test_a_query_of_all_projects_finds_in_each(store: Store) -> None:
    store.remember(a_memory("Use tabs in Makefiles"))
    store.remember(a_memory("No tabs in Python", project_id=THERE.id, cwd=THERE.cwd))
    assert len(found(store, "tabs", project_id=None)) == 2


def test_concepts_and_files_are_searched_too(store: Store) -> None:
    saved = store.remember(a_memory("Use tabs", concepts=("indentation",), files=("src/Makefile",)))
    assert found(store, "indentation") == [saved.id]
    assert found(store, "makefile") == [saved.id]


def test_every_word_need_not_match(store: Store) -> None:
    saved = store.remember(a_memory("kestrel-build-7 uses port 9090"))
    assert found(store, "kestrel-build-7 pineapple") == [saved.id]


def test_the_better_match_comes_first(store: Store) -> None:
    store.remember(a_memory("The parser of the invoice module"))
    both = store.remember(a_memory("The parser fails on empty totals"))
    store.remember(a_memory("Totals are rounded at the end"))
    assert found(store, "parser totals")[0] == both.id


def test_equal_matches_come_newest_first(store: Store) -> None:
    first = store.remember(a_memory("alpha tabs"))
    second = store.remember(a_memory("bravo tabs"))
    assert found(store, "tabs") == [second.id, first.id]


def test_newest_first_can_be_asked_for(store: Store) -> None:
    best = store.remember(a_memory("tabs tabs tabs everywhere tabs"))
    newest = store.remember(a_memory("a long note on spaces that also mentions tabs in passing"))
    assert found(store, "tabs", sort=Sort.NEWEST) == [newest.id, best.id]


def test_the_limit_holds(store: Store) -> None:
    for number in range(5):
        store.remember(a_memory(f"tabs in file number{number} of chapter{number}"))
    assert len(found(store, "tabs", limit=3)) == 3


def test_kinds_choose_where_to_look(store: Store) -> None:
    memory = store.remember(a_memory("tabs in memory"))
    seen = store.observe(an_observation("User: tabs in a turn"))
    assert found(store, "tabs", kinds=frozenset({HitKind.MEMORY})) == [memory.id]
    assert found(store, "tabs", kinds=frozenset({HitKind.OBSERVATION})) == [seen.observation_id]


@pytest.mark.parametrize(
    "text", ['"', "*", "OR", "(", "content:x", "NEAR(a b)", "^a", "- -", "a AND", "'; drop--", "🚀"]
)
def test_query_syntax_is_just_text(store: Store, text: str) -> None:
    store.remember(a_memory("nothing of the kind"))
    assert found(store, text) == []


def test_a_query_without_a_term_finds_nothing(store: Store) -> None:
    store.remember(a_memory())
    assert found(store, " --- ") == []


def test_a_long_text_is_shown_by_its_best_window(store: Store) -> None:
    store.remember(a_memory("filler words " * 200 + "the needle lies here " + "more filler " * 200))
    (hit,) = store.recall(a_query("needle"))
    assert hit.truncated
    assert "needle" in hit.snippet
    assert len(hit.snippet) <= 600
