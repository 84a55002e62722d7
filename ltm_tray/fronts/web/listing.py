"""What the search page lists: the filter its URL holds, the items under it, and their counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from flask import url_for

from ltm_tray.domain.analysis import query_terms
from ltm_tray.domain.asked import Asked
from ltm_tray.domain.catalog import Item, ItemFilter, ProjectSummary
from ltm_tray.domain.errors import invalid
from ltm_tray.domain.facets import Facets
from ltm_tray.domain.memory import (
    RECALL_LIMIT_MAX,
    HitKind,
    MemoryType,
    ObservationKind,
    RecallHit,
    RecallQuery,
    Sort,
)
from ltm_tray.domain.snippet import Snippet, snippet_of
from ltm_tray.domain.times import to_iso
from ltm_tray.fronts.web.display import Marked, ago, exact, parted, project_name
from ltm_tray.fronts.web.reading import Query
from ltm_tray.fronts.web.reasons import why
from ltm_tray.service import MemoryService

PAGE_ITEMS = 50
"""How many items a page holds."""

BODY_CHARACTERS = 280
"""How much of an item's text the list shows."""

ITEM_PAGES = {HitKind.MEMORY: "/memories", HitKind.OBSERVATION: "/observations"}
"""Where the pages of items lie."""

TYPES = (*MemoryType, *ObservationKind)
"""What an item can be, in the order of the page."""

