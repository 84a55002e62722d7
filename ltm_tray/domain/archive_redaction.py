"""Takes secrets out of what an import brings: another store may have kept them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ltm_tray.domain.archive import ArchivedObservation, ArchivedProject, Record
from ltm_tray.domain.archive_lines import BadRecord
from ltm_tray.domain.memory import Memory
from ltm_tray.domain.requests import new_redactor
from ltm_tray.domain.text import title_of

if TYPE_CHECKING:
    from ltm_tray.domain.redaction import Redactor


def redacted(record: Record) -> Record:
    """Return a record without secrets; one without any comes back equal.

    Raises:
        BadRecord: Nothing of its text is left.
    """
    if isinstance(record, ArchivedProject):
        return record
    redactor = new_redactor()
    if isinstance(record, Memory):
        return _memory(record, redactor)
    return _observation(record, redactor)


def _memory(memory: Memory, redactor: Redactor) -> Memory:
    content = _words("content", memory.content, redactor)
    title = memory.title if content == memory.content else title_of(content)
    return replace(
        memory,
        content=content,
        title=redactor.text(title),
        concepts=redactor.labels(memory.concepts),
        files=redactor.labels(memory.files),
    )


def _observation(observation: ArchivedObservation, redactor: Redactor) -> ArchivedObservation:
    item = observation.item
    kept = replace(
        item,
        title=redactor.text(item.title),
        narrative=_words("narrative", item.narrative, redactor),
        source=redactor.json(item.source),
    )
    return replace(observation, item=kept)


def _words(field: str, text: str, redactor: Redactor) -> str:
    words = redactor.words(text)
    if not words:
        raise BadRecord(f"{field}: holds nothing but secrets or private passages")
    return words
