"""What every page of the console shows around its content, and how pages are made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import render_template

from ltm_tray.fronts.web.info import AppInfo
from ltm_tray.service import MemoryService


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every page shows around its content."""

    info: AppInfo
    enabled: bool
    pinned_by: str | None
    working: bool
    detail: str | None
    next_step: str | None
    backend: str
    facts: dict[str, str]
    now: datetime

    @property
    def utc_offset_minutes(self) -> int:
        """How far east of UTC this machine is now."""
        offset = self.now.astimezone().utcoffset()
        return int(offset.total_seconds() // 60) if offset else 0


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes pages over one service."""

    service: MemoryService
    info: AppInfo

    def frame(self) -> Frame:
        """Return what surrounds a page at this moment."""
        health = self.service.health()
        settings = {setting.key: setting for setting in self.service.settings()}
        return Frame(
            info=self.info,
            enabled=self.service.enabled,
            pinned_by=settings["enabled"].pinned_by,
            working=health.ok,
            detail=health.detail,
            next_step=health.next_step,
            backend=health.backend,
            facts=health.facts,
            now=self.service.now(),
        )

    def render(self, template: str, frame: Frame | None = None, **values: Any) -> str:
        """Return a page: its template with these values, in its frame."""
        return render_template(template, frame=frame or self.frame(), **values)
