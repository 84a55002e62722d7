"""The clock and the source of ids, so that only one module asks the machine for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Clock = Callable[[], datetime]
"""Returns the current time: aware, UTC, cut to milliseconds."""

NewId = Callable[[str], str]
"""Returns a new id that starts with the given prefix and an underscore."""
