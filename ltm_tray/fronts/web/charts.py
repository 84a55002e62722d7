"""Where the bars, lines and labels of a chart stand; templates draw them as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 720, 190
"""The size of a chart's drawing area with its labels, in units of its view box."""
_LEFT, _TOP, _BOTTOM = 46, 12, 26
_LABELS_MAX = 8
_TICKS = 4
_WEEKLY_FROM_DAYS = 100
SPARK_WIDTH, SPARK_HEIGHT = 120, 28
"""The size of a sparkline."""


@dataclass(frozen=True, slots=True)
class Column:
    """What a chart shows of one day or week: its name, and its numbers, stacked upwards."""

    name: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `series` is the place of its number in its column."""

    x: float
    y: float
    width: float
    height: float
    series: int
    told: str


@dataclass(frozen=True, slots=True)
class Label:
    """A text at an axis, at `at` along it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All that is drawn. `columns` is the same as numbers, for a table."""

    bars: tuple[Bar, ...]
    line: str
    across: tuple[Label, ...]
    up: tuple[Label, ...]
    columns: tuple[Column, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    base: int = HEIGHT - _BOTTOM

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but zeros."""
        return not any(sum(column.numbers) for column in self.columns)


def by_time(days: Sequence[tuple[date, tuple[int, ...]]], series: Sequence[str]) -> Chart:
    """Return bars for days, or for weeks of seven days where there are more than a hundred."""
    if len(days) > _WEEKLY_FROM_DAYS:
        days = _weeks(days)
    columns = tuple(Column(f"{day.day} {day:%b %Y}", numbers) for day, numbers in days)
    top = _nice(max((sum(column.numbers) for column in columns), default=0))
    step = (WIDTH - _LEFT) / max(1, len(columns))
    bars: list[Bar] = []
    for at, column in enumerate(columns):
        y = float(HEIGHT - _BOTTOM)
        for place, number in enumerate(column.numbers):
            height = _scaled(number, top)
            y -= height
            if number:
                told = f"{column.name}: {number:,} {series[place]}"
                x = round(_LEFT + at * step + step * 0.12, 1)
                bars.append(
                    Bar(x, round(y, 1), round(step * 0.76, 1), round(height, 1), place, told)
                )
    return _chart(tuple(bars), "", columns, top)


def running(days: Sequence[tuple[date, int]]) -> Chart:
    """Return a line of a number over days."""
    columns = tuple(Column(f"{day.day} {day:%b %Y}", (number,)) for day, number in days)
    top = _nice(max((number for _, number in days), default=0))
    step = (WIDTH - _LEFT) / max(1, len(days) - 1)
    points = [
        f"{_LEFT + at * step:.1f},{HEIGHT - _BOTTOM - _scaled(number, top):.1f}"
        for at, (_, number) in enumerate(days)
    ]
    return _chart((), " ".join(points), columns, top)


def spark(numbers: Sequence[int]) -> str:
    """Return the points of a sparkline; empty for nothing but zeros."""
    top = max(numbers, default=0)
    if not top:
        return ""
    step = SPARK_WIDTH / max(1, len(numbers) - 1)
    room = SPARK_HEIGHT - 4
    return " ".join(
        f"{at * step:.1f},{SPARK_HEIGHT - 2 - room * number / top:.1f}"
        for at, number in enumerate(numbers)
    )


def _chart(bars: tuple[Bar, ...], line: str, columns: tuple[Column, ...], top: int) -> Chart:
    every = max(1, -(-len(columns) // _LABELS_MAX))
    step = (WIDTH - _LEFT) / max(1, len(columns))
    across = tuple(
        Label(round(_LEFT + (at + 0.5) * step, 1), columns[at].name.rsplit(" ", 1)[0])
        for at in range(0, len(columns), every)
    )
    ticks = sorted({round(top * tick / _TICKS) for tick in range(_TICKS + 1)})
    up = tuple(
        Label(round(HEIGHT - _BOTTOM - _scaled(tick, top), 1), f"{tick:,}") for tick in ticks
    )
    return Chart(bars=bars, line=line, across=across, up=up, columns=columns)


def _weeks(days: Sequence[tuple[date, tuple[int, ...]]]) -> list[tuple[date, tuple[int, ...]]]:
    first = len(days) % 7
    starts = [*([0] if first else []), *range(first, len(days), 7)]
    ends = [*starts[1:], len(days)]
    weeks = []
    for start, end in zip(starts, ends, strict=True):
        sums = tuple(sum(values) for values in zip(*(n for _, n in days[start:end]), strict=True))
        weeks.append((days[end - 1][0] - timedelta(days=end - 1 - start), sums))
    return weeks


def _nice(top: int) -> int:
    """Return a round number that is not smaller, and at least 4, so that ticks are whole."""
    size = 1
    while True:
        for lead in (4, 8, 10, 20):
            if lead * size >= top:
                return lead * size
        size *= 10


def _scaled(number: int, top: int) -> float:
    return (HEIGHT - _BOTTOM - _TOP) * number / top
