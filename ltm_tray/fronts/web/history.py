"""The console's pages of what was saved, captured and asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

from flask import Response, request, url_for

from ltm_tray.domain.catalog import RecallLogFilter
from ltm_tray.domain.errors import NotFound
from ltm_tray.domain.memory import HitKind, Memory
from ltm_tray.domain.requests import SOURCES
from ltm_tray.fronts.web import answers
from ltm_tray.fronts.web.differing import Change, changes
from ltm_tray.fronts.web.frame import Pages
from ltm_tray.fronts.web.listing import ITEM_PAGES, project_names
from ltm_tray.fronts.web.reading import Query

_DIFFS_MAX = 20
"""How many steps between versions are told; older ones can be opened."""
_ID_MAX = 2**63 - 1


class HistoryPages:
    """The pages of memories, observations and recalls."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._service = pages.service

    def routes(self) -> list[tuple[str, str, Callable[..., str | Response]]]:
        """Return method, path and view of each route."""
        memories, observations = ITEM_PAGES[HitKind.MEMORY], ITEM_PAGES[HitKind.OBSERVATION]
        return [
            ("GET", f"{memories}/<memory_id>", self.memory),
            ("GET", f"{memories}/<memory_id>.json", self.memory_json),
            ("GET", f"{observations}/<observation_id>", self.observation),
            ("GET", f"{observations}/<observation_id>.json", self.observation_json),
            ("GET", "/recalls", self.recalls),
            ("GET", "/recalls/<int:entry_id>", self.recall),
        ]

    def memory(self, memory_id: str) -> str:
        """Show a memory, what its versions changed, and who got it."""
        memory = self._service.memory(memory_id)
        versions = self._service.versions(memory.id)
        return self._pages.render(
            "memory.html",
            memory=memory,
            versions=list(zip(versions, _steps(versions), strict=True)),
            recalls=self._service.recalls_of(memory.id),
            json_url=url_for("console.memory_json", memory_id=memory.id),
        )

    def memory_json(self, memory_id: str) -> Response:
        """Return a memory with its versions as the API does."""
        found = self._service.memory(memory_id)
        return _json(answers.memory_answer(found, self._service.versions(found.id)))

    def observation(self, observation_id: str) -> str:
        """Show an observation and who got it."""
        found = self._service.observation(observation_id)
        source = json.dumps(found.source, indent=2, ensure_ascii=False) if found.source else None
        return self._pages.render(
            "observation.html",
            observation=found,
            source=source,
            recalls=self._service.recalls_of(found.id),
            json_url=url_for("console.observation_json", observation_id=found.id),
        )

    def observation_json(self, observation_id: str) -> Response:
        """Return an observation as the API does."""
        found = self._service.observation(observation_id)
        return _json(answers.shaped(found, answers.ObservationAnswer))

    def recalls(self) -> str:
        """Show what was asked, all of it or what found nothing."""
        query = Query(request.query_string)
        project, source = query.lenient("project"), query.lenient("source")
        empty = query.lenient("empty") == "1"
        before = query.lenient("before")
        page = self._service.recalls(
            RecallLogFilter(project_id=project or None, source=source or None, only_empty=empty),
            before_id=_number(before) if before else None,
        )
        projects = self._service.projects()
        kept = {"project": project, "source": source, "empty": "1" if empty else ""}
        return self._pages.render(
            "recalls.html",
            page=page,
            kept={name: value for name, value in kept.items() if value},
            before=before,
            projects=projects,
            sources=sorted(SOURCES - {"console"}),
            names=project_names(projects),
        )

    def recall(self, entry_id: int) -> str:
        """Show one question and its hits."""
        if entry_id > _ID_MAX:
            raise NotFound("The recall log has no such entry.")
        detail = self._service.recall_entry(entry_id)
        names = project_names(self._service.projects())
        return self._pages.render("recall.html", detail=detail, entry=detail.entry, names=names)


def _json(answer: answers.Answer) -> Response:
    return Response(answers.encoded(answer), mimetype="application/json")


def _number(text: str) -> int:
    digits = text if text.isascii() and text.isdigit() else "0"
    return min(int(digits[:20]), _ID_MAX)


def _steps(versions: list[Memory]) -> list[list[Change]]:
    """Return for each version, newest first, what it changed; empty for the first one."""
    steps = [
        changes(older.content, newer.content) if at < _DIFFS_MAX else []
        for at, (newer, older) in enumerate(pairwise(versions))
    ]
    return [*steps, []] if versions else []