Value = TypeVar("Value", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What the search page was asked; an empty field filters nothing.

    `since` and `until` are days of this machine's zone, both included. `cursor` is where
    the page before ended.
    """

    q: str = ""
    project: str = ""
    kind: str = ""
    type: str = ""
    since: str = ""
    until: str = ""
    sort: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, query: Query) -> Filter:
        """Read the parameters of a URL; those not given are empty."""
        return cls(**{field.name: query.lenient(field.name) for field in fields(cls)})

    def given(self, **changes: str) -> dict[str, str]:
        """Return the fields that are not empty, with some changed."""
        return {name: value for name, value in asdict(replace(self, **changes)).items() if value}

    def url(self, **changes: str) -> str:
        """Return the page's address with some fields changed."""
        return url_for("console.search", **dict[str, Any](self.given(**changes)))

    @property
    def narrows(self) -> bool:
        """Whether anything but the words limits what is found."""
        return bool(self.given(q="", sort="", cursor=""))

    @property
    def text(self) -> str | None:
        """The words to look for; None for none."""
        return self.q or None

    @property
    def order(self) -> Sort:
        """The order of what is found.

        Raises:
            InvalidInput: The URL names an unknown one.
        """
        return Sort.RELEVANCE if not self.sort else _one_of("sort", self.sort, list(Sort))

    def items(self) -> ItemFilter:
        """Return which items are meant.

        Raises:
            InvalidInput: The URL names an unknown kind, type or day.
        """
        kinds = {_one_of("kind", self.kind, list(HitKind))} if self.kind else set(HitKind)
        return ItemFilter(
            project_id=self.project or None,
            kinds=frozenset(kinds),
            types=frozenset({_one_of("type", self.type, TYPES)} if self.type else ()),
            since=_midnight("since", self.since),
            until=_midnight("until", self.until, days_later=1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An item as the list shows it: `body` goes on where `heading` ends; None where it is all.

    `cwd` and `project` are the directory of its project and what that is called; `iso`,
    `exact` and `ago` tell when it was created; `why` tells why it was found, and is empty
    where nothing was looked for.
    """

    url: str
    kind: HitKind
    label: str
    heading: Marked
    body: Marked | None
    cwd: str
    project: str
    iso: str
    exact: str
    ago: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All the search page shows. `next_cursor` leads to older items, where there are any."""

    entries: list[Entry]
    next_cursor: str | None
    projects: list[ProjectSummary]
    facets: Facets

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

    @property
    def by_project(self) -> dict[str, int]:
        """How many items each project would show, by id."""
        return {count.value: count.count for count in self.facets.projects}

    @property
    def by_kind(self) -> dict[str, int]:
        """How many items each kind would show; under the empty text, all of them."""
        found = {count.value: count.count for count in self.facets.kinds}
        return {"": sum(found.values()), **found}

    @property
    def by_type(self) -> dict[str, int]:
        """How many items each type would show."""
        return {count.value: count.count for count in self.facets.types}


def overview_of(service: MemoryService, filter_: Filter) -> Overview:
    """Return what the page shows: what matches, or the newest where nothing is asked.

    Raises:
        InvalidInput: The filter names an unknown kind, type, order, day or place to go on from.
    """
    wanted = filter_.items()
    projects = service.projects()
    lines = _Lines(Asked(query_terms(filter_.q)), project_names(projects), service.now())
    next_cursor = None
    if filter_.q and filter_.order is Sort.RELEVANCE:
        entries = [lines.of_hit(hit) for hit in service.search(_question(filter_.q, wanted))]
    else:
        cursor = filter_.cursor or None
        page = service.newest(wanted, limit=PAGE_ITEMS, cursor=cursor, text=filter_.text)
        entries = [lines.of_item(item) for item in page.items]
        next_cursor = page.next_cursor
    return Overview(
        entries=entries,
        next_cursor=next_cursor,
        projects=projects,
        facets=service.facets(wanted, filter_.text),
    )


def _question(text: str, wanted: ItemFilter) -> RecallQuery:
    return RecallQuery(
        text=text,
        project_id=wanted.project_id,
        limit=RECALL_LIMIT_MAX,
        kinds=wanted.kinds,
        types=wanted.types,
        since=wanted.since,
        until=wanted.until,
        explain=True,
    )


def project_names(projects: Iterable[ProjectSummary]) -> dict[str, str]:
    """Return the directory of each project, by id."""
    return {project.project_id: project.cwd for project in projects}


def item_url(kind: HitKind, item_id: str) -> str:
    """Return the address of an item's own page."""
    return f"{ITEM_PAGES[kind]}/{quote(item_id, safe='')}"


class _Lines:
    """Makes entries: what was asked is marked, and each project is named once."""

    def __init__(self, asked: Asked, names: dict[str, str], now: datetime) -> None:
        self._asked = asked
        self._now = now
        self._places = {id_: (cwd, project_name(cwd)) for id_, cwd in names.items()}

    def of_hit(self, hit: RecallHit) -> Entry:
        terms = len(self._asked.terms)
        told = why(hit.explanation, terms) if hit.explanation else ""
        return self._entry(hit, Snippet(hit.snippet, hit.truncated), told)

    def of_item(self, item: Item) -> Entry:
        return self._entry(item, snippet_of(item.text, self._asked), "")

    def _entry(self, found: RecallHit | Item, shown: Snippet, told: str) -> Entry:
        heading, body = parted(found.title, shown.text)
        body = f"{body} …" if body and shown.truncated else body
        cwd, project = self._places.get(found.project_id, (found.project_id, found.project_id))
        return Entry(
            url=item_url(found.kind, found.id),
            kind=found.kind,
            label=found.type.replace("_", " "),
            heading=Marked(heading, self._asked),
            body=Marked(body, self._asked, BODY_CHARACTERS) if body else None,
            cwd=cwd,
            project=project,
            iso=to_iso(found.created_at),
            exact=exact(found.created_at),
            ago=ago(found.created_at, self._now),
            why=told,
        )


def _one_of(field: str, value: str, known: Iterable[Value]) -> Value:
    names = list(known)
    for name in names:
        if value == name:
            return name
    raise invalid(field, "unknown", "must be one of " + ", ".join(names))


def _midnight(field: str, day: str, *, days_later: int = 0) -> datetime | None:
    """Return when a day, or one some days later, begins in this machine's zone."""
    if not day:
        return None
    try:
        found = date.fromisoformat(day) + timedelta(days=days_later)
        return datetime.combine(found, time()).astimezone()
    except (ValueError, OverflowError, OSError):
        raise invalid(field, "unknown", "must be a day such as 2026-01-31") from None
