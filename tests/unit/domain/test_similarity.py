"""When one text supersedes another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ltm_tray.domain.similarity import counts_in_reach, is_superseded_by, jaccard, least_shared

SETS = st.frozensets(st.sampled_from([f"t{n}" for n in range(14)]))


def test_exactly_seven_tenths_is_not_enough_and_a_little_more_is() -> None:
    seven = frozenset("abcdefg")
    assert jaccard(seven, frozenset("abcdefghij")) == 0.7
    assert not is_superseded_by(seven, frozenset("abcdefghij"))
    assert is_superseded_by(seven, frozenset("abcdefghi"))


def test_two_empty_texts_are_not_alike() -> None:
    assert jaccard(frozenset(), frozenset()) == 0.0
    assert not is_superseded_by(frozenset(), frozenset())


@given(SETS, SETS)
def test_the_whole_numbers_decide_as_the_fraction_does(
    old: frozenset[str], new: frozenset[str]
) -> None:
    union = len(old | new)
    assert is_superseded_by(old, new) == (10 * len(old & new) > 7 * union)


@given(SETS, SETS)
def test_no_superseded_text_lies_outside_the_bounds(
    old: frozenset[str], new: frozenset[str]
) -> None:
    if is_superseded_by(old, new):
        least, most = counts_in_reach(len(new))
        assert least <= len(old) <= most
        assert len(old & new) >= least_shared(len(new))
