"""Puts the extension into Pi's extensions folder, keeps it current, and takes it out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ltm_tray.domain.errors import PiExtensionError
from ltm_tray.files import make_private_dir, write_private_file

_FOLDER = Path("extensions", "ltm-tray")
_FILE_NAME = "index.ts"
_MARKER = re.compile(r"\A\ufeff?// ltm-tray pi extension, version (?P<version>\S+)")
_DIGEST_CHARACTERS = 8


class ExtensionState(StrEnum):
    """What stands where the extension belongs."""

    ABSENT = "absent"
    """Nothing."""
    INSTALLED = "installed"
    """The extension of this version of LTM Tray."""
    OUTDATED = "outdated"
    """The extension of another version, or a changed copy."""
    FOREIGN = "foreign"
    """A file that LTM Tray did not write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionStatus:
    """The state of the extension, its file, and the version found there, if it is ours."""

    state: ExtensionState
    file: Path
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an installation or removal did. `backup` is where a differing copy went."""

    changed: bool
    file: Path
    backup: Path | None = None


class PiExtension:
    """The extension in one agent directory; `source` is the file this version ships.

    Every method raises `PiExtensionError` where a file or folder cannot be used.
    """

    def __init__(self, agent_dir: Path, source: Path) -> None:
        self._file = agent_dir / _FOLDER / _FILE_NAME
        self._source = source
        self._told: tuple[tuple[int, ...] | None, ExtensionStatus] | None = None

    def status(self) -> ExtensionStatus:
        """Tell what is installed; nothing is changed. One `stat` where nothing happened."""
        with self._explained():
            seen = self._fingerprint()
            if self._told is None or self._told[0] != seen:
                self._told = seen, self._status()
            return self._told[1]

    def install(self) -> Change:
        """Install the extension, or bring an older or changed copy up to date.

        A copy that differs is kept beside it under a name that Pi does not load; one
        that is current already is left alone.

        Raises:
            PiExtensionError: A file of someone else stands there; it is left alone.
        """
        found = self._ours()
        with self._explained():
            if found == self._shipped():
                return Change(changed=False, file=self._file)
            backup = self._set_aside(found)
            make_private_dir(self._file.parent)
            write_private_file(self._file, self._shipped().decode())
        return Change(changed=True, file=self._file, backup=backup)

    def uninstall(self) -> Change:
        """Remove the extension; a changed or older copy is kept under another name.

        Raises:
            PiExtensionError: A file of someone else stands there; it is left alone.
        """
        found = self._ours()
        if found is None:
            return Change(changed=False, file=self._file)
        with self._explained():
            backup = self._set_aside(found) if found != self._shipped() else None
            self._file.unlink()
            if not any(self._file.parent.iterdir()):
                self._file.parent.rmdir()
        return Change(changed=True, file=self._file, backup=backup)

    def _status(self) -> ExtensionStatus:
        found = self._found()
        if found is None:
            return ExtensionStatus(state=ExtensionState.ABSENT, file=self._file)
        version = _version_of(found)
        if version is None:
            state = ExtensionState.FOREIGN
        elif found == self._shipped():
            state = ExtensionState.INSTALLED
        else:
            state = ExtensionState.OUTDATED
        return ExtensionStatus(state=state, file=self._file, version=version)

    def _fingerprint(self) -> tuple[int, ...] | None:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _ours(self) -> bytes | None:
        with self._explained():
            found = self._found()
        if found is not None and _version_of(found) is None:
            raise PiExtensionError(
                f"{self._file} is not a file of LTM Tray and was left alone; "
                "move it away and try again."
            )
        return found

    def _found(self) -> bytes | None:
        try:
            return self._file.read_bytes()
        except FileNotFoundError:
            return None

    def _shipped(self) -> bytes:
        return self._source.read_bytes()

    def _set_aside(self, content: bytes | None) -> Path | None:
        if content is None:
            return None
        # Named by its content: backing up the same copy twice makes one file, and none is lost.
        digest = hashlib.sha256(content).hexdigest()[:_DIGEST_CHARACTERS]
        backup = self._file.with_name(f"{_FILE_NAME}.{digest}.bak")
        backup.write_bytes(content)
        return backup

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PiExtensionError(
                f"Pi's extensions folder cannot be used: {error.strerror or error} "
                f"({error.filename or self._file})."
            ) from error


def _version_of(content: bytes) -> str | None:
    found = _MARKER.match(content[:200].decode("utf-8", "replace"))
    return found["version"] if found else None
