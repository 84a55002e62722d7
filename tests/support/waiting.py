"""Waits for a condition instead of for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(
    met: Callable[[], T | None], what: str, *, timeout_s: float = 20, every_s: float = 0.02
) -> T:
    """Return the first true value of `met`; fail with `what` when none comes in time."""
    ends_at = time.monotonic() + timeout_s
    while time.monotonic() < ends_at:
        if found := met():
            return found
        time.sleep(every_s)
    raise AssertionError(f"not within {timeout_s} s: {what}")
