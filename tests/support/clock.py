"""A clock that tests set and move by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Lock


class TickingClock:
    """Starts at a fixed time and moves one millisecond with each look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        self._guard = Lock()

    def __call__(self) -> datetime:
        with self._guard:
            self._now += timedelta(milliseconds=1)
            return self._now

    def advance(self, seconds: float) -> None:
        """Move forward, or back with a negative number."""
        with self._guard:
            self._now += timedelta(seconds=seconds)
