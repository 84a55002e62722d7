"""One instance per user: an OS lock decides who runs, a small file says where it answers."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import msgspec
from filelock import FileLock, Timeout

from ltm_tray.files import PRIVATE_FILE_MODE, make_private_dir, write_private_file
from ltm_tray.paths import Paths
from ltm_tray.token_file import read_token

SERVICE = "ltm_tray"
_ANSWER_TIMEOUT_S = 2.0
_ANSWER_MAX_BYTES = 65_536
_PROBE_GRACE_S = 0.5
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A running app: where its console and API answer, its process id, its version."""

    url: str
    pid: int
    version: str


class InstanceLock:
    """The right to be the one running app of a user.

    The operating system holds it for the process and frees it however the process
    ends, so there is no stale lock.
    """

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = _lock_of(paths)

    def acquire(self) -> bool:
        """Take the lock; False when another instance has it.

        Raises:
            OSError: The memory folder cannot be used.
        """
        make_private_dir(self._paths.memory_dir)
        try:
            # Not zero: a program that only asks whether an app runs holds the lock for a moment.
            self._lock.acquire(timeout=_PROBE_GRACE_S)
        except Timeout:
            return False
        return True

    def publish(self, instance: Instance) -> None:
        """Tell other programs where this instance answers; call it once it does."""
        write_private_file(self._paths.discovery_file, json.dumps(asdict(instance)) + "\n")

    def withdraw(self) -> None:
        """Take back what was published."""
        self._paths.discovery_file.unlink(missing_ok=True)

    def close(self) -> None:
        """Give the lock up; calling it again does nothing."""
        self._lock.release()


def running_instance(paths: Paths) -> Instance | None:
    """Return the running app of this user, or None when none answers as one."""
    if not is_taken(paths):
        return None
    try:
        text = paths.discovery_file.read_text("utf-8")
        found = msgspec.json.decode(text, type=Instance)
    except (OSError, ValueError):
        return None
    return found if _answers(found.url) else None


def wait_for_instance(paths: Paths, *, timeout_s: float) -> Instance | None:
    """Return the running app, giving one that is just starting the time to say where it is."""
    ends_at = time.monotonic() + timeout_s
    while (found := running_instance(paths)) is None and time.monotonic() < ends_at:
        time.sleep(_POLL_S)
    return found


def console_url(paths: Paths, instance: Instance) -> str:
    """Return the address that opens the console of a running app.

    Where the app asks for a token, it is a link that works once and soon: it is for the
    user's browser alone, never for a log.
    """
    token = read_token(paths.token_file)
    if token is None:
        return instance.url
    return instance.url + _asked(instance.url, "POST", "/console", token=token).path


def _lock_of(paths: Paths) -> FileLock:
    return FileLock(paths.lock_file, mode=PRIVATE_FILE_MODE, thread_local=False)


def is_taken(paths: Paths) -> bool:
    """Tell whether some app lives, so that a file left by a killed one is not believed."""
    if not paths.lock_file.exists():
        return False
    try:
        with _lock_of(paths).acquire(timeout=0):
            return False
    except Timeout:
        return True


class _Answer(msgspec.Struct):
    service: str = ""
    path: str = ""


def _answers(url: str) -> bool:
    """Ask the health route: an app that hangs, or a file edited by hand, leads nowhere."""
    return _asked(url, "GET", "/health").service == SERVICE


def _asked(url: str, method: str, route: str, *, token: str = "") -> _Answer:
    """Return what a route of the API answers; nothing where no app does."""
    from http.client import HTTPConnection, HTTPException  # costly, and seldom needed

    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        address = urlsplit(url)
        with closing(
            HTTPConnection(address.hostname or "", address.port, timeout=_ANSWER_TIMEOUT_S)
        ) as connection:
            body = "{}" if method == "POST" else None
            connection.request(method, f"/api/memory{route}", body, headers)
            answer = connection.getresponse().read(_ANSWER_MAX_BYTES)
        return msgspec.json.decode(answer, type=_Answer)
    except (OSError, HTTPException, ValueError, RecursionError):
        return _Answer()
