"""What a turn leaves behind: an observation's title and narrative, made from its messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ltm_tray.domain.memory import NARRATIVE_MAX_CHARACTERS, ObservationKind
from ltm_tray.domain.text import first_characters, title_of

USER_MAX_CHARACTERS = 500
"""How much of the last prompt an agent_end narrative keeps."""
_ELLIPSIS = "…"
_LABELS = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, text only."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Payload:
    """The title and narrative of an observation."""

    title: str
    narrative: str


def payload_of(kind: ObservationKind, messages: Sequence[Message]) -> Payload | None:
    """Build the payload of a captured moment; None when no message holds any text.

    An `agent_end` keeps the last user prompt (500 characters) and the assistant's
    last answer; a `pre_compact` keeps as much of the newest messages as fits. Both
    stay within 4,000 characters; what is left out is marked with an ellipsis.
    """
    spoken = [m for m in messages if m.role in _LABELS and m.text.strip()]
    if not spoken:
        return None
    return _turn(spoken) if kind is ObservationKind.AGENT_END else _about_to_go(spoken)


def _turn(spoken: Sequence[Message]) -> Payload:
    prompt = _last(spoken, "user")
    answer = _last(spoken, "assistant")
    lines = []
    if prompt:
        lines.append(f"User: {_clip(prompt, USER_MAX_CHARACTERS)}")
    if answer:
        room = NARRATIVE_MAX_CHARACTERS - sum(len(line) + 1 for line in lines) - len("Assistant: ")
        lines.append(f"Assistant: {_clip(answer, room)}")
    return Payload(title_of(prompt or answer), "\n".join(lines))


def _about_to_go(spoken: Sequence[Message]) -> Payload:
    kept: list[str] = []
    room = NARRATIVE_MAX_CHARACTERS
    for message in reversed(spoken):
        line = f"{_LABELS[message.role]}: {message.text.strip()}"
        if len(line) + 1 > room:
            kept.append(_clip(line, room - 1))
            break
        kept.append(line)
        room -= len(line) + 1
    first_prompt = next((m.text for m in spoken if m.role == "user"), spoken[0].text)
    narrative = "\n".join(line for line in reversed(kept) if line)
    return Payload(title_of(first_prompt), narrative)


def _last(messages: Sequence[Message], role: str) -> str:
    return next((m.text.strip() for m in reversed(messages) if m.role == role), "")


def _clip(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return first_characters(text, most - 1) + _ELLIPSIS if most > 1 else ""
