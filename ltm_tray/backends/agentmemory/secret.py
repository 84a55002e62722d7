"""The secret of an agentmemory server: where that product keeps it for programs of its user."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "AGENTMEMORY_SECRET"
_READ_CHARACTERS_MAX = 65_536


def find_secret(environ: Mapping[str, str], home: Path) -> str | None:
    """Return the secret, or None where there is none that could be sent.

    The variable goes before the file `.agentmemory/.env` in the home, and that before
    `.agentmemory/secret`, which newer servers make by themselves.
    """
    folder = home / ".agentmemory"
    found = (environ.get(VARIABLE), _in_env_file(_text(folder / ".env")), _text(folder / "secret"))
    for text in found:
        secret = (text or "").strip()
        if secret and secret.isascii() and secret.isprintable():
            return secret
    return None


def _in_env_file(text: str) -> str | None:
    for line in text.splitlines():
        name, _, value = line.strip().removeprefix("export ").partition("=")
        if name.strip() == VARIABLE:
            return value.strip().strip("\"'")
    return None


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.read(_READ_CHARACTERS_MAX)
    except (OSError, ValueError):
        return ""
