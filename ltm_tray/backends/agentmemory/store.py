"""AgentMemoryStore: the contract of a backend over an agentmemory server."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from ltm_tray.backends.agentmemory import recalling
from ltm_tray.backends.agentmemory.link import Link, TimeLimit
from ltm_tray.backends.agentmemory.reading import Reader
from ltm_tray.backends.agentmemory.rows import Alive, Condition, memory_of, observation_of
from ltm_tray.backends.agentmemory.unbrowsable import Unbrowsable
from ltm_tray.backends.agentmemory.writing import Writer
from ltm_tray.domain.errors import BackendUnavailable, LtmError, NotFound
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
from ltm_tray.ports import Clock

NAME = "agentmemory"
_HEALTH_TIMEOUT_S = 1.5
_RECALL_TIMEOUT_S = 2.0
_WRITE_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 10.0
"""For what must look through all that the server holds."""


class AgentMemoryStore(Unbrowsable):
    """Keeps memories in an agentmemory server; see `ports.Store` for every method.

    The server is asked about one project at a time and its answers are checked for it.
    A memory read back has no directory and no session, which the server does not keep.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        secret: Callable[[], str | None],
        redact: Callable[[str], str],
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet.

        `secret` is asked before each request; every text passes `redact` before it is sent.

        Raises:
            SettingsUnusable: The URL cannot be used.
        """
        self._link = Link(url, secret=secret, transport=transport)
        self._reader = Reader(self._link)
        self._writer = Writer(self._link, self._reader, clock=clock, redact=redact)
        self._redact = redact

    def remember(self, item: NewMemory, /) -> Saved:
        """See `MemoryBackend.remember`."""
        return self._writer.remember(item, TimeLimit(_WRITE_TIMEOUT_S))

    def recall(self, query: RecallQuery, /) -> list[RecallHit]:
        """See `MemoryBackend.recall`; it takes 2 s at most."""
        return recalling.recall(self._reader, query, self._redact, TimeLimit(_RECALL_TIMEOUT_S))

    def observe(self, item: NewObservation, /) -> Observed:
        """See `MemoryBackend.observe`."""
        return self._writer.observe(item, TimeLimit(_WRITE_TIMEOUT_S))

    def forget(self, item: Forget, /) -> int:
        """See `MemoryBackend.forget`."""
        return self._writer.forget(item, TimeLimit(_READ_TIMEOUT_S))

    def stats(self, project_id: str, /) -> ProjectStats:
        """See `MemoryBackend.stats`."""
        return self._reader.stats(project_id, TimeLimit(_READ_TIMEOUT_S))

    def health(self) -> Health:
        """See `MemoryBackend.health`."""
        facts = {"url": self._link.url}
        try:
            condition = self._condition(TimeLimit(_HEALTH_TIMEOUT_S))
        except LtmError as error:
            return Health(ok=False, backend=NAME, detail=error.message, facts=facts)
        well = condition.status == "healthy"
        return Health(
            ok=True,
            backend=NAME,
            detail=None if well else f"agentmemory says of itself: {condition.status[:40]}.",
            facts={**facts, "agentmemoryVersion": condition.version[:40]},
        )

    def close(self) -> None:
        """See `MemoryBackend.close`."""
        self._link.close()

    def memory(self, memory_id: str, /, *, project_id: str | None = None) -> Memory:
        """See `MemoryCatalog.memory`."""
        within = TimeLimit(_RECALL_TIMEOUT_S)
        row = self._reader.memory(memory_id, project_id, within)
        if row is None:
            raise NotFound(f"There is no memory {memory_id} here.")
        if row.parent_id and self._reader.memory(row.parent_id, row.project, within) is None:
            row.parent_id = None  # forgotten; the server keeps the name
        return memory_of(row)

    def versions(self, memory_id: str, /) -> list[Memory]:
        """See `MemoryCatalog.versions`."""
        within = TimeLimit(_READ_TIMEOUT_S)
        row = self._reader.memory(memory_id, None, within)
        if row is None:
            return []
        rows = self._reader.memories(row.project or "", within)
        newer = {other.parent_id: other.id for other in rows.values() if other.parent_id}
        at: str | None = memory_id
        while at in newer:
            at = newer.pop(at)
        chain: list[Memory] = []
        while at in rows:
            chain.append(memory_of(rows.pop(at)))
            at = chain[-1].parent_id
        return chain

    def observation(self, observation_id: str, /, *, project_id: str | None = None) -> Observation:
        """See `MemoryCatalog.observation`."""
        found = self._reader.observations(project_id, TimeLimit(_READ_TIMEOUT_S))
        for session, row, observed in found:
            if observed.id == observation_id:
                return observation_of(observed, session, row.cwd)
        raise NotFound(f"There is no observation {observation_id} here.")

    def _condition(self, within: TimeLimit) -> Condition:
        alive = self._link.get("livez", Alive, within)
        condition = self._link.get("health", Condition, within)
        if alive is None or alive.service != NAME or condition is None:
            raise BackendUnavailable(
                f"What answers at {self._link.url} is not agentmemory; "
                "correct agentmemoryUrl in the settings."
            )
        return condition
