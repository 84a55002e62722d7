"""How well secrets are told from other texts, and what it costs to look for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from ltm_tray.domain.redaction import redact
from tests.bench.corpus import conversations
from tests.bench.report import Row
from tests.bench.timing import times_ms
from tests.support.redaction.labelled import cases, evaluate

ORDINARY_BYTES = 4_096
LONG_CHARACTERS = 65_536
ROOT = Path(__file__).resolve().parents[2]
BEGINNINGS = (
    *(
        "password=",
        "password: ",
        "token: ",
        "--secret ",
        "密码：",
        "key=key=",
        'secret" ',
        "=",
        "a",
    ),
    *(
        "<private>",
        "</private>",
        "< private ",
        "eyJ",
        "eyJa.",
        "://",
        "://a:b@",
        "sk-",
        "ghp_",
        ".",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhk\n",
        "\\n",
        '"',
    ),
    *(
        "Authorization: Bearer a",
        "authorization:a=b,",
        "cookie: a=b; ",
        "curl -u a:",
        "mysql -p",
        "\\",
    ),
)
"""What rules begin to look at; a text of nothing else keeps them as busy as they can be."""


def redaction() -> list[Row]:
    """Recall and precision on both labelled sets; the cost for ordinary and for odd texts."""
    ordinary = median(min(times_ms(redact, [text] * 3)) for text in _ordinary())
    worst, growth = _worst()
    return [
        *_quality("labelled", recall=95, precision=97),
        *_quality("heldout"),
        Row(what="redact 4 KB of ordinary text, p50", value=ordinary, unit="ms", at_most=1.0),
        Row(what="redact the worst 64 KB of beginnings", value=worst, unit="ms", at_most=3_000),
        Row(what="that, beside an eighth of it", value=growth, unit="x", at_most=16),
    ]


def _quality(
    name: str, *, recall: float | None = None, precision: float | None = None
) -> Iterator[Row]:
    found = [evaluate(cases(name, seed), _redacted) for seed in range(1, 6)]
    recalled = sum(one.recall for one in found) / len(found)
    precise = sum(one.precision for one in found) / len(found)
    texts = f"{len(cases(name))} {name} texts"
    yield Row(what=f"secrets found, {texts}", value=100 * recalled, unit="%", at_least=recall)
    yield Row(
        what=f"redactions that are right, {texts}",
        value=100 * precise,
        unit="%",
        at_least=precision,
    )


def _redacted(text: str) -> tuple[str, set[str]]:
    redacted = redact(text)
    return redacted.text, set(redacted.counts)


def _ordinary() -> list[str]:
    """Prose, talk and code, 4 KB each."""
    talk = " ".join(row.content for one in islice(conversations(), 1) for row in one.rows)
    files = [ROOT / "README.md", *sorted((ROOT / "ltm_tray").rglob("*.py"))]
    code = "\n".join(file.read_text("utf-8") for file in files)
    return [
        whole[at : at + ORDINARY_BYTES]
        for whole in (talk[: 40 * ORDINARY_BYTES], code[: 80 * ORDINARY_BYTES])
        for at in range(0, len(whole) - ORDINARY_BYTES, ORDINARY_BYTES)
    ]


def _worst() -> tuple[float, float]:
    """Return how long the slowest text takes, and how much longer than an eighth of it."""
    taken = []
    for beginning in BEGINNINGS:
        long = (beginning * LONG_CHARACTERS)[:LONG_CHARACTERS]
        (whole,) = times_ms(redact, [long])
        part = min(times_ms(redact, [long[: LONG_CHARACTERS // 8]] * 2))
        taken.append((whole, whole / part))
    return max(taken)
