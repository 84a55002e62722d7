"""Where a page of items ends: a time and an id, in a form that travels in a URL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ltm_tray.domain.errors import invalid
from ltm_tray.domain.times import from_iso, to_iso


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the order newest first; equal times are ordered by id."""

    created_at: datetime
    id: str

    def cursor(self) -> str:
        """Return the text that `position_of` reads back."""
        return f"{to_iso(self.created_at)}~{self.id}"


def position_of(cursor: str) -> Position:
    """Read a cursor.

    Raises:
        InvalidInput: The text is not a cursor of ours.
    """
    time, _, item_id = cursor.partition("~")
    try:
        created_at = from_iso(time)
    except ValueError:
        created_at = None
    if created_at is None or not item_id:
        raise invalid("cursor", "unknown", "must come from the page before")
    return Position(created_at, item_id)
