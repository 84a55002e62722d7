"""What the store holds, and the scans over it that several verbs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ltm_tray.domain.catalog import Item, ItemFilter, ProjectSummary, RecallLogEntry
from ltm_tray.domain.cursor import Position
from ltm_tray.domain.hits import memory_item, observation_item
from ltm_tray.domain.memory import HitKind, Memory, Observation


@dataclass(slots=True)
class Data:
    """All rows, by id where they have one; recalls in the order they were asked."""

    memories: dict[str, Memory] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)
    moments: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    recalls: list[RecallLogEntry] = field(default_factory=list)
    projects: dict[str, ProjectSummary] = field(default_factory=dict)
    redactions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How much was taken out of what is stored, by project and kind."""

    def count_redacted(self, project_id: str, redacted: Mapping[str, int]) -> None:
        """Count what was taken out of one item, by kind."""
        self.redactions.update({(project_id, kind): n for kind, n in redacted.items()})

    def redacted_of(self, project_id: str | None) -> dict[str, int]:
        """Return what was taken out in a project by kind; None means in every project."""
        counts: Counter[str] = Counter()
        for (project, kind), count in sorted(self.redactions.items()):
            if project_id in {None, project}:
                counts[kind] += count
        return dict(counts)

    def items(self) -> Iterator[Item]:
        """Yield the latest memories and the observations, oldest first in each."""
        yield from (memory_item(m) for m in self.memories.values() if m.is_latest)
        yield from (observation_item(o) for o in self.observations.values())

    def wanted(self, wanted: ItemFilter) -> list[Item]:
        """Return the items of a filter, newest first."""
        found = [i for i in self.items() if is_wanted(i, wanted) and self._is_tagged(i, wanted)]
        return sorted(found, key=position, reverse=True)

    def _is_tagged(self, item: Item, wanted: ItemFilter) -> bool:
        if not wanted.concepts:
            return True
        memory = self.memories.get(item.id)
        held = wanted.concepts & set(memory.concepts if memory else ())
        return bool(held) if wanted.any_concept else held == wanted.concepts

    def memories_of(self, project_id: str | None) -> list[Memory]:
        """Return all versions of a project's memories; None means of every project."""
        return [m for m in self.memories.values() if project_id in {None, m.project_id}]

    def observations_of(self, project_id: str | None) -> list[Observation]:
        """Return a project's observations; None means of every project."""
        return [o for o in self.observations.values() if project_id in {None, o.project_id}]

    def recalls_of(self, project_id: str | None) -> list[RecallLogEntry]:
        """Return a project's recalls; None means of every project."""
        return [r for r in self.recalls if project_id in {None, r.project_id}]


def is_wanted(item: Item, wanted: ItemFilter) -> bool:
    """Tell whether a filter lets an item through."""
    return (
        item.kind in wanted.kinds
        and wanted.project_id in {None, item.project_id}
        and (not wanted.types or item.type in wanted.types)
        and is_within(item.created_at, wanted.since, wanted.until)
    )


def is_within(at: datetime, since: datetime | None, until: datetime | None) -> bool:
    """Tell whether a time is within bounds, of which the later is excluded."""
    return (since is None or at >= since) and (until is None or at < until)


def position(item: Item) -> Position:
    """Return where an item stands among the newest."""
    return Position(item.created_at, item.id)


def searched(data: Data, item: Item) -> tuple[HitKind, str, str]:
    """Return the kind, the title, and the text with its labels: what a query is held against."""
    if item.kind is HitKind.OBSERVATION:
        return item.kind, item.title, item.text
    memory = data.memories[item.id]
    return item.kind, item.title, " ".join((item.text, *memory.concepts, *memory.files))
