"""MemoryService: the verbs and their rules, for every front; no front goes around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from ltm_tray.domain import requests
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
from ltm_tray.domain.errors import LtmDisabled, NotSupported, invalid
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.figures import DayActivity, Totals
from ltm_tray.domain.health import Notice, StoreState
from ltm_tray.domain.memory import (
    Health,
    Memory,
    NewObservation,
    Observation,
    ObservationKind,
    Observed,
    ProjectStats,
    RecallHit,
    RecallQuery,
    Saved,
)
from ltm_tray.domain.payload import Message, payload_of
from ltm_tray.domain.project import project_of
from ltm_tray.ports import CaptureRules, Clock, Setting, Store, Switch, Told


class MemoryService:
    """What people and programs can do with the memory. Safe to use from any thread.

    Every verb raises `LtmDisabled` while the switch is off, before it looks at
    anything else, and `InvalidInput` for values that break a rule; browsing,
    `stats` and `health` work either way. Backend errors pass through.
    """

    def __init__(
        self,
        store: Store,
        *,
        switch: Switch,
        clock: Clock,
        upkeep: Told | None = None,
        notices: Sequence[Notice] = (),
    ) -> None:
        """Take the store and what the service obeys; `upkeep` and `notices` add to the health."""
        self._store = store
        self._upkeep = upkeep
        self._notices = notices
        self._switch = switch
        self._clock = clock

    # The verbs

    def require_enabled(self) -> None:
        """Raise `LtmDisabled` while the switch is off."""
        self._required_rules()

    def remember(self, request: requests.RememberRequest) -> Saved:
        """Save a memory; see `MemoryBackend.remember`."""
        self.require_enabled()
        item = requests.new_memory(request, project_of(request.cwd))
        return replace(self._store.remember(item), redacted=item.redacted)

    def recall(self, request: requests.RecallRequest) -> list[RecallHit]:
        """Return the project's best hits and note the question in the recall log."""
        rules = self._required_rules()
        query = requests.recall_query(request, project_of(request.cwd))
        asked_at, started_s = self._clock(), perf_counter()
        hits = self._store.recall(query)
        if rules.log_recalls:
            redactor = requests.new_redactor()
            asked = redactor.text(query.text)
            self._note(
                RecallLogEntry(
                    project_id=query.project_id or "",
                    query=asked[:1_000],
                    source=request.source,
                    session_id=request.session_id,
                    hit_ids=tuple(hit.id for hit in hits),
                    duration_ms=(perf_counter() - started_s) * 1_000,
                    asked_at=asked_at,
                    redacted=redactor.counts,
                )
            )
        return hits

    def observe(self, request: requests.ObserveRequest) -> Observed:
        """Store what a moment left behind; see `MemoryBackend.observe`."""
        rules = self._required_rules()
        return self._observe(requests.new_observation(request, project_of(request.cwd)), rules)

    def observe_messages(
        self, request: requests.ObserveRequest, messages: Sequence[Message]
    ) -> Observed:
        """Store what messages say; title and narrative of the request are made from them.

        Raises:
            InvalidInput: No message holds text of a user or an assistant.
        """
        rules = self._required_rules()
        kind = request.kind if request.kind in set(ObservationKind) else ObservationKind.AGENT_END
        redactor = requests.new_redactor()
        # Before they are cut: half a secret would not be known as one.
        spoken = [Message(message.role, redactor.words(message.text)) for message in messages]
        payload = payload_of(ObservationKind(kind), spoken)
        if payload is None:
            raise invalid("messages", "required", "hold no text of a user or an assistant")
        made = replace(request, title=payload.title, narrative=payload.narrative)
        item = requests.new_observation(made, project_of(request.cwd))
        return self._observe(replace(item, redacted=redactor.counts_with(item.redacted)), rules)

    def forget(self, request: requests.ForgetRequest) -> int:
        """Delete by id and return how many rows went; see `MemoryBackend.forget`."""
        self.require_enabled()
        return self._store.forget(requests.forget(request, project_of(request.cwd)))

    def _observe(self, item: NewObservation, rules: CaptureRules) -> Observed:
        wanted = {
            ObservationKind.AGENT_END: rules.observe_agent_end,
            ObservationKind.PRE_COMPACT: rules.observe_pre_compact,
        }
        if not wanted[item.kind]:
            raise LtmDisabled(f"Capturing {item.kind} is switched off in the settings.")
        return replace(self._store.observe(item), redacted=item.redacted)

    # The switch and the state

    def _required_rules(self) -> CaptureRules:
        rules = self._switch.rules()
        if not rules.enabled:
            raise LtmDisabled("Long-term memory is switched off; switch it on to save and recall.")
        return rules

    @property
    def enabled(self) -> bool:
        """Whether the switch is on now."""
        return self._switch.rules().enabled

    def set_enabled(self, *, enabled: bool) -> None:
        """Throw the switch for every process; see `Switch.set_enabled`."""
        self._switch.set_enabled(enabled=enabled)

    def settings(self) -> list[Setting]:
        """Return the effective settings with their origin."""
        return self._switch.effective()

    def now(self) -> datetime:
        """Return the time by the clock that dates what is saved."""
        return self._clock()

    def health(self) -> Health:
        """Return the backend's health, with what settings and upkeep add to it."""
        health = self._store.health()
        problems = self._switch.problems()
        facts = health.facts
        if self._upkeep is not None:
            problems = problems + self._upkeep.problems()
            facts = facts | self._upkeep.facts()
        noticed = [notice.sentence for notice in self._notices]
        detail = " ".join(filter(None, [health.detail, *problems, *noticed]))
        state = StoreState.NOTED if noticed and health.state is StoreState.OK else health.state
        return replace(health, state=state, detail=detail or None, facts=facts)

    def stats(self, cwd: str) -> ProjectStats:
        """Return the counts of the project of `cwd`; zeros for an unknown one."""
        return self._store.stats(project_of(cwd).id)

    def close(self) -> None:
        """Close the backend; calling it again does nothing."""
        self._store.close()

    # Browsing

    def search(self, query: RecallQuery) -> list[RecallHit]:
        """Find without logging, over all projects if the query names none (the console)."""
        return self._store.recall(query)

    def projects(self) -> list[ProjectSummary]:
        """See `MemoryCatalog.projects`."""
        return self._store.projects()

    def project(self, project_id: str) -> ProjectDetail:
        """See `MemoryCatalog.project`."""
        return self._store.project(project_id)

    def project_details(self) -> list[ProjectDetail]:
        """See `MemoryCatalog.project_details`."""
        return self._store.project_details()

    def newest(
        self,
        wanted: ItemFilter = EVERYTHING,
        *,
        limit: int = 50,
        cursor: str | None = None,
        text: str | None = None,
    ) -> ItemPage:
        """See `MemoryCatalog.newest`."""
        return self._store.newest(wanted, limit=limit, cursor=cursor, text=text)

    def items(
        self, wanted: ItemFilter = EVERYTHING, text: str | None = None
    ) -> Iterator[Memory | Observation]:
        """See `MemoryCatalog.items`."""
        return self._store.items(wanted, text)

    def facets(self, wanted: ItemFilter = EVERYTHING, text: str | None = None) -> Facets:
        """See `MemoryCatalog.facets`."""
        return self._store.facets(wanted, text)

    def memory(self, memory_id: str, *, cwd: str | None = None) -> Memory:
        """See `MemoryCatalog.memory`; with `cwd`, only within that project."""
        return _placed(self._store.memory(memory_id, project_id=_project_id(cwd)), cwd)

    def versions(self, memory_id: str, *, cwd: str | None = None) -> list[Memory]:
        """See `MemoryCatalog.versions`; `cwd` is told of those that have none themselves."""
        return [_placed(version, cwd) for version in self._store.versions(memory_id)]

    def observation(self, observation_id: str, *, cwd: str | None = None) -> Observation:
        """See `MemoryCatalog.observation`; with `cwd`, only within that project."""
        return self._store.observation(observation_id, project_id=_project_id(cwd))

    def recalls(
        self,
        wanted: RecallLogFilter = EVERY_RECALL,
        *,
        limit: int = 50,
        before_id: int | None = None,
    ) -> RecallPage:
        """See `MemoryCatalog.recalls`."""
        return self._store.recalls(wanted, limit=limit, before_id=before_id)

    def recall_entry(self, entry_id: int) -> RecallDetail:
        """See `MemoryCatalog.recall_entry`."""
        return self._store.recall_entry(entry_id)

    def recalls_of(self, item_id: str, *, limit: int = 20) -> list[RecallLogEntry]:
        """See `MemoryCatalog.recalls_of`."""
        return self._store.recalls_of(item_id, limit=limit)

    def activity(
        self, days: int, *, project_id: str | None = None, utc_offset_minutes: int = 0
    ) -> list[DayActivity]:
        """See `MemoryCatalog.activity`."""
        return self._store.activity(
            days, project_id=project_id, utc_offset_minutes=utc_offset_minutes
        )

    def sparklines(self, days: int, *, utc_offset_minutes: int = 0) -> dict[str, tuple[int, ...]]:
        """See `MemoryCatalog.sparklines`."""
        return self._store.sparklines(days, utc_offset_minutes=utc_offset_minutes)

    def totals(self, project_id: str | None = None) -> Totals:
        """See `MemoryCatalog.totals`."""
        return self._store.totals(project_id)

    def _note(self, entry: RecallLogEntry) -> None:
        with suppress(NotSupported):  # a backend without a log answers all the same
            self._store.record_recall(entry)


def _project_id(cwd: str | None) -> str | None:
    return None if cwd is None else project_of(cwd).id


def _placed(memory: Memory, cwd: str | None) -> Memory:
    return memory if memory.cwd or cwd is None else replace(memory, cwd=project_of(cwd).cwd)
