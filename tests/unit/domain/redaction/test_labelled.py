"""How well secrets are told from what only looks like them, on labelled texts."""

from __future__ import annotations

import pytest

from ltm_tray.domain.redaction import redact
from tests.support.redaction.labelled import Outcome, cases, evaluate

SEEDS = (1, 2, 3)


def found(text: str) -> tuple[str, set[str]]:
    redacted = redact(text)
    return redacted.text, set(redacted.counts)


def outcome(name: str, seed: int) -> Outcome:
    return evaluate(cases(name, seed), found)


def test_there_are_enough_labelled_texts_of_both_sorts() -> None:
    tried = cases()
    assert sum(bool(case.secrets) for case in tried) >= 250
    assert sum(not case.secrets for case in tried) >= 250


@pytest.mark.parametrize("seed", SEEDS)
def test_nearly_all_secrets_go_and_hardly_anything_else(seed: int) -> None:
    measured = outcome("labelled", seed)
    assert measured.recall >= 0.95, measured.leaked
    assert measured.precision >= 0.97, measured.spoilt


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_that_no_rule_was_made_for_fare_hardly_worse(seed: int) -> None:
    measured = outcome("heldout", seed)
    assert measured.recall >= 0.95, measured.leaked
    assert measured.precision >= 0.95, measured.spoilt


def test_what_is_left_in_its_place_names_the_kind() -> None:
    measured = outcome("labelled", 1)
    assert len(measured.misnamed) <= 0.02 * len(cases()), measured.misnamed


@pytest.mark.parametrize("name", ["labelled", "heldout"])
def test_a_labelled_text_redacted_twice_is_as_redacted_once(name: str) -> None:
    once = [redact(case.text).text for case in cases(name)]
    assert [redact(text).text for text in once] == once


def test_no_line_of_the_labelled_files_is_itself_redacted_for_a_vendors_token() -> None:
    vendors = {"github-token", "stripe-key", "slack-token", "aws-access-key", "npm-token"}
    files = [case for name in ("labelled", "heldout") for case in cases(name)]
    assert files != []
    for name in ("labelled", "heldout"):
        from tests.support.redaction.labelled import FOLDER

        lines = (FOLDER / f"{name}.txt").read_text("utf-8")
        assert not vendors & set(redact(lines.replace("«", "").replace("»", "")).counts)
