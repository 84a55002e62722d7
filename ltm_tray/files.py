"""Files and folders that only their user can read."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

PRIVATE_FILE_MODE = 0o600
_OTHERS = 0o077


def make_private_dir(folder: Path) -> None:
    """Create a folder (and its parents) that only the user can enter; an existing one stays."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def write_private_file(file: Path, text: str) -> None:
    """Replace a file in one step with the text, readable by the user only.

    A reader sees the old text or the new one, whatever happens in between.
    """
    with private_draft(file) as stream:
        stream.write(text.encode())


@contextmanager
def private_draft(file: Path) -> Iterator[BinaryIO]:
    """Lend a stream whose bytes replace a file in one step at the end of the block.

    The file is readable by the user only. If the block fails the old one stays.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    descriptor = os.open(draft, flags, PRIVATE_FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def keep_aside(file: Path, word: str) -> Path:
    """Move a file to a name that says when it was last written, and return where it is.

    `ltm.sqlite` becomes `ltm.sqlite.<word>-20260102T030405`; nothing is written over.
    """
    kept = aside_name(file, word)
    file.replace(kept)
    return kept


def aside_name(file: Path, word: str) -> Path:
    """Return the free name under which `keep_aside` would keep a file."""
    written_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    name = f"{file.name}.{word}-{written_at:%Y%m%dT%H%M%S}"
    kept, number = file.with_name(name), 1
    while os.path.lexists(kept):
        number += 1
        kept = file.with_name(f"{name}-{number}")
    return kept


def keep_copy(file: Path, kept: Path) -> None:
    """Give a file a second name, or where the disk cannot do that, make a private copy."""
    try:
        os.link(file, kept)
    except OSError:
        shutil.copyfile(file, kept)
        kept.chmod(PRIVATE_FILE_MODE)


def close_to_others(paths: Iterable[Path]) -> list[Path]:
    """Take every right of other users from files and folders; return those that had any.

    Links are left alone, and so is what cannot be changed. On Windows, where rights are
    inherited from the user's own folder, nothing is done.
    """
    if os.name == "nt":
        return []
    return [path for path in paths if _closed_to_others(path)]


def _closed_to_others(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) or not mode & _OTHERS:
            return False
        path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
    except OSError:
        return False
    return True
