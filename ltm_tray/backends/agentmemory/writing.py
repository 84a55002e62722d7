"""Saving, capturing and forgetting in an agentmemory server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from ltm_tray.backends.agentmemory.link import Link, TimeLimit
from ltm_tray.backends.agentmemory.moments import Moments
from ltm_tray.backends.agentmemory.reading import Reader
from ltm_tray.backends.agentmemory.rows import (
    Captured,
    Deleted,
    MemoryRow,
    OneMemory,
    Session,
    memory_of,
)
from ltm_tray.domain.errors import BackendUnavailable
from ltm_tray.domain.memory import Forget, MemoryType, NewMemory, NewObservation, Observed, Saved
from ltm_tray.domain.similarity import jaccard
from ltm_tray.domain.text import same_text_key
from ltm_tray.domain.times import to_iso
from ltm_tray.ports import Clock

Names = tuple[str, ...]

_NEAREST_MAX = 20
"""A text that is nearly equal shares most words, so it stands far ahead."""


@dataclass(frozen=True, slots=True)
class _Labels:
    """What is saved with a text."""

    concepts: Names
    files: Names
    sources: Names

    def joined(self, old: _Labels) -> _Labels:
        """Return the labels of both, those of the old one first."""
        return _Labels(
            _union(old.concepts, self.concepts),
            _union(old.files, self.files),
            _union(old.sources, self.sources),
        )

    def inherited(self, old: _Labels) -> _Labels:
        """Return these, and of the old one what these do not name."""
        return _Labels(self.concepts or old.concepts, self.files or old.files, self.sources)


class Writer:
    """Writes over a link; every text passes `redact` before it leaves this process."""

    def __init__(
        self, link: Link, reader: Reader, *, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._link = link
        self._reader = reader
        self._clock = clock
        self._redact = redact
        self._moments = Moments(clock)

    def remember(self, item: NewMemory, within: TimeLimit) -> Saved:
        """See `MemoryBackend.remember`.

        The server cannot change a memory: a known text with new labels is saved again,
        with the labels of both, as a new version.
        """
        content = self._redact(item.content)
        labels = _Labels(
            tuple(map(self._redact, item.concepts)),
            tuple(map(self._redact, item.files)),
            item.source_observation_ids,
        )
        type_ = item.type
        old = self._replaced(content, item.project_id, within)
        if old:
            known = _labels_of(old)
            if _is_same(old.content, content):
                type_, labels = memory_of(old).type, labels.joined(known)
                if labels == known:
                    return Saved(id=old.id, type=type_, deduplicated=True)
            else:
                type_, labels = type_ or memory_of(old).type, labels.inherited(known)
        body = {
            "content": content,
            "project": item.project_id,
            "type": type_ or MemoryType.FACT,
            "concepts": labels.concepts,
            "files": labels.files,
            "sourceObservationIds": labels.sources,
        }
        saved = self._link.post("remember", body, OneMemory, within).memory
        return Saved(id=saved.id, type=memory_of(saved).type, supersedes=saved.parent_id)

    def observe(self, item: NewObservation, within: TimeLimit) -> Observed:
        """See `MemoryBackend.observe`; the server keeps 400 characters and no source."""
        session = Session(item.project_id, item.kind, item.session_id)
        # A tool's use is the one sort of event that keeps a title. The spaces keep the server's
        # own redaction, which works on JSON, from taking a closing quote along.
        body = {
            "hookType": "post_tool_use",
            "sessionId": session.key(),
            "project": item.project_id,
            "cwd": item.cwd,
            "timestamp": to_iso(self._clock()),
            "data": {
                "moment": item.dedup_key,
                "tool_name": self._redact(item.title) + " ",
                "tool_output": self._redact(item.narrative) + " ",
            },
        }
        with self._moments.storing((session, item.dedup_key)) as is_new:
            if not is_new:
                return Observed(observation_id=None)
            answer = self._link.post("observe", body, Captured, within)
            if answer.deduplicated:
                return Observed(observation_id=None)
            if answer.observation_id is None:
                raise BackendUnavailable("agentmemory did not say that it stored the observation.")
            return Observed(observation_id=answer.observation_id)

    def forget(self, item: Forget, within: TimeLimit) -> int:
        """See `MemoryBackend.forget`; the server checks no project, so this does."""
        deleted = sum(
            self._forget_memory(memory_id, item.project_id, within)
            for memory_id in dict.fromkeys(item.memory_ids)
        )
        if item.observation_ids:
            deleted += self._forget_observations(set(item.observation_ids), item.project_id, within)
        return deleted

    def _replaced(self, content: str, project_id: str, within: TimeLimit) -> MemoryRow | None:
        """Return the memory that has this text, else the one that the server will replace."""
        found = self._reader.search(content, project_id, within, limit=_NEAREST_MAX)
        texts = [
            (str(row.observation.get("id")), row.observation.get("narrative")) for row in found
        ]
        likely = [id_ for id_, text in texts if text and _is_same(text, content)]
        likely += [id_ for id_, text in texts if text and _is_replaced(text, content)]
        for found_id in likely:
            row = self._reader.memory(found_id, project_id, within)
            if row and row.is_latest:
                return row
        return None

    def _forget_memory(self, memory_id: str, project_id: str, within: TimeLimit) -> int:
        chain: list[str] = []
        row = self._reader.memory(memory_id, project_id, within)
        while row and row.id not in chain:
            chain.append(row.id)
            parent = row.parent_id
            row = self._reader.memory(parent, project_id, within) if parent else None
        # The oldest first: what fails midway can be asked for again by the same id.
        return sum(
            self._link.post("forget", {"memoryId": version}, Deleted, within).deleted
            for version in reversed(chain)
        )

    def _forget_observations(self, wanted: set[str], project_id: str, within: TimeLimit) -> int:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for _, session, row in self._reader.observations(project_id, within):
            if row.id in wanted:
                found[session.id].append(row.id)
                wanted.remove(row.id)
            if not wanted:
                break
        # Never a session without ids: the server would delete all of it.
        return sum(
            self._link.post(
                "forget", {"sessionId": session_id, "observationIds": ids}, Deleted, within
            ).deleted
            for session_id, ids in found.items()
        )


def _labels_of(row: MemoryRow) -> _Labels:
    return _Labels(row.concepts, row.files, row.source_observation_ids)


def _union(first: Names, second: Names) -> Names:
    return tuple(dict.fromkeys((*first, *second)))


def _is_same(old: str, new: str) -> bool:
    return same_text_key(old) == same_text_key(new)


def _is_replaced(old: str, new: str) -> bool:
    """Tell whether the server finds the texts nearly equal: by its rule, not by ours."""
    return jaccard(_server_words(old), _server_words(new)) > 0.7


def _server_words(text: str) -> frozenset[str]:
    return frozenset(word for word in text.lower().split() if len(word) > 2)
