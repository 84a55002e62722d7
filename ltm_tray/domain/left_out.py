"""Tells in words what was left out of what is stored."""

from __future__ import annotations

from collections.abc import Mapping


def told(redacted: Mapping[str, int]) -> str:
    """Return kinds and how many of each, the most first, as `password 2, jwt 1`; empty for none."""
    ordered = sorted(redacted.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{kind} {amount}" for kind, amount in ordered)
