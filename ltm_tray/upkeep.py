"""UpkeepService: backups, restores and their daily thread, for every front."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from ltm_tray.domain.checkup import Finding
from ltm_tray.domain.errors import InvalidInput, LtmError, NotFound
from ltm_tray.domain.times import to_iso
from ltm_tray.domain.upkeep import Backup, BackupKind, Restored, Tell
from ltm_tray.ports import Clock, Upkeep

_EVERY = timedelta(days=1)
_FIRST_LOOK_S = 60.0
_LOOK_EVERY_S = 1_800.0
_END_WITHIN_S = 0.5

logger = logging.getLogger(__name__)


class UpkeepService:
    """Makes backups and goes back to them. Safe to use from any thread.

    It works whether memory is on or off: a backup adds nothing that is not there.
    """

    def __init__(self, upkeep: Upkeep, *, clock: Clock) -> None:
        self._upkeep = upkeep
        self._clock = clock
        self._trouble: str | None = None

    def back_up(self, tell: Tell | None = None) -> Backup:
        """Make a backup that is kept until a person deletes it; see `Upkeep.back_up`."""
        return self._made(BackupKind.MANUAL, tell)

    def back_up_if_due(self) -> Backup | None:
        """Make the daily backup if the newest one is a day old; None where none is due.

        A store that holds nothing needs none. A time that was set back does not stop the
        backups: one that seems to be of the future does not count.
        """
        now = self._clock()
        times = [b.made_at for b in self.backups() if b.kind is BackupKind.DAILY]
        if any(timedelta(0) <= now - time < _EVERY for time in times) or self._upkeep.is_empty():
            return None
        return self._made(BackupKind.DAILY, None)

    def backups(self) -> list[Backup]:
        """Return the backups, newest first; empty where there is none."""
        return self._upkeep.backups()

    def is_empty(self) -> bool:
        """See `Upkeep.is_empty`."""
        return self._upkeep.is_empty()

    def examine(self, *, full: bool) -> Finding:
        """See `Upkeep.examine`."""
        return self._upkeep.examine(full=full)

    def give_log_back(self) -> str:
        """See `Upkeep.give_log_back`."""
        return self._upkeep.give_log_back()

    def restore(self, source: str | None = None, tell: Tell | None = None) -> Restored:
        """Bring the store back to a backup; without a name to the newest that is whole.

        See `Upkeep.restore`.
        """
        if source is not None:
            return self._upkeep.restore(source, tell)
        for backup in self.backups():
            try:
                return self._upkeep.restore(backup.name, tell)
            except InvalidInput as error:
                logger.warning("The backup %s is passed over: %s", backup.name, error.code)
        raise NotFound("There is no whole backup; make one with: ltm-tray backup")

    def facts(self) -> dict[str, str]:
        """Return when the last backup was made, for the health; nothing where there is none."""
        newest = next(iter(self.backups()), None)
        return {} if newest is None else {"lastBackupAt": to_iso(newest.made_at)}

    def problems(self) -> list[str]:
        """Return sentences about the last backup if it failed; empty when all is well."""
        return [] if self._trouble is None else [self._trouble]

    def _made(self, kind: BackupKind, tell: Tell | None) -> Backup:
        try:
            made = self._upkeep.back_up(kind, tell)
        except LtmError as error:
            self._trouble = f"The last backup failed: {error.message}"
            raise
        self._trouble = None
        return made


class DailyBackups:
    """A thread that looks every half hour whether the daily backup is due."""

    def __init__(
        self,
        upkeep: UpkeepService,
        *,
        first_look_s: float = _FIRST_LOOK_S,
        look_every_s: float = _LOOK_EVERY_S,
    ) -> None:
        self._upkeep = upkeep
        self._wait_s = first_look_s
        self._look_every_s = look_every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="daily-backups", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, but do not wait for a backup that is being made: it is dropped."""
        self._ended.set()
        self._thread.join(_END_WITHIN_S)

    def _work(self) -> None:
        while not self._ended.wait(self._wait_s):
            self._wait_s = self._look_every_s
            try:
                made = self._upkeep.back_up_if_due()
            except LtmError as error:
                logger.warning("The daily backup failed: %s", error.code)
            else:
                if made is not None:
                    logger.info("Daily backup: %s, %d bytes", made.name, made.size_bytes)
