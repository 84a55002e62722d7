"""What keeps a store safe: backups and the way back to them."""

from __future__ import annotations

from typing import Protocol

from ltm_tray.domain.checkup import Finding
from ltm_tray.domain.upkeep import Backup, BackupKind, Restored, Tell


class Told(Protocol):
    """Something that adds to what the health tells."""

    def facts(self) -> dict[str, str]:
        """Return facts by name; empty where there is none."""

    def problems(self) -> list[str]:
        """Return sentences about what does not work; empty when all is well."""


class Upkeep(Protocol):
    """A store that can be copied and brought back. Every method may be called from any thread.

    All methods raise `DatabaseBusy` when another writer blocks them too long and
    `BackendUnavailable` when the store, or the folder of its backups, cannot be used.
    """

    def back_up(self, kind: BackupKind, tell: Tell | None = None, /) -> Backup:
        """Copy the store as it is now, check the copy, and delete backups beyond the rule.

        Others read and write meanwhile. A backup that is cut off leaves nothing that
        counts as one. The rule is `domain.upkeep.superfluous`.
        """

    def backups(self) -> list[Backup]:
        """Return the backups, newest first; empty where there is none."""

    def is_empty(self) -> bool:
        """Tell whether there is nothing yet that a backup would keep."""

    def examine(self, *, full: bool) -> Finding:
        """Look whether the store is whole; `full` looks at everything, which can take minutes.

        It never raises for damage: that is what it tells. What can be made anew from the
        rest is offered as the finding's `mend`.
        """

    def give_log_back(self) -> str:
        """Write the write-ahead log into the file and shorten it; what was done, in words."""

    def restore(self, source: str, tell: Tell | None = None, /) -> Restored:
        """Bring the store back to a backup, named by its file's name or by a path.

        The present state is backed up first, so that it can be gone back to; where it
        cannot be read its file is set aside. It happens whole or not at all, for every
        program that uses the store; they may run meanwhile.

        Raises:
            NotFound: There is no such backup.
            InvalidInput: The file is no whole backup, or a newer version made it.
        """
