"""The commands that keep the store safe: backup and restore."""

from __future__ import annotations

import sys
from typing import Any

import click

from ltm_tray.domain.times import to_iso
from ltm_tray.domain.upkeep import Backup, Restored
from ltm_tray.fronts.cli import render
from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.options import in_json
from ltm_tray.fronts.cli.progress import progress_of
from ltm_tray.fronts.cli.session import opened_upkeep


@click.command()
@click.option("--list", "only_list", is_flag=True, help="Show the backups there are; make none.")
@in_json
def backup(*, only_list: bool, in_json: bool) -> None:
    """Make a backup of the whole memory, and check it. The app may run meanwhile.

    What you make yourself is kept until you delete it.
    """
    with opened_upkeep() as upkeep:
        if only_list:
            _show_list(upkeep.backups(), in_json=in_json)
            return
        with progress_of("Backing up") as show:
            made = upkeep.back_up(show)
    size = f"{made.size_bytes:,} bytes"
    click.echo(
        render.as_json(_json(made)) if in_json else f"Made {made.name}, {size}; it is whole."
    )


@click.command()
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@in_json
def restore(*, name: str | None, yes: bool, in_json: bool) -> None:
    """Bring the whole memory back to the backup NAME, or to the newest one.

    NAME is a file's name as `backup --list` shows it, or a path. What is there now is
    kept as a backup, so that you can go back to it. The app may run meanwhile.
    """
    with opened_upkeep() as upkeep:
        if not yes:
            _confirm(name)
        with progress_of("Restoring") as show:
            done = upkeep.restore(name, show)
    click.echo(render.as_json(_restored_json(done)) if in_json else _restored_text(done))


def _confirm(name: str | None) -> None:
    click.echo(f"What was saved since {name or 'the newest backup'} will be gone.", err=True)
    try:
        click.confirm("Go back to it?", abort=True, err=True)
    except click.Abort:
        click.echo("Nothing was changed.", err=True)
        sys.exit(Exit.WRONG_INPUT)


def _show_list(found: list[Backup], *, in_json: bool) -> None:
    if in_json:
        click.echo(render.as_json({"backups": [_json(one) for one in found]}))
    elif found:
        rows = [(one.name, f"{one.kind}, {one.size_bytes:,} bytes") for one in found]
        click.echo(render.table(rows))
    else:
        click.echo("No backup yet.")


def _json(made: Backup) -> dict[str, Any]:
    return {
        "name": made.name,
        "kind": made.kind,
        "madeAt": to_iso(made.made_at),
        "sizeBytes": made.size_bytes,
    }


def _restored_json(done: Restored) -> dict[str, Any]:
    return {
        "source": done.source,
        "memories": done.memories,
        "observations": done.observations,
        "kept": None if done.kept is None else _json(done.kept),
        "setAside": done.set_aside,
    }


def _restored_text(done: Restored) -> str:
    lines = [
        f"Restored {done.memories:,} memories (with their versions) and {done.observations:,} "
        f"observations from {done.source}",
    ]
    if done.kept is not None:
        lines.append(f"To undo it: ltm-tray restore {done.kept.name}")
    if done.set_aside is not None:
        lines.append(f"The file that could not be read is kept as {done.set_aside}")
    return "\n".join(lines)
