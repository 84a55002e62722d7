"""How exports, imports and purges are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ltm_tray.domain.archive import Counts, ImportReport, OldCopy, Purged, PurgeWish
from ltm_tray.domain.times import to_iso
from ltm_tray.fronts.cli.render import printable, table

_BAD_LINES_SHOWN = 20


def counts_text(counts: Counts) -> str:
    """Return how many records of each sort, in words."""
    return ", ".join(
        [
            _counted(counts.memories, "memory", "memories"),
            _counted(counts.observations, "observation", "observations"),
            _counted(counts.projects, "project", "projects"),
        ]
    )


def report_json(report: ImportReport) -> dict[str, Any]:
    """Return what an import did."""
    return {
        "dryRun": report.dry_run,
        "new": {
            "projects": report.new.projects,
            "memories": report.new.memories,
            "observations": report.new.observations,
        },
        "known": report.known,
        "changed": report.changed,
        "bad": report.bad,
        "badLines": [{"line": bad.number, "reason": bad.reason} for bad in report.bad_lines],
        "missing": report.missing,
    }


def report_text(report: ImportReport) -> str:
    """Return what an import did, as lines for a person."""
    rows = [
        ("Would be new" if report.dry_run else "New", counts_text(report.new)),
        ("Known already", f"{report.known:,}"),
        ("Would be changed" if report.dry_run else "Changed", f"{report.changed:,}"),
        ("Bad", f"{report.bad:,}, skipped" if report.bad else "0"),
    ]
    if report.missing:
        rows.append(("Missing", f"{report.missing:,}: the file was cut off"))
    return table(rows)


def bad_lines(report: ImportReport) -> Iterator[str]:
    """Yield a sentence for each of the first bad lines, and how many more there are."""
    for bad in report.bad_lines[:_BAD_LINES_SHOWN]:
        yield f"Line {bad.number:,}: {printable(bad.reason)}"
    if report.bad > _BAD_LINES_SHOWN:
        yield f"... and {report.bad - _BAD_LINES_SHOWN:,} more; --json names them"


def purged_json(purged: Purged, wish: PurgeWish, *, done: bool) -> dict[str, Any]:
    """Return what a purge removes, or removed."""
    return {
        "dryRun": not done,
        "versions": purged.versions,
        "observations": purged.observations,
        "questions": purged.questions,
        "bytesBefore": purged.bytes_before,
        "bytesAfter": purged.bytes_after if done else None,
        "copies": [_copy_json(copy) for copy in purged.copies],
        "copiesRemoved": done and wish.backups,
    }


def purged_text(purged: Purged, wish: PurgeWish, *, done: bool) -> str:
    """Return what a purge removes, or removed, as lines for a person."""
    rows = [
        ("Earlier versions", f"{purged.versions:,}" if wish.versions else "kept"),
        ("Observations beyond the limits", f"{purged.observations:,}"),
        ("Questions that had found what is gone", f"{purged.questions:,}"),
        ("Size of the database", _size_text(purged, done=done)),
    ]
    head = "Removed for good:" if done else "Would be removed for good:"
    traces = "every trace of them and of what was forgotten before, in index, free pages and log"
    lines = [head, table(rows), f"and {traces}.", *_copies_text(purged, wish, done=done)]
    return "\n".join(lines)


def _copies_text(purged: Purged, wish: PurgeWish, *, done: bool) -> Iterator[str]:
    if not purged.copies:
        return
    first, last = purged.copies[0].made_at, purged.copies[-1].made_at
    copies = _counted(len(purged.copies), "older copy", "older copies")
    made = f"{copies} of the database, made from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    if wish.backups:
        yield f"{'Removed' if done else 'Would be removed'} too: {made}:"
    else:
        yield f"Still there: {made}. What they held they hold; --backups removes them too:"
    for copy in purged.copies:
        yield f"  {printable(copy.name)}"


def _copy_json(copy: OldCopy) -> dict[str, Any]:
    return {"name": copy.name, "madeAt": to_iso(copy.made_at), "bytes": copy.size_bytes}


def _size_text(purged: Purged, *, done: bool) -> str:
    before, after = (f"{size / 1e6:,.1f} MB" for size in (purged.bytes_before, purged.bytes_after))
    return f"{before}, now {after}" if done else before


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
