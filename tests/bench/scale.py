"""What recall and remember cost, against bare SQLite and against more data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ltm_tray.backends.sqlite import SqliteStore
from ltm_tray.backends.sqlite.index import match_expression
from ltm_tray.backends.sqlite.writing import remember
from ltm_tray.domain.analysis import query_terms
from tests.bench.corpus import Texts, conversations
from tests.bench.report import Row
from tests.bench.timing import times_ms
from tests.support.builders import a_memory, a_query
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds

QUESTIONS = 150
BARE_SQL = """
SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY bm25(memories_fts) LIMIT 10
"""


class Subject:
    """A store that is filled with made-up texts, and questions to ask it."""

    def __init__(self, file: Path) -> None:
        talks = conversations()
        self.file = file
        self.store = SqliteStore(file, clock=TickingClock(), new_id=CountingIds())
        self.questions = [q.question for talk in talks for q in talk.questions][:QUESTIONS]
        self._texts = iter(Texts(talks))

    def fill(self, project: str, count: int) -> list[float]:
        """Save so many memories and return how long each took, in ms."""
        return times_ms(
            lambda text: self.store.remember(a_memory(text, project_id=project, cwd=f"/{project}")),
            islice(self._texts, count),
        )

    def fill_quickly(self, project: str, count: int) -> None:
        """Save so many memories in one transaction, which only a benchmark may do."""
        clock, ids = TickingClock(), CountingIds()

        def new_id(prefix: str) -> str:
            return f"{ids(prefix)}_{project}"

        with self.store._database.write() as connection:
            for text in islice(self._texts, count):
                item = a_memory(text, project_id=project, cwd=f"/{project}")
                remember(connection, item, clock(), new_id)

    def recall_ms(self, project: str) -> float:
        """Return the median time of a recall."""
        ask = self.store.recall
        return median(times_ms(lambda q: ask(a_query(q, project_id=project)), self.questions))

    def bare_ms(self) -> float:
        """Return the median time of SQLite's own top 10 for the same terms in the first project."""
        with closing(sqlite3.connect(self.file)) as connection:
            asked = [match_expression(query_terms(q), [1]) for q in self.questions]
            return median(times_ms(lambda m: connection.execute(BARE_SQL, (m,)).fetchall(), asked))


@contextmanager
def a_subject() -> Iterator[Subject]:
    """Lend a store that is gone afterwards."""
    with TemporaryDirectory() as folder:
        subject = Subject(Path(folder) / "scale.sqlite")
        yield subject
        subject.store.close()


def speed() -> list[Row]:
    """Recall against the bare full-text query, at 10,000 memories of one project."""
    with a_subject() as subject:
        subject.fill_quickly("one", 10_000)
        ours, bare = subject.recall_ms("one"), subject.bare_ms()
    return [
        Row(what="bare FTS5 top 10, p50, 10k memories", value=bare, unit="ms"),
        Row(what="recall, p50, 10k memories", value=ours, unit="ms"),
        Row(what="recall beside bare FTS5", value=ours / bare, unit="x", at_most=2),
    ]


def growth() -> list[Row]:
    """A small project's recall while other projects grow: by memories, and by their number."""
    rows = []
    with a_subject() as subject:
        subject.fill("small", 1_000)
        alone = subject.recall_ms("small")
        held = 0
        for projects, each in ((1, 10_000), (199, 450)):
            for number in range(projects):
                subject.fill_quickly(f"other{projects}-{number}", each)
            held += projects * each
            ratio = subject.recall_ms("small") / alone
            what = f"recall in a project of 1k beside {held:,} memories in others, to alone"
            rows.append(Row(what=what, value=ratio, unit="x", at_most=1.3))
    return rows


def supersede() -> list[Row]:
    """Remember, with its search for what it supersedes, while one project grows."""
    with a_subject() as subject:
        at_1k = median(subject.fill("one", 1_000))
        subject.fill_quickly("one", 8_500)
        at_10k = median(subject.fill("one", 500))
    return [
        Row(what="remember, p50, 10k memories", value=at_10k, unit="ms", at_most=5),
        Row(what="remember at 10k to the first 1k", value=at_10k / at_1k, unit="x", at_most=10),
    ]
