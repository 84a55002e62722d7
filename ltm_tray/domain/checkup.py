"""What a check-up finds: how things are, what that means, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How grave a finding is."""

    OK = "ok"
    WARNING = "warning"
    """It works, but something should be done."""
    PROBLEM = "problem"
    """Something does not work, or could be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found.

    `found` is the plain fact, `meaning` what follows from it, `advice` the next step; the
    last two are empty where all is well. `mend` puts it right where that is safe, and
    returns what it did; None where a person has to.
    """

    check: str
    status: Status
    found: str
    meaning: str = ""
    advice: str = ""
    mend: Callable[[], str] | None = None


def fine(check: str, found: str) -> Finding:
    """Return that all is well."""
    return Finding(check=check, status=Status.OK, found=found)
