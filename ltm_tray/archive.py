"""ArchiveService: the memory as a whole, exported, imported and purged, for every front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import BinaryIO

from ltm_tray.domain.archive import (
    NO_LIMITS,
    ArchivedProject,
    BadLine,
    Change,
    Counts,
    ImportReport,
    Limits,
    Outcome,
    Purged,
    PurgeWish,
    Record,
)
from ltm_tray.domain.archive_lines import (
    LINE_MAX_BYTES,
    BadRecord,
    header_line,
    line_of,
    promised_by,
    record_of,
)
from ltm_tray.domain.archive_redaction import redacted
from ltm_tray.domain.errors import LtmDisabled
from ltm_tray.domain.memory import Memory
from ltm_tray.domain.project import project_of
from ltm_tray.ports import Archive, Clock, Retaining, Switch

Progress = Callable[[int, int], None]
"""Is told how many records are done, and how many there are, as far as that is known."""

BAD_LINES_TOLD_MAX = 1_000
_BATCH_RECORDS = 200
"""How many records one transaction takes in; others wait for its end to write."""
_BATCH_BYTES = 1_000_000
"""How long their lines may be together, but for the last."""
OVERDUE_AT_A_TIME = 100
"""How many overdue observations one step in the background deletes."""
_BOM = b"\xef\xbb\xbf"


class ArchiveService:
    """What people do with the memory as a whole. Safe to use from any thread.

    Errors of the backend pass through. Export and purge work while the memory is
    switched off, import does not.
    """

    def __init__(
        self, archive: Archive, *, switch: Switch, retaining: Retaining, clock: Clock
    ) -> None:
        self._archive = archive
        self._switch = switch
        self._retaining = retaining
        self._clock = clock

    def export(
        self, write: Callable[[bytes], object], *, cwd: str | None, progress: Progress
    ) -> Counts:
        """Write everything, or one project, as JSON Lines, and return how much it was.

        It is one state of the store, read as it is written. Equal stores give equal
        bytes. The recall log is not part of it.

        Raises:
            InvalidInput: `cwd` is no usable path.
        """
        project_id = None if cwd is None else project_of(cwd).id
        with self._archive.snapshot(project_id) as snapshot:
            write(header_line(snapshot.counts))
            for done, record in enumerate(snapshot.records, start=1):
                write(line_of(record))
                progress(done, snapshot.counts.total)
        return snapshot.counts

    def take_in(self, lines: BinaryIO, *, dry_run: bool, progress: Progress) -> ImportReport:
        """Take in an export and return what it changed; see `Archive.take_in` for the rules.

        Lines that break a rule are skipped and reported. What is taken in stays even if
        a later part fails; doing it again adds nothing twice. A dry run works on a copy.

        Raises:
            LtmDisabled: The memory is switched off; a dry run works either way.
            InvalidInput: The file is no export, or of a newer format.
        """
        if dry_run:
            with self._archive.rehearsal() as copy:
                return _Import(copy, progress).run(lines, dry_run=True)
        if not self._switch.rules().enabled:
            raise LtmDisabled("Long-term memory is switched off; switch it on to import.")
        return _Import(self._archive, progress).run(lines, dry_run=False)

    def purge_wish(self, *, versions: bool, backups: bool) -> PurgeWish:
        """Return what a purge would be asked for now, with the limits of the settings."""
        return PurgeWish(versions=versions, limits=self._limits(), backups=backups)

    def purgeable(self, wish: PurgeWish) -> Purged:
        """See `Archive.purgeable`."""
        return self._archive.purgeable(wish)

    def purge(self, wish: PurgeWish) -> Purged:
        """See `Archive.purge`."""
        return self._archive.purge(wish)

    def overdue(self) -> int | None:
        """Return how many observations are beyond the limits of the settings; None without any."""
        limits = self._limits()
        return None if limits == NO_LIMITS else self._archive.count_overdue(limits)

    def delete_some_overdue(self) -> bool:
        """Delete a few observations beyond the limits; tell whether more may be left.

        Nothing is deleted while the memory is switched off.
        """
        if not self._switch.rules().enabled or not self.overdue():
            return False
        return self._archive.delete_overdue(self._limits(), OVERDUE_AT_A_TIME) > 0

    def _limits(self) -> Limits:
        rules = self._retaining.retention()
        return Limits(
            created_before=self._clock() - timedelta(days=rules.max_age_days)
            if rules.max_age_days
            else None,
            most_of_project=rules.max_count,
        )


class _Import:
    """One run over a file: reads, takes in by batches, counts."""

    def __init__(self, archive: Archive, progress: Progress) -> None:
        self._archive = archive
        self._progress = progress
        self._new = dict.fromkeys(("projects", "memories", "observations"), 0)
        self._counted = dict.fromkeys(Change, 0)
        self._bad_lines: list[BadLine] = []

    def run(self, lines: BinaryIO, *, dry_run: bool) -> ImportReport:
        promised = promised_by(lines.readline(LINE_MAX_BYTES).removeprefix(_BOM))
        read = 0
        for batch in _batches(lines):
            self._take(batch)
            read += len(batch)
            self._progress(read, max(promised, read))
        return ImportReport(
            new=Counts(**self._new),
            known=self._counted[Change.KNOWN],
            changed=self._counted[Change.CHANGED],
            bad=self._counted[Change.BAD],
            bad_lines=tuple(self._bad_lines),
            missing=max(0, promised - read),
            dry_run=dry_run,
        )

    def _take(self, batch: list[_Line]) -> None:
        records = [line.record for line in batch if line.record is not None]
        outcomes = iter(self._archive.take_in(records) if records else ())
        for line in batch:
            judged = Outcome(Change.BAD, line.problem) if line.record is None else next(outcomes)
            self._note(line, judged)

    def _note(self, line: _Line, outcome: Outcome) -> None:
        self._counted[outcome.change] += 1
        if outcome.change is Change.NEW and line.record is not None:
            self._new[_sort_of(line.record)] += 1
        if outcome.change is Change.BAD and len(self._bad_lines) < BAD_LINES_TOLD_MAX:
            self._bad_lines.append(BadLine(line.number, outcome.reason))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the file: its record, or the problem that it has none."""

    number: int
    record: Record | None
    problem: str = ""


def _batches(lines: BinaryIO) -> Iterator[list[_Line]]:
    """Yield the lines behind the first that are not blank, as many as one transaction takes."""
    batch: list[_Line] = []
    size = 0
    for number, line in _numbered(lines):
        try:
            batch.append(_Line(number, redacted(record_of(line))))
        except BadRecord as problem:
            batch.append(_Line(number, None, str(problem)))
        size += len(line)
        if len(batch) == _BATCH_RECORDS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _numbered(lines: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank with its number; of one too long the beginning."""
    number = 1
    while line := lines.readline(LINE_MAX_BYTES):
        number += 1
        rest = line
        while len(rest) == LINE_MAX_BYTES and not rest.endswith(b"\n"):
            rest = lines.readline(LINE_MAX_BYTES)
        if line.strip():
            yield number, line


def _sort_of(record: Record) -> str:
    if isinstance(record, ArchivedProject):
        return "projects"
    return "memories" if isinstance(record, Memory) else "observations"
