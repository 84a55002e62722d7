"""When a new memory replaces an old one: Jaccard similarity over the analysed terms."""

from __future__ import annotations

from math import ceil

# The threshold 0.7 as a fraction, so that a similarity of exactly 0.7 is decided without rounding.
_NUMERATOR, _DENOMINATOR = 7, 10


def is_superseded_by(old: frozenset[str], new: frozenset[str]) -> bool:
    """Tell whether the two sets overlap enough: |A∩B| / |A∪B| > 0.7, exactly."""
    return overlap_is_enough(len(old & new), len(old), len(new))


def overlap_is_enough(shared: int, old_count: int, new_count: int) -> bool:
    """Decide the same from the sizes: shared terms, and the terms of either text."""
    return shared * _DENOMINATOR > _NUMERATOR * (old_count + new_count - shared)


def jaccard(old: frozenset[str], new: frozenset[str]) -> float:
    """Return |A∩B| / |A∪B|, 0 to 1; 0 for two empty sets."""
    union = len(old | new)
    return len(old & new) / union if union else 0.0


def least_shared(new_count: int) -> int:
    """Return how many of its terms a text must share with any text it supersedes."""
    return _NUMERATOR * new_count // _DENOMINATOR + 1


def counts_in_reach(new_count: int) -> tuple[int, int]:
    """Return the least and most terms a text may have to be superseded by one of `new_count`."""
    return least_shared(new_count), ceil(new_count * _DENOMINATOR / _NUMERATOR) - 1
