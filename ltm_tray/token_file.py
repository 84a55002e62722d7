"""The token that programs show to the app, in a file that only its user can read."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from ltm_tray.files import write_private_file

_TOKEN_BYTES = 32
_FILE_MAX_BYTES = 256
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{43,}")


def kept_token(file: Path) -> str:
    """Return the token in the file; make a new one where `read_token` finds none.

    Raises:
        OSError: The file cannot be written.
    """
    token = read_token(file)
    if token is None:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        write_private_file(file, f"{token}\n")
    return token


def read_token(file: Path) -> str | None:
    """Return the token in the file; None for no file, for a link, or where others could read it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(file, flags)
    except OSError:
        return None
    try:
        if not _is_private(os.fstat(descriptor)):
            return None
        text = os.read(descriptor, _FILE_MAX_BYTES).strip()
    finally:
        os.close(descriptor)
    return text.decode() if _TOKEN.fullmatch(text) else None


def _is_private(found: os.stat_result) -> bool:
    if not stat.S_ISREG(found.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows has no modes: the rights of the folder hold
        return True
    return found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
