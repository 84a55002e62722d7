"""What every command begins with: the settings, and the service over them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from ltm_tray import bootstrap
from ltm_tray.archive import ArchiveService
from ltm_tray.service import MemoryService
from ltm_tray.settings import SettingsFile
from ltm_tray.upkeep import UpkeepService


def loaded_settings() -> SettingsFile:
    """Return the settings; what is wrong with the file is said on standard error."""
    settings = bootstrap.load_settings()
    for problem in settings.problems():
        click.echo(f"Warning: {problem}", err=True)
    return settings


@contextmanager
def opened_service() -> Iterator[MemoryService]:
    """Give the service, on the same store as the app, whether that runs or not."""
    with closing(bootstrap.open_services(loaded_settings())) as services:
        yield services.memory


@contextmanager
def opened_archive() -> Iterator[ArchiveService]:
    """Give the memory as a whole, on the same store."""
    with closing(bootstrap.open_services(loaded_settings())) as services:
        yield services.archive


@contextmanager
def opened_upkeep() -> Iterator[UpkeepService]:
    """Give the upkeep of the same store."""
    with closing(bootstrap.open_services(loaded_settings())) as services:
        yield services.upkeep
