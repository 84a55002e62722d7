"""How values read on a page: matches, times, counts, names of projects."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from html import escape
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple

from ltm_tray.domain.asked import Asked
from ltm_tray.domain.snippet import matches, window_of
from ltm_tray.domain.text import fold_whitespace
from ltm_tray.domain.upkeep import BackupKind

__all__ = [
    "ago",
    "backup_reason",
    "byte_count",
    "counted",
    "exact",
    "parted",
    "percent",
    "project_name",
    "setting_name",
]  # fmt: skip

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400
_STEPS = (
    (365 * _DAY_S, "year"),
    (30 * _DAY_S, "month"),
    (_DAY_S, "day"),
    (_HOUR_S, "hour"),
    (_MINUTE_S, "minute"),
)


class Piece(NamedTuple):
    """A stretch of a text; `match` says that it is what was looked for."""

    text: str
    match: bool


class Marked:
    """A text whose matches a template shows marked; each piece is escaped on its own."""

    def __init__(self, text: str, asked: Asked | None, most: int | None = None) -> None:
        """Cut the text; see `pieces`."""
        self._pieces = pieces(text, asked, most)

    def __html__(self) -> str:
        return "".join(
            f"<mark>{escape(text)}</mark>" if match else escape(text)
            for text, match in self._pieces
        )


def pieces(text: str, asked: Asked | None, most: int | None = None) -> list[Piece]:
    """Cut a text at the matches of what was asked; joined, the pieces are the text again.

    With `most`, a longer text is cut to its best window of so many characters, with an
    ellipsis where something is left out.
    """
    found = matches(text, asked) if asked and asked.terms else []
    start, end = window_of(text, found, most or len(text))
    cut = [Piece("… ", match=False)] if start > 0 else []
    at = start
    for match in found:
        if match.end <= at or match.start >= end:
            continue
        first, last = max(match.start, at), min(match.end, end)
        cut.append(Piece(text[at:first], match=False))
        cut.append(Piece(text[first:last], match=True))
        at = last
    cut.append(Piece(text[at:end], match=False))
    if end < len(text):
        cut.append(Piece(" …", match=False))
    return cut


def parted(title: str, text: str) -> tuple[str, str]:
    """Return a heading and what follows it, white space folded, so that nothing is said twice.

    A text that begins with its title goes on where the heading ends, at a word; any
    other text follows whole. A text that is no more than its title leaves nothing.
    """
    text = fold_whitespace(text)
    if text == title:
        return title, ""
    if not text.startswith(title):
        return title, text
    end = len(title) if text[len(title)] == " " else title.rfind(" ")
    end = end if end > 0 else len(title)
    return f"{text[:end]}…", f"…{text[end:].lstrip()}"


def ago(time: datetime, now: datetime) -> str:
    """Tell how long ago a time was, in the largest unit that fits; `just now` for the future."""
    passed_s = (now - time).total_seconds()
    for length_s, name in _STEPS:
        if passed_s >= length_s:
            return f"{counted(int(passed_s // length_s), name)} ago"
    return "just now"


def exact(time: datetime) -> str:
    """Return the time to the second, in the zone of this machine."""
    local = time.astimezone()
    return f"{local.day} {local:%B %Y, %H:%M:%S %Z}".rstrip()


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 memory`, `1,200 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def project_name(cwd: str) -> str:
    """Return the last part of a project's directory, or all of it where there is no part."""
    path = PureWindowsPath(cwd) if "\\" in cwd else PurePosixPath(cwd)
    return path.name or cwd


def byte_count(number: int) -> str:
    """Return an amount of bytes in the unit that suits it: `512 bytes`, `1.4 MB`."""
    if number < 1_000:
        return counted(number, "byte")
    size = float(number)
    for unit in ("kB", "MB", "GB"):
        size /= 1_000
        if size < 999.5 or unit == "GB":
            break
    return f"{size:.1f} {unit}" if size < 9.95 else f"{size:,.0f} {unit}"


def percent(share: float | None) -> str:
    """Return a share of 0 to 1 in per cent; a dash where there is none."""
    return "–" if share is None else f"{share * 100:.0f} %"


def latest(times: Iterable[datetime | None]) -> datetime | None:
    """Return the latest of some times; None where there is none."""
    return max((time for time in times if time is not None), default=None)


_BACKUP_REASONS = {
    BackupKind.DAILY: "daily",
    BackupKind.MANUAL: "made by you",
    BackupKind.BEFORE_UPDATE: "before an update",
    BackupKind.BEFORE_RESTORE: "before a restore",
}


def backup_reason(kind: BackupKind) -> str:
    """Return why a backup was made, in plain words."""
    return _BACKUP_REASONS[kind]


_SETTING_NAMES = {
    "enabled": "Long-term memory is on",
    "backend": "Where memories live",
    "dbPath": "Database file",
    "observeAgentEnd": "Capture the end of each turn",
    "observePreCompact": "Capture before a compaction",
    "agentmemoryUrl": "Address of an agentmemory server",
    "port": "First port to try",
    "requireToken": "Ask programs for a token",
    "logRecalls": "Keep a log of recalls",
    "observationsMaxAgeDays": "Days an observation is kept; 0 is for good",
    "observationsMaxCount": "Observations each project keeps; 0 is all",
    "injectContext": "Give sessions their memories at the start",
}


def setting_name(key: str) -> str:
    """Return what a setting is about in plain words; the key where there are none."""
    return _SETTING_NAMES.get(key, key)
