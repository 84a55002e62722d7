"""The program `ltm-tray`: its commands, its help, and how an error ends it."""

from __future__ import annotations

import sys
from typing import Any

import click

from ltm_tray import __version__, running
from ltm_tray.domain.errors import LtmError
from ltm_tray.fronts.cli import app, archive, doctor, memory, pi, upkeep
from ltm_tray.fronts.cli.exits import exit_of
from ltm_tray.fronts.cli.session import loaded_settings

_EPILOG = """\b
Exit codes:
  0  done; finding nothing is an answer too
  1  a fault of the program itself
  2  an option, a text or an id is wrong; nothing was changed
  3  long-term memory is switched off
  4  the store, the settings or Pi's extensions folder cannot be used now
  5  the app does not run (open, status)
  6  some lines could not be imported; the others are in (import)
  7  something does not work, or could be lost (doctor)
"""


class _Program(click.Group):
    """Ends with one plain sentence and the error's exit code, never with a trace of a known one."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except LtmError as error:
            click.echo(f"ltm-tray: {error.message}", err=True)
            sys.exit(exit_of(error))


@click.group(cls=_Program, invoke_without_command=True, epilog=_EPILOG)
@click.version_option(__version__, prog_name="ltm-tray", message="%(prog)s %(version)s")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Long-term memory for the Pi coding agent, on your own desktop.

    Without a command: run the app with its tray icon. Every command works whether
    the app runs or not, on the same memory.
    """
    if ctx.invoked_subcommand is None:
        running.run_app(loaded_settings(), tray=True, say=click.echo)


for command in (
    app.serve,
    memory.save,
    memory.recall,
    memory.forget,
    memory.stats,
    archive.export,
    archive.import_file,
    archive.purge,
    upkeep.backup,
    upkeep.restore,
    doctor.doctor_command,
    app.enable,
    app.disable,
    app.open_console,
    app.status,
    pi.pi,
):
    program.add_command(command)
