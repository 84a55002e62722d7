"""How a stored text shows what was left out of it, and how counts of that are told in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

MARK = "[redacted"
"""How every replacement begins: `[redacted: github-token]`."""

_REPLACEMENT = re.compile(re.escape(MARK) + r": [a-z-]+\]")


def replacement(kind: str) -> str:
    """Return what is put in the place of something of a kind."""
    return f"{MARK}: {kind}]"


def without_replacements(text: str) -> str:
    """Return a text without what was put in the place of secrets."""
    return _REPLACEMENT.sub("", text)


def told(redacted: Mapping[str, int]) -> str:
    """Return kinds and how many of each, the most first, as `password 2, jwt 1`; empty for none."""
    ordered = sorted(redacted.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{kind} {amount}" for kind, amount in ordered)
