"""What a turn leaves behind."""

from __future__ import annotations

from ltm_tray.domain.memory import NARRATIVE_MAX_CHARACTERS, ObservationKind
from ltm_tray.domain.payload import Message, payload_of

END, COMPACT = ObservationKind.AGENT_END, ObservationKind.PRE_COMPACT


def test_a_turn_keeps_its_last_prompt_and_answer() -> None:
    payload = payload_of(
        END,
        [
            Message("user", "an older prompt"),
            Message("assistant", "an older answer"),
            Message("user", "Why is it slow?\nIt was fast."),
            Message("toolResult", "a long listing"),
            Message("assistant", "The index is missing."),
        ],
    )
    assert payload is not None
    assert payload.title == "Why is it slow? It was fast."
    assert payload.narrative == (
        "User: Why is it slow?\nIt was fast.\nAssistant: The index is missing."
    )


def test_an_empty_answer_is_left_out() -> None:
    payload = payload_of(END, [Message("user", "stop"), Message("assistant", "  ")])
    assert payload is not None
    assert payload.narrative == "User: stop"


def test_messages_without_text_give_nothing() -> None:
    assert payload_of(END, []) is None
    assert payload_of(COMPACT, [Message("user", " "), Message("toolResult", "x")]) is None


def test_long_texts_are_cut_with_an_ellipsis_and_fit() -> None:
    payload = payload_of(END, [Message("user", "p" * 900), Message("assistant", "a" * 9_000)])
    assert payload is not None
    prompt, answer = payload.narrative.split("\n")
    assert prompt == "User: " + "p" * 499 + "…"
    assert answer.endswith("a…")
    assert len(payload.narrative) == NARRATIVE_MAX_CHARACTERS


def test_before_a_compaction_the_newest_messages_are_kept_in_order() -> None:
    messages = [Message("user", f"prompt {n} " + "x" * 700) for n in range(10)]
    payload = payload_of(COMPACT, messages)
    assert payload is not None
    assert payload.title.startswith("prompt 0")
    assert payload.narrative.splitlines()[-1].startswith("User: prompt 9")
    assert "prompt 0" not in payload.narrative
    assert len(payload.narrative) <= NARRATIVE_MAX_CHARACTERS
