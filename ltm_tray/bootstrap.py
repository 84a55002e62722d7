"""Joins the parts: the only module that names backends, the wall clock and ids."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ltm_tray.domain.errors import BackendUnavailable, NotSupported
from ltm_tray.domain.health import Notice, StoreState
from ltm_tray.files import close_to_others, make_private_dir
from ltm_tray.fronts.agent.installer import PiExtension
from ltm_tray.paths import paths_of
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService
from ltm_tray.settings import SettingsFile, load_environment


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

    def close(self) -> None:
        """Close the store; calling it again does nothing."""
        self.memory.close()


def open_services(settings: SettingsFile) -> Services:
    """Return the services over the configured backend; close them after use.

    Raises:
        BackendUnavailable: The store cannot be opened.
        NotSupported: This version has no such backend.
    """
    backend = settings.current().backend
    if backend != "sqlite":
        raise NotSupported(
            f'This version has no backend "{backend}"; set "backend" to "sqlite" in '
            f"{settings.paths.settings_file}."
        )
    from ltm_tray.backends.sqlite import SqliteStore  # a status needs no store

    try:
        make_private_dir(settings.paths.memory_dir)
    except OSError as error:
        raise unusable(settings, error) from error
    store = SqliteStore(
        settings.db_file(),
        clock=utc_now,
        new_id=new_id,
        notices=_private_again(settings.paths.memory_dir),
    )
    return Services(memory=MemoryService(store, switch=settings, clock=utc_now))


def _private_again(memory_dir: Path) -> list[Notice]:
    """Close what lies in the memory folder to other users, and tell what was open to them."""
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
