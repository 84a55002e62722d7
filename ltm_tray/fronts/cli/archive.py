"""The commands over the memory as a whole: export, import, purge."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from ltm_tray.domain.archive_lines import LINE_MAX_BYTES, promised_by
from ltm_tray.domain.errors import InvalidInput, invalid
from ltm_tray.files import private_draft
from ltm_tray.fronts.cli import render, render_archive
from ltm_tray.fronts.cli.exits import Exit
from ltm_tray.fronts.cli.options import in_json
from ltm_tray.fronts.cli.progress import progress_of
from ltm_tray.fronts.cli.session import opened_archive


@click.command()
@click.argument("file", default="-")
@click.option(
    "--cwd", metavar="DIR", default=None, help="Only the project of this directory; else all."
)
def export(*, file: str, cwd: str | None) -> None:
    """Write all memories and observations to FILE, or to standard output, as JSON Lines.

    Every version is in it, the log of what was asked is not. Only you can read the file.
    """
    # An empty name is most likely an unset variable in a script; the service refuses it.
    project = str(Path(cwd).absolute()) if cwd and cwd.strip() else cwd
    with opened_archive() as archive, _written(file) as out, progress_of("Exporting") as show:
        counts = archive.export(out.write, cwd=project, progress=show)
    if file != "-":
        click.echo(f"Exported {render_archive.counts_text(counts)} to {file}")


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--dry-run", is_flag=True, help="Only tell what it would do.")
@in_json
def import_file(*, file: BinaryIO, dry_run: bool, in_json: bool) -> None:
    """Take in FILE, an export; - reads standard input.

    What is there already stays as it is: importing a file twice adds nothing.
    Lines that cannot be used are skipped and reported.
    """
    with opened_archive() as archive, progress_of("Importing") as show:
        report = archive.take_in(file, dry_run=dry_run, progress=show)
    if in_json:
        click.echo(render.as_json(render_archive.report_json(report)))
    else:
        for line in render_archive.bad_lines(report):
            click.echo(line, err=True)
        click.echo(render_archive.report_text(report))
    if report.bad or report.missing:
        sys.exit(Exit.IN_PART)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--dry-run", is_flag=True, help="Only tell what it would remove.")
@click.option(
    "--forgotten-only", is_flag=True, help="Keep the earlier versions of replaced memories."
)
@click.option(
    "--backups", is_flag=True, help="Remove the older copies too, with all that they hold."
)
@in_json
def purge(*, yes: bool, dry_run: bool, forgotten_only: bool, backups: bool, in_json: bool) -> None:
    """Remove for good what was forgotten or replaced, and every trace of it.

    Removes the earlier versions of memories, the observations beyond the limits in the
    settings, and the questions that had found what is gone; then writes the search
    index and the database file anew. The app may run meanwhile.
    """
    with opened_archive() as archive:
        wish = archive.purge_wish(versions=not forgotten_only, backups=backups)
        purged = archive.purgeable(wish)
        if not dry_run:
            if not yes:
                _confirm(render_archive.purged_text(purged, wish, done=False))
            purged = archive.purge(wish)
    if in_json:
        click.echo(render.as_json(render_archive.purged_json(purged, wish, done=not dry_run)))
    else:
        click.echo(render_archive.purged_text(purged, wish, done=not dry_run))


def _confirm(plan: str) -> None:
    click.echo(plan, err=True)
    try:
        click.confirm("Remove this for good?", abort=True, err=True)
    except click.Abort:
        click.echo("Nothing was removed.", err=True)
        sys.exit(Exit.WRONG_INPUT)


@contextmanager
def _written(file: str) -> Iterator[BinaryIO]:
    """Lend standard output for a dash, else a draft that becomes the file at the end."""
    if file == "-":
        yield sys.stdout.buffer
        return
    path = Path(file)
    try:
        if path.exists() and not _may_be_replaced(path):
            raise invalid("FILE", "exists", "is there and is not an export; it is left alone")
        with private_draft(path) as stream:
            yield stream
    except OSError as error:
        raise invalid("FILE", "unusable", f"cannot be written: {error.strerror}") from error


def _may_be_replaced(path: Path) -> bool:
    """Tell whether a file is empty or an export; a wrong name must not cost other data."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        line = stream.readline(LINE_MAX_BYTES)
    try:
        return not line or promised_by(line) >= 0
    except InvalidInput:
        return False
