"""The check-up of an installation: each check looks at one thing and says what to do about it.

No check raises, and none needs another to have gone well: what is broken is told as far
as it can be seen.
"""

from __future__ import annotations

import shutil
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from ltm_tray import bootstrap
from ltm_tray.domain.checkup import Finding, Status, fine
from ltm_tray.domain.errors import LtmError
from ltm_tray.fronts.agent.installer import ExtensionState
from ltm_tray.instance import Instance, is_taken, running_instance
from ltm_tray.settings import SettingsFile

Tell = Callable[[str], None]
"""Is told the name of the check that begins."""

_BACKUP_OLD = timedelta(days=3)
_WAL_LARGE_BYTES = 128 * 1024 * 1024
_SPACE_LOW_BYTES = 200 * 1024 * 1024
_SPACE_NEEDED_TIMES = 3
_PROBE_TIMEOUT_S = 0.5
_PI_ADVICE = {
    ExtensionState.ABSENT: ("Pi has no memory.", "Run: ltm-tray pi install"),
    ExtensionState.OUTDATED: (
        "Pi uses the connection of another version, or a changed one.",
        "Run: ltm-tray pi install",
    ),
    ExtensionState.FOREIGN: (
        "A file that is not ours stands where the extension belongs.",
        "Move it elsewhere and run: ltm-tray pi install",
    ),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """The installation that is looked at. `full` asks for the thorough look at the store."""

    settings: SettingsFile
    services: bootstrap.Services
    running: Instance | None
    full: bool


def examine(settings: SettingsFile, *, full: bool, tell: Tell) -> Iterator[Finding]:
    """Yield what each check finds, in the order a person would look."""
    running = running_instance(settings.paths)
    try:
        services = bootstrap.open_services(settings)
    except LtmError as error:
        yield _problem("store", error.message, "Nothing can be saved or recalled.")
        return
    with closing(services):
        subject = Subject(settings, services, running, full)
        for name, check in CHECKS.items():
            tell(name)
            try:
                yield check(subject)
            except (LtmError, OSError) as error:
                yield _problem(name, str(error), "This could not be looked at.")


def _settings(subject: Subject) -> Finding:
    problems = subject.settings.problems()
    if not problems:
        return fine("settings", f"{subject.settings.paths.settings_file} can be used.")
    return _warning("settings", " ".join(problems), "Other values hold than the file names.")


def _permissions(subject: Subject) -> Finding:
    open_ = [path for path in _private_paths(subject) if _is_open_to_others(path)]
    if not open_:
        return fine("permissions", "Only you can read what is in the memory folder.")

    def close_them() -> str:
        for path in open_:
            path.chmod(0o700 if path.is_dir() else 0o600)
        return f"Closed {len(open_)} files and folders to others."

    return Finding(
        check="permissions",
        status=Status.WARNING,
        found=f"Others may read: {', '.join(str(path) for path in open_[:5])}.",
        meaning="Other users of this machine can see what your agent saved.",
        advice="Run: ltm-tray doctor --fix",
        mend=close_them,
    )


def _space(subject: Subject) -> Finding:
    file = subject.settings.db_file()
    free = shutil.disk_usage(_existing(file.parent)).free
    needed = max(_SPACE_LOW_BYTES, _SPACE_NEEDED_TIMES * _size(file))
    if free >= needed:
        return fine("disk space", f"{_megabytes(free)} are free.")
    return _warning(
        "disk space",
        f"Only {_megabytes(free)} are free.",
        "Backups, and later saves, may fail.",
        f"Free some space; {_megabytes(needed)} are enough.",
    )


def _store(subject: Subject) -> Finding:
    health = subject.services.memory.health()
    if health.ok and not health.detail:
        return fine("store", f"The {health.backend} store answers.")
    if health.ok:
        return _warning("store", health.detail or "", "It works, but has something to tell.")
    newest = next(iter(subject.services.upkeep.backups()), None)
    advice = (
        f"If it stays so, go back to the newest backup: ltm-tray restore {newest.name}"
        if newest
        else "There is no backup to go back to."
    )
    return _problem("store", health.detail or "", "Nothing can be saved or recalled.", advice)


def _integrity(subject: Subject) -> Finding:
    return subject.services.upkeep.examine(full=subject.full)


def _log_size(subject: Subject) -> Finding:
    file = subject.settings.db_file()
    size = _size(file.with_name(f"{file.name}-wal"))
    if size <= _WAL_LARGE_BYTES:
        return fine("write-ahead log", f"It takes {_megabytes(size)}.")
    return Finding(
        check="write-ahead log",
        status=Status.WARNING,
        found=f"It takes {_megabytes(size)}.",
        meaning="Some program reads without an end, so that the log cannot be given back.",
        advice="Run: ltm-tray doctor --fix",
        mend=subject.services.upkeep.give_log_back,
    )


def _backups(subject: Subject) -> Finding:
    upkeep = subject.services.upkeep
    if upkeep.is_empty():
        return fine("backups", "There is nothing to back up yet.")
    newest = next(iter(upkeep.backups()), None)
    now = subject.services.memory.now()
    if newest is not None and abs(now - newest.made_at) < _BACKUP_OLD:
        return fine("backups", f"The newest is of {newest.made_at:%Y-%m-%d %H:%M} UTC.")

    def make_one() -> str:
        return f"Made {upkeep.back_up().name}."

    return Finding(
        check="backups",
        status=Status.WARNING,
        found=f"The newest is of {newest.made_at:%Y-%m-%d}." if newest else "There is none.",
        meaning="Damage to the disk could cost what was saved since.",
        advice="Keep the app running, which makes one a day, or run: ltm-tray backup",
        mend=make_one,
    )


def _app(subject: Subject) -> Finding:
    if subject.running is not None:
        return fine("app", f"It runs at {subject.running.url}.")
    if is_taken(subject.settings.paths):
        return _problem(
            "app",
            "It runs but does not answer.",
            "Your agent cannot use its memory.",
            "End the process ltm-tray and start it again.",
        )
    left = subject.settings.paths.discovery_file
    if not left.exists():
        return _warning("app", "It does not run.", _NOT_RUNNING, "Run: ltm-tray")

    def remove() -> str:
        left.unlink(missing_ok=True)
        return f"Removed {left}."

    return Finding(
        check="app",
        status=Status.WARNING,
        found="It does not run; it was killed the last time.",
        meaning=_NOT_RUNNING,
        advice="Run: ltm-tray",
        mend=remove,
    )


def _port(subject: Subject) -> Finding:
    port = subject.settings.current().port
    if subject.running is not None or not _answers(port):
        return fine("port", f"{port} is free, or the app's own.")
    return _warning(
        "port",
        f"Another program answers on port {port}.",
        "The app takes the next free one; the address of the console changes.",
        "Set LTM_PORT to a port of its own if that disturbs you.",
    )


def _pi(subject: Subject) -> Finding:
    found = bootstrap.pi_extension(subject.settings).status()
    if found.state is ExtensionState.INSTALLED:
        return fine("Pi", "Its extension is installed and of this version.")
    meaning, advice = _PI_ADVICE[found.state]
    return _warning("Pi", f"The extension is {found.state}.", meaning, advice)


def _kept_aside(subject: Subject) -> Finding:
    file = subject.settings.db_file()
    kept = sorted(
        path
        for path in file.parent.glob(f"{file.name}.*")
        if not path.name.endswith((".lock", "-wal", "-shm"))
    )
    if not kept:
        return fine("kept aside", "No damaged file was kept.")
    return _warning(
        "kept aside",
        f"Kept: {', '.join(path.name for path in kept)}.",
        "What could be read of it is in the store again; the rest is only there.",
        "Delete it when you miss nothing.",
    )


CHECKS: dict[str, Callable[[Subject], Finding]] = {
    "settings": _settings,
    "permissions": _permissions,
    "disk space": _space,
    "store": _store,
    "integrity": _integrity,
    "write-ahead log": _log_size,
    "backups": _backups,
    "kept aside": _kept_aside,
    "app": _app,
    "port": _port,
    "Pi": _pi,
}
"""The checks by name, in order."""

_NOT_RUNNING = "Your agent cannot use its memory until it does."


def _problem(check: str, found: str, meaning: str, advice: str = "") -> Finding:
    status = Status.PROBLEM
    return Finding(check=check, status=status, found=found, meaning=meaning, advice=advice)


def _warning(check: str, found: str, meaning: str, advice: str = "") -> Finding:
    status = Status.WARNING
    return Finding(check=check, status=status, found=found, meaning=meaning, advice=advice)


def _private_paths(subject: Subject) -> Iterator[Path]:
    folder = subject.settings.paths.memory_dir
    if folder.is_dir():
        yield folder
        yield from sorted(folder.rglob("*"))


def _is_open_to_others(path: Path) -> bool:
    found = path.lstat()
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & 0o077)


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _answers(port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.settimeout(_PROBE_TIMEOUT_S)
        return probe.connect_ex(("127.0.0.1", port)) == 0
