"""The commands over the app and its switch: serve, open, status, enable, disable."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Any

import click

from ltm_tray import bootstrap, running
from ltm_tray.domain.errors import LtmError
from ltm_tray.domain.memory import Health
from ltm_tray.fronts.cli import render
from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.options import in_json
from ltm_tray.fronts.cli.session import loaded_settings
from ltm_tray.instance import Instance, console_url, running_instance
from ltm_tray.opening import show
from ltm_tray.settings import SettingsFile

_NOT_RUNNING = "LTM Tray is not running; start it with: ltm-tray"


@click.command()
def serve() -> None:
    """Run the app without a tray icon."""
    running.run_app(loaded_settings(), tray=False, say=click.echo)


@click.command("open")
def open_console() -> None:
    """Open the console of the running app in a browser."""
    paths = loaded_settings().paths
    found = running_instance(paths)
    if found is None:
        click.echo(_NOT_RUNNING, err=True)
        sys.exit(Exit.NOT_RUNNING)
    address = console_url(paths, found)
    click.echo(f"Opened {found.url}" if show(address) else f"Open {address} in a browser.")


@click.command()
@in_json
def status(*, in_json: bool) -> None:
    """Show whether the app runs, the switch, and the state of the store."""
    settings = loaded_settings()
    found = running_instance(settings.paths)
    state = _state(settings, found, _health(settings))
    click.echo(render.as_json(state) if in_json else render.table(render.status_rows(state)))
    if not state["ok"]:
        sys.exit(Exit.UNAVAILABLE)
    if found is None:
        sys.exit(Exit.NOT_RUNNING)


@click.command()
@in_json
def enable(*, in_json: bool) -> None:
    """Switch long-term memory on, for every program."""
    _throw(enabled=True, in_json=in_json)


@click.command()
@in_json
def disable(*, in_json: bool) -> None:
    """Switch long-term memory off: nothing is saved, recalled or deleted."""
    _throw(enabled=False, in_json=in_json)


def _throw(*, enabled: bool, in_json: bool) -> None:
    settings = loaded_settings()
    settings.set_enabled(enabled=enabled)
    now = settings.current().enabled
    sentence = f"Long-term memory is {'on' if now else 'off'}."
    click.echo(render.as_json({"enabled": now}) if in_json else sentence)


def _health(settings: SettingsFile) -> Health:
    try:
        with closing(bootstrap.open_services(settings)) as services:
            return services.memory.health()
    except LtmError as error:
        return Health.of_error(settings.current().backend, error)


def _state(settings: SettingsFile, found: Instance | None, health: Health) -> dict[str, Any]:
    switch = next(setting for setting in settings.effective() if setting.key == "enabled")
    return {
        "running": found is not None,
        "url": found.url if found else None,
        "pid": found.pid if found else None,
        "version": found.version if found else None,
        "enabled": switch.value,
        "pinnedBy": switch.pinned_by,
        "backend": health.backend,
        "ok": health.ok,
        "state": health.state,
        "detail": health.detail,
        "nextStep": health.next_step,
        "dbPath": str(settings.db_file()),
        "memoryDir": str(settings.paths.memory_dir),
        "logFile": str(settings.paths.log_file),
    }
