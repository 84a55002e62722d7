"""Takes secrets and private passages out of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ltm_tray.domain.redaction.assignments import assigned_secrets
from ltm_tray.domain.redaction.blocks import private_keys
from ltm_tray.domain.redaction.commands import command_passwords
from ltm_tray.domain.redaction.headers import authorizations, cookies, url_passwords
from ltm_tray.domain.redaction.passages import private_passages
from ltm_tray.domain.redaction.spans import Span, merged, replaced
from ltm_tray.domain.redaction.tokens import vendor_tokens

_ROUNDS_MAX = 4


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out of it."""

    text: str
    counts: Mapping[str, int] = field(default_factory=dict)


def redact(text: str) -> Redacted:
    """Take secrets and private passages out of a text; each leaves its kind in its place.

    `[redacted: github-token]` is left alone when it is met again. Takes about as long as
    reading the text a hundred times over: time grows with its length, whatever it holds.
    """
    spans = merged(list(_spans(text)))
    if not spans:
        return Redacted(text)
    text, counts = replaced(text, spans)
    # What was taken out may have hidden the beginning of something else.
    for _ in range(_ROUNDS_MAX):
        spans = merged(list(_spans(text)))
        if not spans:
            break
        text, more = replaced(text, spans)
        counts.update(more)
    return Redacted(text, dict(counts))


def _spans(text: str) -> Iterator[Span]:
    """Yield what is found; what names its kind best comes first."""
    lowered = _lowered(text)
    if "private" in lowered:
        yield from private_passages(text)
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        yield from private_keys(text)
    yield from vendor_tokens(text)
    if "://" in text:
        yield from url_passwords(text)
    if "authorization" in lowered or "bearer" in lowered:
        yield from authorizations(text)
    if "cookie" in lowered or " -b " in text:
        yield from cookies(text)
    yield from command_passwords(text)
    yield from assigned_secrets(text, lowered)


def _lowered(text: str) -> str:
    """Return the text in lower case, character by character, so that places stay the same."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
