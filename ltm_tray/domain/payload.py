"""What a turn leaves behind: an observation's title and narrative, made from its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ltm_tray.domain.memory import NARRATIVE_MAX_CHARACTERS, ObservationKind
from ltm_tray.domain.text import first_characters, title_of

USER_MAX_CHARACTERS = 500
"""How much of a prompt a narrative keeps."""
ANSWER_MAX_CHARACTERS = 1_000
"""How much of one answer a pre_compact narrative keeps."""
FENCE = "ltm-memory"
"""The mark that encloses stored text wherever the agent is shown some: `<ltm-memory>`."""
TOOLS_ROLE = "tools"
"""The role of a message that holds no text but calls tools; its text names them."""

_ELLIPSIS = "…"
_LABELS = {"user": "User", "assistant": "Assistant"}
# An unclosed block goes to the end: a cut text may have lost its closing mark.
_RECALLED = re.compile(
    rf"<{FENCE}\b[^>]{{0,200}}>.*?(?:</{FENCE}\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_INLINE_IMAGE = re.compile(r"data:image/[\w.+-]+;base64,[\w+/=-]*")


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

    An `agent_end` keeps the last user prompt (500 characters) and the assistant's last
    answer to it, or the names of the tools where it gave none; a `pre_compact` keeps as
    many of the newest messages as fit, long ones in part. Both stay within 4,000
    characters; what is left out is marked with an ellipsis. Images, and text that was
    shown from memory, are dropped, so that memory never feeds on itself.
    """
    heard = [Message(message.role, _own_words(message.text)) for message in messages]
    spoken = [message for message in heard if message.role in _LABELS and message.text]
    if not spoken:
        return None
    return _turn(heard) if kind is ObservationKind.AGENT_END else _about_to_go(spoken)


def _turn(heard: Sequence[Message]) -> Payload:
    prompt, since = "", heard
    for at, message in enumerate(heard):
        if message.role == "user" and message.text:
            prompt, since = message.text, heard[at + 1 :]
    answer = _last(since, "assistant")
    tools = _last(since, TOOLS_ROLE)
    lines = [f"User: {_clip(prompt, USER_MAX_CHARACTERS)}"] if prompt else []
    room = NARRATIVE_MAX_CHARACTERS - sum(len(line) + 1 for line in lines)
    if answer:
        lines.append(_clip(f"Assistant: {answer}", room))
    elif tools:
        lines.append(_clip(f"Tools: {tools}", room))
    return Payload(title_of(prompt or answer), "\n".join(lines))


def _about_to_go(spoken: Sequence[Message]) -> Payload:
    kept: list[str] = []
    room = NARRATIVE_MAX_CHARACTERS
    for message in reversed(spoken):
        most = USER_MAX_CHARACTERS if message.role == "user" else ANSWER_MAX_CHARACTERS
        line = f"{_LABELS[message.role]}: {_clip(message.text, most)}"
        if len(line) + 1 > room:
            kept.append(_clip(line, room - 1))
            break
        kept.append(line)
        room -= len(line) + 1
    first_prompt = next((m.text for m in spoken if m.role == "user"), spoken[0].text)
    narrative = "\n".join(line for line in reversed(kept) if line)
    return Payload(title_of(first_prompt), narrative)


def _own_words(text: str) -> str:
    return _INLINE_IMAGE.sub("", _RECALLED.sub("", text)).strip()


def _last(messages: Iterable[Message], role: str) -> str:
    return next((m.text for m in reversed(list(messages)) if m.role == role and m.text), "")


def _clip(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return first_characters(text, most - 1) + _ELLIPSIS if most > 1 else ""
