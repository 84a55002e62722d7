"""How many items each project, kind and type has under a filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ltm_tray.domain.catalog import ItemFilter
from ltm_tray.domain.memory import HitKind


@dataclass(frozen=True, slots=True)
class Count:
    """A value and how many items have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Counts for choosing a filter: each is what would be found if that value were chosen.

    Projects are counted for any project, kinds for any kind, types for any type; the
    rest of the filter holds. Values without an item are left out; the most frequent
    come first. `total` counts what the whole filter finds.
    """

    projects: tuple[Count, ...]
    kinds: tuple[Count, ...]
    types: tuple[Count, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Cell:
    """How many items of one project, kind and type there are."""

    project_id: str
    kind: HitKind
    type: str
    count: int


def facets_of(cells: Iterable[Cell], wanted: ItemFilter) -> Facets:
    """Count cells, which need to be limited by nothing but the filter's times."""
    known = list(cells)

    def allowed(*, project: bool = True, kind: bool = True, type_: bool = True) -> list[Cell]:
        return [
            cell
            for cell in known
            if (not project or wanted.project_id in {None, cell.project_id})
            and (not kind or cell.kind in wanted.kinds)
            and (not type_ or not wanted.types or cell.type in wanted.types)
        ]

    return Facets(
        projects=counts_of(allowed(project=False), lambda cell: cell.project_id),
        kinds=counts_of(allowed(kind=False), lambda cell: cell.kind),
        types=counts_of(allowed(type_=False), lambda cell: cell.type),
        total=sum(cell.count for cell in allowed()),
    )


def counts_of(cells: Iterable[Cell], value: Callable[[Cell], str]) -> tuple[Count, ...]:
    """Sum cells by a value, the most frequent first, equals by name."""
    sums: Counter[str] = Counter()
    for cell in cells:
        sums[value(cell)] += cell.count
    return ordered_counts(sums)


def ordered_counts(sums: Mapping[str, int]) -> tuple[Count, ...]:
    """Return counts, the highest first, equals by name, without zeros."""
    found = [Count(name, number) for name, number in sums.items() if number]
    return tuple(sorted(found, key=lambda count: (-count.count, count.value)))
