"""The commands over memories: save, recall, forget, stats."""

from __future__ import annotations

import sys
from typing import Any

import click

from ltm_tray.domain.errors import invalid
from ltm_tray.domain.memory import RECALL_LIMIT_DEFAULT, HitKind, MemoryType
from ltm_tray.domain.project import project_of
from ltm_tray.domain.requests import ForgetRequest, RecallRequest, RememberRequest
from ltm_tray.fronts.cli import render
from ltm_tray.fronts.cli.options import in_json, in_project
from ltm_tray.fronts.cli.session import opened_service

_PREFIXES = ("mem_", "obs_")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--type", "kind", metavar="TYPE", help=f"One of {', '.join(MemoryType)}; fact without it."
)
@click.option("--concept", "concepts", multiple=True, help="A concept it is about; repeatable.")
@click.option("--file", "files", multiple=True, help="A file it is about; repeatable.")
@in_project
@in_json
def save(*, text: tuple[str, ...], cwd: str, in_json: bool, **about: Any) -> None:
    """Save TEXT as a memory of this project; - reads it from standard input."""
    content = _from_stdin() if text == ("-",) else " ".join(text)
    request = RememberRequest(
        cwd=cwd,
        content=content,
        type=about["kind"],
        concepts=about["concepts"],
        files=about["files"],
    )
    with opened_service() as service:
        saved = service.remember(request)
    click.echo(render.as_json(render.saved_json(saved)) if in_json else render.saved_text(saved))


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit",
    type=int,
    default=RECALL_LIMIT_DEFAULT,
    show_default=True,
    help="How many hits at most, 1 to 50.",
)
@click.option(
    "--kinds", metavar="KINDS", default="", help=f"Only these: {', '.join(HitKind)}; with commas."
)
@in_project
@in_json
def recall(*, query: tuple[str, ...], limit: int, kinds: str, cwd: str, in_json: bool) -> None:
    """Find what this project's memory says about QUERY, best first."""
    request = RecallRequest(
        cwd=cwd,
        query=" ".join(query),
        limit=limit,
        kinds=tuple(kind.strip() for kind in kinds.split(",") if kind.strip()),
        source="cli",
    )
    with opened_service() as service:
        hits = service.recall(request)
    click.echo(render.as_json(render.hits_json(hits)) if in_json else render.hits_text(hits))


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@in_project
@in_json
def forget(*, ids: tuple[str, ...], cwd: str, in_json: bool) -> None:
    """Delete memories and observations of this project by ID, for good."""
    if not all(item.startswith(_PREFIXES) for item in ids):
        raise invalid("ID", "unknown", "an id starts with mem_ or obs_, as recall shows it")
    request = ForgetRequest(
        cwd=cwd,
        memory_ids=tuple(item for item in ids if item.startswith("mem_")),
        observation_ids=tuple(item for item in ids if item.startswith("obs_")),
    )
    with opened_service() as service:
        deleted = service.forget(request)
    if in_json:
        click.echo(render.as_json({"deleted": deleted}))
    elif deleted:
        click.echo(f"Deleted {deleted}; a memory goes with its earlier versions.")
    else:
        click.echo("Nothing deleted: this project has no such id.")


@click.command()
@in_project
@in_json
def stats(*, cwd: str, in_json: bool) -> None:
    """Show how much this project's memory holds."""
    with opened_service() as service:
        found = service.stats(cwd)
    project = project_of(cwd)
    if in_json:
        click.echo(render.as_json(render.stats_json(found, project)))
    else:
        click.echo(render.table(render.stats_rows(found, project)))


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise invalid("TEXT", "invalid_text", "standard input must be UTF-8") from None
