"""What a turn leaves behind."""

from __future__ import annotations

import pytest

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


def test_an_answer_to_an_earlier_prompt_is_not_taken_for_the_last_one() -> None:
    earlier = [Message("user", "Is it safe?"), Message("assistant", "Yes.")]
    payload = payload_of(END, [*earlier, Message("user", "And fast?"), Message("assistant", "")])
    assert payload is not None
    assert payload.narrative == "User: And fast?"


def test_a_turn_of_tools_alone_names_them() -> None:
    payload = payload_of(END, [Message("user", "Tidy up."), Message("tools", "bash, edit")])
    assert payload is not None
    assert payload.title == "Tidy up."
    assert payload.narrative == "User: Tidy up.\nTools: bash, edit"


def test_tools_without_a_word_of_anyone_give_nothing() -> None:
    assert payload_of(END, [Message("tools", "bash")]) is None


def test_an_answer_without_a_prompt_stands_alone() -> None:
    payload = payload_of(END, [Message("assistant", "Done: the index is back.")])
    assert payload is not None
    assert payload.title == "Done: the index is back."
    assert payload.narrative == "Assistant: Done: the index is back."


def test_images_in_a_text_are_dropped() -> None:
    text = "What is ![this](data:image/png;base64,iVBORw0KGgo/+A==) about?"
    payload = payload_of(END, [Message("user", text)])
    assert payload is not None
    assert payload.narrative == "User: What is ![this]() about?"


@pytest.mark.parametrize(
    "shown",
    [
        "<ltm-memory>\n[mem_1] fact\nThe key is under the mat.\n</ltm-memory>",
        '<LTM-Memory role="snapshot">The key is under the mat.</LTM-Memory >',
        "<ltm-memory>The key</ltm-memory><ltm-memory>is under the mat.</ltm-memory>",
        "<ltm-memory>The key is under the mat, and the closing mark was cut off",
    ],
)
@pytest.mark.parametrize("kind", [END, COMPACT])
def test_what_memory_showed_is_not_remembered_again(kind: ObservationKind, shown: str) -> None:
    messages = [Message("user", f"Where is it?\n{shown}"), Message("assistant", f"I see. {shown}")]
    payload = payload_of(kind, messages)
    assert payload is not None
    assert payload.narrative == "User: Where is it?\nAssistant: I see."
    assert payload.title == "Where is it?"


def test_a_message_of_nothing_but_recalled_text_counts_as_silent() -> None:
    assert payload_of(END, [Message("user", "<ltm-memory>old news</ltm-memory>")]) is None


def test_before_a_compaction_one_long_answer_does_not_push_out_the_others() -> None:
    answers = [Message("user", "Find the zebra."), Message("assistant", "a" * 9_000)]
    payload = payload_of(COMPACT, answers)
    assert payload is not None
    assert payload.narrative.startswith("User: Find the zebra.\nAssistant: aaa")
    assert payload.narrative.endswith("a…")


def test_text_full_of_opening_marks_is_read_in_no_time() -> None:
    payload = payload_of(END, [Message("user", "<ltm-memory" * 90_000)])
    assert payload is not None
    assert payload.title.startswith("<ltm-memory")
