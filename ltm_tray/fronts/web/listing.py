"""What the search page lists: the filter its URL holds, the items under it, the totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime

from flask import url_for

from ltm_tray.domain.analysis import QueryTerm, query_terms
from ltm_tray.domain.catalog import Item, ItemFilter, ProjectSummary
from ltm_tray.domain.errors import invalid
from ltm_tray.domain.memory import RECALL_LIMIT_MAX, HitKind, RecallHit, RecallQuery
from ltm_tray.domain.snippet import snippet_of
from ltm_tray.fronts.web.display import parted
from ltm_tray.fronts.web.reading import Query
from ltm_tray.service import MemoryService

PAGE_ITEMS = 50
"""How many items a page holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What the search page was asked; an empty field filters nothing."""

    q: str = ""
    project: str = ""
    kind: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, query: Query) -> Filter:
        """Read the parameters of a URL; those not given are empty."""
        return cls(**{field.name: query.lenient(field.name) for field in fields(cls)})

    def url(self, **changes: str) -> str:
        """Return the page's address with some fields changed."""
        given = asdict(replace(self, **changes))
        return url_for("console.search", **{name: value for name, value in given.items() if value})

    @property
    def kinds(self) -> frozenset[HitKind]:
        """The kinds that are wanted.

        Raises:
            InvalidInput: The URL names an unknown one.
        """
        if not self.kind:
            return frozenset(HitKind)
        try:
            return frozenset({HitKind(self.kind)})
        except ValueError:
            raise invalid("kind", "unknown", "must be one of " + ", ".join(HitKind)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An item as the list shows it: `body` goes on where `heading` ends, or is empty."""

    kind: HitKind
    id: str
    project_id: str
    type: str
    heading: str
    body: str
    created_at: datetime

    @property
    def url(self) -> str:
        """The address of the item's own page."""
        if self.kind is HitKind.MEMORY:
            return url_for("console.memory", memory_id=self.id)
        return url_for("console.observation", observation_id=self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All the search page shows. `next_cursor` leads to older items, where there are any."""

    entries: list[Entry]
    next_cursor: str | None
    terms: list[QueryTerm]
    projects: list[ProjectSummary]

    @property
    def names(self) -> dict[str, str]:
        """The directory of each project, by id."""
        return project_names(self.projects)

    @property
    def memory_count(self) -> int:
        """How many memories all projects hold."""
        return sum(project.memory_count for project in self.projects)

    @property
    def observation_count(self) -> int:
        """How many observations all projects hold."""
        return sum(project.observation_count for project in self.projects)

    @property
    def last_seen_at(self) -> datetime | None:
        """When any project was last used; None before the first time."""
        return max((project.last_seen_at for project in self.projects), default=None)


def overview_of(service: MemoryService, asked: Filter) -> Overview:
    """Return what the page shows: the best matches, or the newest where nothing is asked.

    Raises:
        InvalidInput: The filter names an unknown kind or place to go on from.
    """
    projects = service.projects()
    terms = query_terms(asked.q)
    if asked.q:
        query = RecallQuery(
            text=asked.q,
            project_id=asked.project or None,
            limit=RECALL_LIMIT_MAX,
            kinds=asked.kinds,
        )
        entries = [_entry_of_hit(hit) for hit in service.search(query)]
        return Overview(entries=entries, next_cursor=None, terms=terms, projects=projects)
    page = service.newest(
        ItemFilter(project_id=asked.project or None, kinds=asked.kinds),
        limit=PAGE_ITEMS,
        cursor=asked.cursor or None,
    )
    entries = [_entry_of_item(item) for item in page.items]
    return Overview(entries=entries, next_cursor=page.next_cursor, terms=[], projects=projects)


def project_names(projects: Iterable[ProjectSummary]) -> dict[str, str]:
    """Return the directory of each project, by id."""
    return {project.project_id: project.cwd for project in projects}


def _entry(found: RecallHit | Item, text: str, *, cut: bool) -> Entry:
    heading, body = parted(found.title, text)
    return Entry(
        kind=found.kind,
        id=found.id,
        project_id=found.project_id,
        type=found.type,
        heading=heading,
        body=f"{body} …" if body and cut else body,
        created_at=found.created_at,
    )


def _entry_of_hit(hit: RecallHit) -> Entry:
    return _entry(hit, hit.snippet, cut=hit.truncated)


def _entry_of_item(item: Item) -> Entry:
    snippet = snippet_of(item.text, [])
    return _entry(item, snippet.text, cut=snippet.truncated)
