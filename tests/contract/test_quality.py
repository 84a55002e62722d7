"""A small gate on quality: questions about one project find what answers them."""

from __future__ import annotations

from ltm_tray.ports import Store
from tests.support.asking import found
from tests.support.builders import a_memory
from tests.support.notes import NOTES, QUESTIONS


def ranks(store: Store) -> list[int]:
    """The place of the right answer for each question, from 1; 99 for one not found."""
    ids = {name: store.remember(a_memory(text)).id for name, text in NOTES.items()}
    places = []
    for question, name in QUESTIONS.items():
        hits = found(store, question)
        places.append(hits.index(ids[name]) + 1 if ids[name] in hits else 99)
    return places


def test_nearly_every_question_is_answered_first_and_all_among_the_first_five(
    store: Store,
) -> None:
    places = ranks(store)
    assert sum(place == 1 for place in places) >= 0.9 * len(places)
    assert max(places) <= 5
