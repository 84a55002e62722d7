"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click


def _absolute(_: click.Context, __: click.Parameter, value: str) -> str:
    # An empty value is most likely an unset variable in a script; the service refuses it.
    return str(Path(value).absolute()) if value.strip() else value


in_project = click.option(
    "--cwd",
    metavar="DIR",
    default=".",
    callback=_absolute,
    help="The project's directory; without it the current one.",
)
in_json = click.option("--json", "in_json", is_flag=True, help="Answer in JSON, as the API does.")
