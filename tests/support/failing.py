"""A store that fails in a chosen way."""

from __future__ import annotations

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.domain.catalog import ProjectSummary
from ltm_tray.domain.memory import NewMemory, RecallHit, RecallQuery, Saved
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds


class FailingStore(InMemoryStore):
    """Raises `error` when asked to remember, to recall or to list projects."""

    def __init__(self, error: Exception) -> None:
        super().__init__(clock=TickingClock(), new_id=CountingIds())
        self.error = error

    def remember(self, item: NewMemory, /) -> Saved:
        raise self.error

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        raise self.error

    def projects(self) -> list[ProjectSummary]:
        raise self.error
