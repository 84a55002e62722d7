"""Carrying agentmemory's store away, taking one in, cleaning it up: each says it cannot be done."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NoReturn

from ltm_tray.domain.archive import Limits, Outcome, Purged, PurgeWish, Record, Snapshot
from ltm_tray.domain.errors import NotSupported
from ltm_tray.ports import Archive


class NoArchive:
    """An `Archive` of which every method raises `NotSupported`."""

    def snapshot(self, project_id: str | None = None, /) -> AbstractContextManager[Snapshot]:
        """See `Archive.snapshot`."""
        _refuse()

    def take_in(self, records: Sequence[Record], /) -> list[Outcome]:
        """See `Archive.take_in`."""
        _refuse()

    def rehearsal(self) -> AbstractContextManager[Archive]:
        """See `Archive.rehearsal`."""
        _refuse()

    def purgeable(self, wish: PurgeWish, /) -> Purged:
        """See `Archive.purgeable`."""
        _refuse()

    def purge(self, wish: PurgeWish, /) -> Purged:
        """See `Archive.purge`."""
        _refuse()

    def delete_overdue(self, limits: Limits, most: int, /) -> int:
        """See `Archive.delete_overdue`."""
        _refuse()

    def count_overdue(self, limits: Limits, /) -> int:
        """See `Archive.count_overdue`."""
        _refuse()


def _refuse() -> NoReturn:
    raise NotSupported(
        "Memories are kept by agentmemory; its own tools export, import and clean them up."
    )
