"""The commands that connect the Pi coding agent: pi install, uninstall, status."""

from __future__ import annotations

from typing import Any

import click

from ltm_tray import bootstrap
from ltm_tray.fronts.agent.installer import Change, ExtensionState, ExtensionStatus, PiExtension
from ltm_tray.fronts.cli import render
from ltm_tray.fronts.cli.options import in_json
from ltm_tray.fronts.cli.session import loaded_settings

_NEXT = {
    ExtensionState.ABSENT: "Install it with: ltm-tray pi install",
    ExtensionState.INSTALLED: "Pi has its memory; in a running Pi type /memory-status to see it.",
    ExtensionState.OUTDATED: "Bring it up to date with: ltm-tray pi install",
    ExtensionState.FOREIGN: "LTM Tray did not write this file; move it away to install ours.",
}
_RELOAD = "Type /reload in a running Pi; a new one has its memory at once."


@click.group()
def pi() -> None:
    """Connect the Pi coding agent to this memory."""


@pi.command()
@in_json
def install(*, in_json: bool) -> None:
    """Install or update the extension that gives Pi its memory."""
    change = _extension().install()
    if in_json:
        click.echo(render.as_json(_change_json(change)))
    elif change.changed:
        click.echo(f"Installed {change.file}")
        _tell_backup(change)
        click.echo(_RELOAD)
    else:
        click.echo(f"Installed already: {change.file}")


@pi.command()
@in_json
def uninstall(*, in_json: bool) -> None:
    """Remove the extension; what Pi has saved stays."""
    change = _extension().uninstall()
    if in_json:
        click.echo(render.as_json(_change_json(change)))
    elif change.changed:
        click.echo(f"Removed {change.file}; the saved memory stays.")
        _tell_backup(change)
        click.echo("Type /reload in a running Pi.")
    else:
        click.echo("Nothing to remove: the extension is not installed.")


@pi.command()
@in_json
def status(*, in_json: bool) -> None:
    """Show whether Pi has the extension, and which version."""
    found = _extension().status()
    if in_json:
        click.echo(render.as_json(_status_json(found)))
        return
    state = f"{found.state}, version {found.version}" if found.version else str(found.state)
    click.echo(render.table([("Extension", state), ("File", str(found.file))]))
    click.echo(_NEXT[found.state])


def _extension() -> PiExtension:
    return bootstrap.pi_extension(loaded_settings())


def _tell_backup(change: Change) -> None:
    if change.backup:
        click.echo(f"The copy that was there differed; it is kept as {change.backup}")


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "changed": change.changed,
        "file": str(change.file),
        "backup": str(change.backup) if change.backup else None,
    }


def _status_json(found: ExtensionStatus) -> dict[str, Any]:
    return {"state": found.state, "file": str(found.file), "version": found.version}
