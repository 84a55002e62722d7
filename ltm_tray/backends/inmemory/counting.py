"""The figures of the console, counted by going through everything."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from ltm_tray.backends.inmemory.browsing import recalled
from ltm_tray.backends.inmemory.data import Data, is_within
from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.facets import ordered_counts
from ltm_tray.domain.figures import (
    TOP_MAX,
    BusyProject,
    Day,
    DayActivity,
    OftenRecalled,
    StoreSize,
    Totals,
    busiest_of,
    recall_figures,
)


def activity(data: Data, days: list[Day], project_id: str | None) -> list[DayActivity]:
    """See `MemoryCatalog.activity`."""
    saved = [m.created_at for m in data.memories_of(project_id)]
    observed = [o.created_at for o in data.observations_of(project_id)]
    asked = [r.asked_at for r in data.recalls_of(project_id)]
    empty = [r.asked_at for r in data.recalls_of(project_id) if not r.hit_ids]
    return [
        DayActivity(
            day=day.day,
            memories=_count(saved, day),
            observations=_count(observed, day),
            recalls=_count(asked, day),
            empty_recalls=_count(empty, day),
        )
        for day in days
    ]


def sparklines(data: Data, days: list[Day]) -> dict[str, tuple[int, ...]]:
    """See `MemoryCatalog.sparklines`."""
    lines = {
        project_id: tuple(
            day.memories + day.observations + day.recalls
            for day in activity(data, days, project_id)
        )
        for project_id in data.projects
    }
    return {project_id: line for project_id, line in lines.items() if any(line)}


def totals(data: Data, project_id: str | None) -> Totals:
    """See `MemoryCatalog.totals`."""
    memories = data.memories_of(project_id)
    latest = [m for m in memories if m.is_latest]
    asked = data.recalls_of(project_id)
    hits = {hit for entry in asked for hit in entry.hit_ids}
    return Totals(
        memories=ordered_counts(Counter(m.type.value for m in latest)),
        observations=ordered_counts(
            Counter(o.kind.value for o in data.observations_of(project_id))
        ),
        version_count=len(memories) - len(latest),
        recalls=recall_figures((r.duration_ms for r in asked), sum(not r.hit_ids for r in asked)),
        size=StoreSize(),
        busiest=_busiest(data, project_id),
        most_recalled=_most_recalled(data, asked),
        never_recalled=sum(m.id not in hits for m in latest),
        redacted=ordered_counts(data.redacted_of(project_id)),
    )


def _busiest(data: Data, project_id: str | None) -> tuple[BusyProject, ...]:
    return busiest_of(
        BusyProject(
            project_id=project.project_id,
            cwd=project.cwd,
            memory_count=sum(m.is_latest for m in data.memories_of(project.project_id)),
            observation_count=len(data.observations_of(project.project_id)),
            recall_count=len(data.recalls_of(project.project_id)),
        )
        for project in data.projects.values()
        if project_id in {None, project.project_id}
    )


def _most_recalled(data: Data, asked: list[RecallLogEntry]) -> tuple[OftenRecalled, ...]:
    times = Counter(hit for entry in asked for hit in set(entry.hit_ids))
    last = {hit: entry.asked_at for entry in asked for hit in entry.hit_ids}
    there = [id_ for id_ in times if id_ in data.memories or id_ in data.observations]
    ranked = sorted(there, key=lambda id_: (-times[id_], id_))
    return tuple(
        OftenRecalled(item=recalled(data, id_), times=times[id_], last_recalled_at=last[id_])
        for id_ in ranked[:TOP_MAX]
    )


def _count(times: list[datetime], day: Day) -> int:
    return sum(is_within(at, day.start, day.end) for at in times)
