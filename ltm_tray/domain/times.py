"""Times as text: ISO-8601, UTC, milliseconds, always the same width, so that text order is time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def to_iso(time: datetime) -> str:
    """Return an aware time as `2026-01-02T03:04:05.006Z`."""
    return time.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def from_iso(text: str) -> datetime:
    """Read such a text back.

    Raises:
        ValueError: It is no ISO-8601 time with a zone.
    """
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("a time needs its zone")
    return time if time.tzinfo is UTC else time.astimezone(UTC)


def first_iso_from(time: datetime) -> str:
    """Return the first millisecond that is not before an aware time, as text."""
    return to_iso(time + timedelta(microseconds=-time.microsecond % 1_000))
