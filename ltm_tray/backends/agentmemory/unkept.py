"""What an agentmemory server keeps safe by its own means, and not through this program."""

from __future__ import annotations

from ltm_tray.domain.checkup import Finding, fine
from ltm_tray.domain.errors import NotSupported
from ltm_tray.domain.upkeep import Backup, BackupKind, Restored, Tell

_SENTENCE = "agentmemory keeps its data itself; back its folder up by its own tools."


class NoUpkeep:
    """Has no backups and makes none; see `ports.Upkeep`."""

    def back_up(self, kind: BackupKind, tell: Tell | None = None, /) -> Backup:
        """Raise `NotSupported`."""
        raise NotSupported(_SENTENCE)

    def backups(self) -> list[Backup]:
        """Return nothing."""
        return []

    def is_empty(self) -> bool:
        """Return True: there is nothing that this program would back up."""
        return True

    def examine(self, *, full: bool) -> Finding:
        """Return that there is nothing of ours to look at."""
        return fine("integrity", "agentmemory looks after its data itself.")

    def give_log_back(self) -> str:
        """Do nothing."""
        return "There is no log of ours."

    def restore(self, source: str, tell: Tell | None = None, /) -> Restored:
        """Raise `NotSupported`."""
        raise NotSupported(_SENTENCE)
