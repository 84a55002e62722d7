"""`python -m tests.bench [NAME...]`: run all measures, or the named ones, and print the table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tests.bench.backup import backup
from tests.bench.figures import figures
from tests.bench.footprint import footprint
from tests.bench.pi import pi_hooks, pi_without_app
from tests.bench.quality import quality
from tests.bench.recall_over_http import recall_over_http
from tests.bench.redaction import redaction
from tests.bench.report import Row, machine, table
from tests.bench.scale import growth, speed, supersede
from tests.bench.search_page import search_page
from tests.bench.start_up import start_up

MEASURES: list[Callable[[], list[Row]]] = [
    start_up,
    footprint,
    recall_over_http,
    quality,
    speed,
    growth,
    supersede,
    search_page,
    figures,
    redaction,
    backup,
    pi_hooks,
    pi_without_app,
]
RESULT = Path(__file__).resolve().parents[2] / ".cache" / "bench.md"


def main(names: list[str]) -> int:
    """Measure, print and keep the table; 1 when a limit is missed."""
    known = {measure.__name__: measure for measure in MEASURES}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"Unknown: {', '.join(unknown)}. Known: {', '.join(known)}.", file=sys.stderr)
        return 2
    rows: list[Row] = []
    for name in names or known:
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += known[name]()
    text = f"{machine()}\n\n{table(rows)}\n"
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(text, "utf-8")
    print(text)
    return 1 if any(row.ratio is not None and row.ratio > 1 for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
