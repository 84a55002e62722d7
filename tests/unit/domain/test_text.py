"""Where a text may be cut, and when two texts are the same."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from ltm_tray.domain.text import (
    TITLE_CHARACTERS,
    first_characters,
    is_storable,
    same_text_key,
    title_of,
)

FAMILY = "👨‍👩‍👧‍👦"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def test_a_short_text_is_its_own_title() -> None:
    assert title_of("Use tabs") == "Use tabs"


def test_a_title_is_one_line_of_at_most_eighty_characters() -> None:
    title = title_of("first line\n\tsecond line " + "word " * 100)
    assert title.startswith("first line second line word")
    assert len(title) <= TITLE_CHARACTERS


def test_a_grapheme_is_never_cut_in_half() -> None:
    assert first_characters("x" * 8 + FAMILY, 10) == "x" * 8
    assert first_characters("e\u0301" * 3, 3) == "e\u0301"


def test_a_grapheme_longer_than_a_title_is_cut_all_the_same() -> None:
    assert title_of("e" + "\u0301" * 500) != ""


@given(TEXT, st.integers(1, 40))
def test_the_cut_is_a_beginning_made_of_whole_graphemes(text: str, count: int) -> None:
    cut = first_characters(text, count)
    assert text.startswith(cut)
    assert len(cut) <= count
    graphemes = regex.findall(r"\X", text)
    assert cut in {"".join(graphemes[:n]) for n in range(len(graphemes) + 1)}


def test_white_space_and_composition_do_not_make_another_text() -> None:
    assert same_text_key(" caf\u00e9\n at  nine") == same_text_key("cafe\u0301 at nine")
    assert same_text_key("Tea") != same_text_key("tea")


def test_nul_and_lone_surrogates_cannot_be_stored() -> None:
    assert is_storable("plain 🚀")
    assert not is_storable("a\0b")
    assert not is_storable("\ud800")
