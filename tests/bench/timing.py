"""How long a call takes, many times over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

Value = TypeVar("Value")


def times_ms(call: Callable[[Value], object], values: Iterable[Value]) -> list[float]:
    """Return how long each call took, in milliseconds."""
    taken = []
    for value in values:
        started_s = time.perf_counter()
        call(value)
        taken.append((time.perf_counter() - started_s) * 1_000)
    return taken
