"""Where exports come from and imports go to, and what removes old texts for good."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ltm_tray.domain.archive import Limits, Outcome, Purged, PurgeWish, Record, Snapshot


class Archive(Protocol):
    """A store as a whole: to carry away, to take in, to clean up. For any thread.

    All methods raise `DatabaseBusy` when another writer blocks them too long and
    `BackendUnavailable` when the store cannot answer.
    """

    def snapshot(self, project_id: str | None = None, /) -> AbstractContextManager[Snapshot]:
        """Lend one state of the store, of one project or of all; it moves on meanwhile.

        Reads as it goes, and works where nothing may be written. Keep it open no longer
        than needed: until then nothing of the write-ahead log is given back.
        """

    def take_in(self, records: Sequence[Record], /) -> list[Outcome]:
        """Add records, all in one transaction, and return what became of each.

        A record equal to what is there is known, and so is a latest memory whose text
        its project has under another id: its labels are added to that one. Of two
        memories with one id the one saved again last counts; a memory replaced in
        either stays replaced. Bad is what names a project or an earlier version that is
        not there, an id that belongs to another project, or an observation that differs
        from the one that has its id. Nothing is compared by meaning: no record replaces
        another because it says nearly the same.
        """

    def rehearsal(self) -> AbstractContextManager[Archive]:
        """Lend a private copy, to see what an import would do; it is gone afterwards."""

    def purgeable(self, wish: PurgeWish, /) -> Purged:
        """Return what a purge would remove, without removing it."""

    def purge(self, wish: PurgeWish, /) -> Purged:
        """Remove what is wished for, and every trace of what was removed before.

        Afterwards no file of the store holds a text that its tables do not, nor an
        index term of one, but for older copies unless these are wished away too.
        Others may read and write meanwhile, and wait for a moment at times. A killed
        purge leaves a whole store; doing it again completes it.

        Raises:
            DatabaseBusy: Another program uses the store for too long; the rows are gone
                already, their traces not.
        """

    def delete_overdue(self, limits: Limits, most: int, /) -> int:
        """Delete at most so many overdue observations, oldest first, and return how many.

        Fewer than `most` means that none is left.
        """

    def count_overdue(self, limits: Limits, /) -> int:
        """Return how many observations are overdue."""
