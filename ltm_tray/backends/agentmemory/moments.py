"""Which moments were captured lately, so that a repeated one is stored once."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from ltm_tray.domain.memory import DEDUP_WINDOW_S
from ltm_tray.ports import Clock


class Moments:
    """Knows the moments that this process stored in the last ten minutes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._stored: dict[Hashable, datetime] = {}

    @contextmanager
    def storing(self, moment: Hashable) -> Iterator[bool]:
        """Tell whether the moment is new; it stays so if the block fails."""
        now = self._clock()
        with self._guard:
            window = timedelta(seconds=DEDUP_WINDOW_S)  # both ways: a clock can be put back
            self._stored = {k: at for k, at in self._stored.items() if abs(now - at) < window}
            is_new = moment not in self._stored
            self._stored.setdefault(moment, now)
        try:
            yield is_new
        except BaseException:
            if is_new:
                with self._guard:
                    self._stored.pop(moment, None)
            raise
