"""What agentmemory cannot do: every call says so, in a sentence that the console shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from ltm_tray.domain.catalog import (
    EVERY_RECALL,
    EVERYTHING,
    ItemFilter,
    ItemPage,
    ProjectDetail,
    ProjectSummary,
    RecallDetail,
    RecallLogEntry,
    RecallLogFilter,
    RecallPage,
)
from ltm_tray.domain.errors import NotSupported
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.figures import DayActivity, Totals
from ltm_tray.domain.memory import Memory, Observation


class Unbrowsable:
    """The part of `MemoryCatalog` that lists and counts; each method raises `NotSupported`."""

    def projects(self) -> list[ProjectSummary]:
        """See `MemoryCatalog.projects`."""
        _no_lists()

    def project(self, project_id: str, /) -> ProjectDetail:
        """See `MemoryCatalog.project`."""
        _no_lists()

    def project_details(self) -> list[ProjectDetail]:
        """See `MemoryCatalog.project_details`."""
        _no_lists()

    def newest(
        self,
        wanted: ItemFilter = EVERYTHING,
        /,
        *,
        limit: int = 50,
        cursor: str | None = None,
        text: str | None = None,
    ) -> ItemPage:
        """See `MemoryCatalog.newest`."""
        _no_lists()

    def items(
        self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None
    ) -> Iterator[Memory | Observation]:
        """See `MemoryCatalog.items`."""
        _no_lists()

    def facets(self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None) -> Facets:
        """See `MemoryCatalog.facets`."""
        _no_lists()

    def record_recall(self, entry: RecallLogEntry, /) -> None:
        """See `MemoryCatalog.record_recall`."""
        _no_log()

    def recalls(
        self,
        wanted: RecallLogFilter = EVERY_RECALL,
        /,
        *,
        limit: int = 50,
        before_id: int | None = None,
    ) -> RecallPage:
        """See `MemoryCatalog.recalls`."""
        _no_log()

    def recall_entry(self, entry_id: int, /) -> RecallDetail:
        """See `MemoryCatalog.recall_entry`."""
        _no_log()

    def recalls_of(self, item_id: str, /, *, limit: int = 20) -> list[RecallLogEntry]:
        """See `MemoryCatalog.recalls_of`."""
        _no_log()

    def activity(
        self, days: int, /, *, project_id: str | None = None, utc_offset_minutes: int = 0
    ) -> list[DayActivity]:
        """See `MemoryCatalog.activity`."""
        _no_figures()

    def sparklines(
        self, days: int, /, *, utc_offset_minutes: int = 0
    ) -> dict[str, tuple[int, ...]]:
        """See `MemoryCatalog.sparklines`."""
        _no_figures()

    def totals(self, project_id: str | None = None, /) -> Totals:
        """See `MemoryCatalog.totals`."""
        _no_figures()


def _no_lists() -> NoReturn:
    raise NotSupported(
        "Memories are kept by agentmemory, which cannot list them by project; "
        "its own viewer shows them."
    )


def _no_log() -> NoReturn:
    raise NotSupported(
        "Memories are kept by agentmemory, which keeps no log of what was asked and found."
    )


def _no_figures() -> NoReturn:
    raise NotSupported("Memories are kept by agentmemory, which has no figures by day and project.")
