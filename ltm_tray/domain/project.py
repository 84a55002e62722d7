"""What a project is: a working directory, resolved and hashed as Node does it."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from ltm_tray.domain.errors import invalid

_WINDOWS_UNC = re.compile(r"[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)")
_WINDOWS_DRIVE = re.compile(r"([A-Za-z]:)[\\/]")


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its id (`proj_` and 16 hex digits) and the directory it stands for."""

    id: str
    cwd: str


def project_of(cwd: str, *, windows: bool = os.name == "nt") -> Project:
    """Return the project of an absolute working directory.

    The id equals what Node computes with `path.resolve(cwd)`, lower-cased on
    Windows, hashed with SHA-256 over its UTF-8 bytes. Nothing is looked up on
    disk: a renamed or moved directory is a new project, a symlink is its own.

    Raises:
        InvalidInput: `cwd` is empty, relative, or holds a NUL or lone surrogate.
    """
    if not cwd.strip():
        raise invalid("cwd", "required", "give the absolute path of the project's directory")
    if "\0" in cwd or not _is_unicode(cwd):
        raise invalid("cwd", "invalid_text", "a path holds no NUL and only valid Unicode")
    resolved = _resolve_windows(cwd) if windows else _resolve_posix(cwd)
    key = resolved.lower() if windows else resolved
    digest = hashlib.sha256(key.encode()).hexdigest()
    return Project(id=f"proj_{digest[:16]}", cwd=resolved)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _resolve_posix(cwd: str) -> str:
    if not cwd.startswith("/"):
        raise invalid("cwd", "not_absolute", "must be an absolute path")
    return "/" + "/".join(_walk(cwd.split("/")))


def _resolve_windows(cwd: str) -> str:
    root = _WINDOWS_UNC.match(cwd)
    if root:
        device = rf"\\{root[1]}\{root[2]}"
    else:
        root = _WINDOWS_DRIVE.match(cwd)
        if not root:
            raise invalid("cwd", "not_absolute", r"must be an absolute path, such as C:\work")
        device = root[1]
    return device + "\\" + "\\".join(_walk(re.split(r"[\\/]", cwd[root.end() :])))


def _walk(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part not in {"", "."}:
            kept.append(part)
    return kept
