"""Recall: the server finds; its hits are checked, narrowed, and put in our order."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ltm_tray.backends.agentmemory.link import TimeLimit, required
from ltm_tray.backends.agentmemory.reading import QUERY_CHARACTERS_MAX, Reader
from ltm_tray.backends.agentmemory.rows import (
    FoundRow,
    ObservationRow,
    Session,
    memory_of,
    observation_of,
    session_of,
)
from ltm_tray.domain.analysis import QueryTerm, begun_terms, query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item
from ltm_tray.domain.errors import NotSupported
from ltm_tray.domain.hits import hit_of, memory_item, observation_item
from ltm_tray.domain.memory import HitKind, RecallHit, RecallQuery, Sort
from ltm_tray.domain.ranking import Rated, rate_all
from ltm_tray.domain.snippet import matches, window_of
from ltm_tray.domain.stopwords import STOP_WORDS
from ltm_tray.domain.text import title_of

_RATED_CHARACTERS = 16_000
"""So much of a text is rated, so that a hundred long ones take no second."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A hit of the server. Without a session it is a memory, whose project is not known yet."""

    row: ObservationRow
    session: Session | None

    @property
    def kind(self) -> HitKind:
        return HitKind.OBSERVATION if self.session else HitKind.MEMORY

    def rated_text(self, asked: Asked) -> tuple[HitKind, str, str]:
        text = self.row.narrative
        cut = len(text) > _RATED_CHARACTERS
        start, end = window_of(text, matches(text, asked) if cut else (), _RATED_CHARACTERS)
        body = " ".join((text[start:end], *self.row.concepts, *self.row.files))
        return self.kind, self.row.title if self.session else title_of(text), body


def recall(
    reader: Reader, query: RecallQuery, redact: Callable[[str], str], within: TimeLimit
) -> list[RecallHit]:
    """See `MemoryBackend.recall`; only the server's best 100 hits are looked at.

    Raises:
        NotSupported: The query names no project.
    """
    if query.project_id is None:
        raise NotSupported("agentmemory is asked about one project at a time; choose one.")
    terms = query_terms(query.text)
    if not terms:
        return []
    found = [
        candidate
        for row in reader.search(redact(_asked(query.text, terms)), query.project_id, within)
        if (candidate := _candidate(row, query.project_id)) and _may_be_wanted(candidate, query)
    ]
    rated = _rated(found, terms)
    if not any(rating.score > 0 for rating in rated.values()):
        terms = begun_terms(terms)
        rated = _rated(found, terms)
    hits: list[RecallHit] = []
    asked = Asked(terms)
    for candidate in _in_order(found, rated, query.sort):
        item = _item(reader, candidate, query, within)
        if item is not None:
            hits.append(hit_of(item, rated[item.id], asked, explain=query.explain))
        if len(hits) == query.limit:
            break
    return hits


def _asked(text: str, terms: Sequence[QueryTerm]) -> str:
    """Return the words that tell something, and the parts they are made of.

    The server would look for the other words too, and takes `pane_pid` for one word.
    """
    words = unicodedata.normalize("NFC", text[:QUERY_CHARACTERS_MAX]).split()
    telling = [word for word in words if word.lower().strip("?!.,;:") not in STOP_WORDS]
    return " ".join(dict.fromkeys((*telling, *(term.text for term in terms))))


def _candidate(row: FoundRow, project_id: str) -> _Candidate | None:
    """Return a hit that may be ours: a memory, or an observation of a session of the project."""
    found_id = str(row.observation.get("id"))
    if found_id.startswith("mem_"):
        return _Candidate(required(row.observation, ObservationRow), None)
    session = session_of(row.session_id)
    if session is None or session.project_id != project_id or not found_id.startswith("obs_"):
        return None
    return _Candidate(required(row.observation, ObservationRow), session)


def _may_be_wanted(candidate: _Candidate, query: RecallQuery) -> bool:
    at = candidate.row.timestamp
    return (
        candidate.kind in query.kinds
        and (query.since is None or at >= query.since)
        and (query.until is None or at < query.until)
    )


def _rated(found: Sequence[_Candidate], terms: Sequence[QueryTerm]) -> dict[str, Rated]:
    asked = Asked(terms)
    return rate_all({c.row.id: c.rated_text(asked) for c in found}, terms)


def _in_order(
    found: Sequence[_Candidate], rated: dict[str, Rated], sort: Sort
) -> Iterator[_Candidate]:
    """Yield what holds a term, best or newest first; equals newest first."""
    newest = sorted(found, key=lambda c: (c.row.timestamp, c.row.id), reverse=True)
    if sort is Sort.RELEVANCE:
        newest.sort(key=lambda c: rated[c.row.id].score, reverse=True)
    return (candidate for candidate in newest if rated[candidate.row.id].score > 0)


def _item(
    reader: Reader, candidate: _Candidate, query: RecallQuery, within: TimeLimit
) -> Item | None:
    """Return the item whole, or None where it is not of the project or not wanted."""
    if candidate.session:
        item = observation_item(observation_of(candidate.row, candidate.session, ""))
        concepts: frozenset[str] = frozenset()
    else:
        row = reader.memory(candidate.row.id, query.project_id, within)
        if row is None or not row.is_latest:
            return None
        item, concepts = memory_item(memory_of(row)), frozenset(row.concepts)
    held = query.concepts & concepts
    tagged = bool(held) if query.any_concept else held == query.concepts
    wanted = (tagged or not query.concepts) and (not query.types or item.type in query.types)
    return item if wanted else None
