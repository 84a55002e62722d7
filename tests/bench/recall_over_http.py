"""A recall over HTTP beside a route of the same server that does next to nothing."""

from __future__ import annotations

import random
import time
from http.client import HTTPConnection
from itertools import product
from statistics import median
from urllib.parse import quote

from tests.bench.report import Row
from tests.bench.stage import empty_home
from tests.support.app import RunningApp

MEMORIES = 1_000
QUESTIONS = 400
RATIO_LIMIT = 2.5
SYLLABLES = (
    ("kes", "mar", "her", "pel", "tri", "dov", "fal", "lan"),
    ("tre", "abo", "ico", "una", "ori", "est"),
    ("la", "no", "ri", "su", "ten", "vo"),
    ("l", "nd", "ra", "mix"),
)
WORDS = ["".join(parts) for parts in product(*SYLLABLES)]
# As in people's texts, few words are frequent and most are rare.
FREQUENCIES = [1 / (rank + 3) for rank in range(len(WORDS))]


def recall_over_http() -> list[Row]:
    """Ask both in turn over one connection and compare the medians."""
    chance = random.Random(7)  # noqa: S311 - the same texts at every run
    with empty_home(), RunningApp("serve") as app:
        for _ in range(MEMORIES):
            app.post("/remember", cwd="/w/a", content=_sentence(chance, 14))
        stored = app.get("/stats", cwd="/w/a").json["memoryCount"]
        connection = HTTPConnection("127.0.0.1", app.port, timeout=20)
        trivial_ms, recall_ms = [], []
        for _ in range(QUESTIONS):
            question = quote(_sentence(chance, 4))
            trivial_ms.append(_one_ms(connection, "/api/memory/health"))
            recall_ms.append(_one_ms(connection, f"/api/memory/recall?cwd=/w/a&q={question}"))
        connection.close()
        app.end()
    trivial, recall = median(trivial_ms), median(recall_ms)
    return [
        Row(what=f"health over HTTP, p50, {stored} memories", value=trivial, unit="ms"),
        Row(what=f"recall over HTTP, p50, {stored} memories", value=recall, unit="ms"),
        Row(what="recall beside health", value=recall / trivial, unit="x", at_most=RATIO_LIMIT),
    ]


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, FREQUENCIES, k=words))


def _one_ms(connection: HTTPConnection, path: str) -> float:
    started_s = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    assert response.status == 200
    return (time.perf_counter() - started_s) * 1_000
