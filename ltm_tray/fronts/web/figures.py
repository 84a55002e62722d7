"""The console's pages of numbers: projects, one project, and everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from itertools import accumulate

from flask import request

from ltm_tray.domain.catalog import ItemFilter, RecallLogFilter
from ltm_tray.domain.figures import DayActivity, Totals
from ltm_tray.domain.snippet import snippet_of
from ltm_tray.fronts.web import charts
from ltm_tray.fronts.web.display import parted
from ltm_tray.fronts.web.frame import Pages
from ltm_tray.fronts.web.reading import Query

SPANS = {"30": "30 days", "90": "90 days", "365": "a year"}
"""The stretches of time that can be chosen, in days, and their names."""

_SPARK_DAYS = 30
_NEWEST = 10
_SAVED = ("memories", "observations")
_ASKED = ("recalls that found something", "recalls that found nothing")


class FigurePages:
    """The pages of numbers."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._service = pages.service

    def routes(self) -> list[tuple[str, str, Callable[..., str]]]:
        """Return method, path and view of each route."""
        return [
            ("GET", "/projects", self.projects),
            ("GET", "/projects/<project_id>", self.project),
            ("GET", "/stats", self.stats),
        ]

    def projects(self) -> str:
        """Show all projects."""
        frame = self._pages.frame()
        lines = self._service.sparklines(_SPARK_DAYS, utc_offset_minutes=frame.utc_offset_minutes)
        return self._pages.render(
            "projects.html",
            frame,
            projects=self._service.project_details(),
            sparks={project: charts.spark(numbers) for project, numbers in lines.items()},
            sums={project: sum(numbers) for project, numbers in lines.items()},
        )

    def project(self, project_id: str) -> str:
        """Show one project: how much it holds, what happened, what is new."""
        frame = self._pages.frame()
        detail = self._service.project(project_id)
        newest = self._service.newest(ItemFilter(project_id=project_id), limit=_NEWEST)
        return self._pages.render(
            "project.html",
            frame,
            detail=detail,
            summary=detail.summary,
            newest=[
                (item, *parted(item.title, snippet_of(item.text, []).text)) for item in newest.items
            ],
            totals=self._service.totals(project_id),
            recalls=self._service.recalls(
                RecallLogFilter(project_id=project_id), limit=_NEWEST
            ).entries,
            saved=charts.by_time(*self._saved(90, frame.utc_offset_minutes, project_id)),
        )

    def stats(self) -> str:
        """Show everything in numbers."""
        chosen = Query(request.query_string).lenient("days")
        days = int(chosen) if chosen in SPANS else 30
        frame = self._pages.frame()
        activity = self._service.activity(days, utc_offset_minutes=frame.utc_offset_minutes)
        totals = self._service.totals()
        return self._pages.render(
            "stats.html",
            frame,
            days=days,
            spans=SPANS,
            totals=totals,
            saved=charts.by_time(
                [(day.day, (day.memories, day.observations)) for day in activity], _SAVED
            ),
            asked=charts.by_time(
                [
                    (day.day, (day.recalls - day.empty_recalls, day.empty_recalls))
                    for day in activity
                ],
                _ASKED,
            ),
            growth=charts.running(_growth(activity, totals)),
        )

    def _saved(
        self, days: int, utc_offset_minutes: int, project_id: str
    ) -> tuple[Sequence[tuple[date, tuple[int, ...]]], Sequence[str]]:
        activity = self._service.activity(
            days, project_id=project_id, utc_offset_minutes=utc_offset_minutes
        )
        return [(day.day, (day.memories, day.observations)) for day in activity], _SAVED


def _growth(activity: Sequence[DayActivity], totals: Totals) -> list[tuple[date, int]]:
    """Return how many items there were at the end of each day, forgotten ones left out."""
    in_all = totals.memory_count + totals.version_count + totals.observation_count
    added = [day.memories + day.observations for day in activity]
    before = max(0, in_all - sum(added))
    sums = accumulate(added, initial=before)
    next(sums)
    return [(day.day, number) for day, number in zip(activity, sums, strict=True)]
