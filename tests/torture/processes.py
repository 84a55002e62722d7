"""Several programs write to one file at the same time: none may be turned away."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from tests.support.damage import findings
from tests.support.writer import Writer, text_of
from tests.torture.kills import saved


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What became of the writes of many programs."""

    processes: int
    writes: int
    refused: dict[str, int]
    lost: int
    seconds: float
    findings: list[str]


def write_together(file: Path, processes: int, writes: int) -> Crowd:
    """Let so many programs save so many memories in all, beginning at the same time."""
    began_s = perf_counter()
    writers = [Writer(file, f"p{number}", writes // processes) for number in range(processes)]
    known: dict[str, str] = {}
    refused: Counter[str] = Counter()
    for writer in writers:
        for line in writer.lines():
            number, id_ = line.split()
            if number == "error":
                refused[id_] += 1
            else:
                known[id_] = text_of(writer.name, int(number))
    took_s = perf_counter() - began_s
    there = saved(file)
    return Crowd(
        processes=processes,
        writes=len(known),
        refused=dict(refused),
        lost=sum(there.get(id_) != text for id_, text in known.items()),
        seconds=took_s,
        findings=findings(file),
    )
