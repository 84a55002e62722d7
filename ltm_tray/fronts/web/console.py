"""The console: server-rendered pages to see what is in the memory, and the one switch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
from flask import Blueprint, Flask, redirect, request, send_from_directory, url_for
from werkzeug.wrappers import Response

from ltm_tray.domain.catalog import ProjectDetail
from ltm_tray.domain.errors import LtmError, NotSupported, invalid
from ltm_tray.domain.figures import StoreSize
from ltm_tray.domain.times import to_iso
from ltm_tray.fronts.web import display
from ltm_tray.fronts.web.errors import status_of
from ltm_tray.fronts.web.exporting import export
from ltm_tray.fronts.web.figures import FigurePages
from ltm_tray.fronts.web.frame import Pages
from ltm_tray.fronts.web.history import HistoryPages
from ltm_tray.fronts.web.info import AppInfo
from ltm_tray.fronts.web.listing import TYPES, Filter, Overview, item_url, overview_of
from ltm_tray.fronts.web.reading import Query
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService

_YEAR_S = 31_536_000
_DAY_S = 86_400

View = Callable[..., Response | str | tuple[str, int]]
"""Answers a request of the console."""


def register(app: Flask, service: MemoryService, info: AppInfo) -> None:
    """Add the console's pages and static files to the app."""
    pages = Pages(service, info)
    made = Blueprint("console", __name__)
    for method, path, view in (
        *Console(pages).routes(),
        *HistoryPages(pages).routes(),
        *FigurePages(pages).routes(),
    ):
        made.add_url_rule(path, view.__name__, view, methods=[method])
    app.register_blueprint(made)
    versions = _static_versions(data_dir("static"))

    def static_url(name: str) -> str:
        return url_for("console.static_file", name=name, v=versions[name])

    app.jinja_env.globals.update(
        static_url=static_url,
        item_url=item_url,
        types=TYPES,
        iso=to_iso,
        **{name: getattr(display, name) for name in display.__all__},
    )


class Console:
    """The search page, the settings, the exports and what pages are made of."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._service = pages.service
        self._static = data_dir("static")
        self._assets = data_dir("assets")

    def routes(self) -> list[tuple[str, str, View]]:
        """Return method, path and view of each route."""
        return [
            ("GET", "/", self.search),
            ("GET", "/counts.json", self.counts),
            ("GET", "/<any('export.json', 'export.csv'):name>", self.export),
            ("GET", "/settings", self.settings),
            ("GET", "/backups", self.backups),
            ("POST", "/settings/enabled", self.throw_switch),
            ("GET", "/static/<path:name>", self.static_file),
            ("GET", "/<any('favicon.svg', 'favicon.ico'):name>", self.favicon),
        ]

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
        page = self._pages.render("search.html", asked=asked, overview=overview, problem=problem)
        return page, status

    def counts(self) -> Response:
        """Return the numbers that pages keep up to date."""
        projects = self._service.projects()
        sums = {
            "memories": sum(project.memory_count for project in projects),
            "observations": sum(project.observation_count for project in projects),
            "projects": len(projects),
        }
        told = {name: f"{number:,}" for name, number in sums.items()}
        return Response(msgspec.json.encode(told), mimetype="application/json")

    def export(self, name: str) -> Response:
        """Return what the URL's filter shows as a file."""
        return export(self._service, name)

    def settings(self) -> str:
        """Show the effective settings, the health and where things lie."""
        size: StoreSize | None = None
        details: list[ProjectDetail] = []
        overdue: int | None = None
        unknown = ""
        try:
            size = self._service.totals().size
            details = self._service.project_details()
            overdue = self._pages.info.overdue()
        except NotSupported as error:
            unknown = error.message
        return self._pages.render(
            "settings.html",
            settings=[(display.setting_name(s.key), s) for s in self._service.settings()],
            size=size,
            unknown=unknown,
            overdue=overdue,
            backup=next(iter(self._pages.info.backups()), None),
            last_saved_at=display.latest(project.last_saved_at for project in details),
            last_observed_at=display.latest(project.last_observed_at for project in details),
            last_recalled_at=display.latest(project.last_recalled_at for project in details),
        )

    def backups(self) -> str:
        """Show the backups and how to go back to one."""
        return self._pages.render("backups.html", backups=self._pages.info.backups())

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


def _static_versions(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for file in folder.rglob("*")
        if file.is_file()
    }
