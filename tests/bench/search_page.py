"""What the search page costs the server, beside the recall in it and with much behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ltm_tray.domain.memory import RecallQuery
from tests.bench.report import Row
from tests.bench.scale import Subject
from tests.bench.timing import times_ms
from tests.support.web import Web, a_web

MEMORIES = 10_000
RATIO_LIMIT = 3
AS_BROWSERS_ASK = {"Accept-Encoding": "gzip, br"}


@contextmanager
def _console(memories: int) -> Iterator[tuple[Subject, Web]]:
    with TemporaryDirectory() as folder:
        subject = Subject(Path(folder) / "console.sqlite")
        subject.fill("one", memories)
        yield subject, a_web(Path(folder), store=subject.store)
        subject.store.close()


def search_page() -> list[Row]:
    """Ask for pages of hits, and for the same hits without a page."""
    with _console(MEMORIES) as (subject, web):
        client = web.client

        def recall(question: str) -> None:
            web.service.search(RecallQuery(text=question, project_id=None, limit=50))

        def page(question: str) -> None:
            client.get("/", query_string={"q": question}, headers=AS_BROWSERS_ASK)

        taken: dict[str, list[float]] = {"recall": [], "page": []}
        # In turn, so that what else the machine does slows both alike.
        for question in subject.questions:
            taken["recall"] += times_ms(recall, [question])
            taken["page"] += times_ms(page, [question])
        bare, whole = median(taken["recall"]), median(taken["page"])
        newest = median(times_ms(lambda _: client.get("/", headers=AS_BROWSERS_ASK), range(40)))
    return [
        Row(what="recall of 50 over all projects, p50, 10k memories", value=bare, unit="ms"),
        Row(what="newest page of the console, p50, 10k memories", value=newest, unit="ms"),
        Row(what="search page, p50, 10k memories", value=whole, unit="ms"),
        Row(
            what="search page beside its recall", value=whole / bare, unit="x", at_most=RATIO_LIMIT
        ),
    ]
