"""Keeps the observations within the limits of the settings while the app runs, bit by bit."""

from __future__ import annotations

import logging
import threading

from ltm_tray.archive import ArchiveService
from ltm_tray.domain.errors import LtmError

_FIRST_LOOK_S = 2.0
_LOOK_EVERY_S = 600.0
_PAUSE_S = 1.0
_END_WITHIN_S = 0.5

logger = logging.getLogger(__name__)


class Tidying:
    """A thread that looks every ten minutes, and pauses between the few deletions of one step.

    Changed settings count from the next look on.
    """

    def __init__(
        self,
        archive: ArchiveService,
        *,
        first_look_s: float = _FIRST_LOOK_S,
        look_every_s: float = _LOOK_EVERY_S,
        pause_s: float = _PAUSE_S,
    ) -> None:
        self._archive = archive
        self._wait_s = first_look_s
        self._look_every_s = look_every_s
        self._pause_s = pause_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="tidying", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, but do not wait for another program that keeps the store locked."""
        self._ended.set()
        self._thread.join(_END_WITHIN_S)

    def _work(self) -> None:
        while not self._ended.wait(self._wait_s):
            self._wait_s = self._pause_s if self._step() else self._look_every_s

    def _step(self) -> bool:
        try:
            return self._archive.delete_some_overdue()
        except LtmError as error:
            logger.warning("Old observations cannot be deleted now: %s", error.code)
            return False
