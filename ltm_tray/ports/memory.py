"""Where memories live, and how they are browsed: the contract of every backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

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
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.figures import DayActivity, Totals
from ltm_tray.domain.memory import (
    Forget,
    Health,
    Memory,
    NewMemory,
    NewObservation,
    Observation,
    Observed,
    ProjectStats,
    RecallHit,
    RecallQuery,
    Saved,
)


class MemoryBackend(Protocol):
    """Where memories live. Every method may be called from any thread.

    All methods raise `DatabaseBusy` when another writer blocks them too long and
    `BackendUnavailable` when the store cannot answer; none returns an empty success
    in place of a failure.
    """

    def remember(self, item: NewMemory, /) -> Saved:
        """Save a memory, or find it saved already.

        A text equal to a latest memory of the project after NFC and white-space
        folding adds no row: its id comes back with `deduplicated`, concepts, files
        and source ids merged into it. Otherwise the latest memory of the project
        with the highest Jaccard similarity above 0.7 is superseded (the newest of
        equals); the new version inherits its type, concepts and files where the new
        one names none. All of it happens or none.
        """

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        """Return the best hits, at most `limit`, best first; equals newest first.

        Only latest memories are found; one that holds a single term of the query may
        be. Where nothing holds any, words that begin with a term are found. A text
        without a searchable term finds nothing.
        """

    def observe(self, item: NewObservation, /) -> Observed:
        """Store an observation unless the same moment was stored in the last ten minutes."""

    def forget(self, item: Forget, /) -> int:
        """Delete the named items of the project and return how many rows went.

        A memory goes with its earlier versions, which say nearly the same. Unknown
        ids, and ids of other projects, count nothing.
        """

    def stats(self, project_id: str, /) -> ProjectStats:
        """Return the counts of one project; zeros for an unknown one."""

    def health(self) -> Health:
        """Tell whether the backend can answer now; never raises."""

    def close(self) -> None:
        """Release everything; calling it again does nothing."""


class MemoryCatalog(Protocol):
    """What the console browses. A backend that cannot browse raises `NotSupported`."""

    def projects(self) -> list[ProjectSummary]:
        """Return all projects, last seen first."""

    def project(self, project_id: str, /) -> ProjectDetail:
        """Return a project with its last uses and size.

        Raises:
            NotFound: Nothing was ever saved or captured there.
        """

    def project_details(self) -> list[ProjectDetail]:
        """Return all projects with their last uses and sizes, last seen first."""

    def newest(
        self,
        wanted: ItemFilter = EVERYTHING,
        /,
        *,
        limit: int = 50,
        cursor: str | None = None,
        text: str | None = None,
    ) -> ItemPage:
        """Return latest memories and observations, newest first; with a `text`, what it finds.

        `cursor` comes from the page before; rows saved meanwhile do not shift pages.

        Raises:
            InvalidInput: The cursor is not one of ours.
        """

    def items(
        self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None
    ) -> Iterator[Memory | Observation]:
        """Yield the latest memories and observations whole, newest first, for an export.

        With a `text`, all that it finds. Reads a batch at a time: memory stays small, and
        what is saved or forgotten meanwhile moves nothing else. Errors come while iterating.
        """

    def facets(self, wanted: ItemFilter = EVERYTHING, /, text: str | None = None) -> Facets:
        """Count what `newest` lists under a filter; with a `text`, what a recall could find.

        A text without a searchable term finds nothing.
        """

    def memory(self, memory_id: str, /, *, project_id: str | None = None) -> Memory:
        """Return a memory, latest or not; its `cwd` is empty where the backend keeps none.

        Raises:
            NotFound: No memory (of this project, if one is given) has the id.
        """

    def versions(self, memory_id: str, /) -> list[Memory]:
        """Return all versions of a memory, newest first; empty for an unknown id."""

    def observation(self, observation_id: str, /, *, project_id: str | None = None) -> Observation:
        """Return an observation.

        Raises:
            NotFound: No observation (of this project, if one is given) has the id.
        """

    def record_recall(self, entry: RecallLogEntry, /) -> None:
        """Note a recall; `id` is ignored. The log keeps the newest 5,000 entries.

        Never waits for another writer: the entry may be written a little later, in
        order, at the latest by `recalls` or `close`.
        """

    def recalls(
        self,
        wanted: RecallLogFilter = EVERY_RECALL,
        /,
        *,
        limit: int = 50,
        before_id: int | None = None,
    ) -> RecallPage:
        """Return entries of the recall log, newest first; `before_id` is from the page before."""

    def recall_entry(self, entry_id: int, /) -> RecallDetail:
        """Return an entry of the recall log with what its hits are now.

        Raises:
            NotFound: The log does not have it, or no longer.
        """

    def recalls_of(self, item_id: str, /, *, limit: int = 20) -> list[RecallLogEntry]:
        """Return the entries that have the item as a hit, newest first; empty for none."""

    def activity(
        self, days: int, /, *, project_id: str | None = None, utc_offset_minutes: int = 0
    ) -> list[DayActivity]:
        """Return what happened on each of so many days up to today, oldest first.

        Days are those of a zone so far east of UTC, 24 hours each; one on which nothing
        happened is there with zeros. What is dated after today is left out.

        Raises:
            InvalidInput: `days` is not 1 to 366, or the offset is more than 14 hours.
        """

    def sparklines(
        self, days: int, /, *, utc_offset_minutes: int = 0
    ) -> dict[str, tuple[int, ...]]:
        """Return for each project how much happened on each day, as `activity` counts it.

        Saves, observations and recalls are added up; a project without any is left out.

        Raises:
            InvalidInput: As `activity`.
        """

    def totals(self, project_id: str | None = None, /) -> Totals:
        """Return what there is in all, or in one project; zeros for an unknown one."""


class Store(MemoryBackend, MemoryCatalog, Protocol):
    """A backend that can also be browsed."""
