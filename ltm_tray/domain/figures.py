"""The figures of the console: what happened on each day, and what there is in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from math import ceil

from ltm_tray.domain.catalog import RecalledItem
from ltm_tray.domain.errors import invalid
from ltm_tray.domain.facets import Count

DAYS_MAX = 366
"""The longest stretch that is counted by day."""
UTC_OFFSET_MAX_MINUTES = 14 * 60
TOP_MAX = 10
"""How many projects and items the rankings of `Totals` name."""


@dataclass(frozen=True, slots=True)
class Day:
    """A local day and the time it takes up, as UTC; `end` is the next day's `start`."""

    day: date
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DayActivity:
    """What happened on one day.

    `memories` counts what was saved, versions replaced since too; `recalls` counts what
    the recall log still keeps, `empty_recalls` those of them that found nothing.
    """

    day: date
    memories: int = 0
    observations: int = 0
    recalls: int = 0
    empty_recalls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyProject:
    """How much happened in a project."""

    project_id: str
    cwd: str
    memory_count: int
    observation_count: int
    recall_count: int

    @property
    def total(self) -> int:
        """What projects are compared by: items and recalls together."""
        return self.memory_count + self.observation_count + self.recall_count


@dataclass(frozen=True, slots=True, kw_only=True)
class OftenRecalled:
    """An item and how often the recall log has it as a hit."""

    item: RecalledItem
    times: int
    last_recalled_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSize:
    """Bytes on disk: the database, of it the texts and the index, and the write-ahead log.

    `text_bytes` are titles and texts, as in `ProjectDetail`; `index_bytes` is all else
    that is in use, which is mostly what finds them; free pages make up the rest. All
    are 0 for a store without files.
    """

    database_bytes: int = 0
    text_bytes: int = 0
    index_bytes: int = 0
    wal_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallFigures:
    """How recalls went, by what the log keeps. The durations are None without any."""

    count: int = 0
    empty_count: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None

    @property
    def hit_rate(self) -> float | None:
        """The share that found something, 0 to 1; None without any."""
        return 1 - self.empty_count / self.count if self.count else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What there is in all, or in one project. Counts come highest first, without zeros.

    `never_recalled` counts latest memories that are no hit of any recall in the log.
    `busiest` and `most_recalled` name at most 10; forgotten items are left out.
    `redacted` counts by kind what was taken out of what was ever stored.
    `size` is that of the whole store, also when one project is asked for.
    """

    memories: tuple[Count, ...]
    observations: tuple[Count, ...]
    version_count: int
    recalls: RecallFigures
    size: StoreSize
    busiest: tuple[BusyProject, ...]
    most_recalled: tuple[OftenRecalled, ...]
    never_recalled: int
    redacted: tuple[Count, ...] = ()

    @property
    def memory_count(self) -> int:
        """How many latest memories there are."""
        return sum(count.count for count in self.memories)

    @property
    def observation_count(self) -> int:
        """How many observations there are."""
        return sum(count.count for count in self.observations)


def last_days(now: datetime, days: int, utc_offset_minutes: int = 0) -> list[Day]:
    """Return so many days up to today, oldest first, of a zone so far east of UTC.

    Every day has 24 hours: the offset is the same for all of them.

    Raises:
        InvalidInput: `days` is not 1 to 366, or the offset is more than 14 hours.
    """
    if not 1 <= days <= DAYS_MAX:
        raise invalid("days", "out_of_range", f"must be 1 to {DAYS_MAX}")
    if abs(utc_offset_minutes) > UTC_OFFSET_MAX_MINUTES:
        raise invalid("utcOffset", "out_of_range", f"at most {UTC_OFFSET_MAX_MINUTES} minutes")
    zone = timezone(timedelta(minutes=utc_offset_minutes))
    midnight = datetime.combine(now.astimezone(zone).date(), time(), zone)
    starts = [midnight - timedelta(days=back) for back in range(days - 1, -1, -1)]
    return [Day(start.date(), start, start + timedelta(days=1)) for start in starts]


def recall_figures(durations_ms: Iterable[float], empty_count: int) -> RecallFigures:
    """Sum up recalls by how long each took."""
    ordered = sorted(durations_ms)
    return RecallFigures(
        count=len(ordered),
        empty_count=empty_count,
        p50_ms=_percentile(ordered, 50),
        p95_ms=_percentile(ordered, 95),
    )


def busiest_of(projects: Iterable[BusyProject]) -> tuple[BusyProject, ...]:
    """Return the projects with the most going on, the busiest first."""
    busy = [project for project in projects if project.total]
    return tuple(sorted(busy, key=lambda p: (-p.total, p.project_id))[:TOP_MAX])


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Return the smallest value that so many percent do not exceed."""
    return ordered[ceil(len(ordered) * percent / 100) - 1] if ordered else None
