"""The command `doctor`: what a check-up found, and what was put right."""

from __future__ import annotations

import sys
from typing import Any

import click

from ltm_tray import bootstrap, doctor
from ltm_tray.domain.checkup import Finding, Status
from ltm_tray.domain.errors import LtmError
from ltm_tray.fronts.cli import render
from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.options import in_json

_MARKS = {Status.OK: "ok", Status.WARNING: "WARNING", Status.PROBLEM: "PROBLEM"}
_COLOURS = {Status.OK: "green", Status.WARNING: "yellow", Status.PROBLEM: "red"}


@click.command("doctor")
@click.option("--full", is_flag=True, help="Look at every page and text of the store; minutes.")
@click.option("--fix", is_flag=True, help="Put right what is safe to put right.")
@in_json
def doctor_command(*, full: bool, fix: bool, in_json: bool) -> None:
    """Look whether all is well, and say what to do where it is not.

    Ends with exit code 7 where something does not work, or could be lost. Warnings
    alone end with 0.
    """
    told: list[dict[str, Any]] = []
    grave = False
    for finding in doctor.examine(bootstrap.load_settings(), full=full, tell=_silent):
        mended = _mended(finding) if fix else None
        grave = grave or (finding.status is Status.PROBLEM and mended is None)
        if in_json:
            told.append(_json(finding, mended))
        else:
            click.echo(_text(finding, mended))
    if in_json:
        click.echo(render.as_json({"findings": told}))
    if grave:
        sys.exit(Exit.FOUND)


def _mended(finding: Finding) -> str | None:
    """Put a finding right; what was done, or None where nothing was."""
    if finding.mend is None or finding.status is Status.OK:
        return None
    try:
        return finding.mend()
    except (LtmError, OSError) as error:
        click.echo(f"{finding.check} could not be put right: {error}", err=True)
        return None


def _text(finding: Finding, mended: str | None) -> str:
    mark = click.style(f"{_MARKS[finding.status]:<8}", fg=_COLOURS[finding.status])
    lines = [f"{mark} {finding.check}: {render.printable(finding.found)}"]
    lines += [f"{'':<8} {line}" for line in (finding.meaning, mended or finding.advice) if line]
    return "\n".join(lines)


def _json(finding: Finding, mended: str | None) -> dict[str, Any]:
    return {
        "check": finding.check,
        "status": finding.status,
        "found": finding.found,
        "meaning": finding.meaning,
        "advice": finding.advice,
        "fixable": finding.mend is not None,
        "fixed": mended,
    }


def _silent(_: str) -> None:
    """Show nothing."""
