"""Whether a database is whole, as a finding that people can act on."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ltm_tray.backends.sqlite import integrity
from ltm_tray.backends.sqlite.connection import Database
from ltm_tray.backends.sqlite.integrity import Part
from ltm_tray.backends.sqlite.rebuild import rebuild
from ltm_tray.domain.checkup import Finding, Status, fine
from ltm_tray.domain.upkeep import Backup

_CHECK = "integrity"
_TOLD_MAX = 5


def examine(database: Database, *, full: bool) -> Finding:
    """Look at the pages, and whether the search index holds what the tables hold.

    A full look compares all texts with the index, too, while writers wait.

    Raises:
        BackendUnavailable: The file cannot be opened or read.
    """
    found = _found(database, full=full)
    if not found:
        return fine(_CHECK, "The file and its search index are whole.")
    told = " ".join(finding.sentence for finding in found[:_TOLD_MAX])
    if all(finding.part is Part.INDEX for finding in found):
        return _unfit_index(database, told)
    return _damaged(database, told)


def unreadable(reason: str, backups: Sequence[Backup]) -> Finding:
    """Return the finding for a file that cannot be read."""
    way_back = f"ltm-tray restore {backups[0].name}" if backups else "ltm-tray restore"
    return Finding(
        check=_CHECK,
        status=Status.PROBLEM,
        found=reason,
        meaning="Some of what was saved may not be readable.",
        advice=f"Go back to a backup: {way_back}",
    )


def _found(database: Database, *, full: bool) -> list[integrity.Finding]:
    with database.read(within_s=inf) as connection:
        damaged = integrity.page_check(connection)
    if damaged:
        return damaged
    with database.write() as connection:
        if full:
            return integrity.full_check(connection, lambda _, __: None)
        return integrity.index_check(connection)


def _unfit_index(database: Database, told: str) -> Finding:
    def make_anew() -> str:
        with database.write() as connection:
            rebuild(connection, lambda _, __: None)
        return "Made the search index anew."

    return Finding(
        check=_CHECK,
        status=Status.PROBLEM,
        found=f"The search index does not fit the memories. {told}",
        meaning="Some memories may not be found, or forgotten ones may be.",
        advice="Run: ltm-tray doctor --fix",
        mend=make_anew,
    )


def _damaged(database: Database, told: str) -> Finding:
    def save_what_can_be_read() -> str:
        database.distrust()
        with database.read():
            return "Saved what can be read; ltm-tray status says what that is."

    return Finding(
        check=_CHECK,
        status=Status.PROBLEM,
        found=f"The file is damaged. {told}",
        meaning="Some of what was saved may not be readable.",
        advice="Run: ltm-tray doctor --fix",
        mend=save_what_can_be_read,
    )
