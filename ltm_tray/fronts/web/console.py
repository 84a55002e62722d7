"""The console: server-rendered pages to see what is in the memory, and the one switch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, redirect, render_template, request, send_from_directory, url_for
from werkzeug.wrappers import Response

from ltm_tray.domain.errors import LtmError, invalid
from ltm_tray.domain.times import to_iso
from ltm_tray.fronts.web import display
from ltm_tray.fronts.web.errors import status_of
from ltm_tray.fronts.web.info import AppInfo
from ltm_tray.fronts.web.listing import Filter, Overview, overview_of, project_names
from ltm_tray.fronts.web.reading import Query
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService

_YEAR_S = 31_536_000
_DAY_S = 86_400
_RECALLS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every page shows around its content."""

    info: AppInfo
    enabled: bool
    pinned_by: str | None
    working: bool
    detail: str | None
    backend: str
    now: datetime


def register(app: Flask, service: MemoryService, info: AppInfo) -> None:
    """Add the console's pages and static files to the app."""
    app.register_blueprint(Console(service, info).blueprint())
    versions = _static_versions(data_dir("static"))

    def static_url(name: str) -> str:
        return url_for("console.static_file", name=name, v=versions[name])

    app.jinja_env.globals.update(
        static_url=static_url,
        ago=display.ago,
        exact=display.exact,
        iso=to_iso,
        counted=display.counted,
        parted=display.parted,
        pieces=display.pieces,
        project_name=display.project_name,
    )


class Console:
    """The pages over one service."""

    def __init__(self, service: MemoryService, info: AppInfo) -> None:
        self._service = service
        self._info = info
        self._static = data_dir("static")
        self._assets = data_dir("assets")

    def blueprint(self) -> Blueprint:
        """Return the pages, ready to be registered."""
        made = Blueprint("console", __name__)
        routes: list[tuple[str, str, Callable[..., Response | tuple[str, int]]]] = [
            ("GET", "/", self.search),
            ("GET", "/memories/<memory_id>", self.memory),
            ("GET", "/observations/<observation_id>", self.observation),
            ("GET", "/recalls", self.recalls),
            ("POST", "/settings/enabled", self.throw_switch),
            ("GET", "/static/<path:name>", self.static_file),
            ("GET", "/<any('favicon.svg', 'favicon.ico'):name>", self.favicon),
        ]
        for method, path, view in routes:
            made.add_url_rule(path, view.__name__, view, methods=[method])
        return made

    def search(self) -> tuple[str, int]:
        """Show what matches, or the newest where nothing is asked."""
        asked = Filter.of(Query(request.query_string))
        overview: Overview | None = None
        problem: LtmError | None = None
        try:
            overview = overview_of(self._service, asked)
        except LtmError as error:
            problem = error
        status = 200 if problem is None else status_of(problem)
        return self._page("search.html", asked=asked, overview=overview, problem=problem), status

    def memory(self, memory_id: str) -> tuple[str, int]:
        """Show a memory and its versions."""
        memory = self._service.memory(memory_id)
        versions = self._service.versions(memory.id)
        return self._page("memory.html", memory=memory, versions=versions), 200

    def observation(self, observation_id: str) -> tuple[str, int]:
        """Show an observation."""
        found = self._service.observation(observation_id)
        source = json.dumps(found.source, indent=2, ensure_ascii=False) if found.source else None
        return self._page("observation.html", observation=found, source=source), 200

    def recalls(self) -> tuple[str, int]:
        """Show what was asked lately."""
        entries = self._service.recalls(limit=_RECALLS_SHOWN).entries
        names = project_names(self._service.projects())
        return self._page("recalls.html", entries=entries, names=names), 200

    def throw_switch(self) -> Response:
        """Switch the memory on or off and return to the first page."""
        sent = request.form.getlist("enabled")
        if sent not in (["true"], ["false"]):
            raise invalid("enabled", "unknown", "must be true or false")
        self._service.set_enabled(enabled=sent == ["true"])
        return redirect(url_for("console.search"), 303)

    def static_file(self, name: str) -> Response:
        """Serve a file; one asked for by its version never changes."""
        age_s = _YEAR_S if Query(request.query_string).lenient("v") else 0
        response = send_from_directory(self._static, name, max_age=age_s)
        response.cache_control.immutable = bool(age_s)
        return response

    def favicon(self, name: str) -> Response:
        """Serve the icon."""
        return send_from_directory(self._assets, name, max_age=_DAY_S)

    def _page(self, template: str, **values: Any) -> str:
        return render_template(template, frame=self._frame(), **values)

    def _frame(self) -> Frame:
        health = self._service.health()
        settings = {setting.key: setting for setting in self._service.settings()}
        return Frame(
            info=self._info,
            enabled=self._service.enabled,
            pinned_by=settings["enabled"].pinned_by,
            working=health.ok,
            detail=health.detail,
            backend=health.backend,
            now=self._service.now(),
        )


def _static_versions(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for file in folder.rglob("*")
        if file.is_file()
    }
