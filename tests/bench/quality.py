"""How much of what was said is found again: questions on LoCoMo with known evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ltm_tray.backends.sqlite import SqliteStore
from tests.bench.corpus import Conversation, conversations
from tests.bench.report import Row
from tests.support.builders import a_memory, a_query
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds

ADVERSARIAL = 5
TOP = 10


@dataclass
class Tally:
    """Sums over questions."""

    questions: int = 0
    recalled: float = 0.0
    reciprocal: float = 0.0
    empty: int = 0

    def add(self, evidence: set[str], found: list[set[str]]) -> None:
        """Count one question: the evidence, and the turns of each hit, best first."""
        self.questions += 1
        self.recalled += len(evidence & set().union(*found)) / len(evidence)
        self.reciprocal += next(
            (1 / rank for rank, ids in enumerate(found, 1) if ids & evidence), 0
        )
        self.empty += not found


def quality() -> list[Row]:
    """R@10 and MRR@10 over categories 1 to 4, and how many answers were empty."""
    tally = Tally()
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "q.sqlite", clock=TickingClock(), new_id=CountingIds())
        for talk in conversations():
            _ask(store, talk, tally)
        store.close()
    recall, mrr = (100 * x / tally.questions for x in (tally.recalled, tally.reciprocal))
    return [
        Row(what="LoCoMo R@10", value=recall, unit="%", at_least=63.0),
        Row(what="LoCoMo MRR@10", value=mrr, unit="%", at_least=49.0),
        Row(what="LoCoMo questions with an empty answer", value=tally.empty, unit="", at_most=0),
    ]


def _ask(store: SqliteStore, talk: Conversation, tally: Tally) -> None:
    project = {"project_id": talk.project, "cwd": f"/{talk.project}"}
    turns: dict[str, set[str]] = {}
    for row in talk.rows:
        saved = store.remember(a_memory(row.content, **project))
        turns.setdefault(saved.id, set()).add(row.id)
    for asked in talk.questions:
        if asked.category != ADVERSARIAL:
            query = a_query(asked.question, project_id=talk.project, limit=TOP)
            tally.add(set(asked.evidence), [turns[hit.id] for hit in store.recall(query)])
