"""The states of a store, and what it tells about itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StoreState(StrEnum):
    """What state a store is in; the first five can answer."""

    OK = "ok"
    NOTED = "noted"
    """It works; a small thing was put right."""
    REPLACED = "replaced"
    """It works, with another file than before."""
    RECOVERED = "recovered"
    """It works again after damage; the detail says what was saved and what was not."""
    REBUILDING = "rebuilding"
    """It is being put right now; what is asked waits until that is done."""

    BUSY = "busy"
    DAMAGED = "damaged"
    NOT_A_DATABASE = "not_a_database"
    OTHER_PROGRAM = "other_program"
    NEWER_VERSION = "newer_version"
    NOT_A_FILE = "not_a_file"
    LINK = "link"
    READ_ONLY = "read_only"
    DISK_FULL = "disk_full"
    DISK_ERROR = "disk_error"
    CANNOT_OPEN = "cannot_open"
    TOO_SLOW = "too_slow"
    UNAVAILABLE = "unavailable"
    """It cannot answer for a reason of its own, which the detail tells."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a working store tells about itself, and what can be done about it."""

    state: StoreState
    sentence: str
    next_step: str = ""


def told(notices: list[Notice]) -> tuple[StoreState, str | None, str | None]:
    """Return state, detail and next step that notices add up to; the gravest gives the state."""
    order = list(StoreState)
    state = max((n.state for n in notices), key=order.index, default=StoreState.OK)
    detail = " ".join(notice.sentence for notice in notices)
    next_step = " ".join(notice.next_step for notice in notices if notice.next_step)
    return state, detail or None, next_step or None
