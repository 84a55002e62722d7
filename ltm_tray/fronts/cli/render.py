"""How answers look: lines for people, the API's JSON for programs."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from ltm_tray.domain.left_out import told
from ltm_tray.domain.memory import ProjectStats, RecallHit, Saved
from ltm_tray.domain.project import Project
from ltm_tray.domain.times import to_iso

_INDENT = "   "


def as_json(value: Any) -> str:
    """Return JSON that any terminal encoding can carry."""
    return json.dumps(value, indent=2)


def saved_json(saved: Saved) -> dict[str, Any]:
    """Return the answer to `save` as the API gives it."""
    found: dict[str, Any] = {"id": saved.id, "type": saved.type}
    if saved.supersedes:
        found["supersedes"] = saved.supersedes
    if saved.deduplicated:
        found["deduplicated"] = True
    if saved.redacted:
        found["redacted"] = dict(saved.redacted)
    return found


def saved_text(saved: Saved) -> str:
    """Return what `save` did, and what it left out."""
    if saved.deduplicated:
        done = f"Known already as {saved.id} ({saved.type})."
    elif saved.supersedes:
        done = f"Saved as {saved.id} ({saved.type}); it replaces {saved.supersedes}."
    else:
        done = f"Saved as {saved.id} ({saved.type})."
    return f"{done} Left out: {told(saved.redacted)}." if saved.redacted else done


def hits_json(hits: Sequence[RecallHit]) -> dict[str, Any]:
    """Return the answer to `recall` as the API gives it."""
    return {
        "hits": [
            {
                "kind": hit.kind,
                "id": hit.id,
                "title": hit.title,
                "snippet": hit.snippet,
                "score": hit.score,
                "type": hit.type,
                "createdAt": to_iso(hit.created_at),
                "truncated": hit.truncated,
            }
            for hit in hits
        ]
    }


def hits_text(hits: Sequence[RecallHit]) -> str:
    """Return the hits for a person, best first, or a sentence that there is none."""
    if not hits:
        return "Nothing found in this project."
    return "\n\n".join(_hit_text(number, hit) for number, hit in enumerate(hits, 1))


def stats_json(stats: ProjectStats, project: Project) -> dict[str, Any]:
    """Return the answer to `stats` as the API gives it."""
    times = {
        "lastSavedAt": stats.last_saved_at,
        "lastObservedAt": stats.last_observed_at,
        "lastRecalledAt": stats.last_recalled_at,
    }
    return {
        "projectId": project.id,
        "cwd": project.cwd,
        "memoryCount": stats.memory_count,
        "versionCount": stats.version_count,
        "observationCount": stats.observation_count,
        **{name: to_iso(time) if time else None for name, time in times.items()},
        "redacted": dict(stats.redacted),
    }


def stats_rows(stats: ProjectStats, project: Project) -> list[tuple[str, str]]:
    """Return what `stats` tells a person, as name and value."""
    return [
        ("Project", project.cwd),
        ("Memories", str(stats.memory_count)),
        ("Earlier versions", str(stats.version_count)),
        ("Observations", str(stats.observation_count)),
        ("Last saved", _when(stats.last_saved_at)),
        ("Last observed", _when(stats.last_observed_at)),
        ("Last recalled", _when(stats.last_recalled_at)),
        ("Left out", told(stats.redacted) or "nothing"),
    ]


def status_rows(state: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what `status` tells a person, as name and value."""
    app = f"running at {state['url']} (pid {state['pid']})" if state["running"] else "not running"
    switch = "on" if state["enabled"] else "off"
    if state["pinnedBy"]:
        switch += f", decided by {state['pinnedBy']}"
    store = "ok" if state["ok"] else "not usable"
    return [
        ("App", app),
        ("Memory", switch),
        ("Store", f"{state['backend']}, {store}"),
        *([("Note", state["detail"])] if state["detail"] else []),
        *([("Next step", state["nextStep"])] if state["nextStep"] else []),
        *([("Database", state["dbPath"])] if state["backend"] == "sqlite" else []),
        ("Log", state["logFile"]),
    ]


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Return two aligned columns."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {printable(value)}" for name, value in rows)


def printable(text: str) -> str:
    """Return the text with control characters shown, so that none can steer a terminal."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) != "Cc"
        else f"\\x{ord(character):02x}"
        for character in text
    )


def _when(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC" if time else "never"


def _hit_text(number: int, hit: RecallHit) -> str:
    title = click.style(printable(hit.title), bold=True)
    lines = [f"{number}. {title}", f"{_INDENT}{hit.type}, {_when(hit.created_at)}, {hit.id}"]
    snippet = printable(hit.snippet).strip()
    if snippet and snippet != printable(hit.title):
        lines += [f"{_INDENT}{line}".rstrip() for line in snippet.splitlines()]
    if hit.truncated:
        lines.append(f"{_INDENT}(a part of it)")
    return "\n".join(lines)
