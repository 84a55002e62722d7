"""Recall, and the counts of what a recall could find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ltm_tray.backends.inmemory.data import Data, is_wanted, position, searched
from ltm_tray.domain.analysis import QueryTerm, begun_terms, query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item, ItemFilter
from ltm_tray.domain.facets import Cell, Facets, facets_of
from ltm_tray.domain.hits import hit_of
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import Rated, rate_all


def recall(data: Data, query: RecallQuery) -> list[RecallHit]:
    """See `MemoryBackend.recall`."""
    terms = query_terms(query.text)
    return _search(data, query, terms) or _search(data, query, begun_terms(terms))


def _search(data: Data, query: RecallQuery, terms: Sequence[QueryTerm]) -> list[RecallHit]:
    wanted = ItemFilter.of(query)
    # How rare a word is does not depend on the types and times that are asked for.
    rivals = replace(wanted, types=frozenset(), concepts=frozenset(), since=None, until=None)
    rated = _rated(data, terms, data.wanted(rivals))
    found = [item for item in data.wanted(wanted) if rated[item.id].score > 0]
    if query.sort is Sort.RELEVANCE:
        found.sort(key=lambda item: rated[item.id].score, reverse=True)
    best, asked = found[: query.limit], Asked(terms)
    return [hit_of(item, rated[item.id], asked, explain=query.explain) for item in best]


def facets(data: Data, wanted: ItemFilter, text: str | None) -> Facets:
    """See `MemoryCatalog.facets`."""
    in_time = ItemFilter(since=wanted.since, until=wanted.until)
    items = sorted((i for i in data.items() if is_wanted(i, in_time)), key=position)
    if text is None:
        return facets_of(cells_of(items), wanted)
    terms = query_terms(text)
    words = facets_of(cells_of(_holding(data, terms, items)), wanted)
    beginnings = _holding(data, begun_terms(terms), items)
    return words if words.total else facets_of(cells_of(beginnings), wanted)


def listed(data: Data, wanted: ItemFilter, text: str | None) -> list[Item]:
    """Return the items under a filter, newest first; with a text, those that it finds."""
    items = data.wanted(wanted)
    if text is None:
        return items
    terms = query_terms(text)
    return _holding(data, terms, items) or _holding(data, begun_terms(terms), items)


def cells_of(items: list[Item]) -> list[Cell]:
    """Count items by project, kind and type."""
    counted: Counter[tuple[str, HitKind, str]] = Counter(
        (item.project_id, item.kind, item.type) for item in items
    )
    return [Cell(*key, count) for key, count in counted.items()]


def _holding(data: Data, terms: Sequence[QueryTerm], items: list[Item]) -> list[Item]:
    rated = _rated(data, terms, items)
    return [item for item in items if rated[item.id].score > 0]


def _rated(data: Data, terms: Sequence[QueryTerm], items: list[Item]) -> dict[str, Rated]:
    return rate_all({item.id: searched(data, item) for item in items}, terms)
