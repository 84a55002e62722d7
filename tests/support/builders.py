"""Values for tests: name what matters, the rest is filled in."""

from __future__ import annotations

from typing import Any

from ltm_tray.domain.memory import NewMemory, NewObservation, ObservationKind, RecallQuery
from ltm_tray.domain.project import project_of

HERE = project_of("/work/here", windows=False)
THERE = project_of("/work/there", windows=False)


def a_memory(content: str = "The team drinks tea at four", **changes: Any) -> NewMemory:
    values: dict[str, Any] = {"project_id": HERE.id, "cwd": HERE.cwd, "content": content}
    return NewMemory(**{**values, **changes})


def an_observation(narrative: str = "User: why is it slow?", **changes: Any) -> NewObservation:
    values: dict[str, Any] = {
        "project_id": HERE.id,
        "cwd": HERE.cwd,
        "session_id": "session-1",
        "kind": ObservationKind.AGENT_END,
        "title": "why is it slow?",
        "narrative": narrative,
        "dedup_key": "leaf-1",
    }
    return NewObservation(**{**values, **changes})


def a_query(text: str, **changes: Any) -> RecallQuery:
    values: dict[str, Any] = {"text": text, "project_id": HERE.id}
    return RecallQuery(**{**values, **changes})
