"""The texts and questions that are measured on; the data stays outside of the project."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

DATA_VARIABLE = "LTM_BENCH_DATA"
DEFAULT_DATA = Path("../shared/data/locomo-dev.json")
WORDS_PER_TEXT = 54


class Turn(msgspec.Struct):
    """A row of the data: one turn of a conversation."""

    id: str
    speaker: str
    text: str

    @property
    def content(self) -> str:
        """The turn as a memory."""
        return f"{self.speaker}: {self.text}"


class Question(msgspec.Struct):
    """A question with the ids of the turns that hold its answer; category 5 has none."""

    question: str
    evidence: list[str]
    category: int


class Conversation(msgspec.Struct):
    """A project of the data."""

    project: str
    rows: list[Turn]
    questions: list[Question]


def conversations() -> list[Conversation]:
    """Read the data from the path in LTM_BENCH_DATA, else from beside the project."""
    file = Path(os.environ.get(DATA_VARIABLE) or DEFAULT_DATA)
    return msgspec.json.decode(file.read_bytes(), type=list[Conversation])


class Texts:
    """Endless made-up texts with the word frequencies of the real ones; the same every time."""

    def __init__(self, talks: list[Conversation]) -> None:
        counted = Counter(w for talk in talks for row in talk.rows for w in row.text.split())
        self._words, self._weights = list(counted), list(counted.values())
        self._pick = random.Random(20260102)  # noqa: S311 — test data

    def __iter__(self) -> Iterator[str]:
        while True:
            words = self._pick.choices(self._words, self._weights, k=WORDS_PER_TEXT)
            yield " ".join(words)
