"""Joins the parts: the only module that names backends, the wall clock and ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ltm_tray.archive import ArchiveService
from ltm_tray.domain.errors import BackendUnavailable, NotSupported
from ltm_tray.domain.health import Notice, StoreState
from ltm_tray.domain.redaction import redact
from ltm_tray.files import close_to_others, make_private_dir
from ltm_tray.fronts.agent.installer import PiExtension
from ltm_tray.paths import paths_of
from ltm_tray.ports import Archive, Store, Upkeep
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService
from ltm_tray.settings import SettingsFile, load_environment
from ltm_tray.upkeep import UpkeepService


def utc_now() -> datetime:
    """Return the wall clock's time: aware, UTC, cut to milliseconds."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def new_id(prefix: str) -> str:
    """Return a new id such as `mem_1767323045006_9f86d081884c`: prefix, milliseconds, chance."""
    milliseconds = int(utc_now().timestamp() * 1000)
    return f"{prefix}_{milliseconds}_{os.urandom(6).hex()}"


def load_settings() -> SettingsFile:
    """Return this user's settings, from the environment and the settings file.

    Raises:
        SettingsUnusable: An environment variable cannot be used.
    """
    environ = load_environment()
    return SettingsFile(paths_of(environ), environ, clock=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the fronts use, all over one store. Safe to use from any thread."""

    memory: MemoryService
    archive: ArchiveService
    upkeep: UpkeepService

    def close(self) -> None:
        """Close the store; calling it again does nothing."""
        self.memory.close()


def open_services(settings: SettingsFile, notices: Sequence[Notice] = ()) -> Services:
    """Return the services over the configured backend; close them after use.

    Health tells the `notices` beside its own.

    Raises:
        BackendUnavailable: The store cannot be opened.
        NotSupported: This version has no such backend.
        SettingsUnusable: The backend's own settings cannot be used.
    """
    backend = settings.current().backend
    if backend not in _BACKENDS:
        raise NotSupported(
            f'This version has no backend "{backend}"; set "backend" to one of '
            f"{', '.join(_BACKENDS)} in {settings.paths.settings_file}."
        )
    try:
        make_private_dir(settings.paths.memory_dir)
    except OSError as error:
        raise unusable(settings, error) from error
    parts = _BACKENDS[backend](settings)
    upkeep = UpkeepService(parts.upkeep, clock=utc_now)
    return Services(
        memory=MemoryService(
            parts.store, switch=settings, clock=utc_now, upkeep=upkeep, notices=notices
        ),
        archive=ArchiveService(parts.archive, switch=settings, retaining=settings, clock=utc_now),
        upkeep=upkeep,
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    store: Store
    archive: Archive
    upkeep: Upkeep


# Each backend is imported where it is chosen: a status needs none, and no user needs two.


def _sqlite(settings: SettingsFile) -> _Parts:
    from ltm_tray.backends.sqlite import SqliteArchive, SqliteStore, SqliteUpkeep

    store = SqliteStore(
        settings.db_file(),
        clock=utc_now,
        new_id=new_id,
    )
    database = store.database
    return _Parts(
        store, SqliteArchive(database, clock=utc_now), SqliteUpkeep(database, clock=utc_now)
    )


def _agentmemory(settings: SettingsFile) -> _Parts:
    from ltm_tray.backends.agentmemory import AgentMemoryStore, NoArchive, NoUpkeep, find_secret

    environ = load_environment()
    store = AgentMemoryStore(
        settings.current().agentmemory_url,
        clock=utc_now,
        secret=lambda: find_secret(environ, Path.home()),
        redact=lambda text: redact(text).text,
    )
    return _Parts(store, NoArchive(), NoUpkeep())


_BACKENDS: dict[str, Callable[[SettingsFile], _Parts]] = {
    "sqlite": _sqlite,
    "agentmemory": _agentmemory,
}
"""The backends that the setting can name."""


def private_again(settings: SettingsFile) -> list[Notice]:
    """Close what lies in the memory folder to other users, and tell what was open to them."""
    memory_dir = settings.paths.memory_dir
    folders = [memory_dir, *(memory_dir / name for name in ("backups", "logs"))]
    files = [file for folder in folders if folder.is_dir() for file in folder.iterdir()]
    return [
        Notice(StoreState.NOTED, f"Others could get at {path}; only you can now.")
        for path in close_to_others([memory_dir, *files])
    ]


def pi_extension(settings: SettingsFile) -> PiExtension:
    """Return the extension in this user's Pi.

    Raises:
        FileNotFoundError: The installation lacks its assets.
    """
    return PiExtension(settings.paths.agent_dir, data_dir("assets") / "pi-extension" / "index.ts")


def unusable(settings: SettingsFile, error: OSError) -> BackendUnavailable:
    """Return the domain error for a memory folder that cannot be used."""
    return BackendUnavailable(
        f"The memory folder {settings.paths.memory_dir} cannot be used: {error.strerror or error}."
    )
