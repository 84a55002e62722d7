"""One line per measurement, the machine it was made on, and the table of both."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measurement; `at_most` or `at_least` is what it must reach, in the same unit."""

    what: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """How much of the limit is used up; over 1 misses it. None without a limit."""
        if self.at_most is not None:
            return self.value / self.at_most if self.at_most else 2 * float(self.value > 0)
        if self.at_least is not None:
            return self.at_least / self.value if self.value else float("inf")
        return None


def machine() -> str:
    """Return what the numbers depend on."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| measure | measured | limit | of the limit | |", "|---|--:|--:|--:|---|"]
    for row in rows:
        limit = "at least " if row.at_least is not None else ""
        bound = row.at_most if row.at_most is not None else row.at_least
        ratio = row.ratio
        lines.append(
            f"| {row.what} | {_number(row.value)} {row.unit} "
            f"| {'' if bound is None else f'{limit}{_number(bound)} {row.unit}'} "
            f"| {'' if ratio is None else f'{ratio:.2f}'} "
            f"| {'' if ratio is None else 'reached' if ratio <= 1 else 'MISSED'} |"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.4g}"
