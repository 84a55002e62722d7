"""Ids that count up."""

from __future__ import annotations

from itertools import count


class CountingIds:
    """Gives `mem_00000001`, `obs_00000002`, ... from one counter."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):08d}"
