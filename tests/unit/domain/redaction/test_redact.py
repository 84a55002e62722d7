"""What is taken out of a text, what is left in its place, and what stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.domain.redaction import redact
from tests.support.redaction.labelled import cases
from tests.support.redaction.pieces import AWS_ID, FRAGMENTS, GITHUB, PIECES

MIXED = st.lists(PIECES, max_size=14).map("".join)


def test_a_secret_leaves_its_kind_in_its_place() -> None:
    redacted = redact(f"CI pushes with {GITHUB} and reads {AWS_ID}.")
    assert redacted.text == (
        "CI pushes with [redacted: github-token] and reads [redacted: aws-access-key]."
    )
    assert redacted.counts == {"github-token": 1, "aws-access-key": 1}


def test_every_one_of_a_kind_is_counted() -> None:
    assert redact("password=hunter2! then password=hunter3!").counts == {"password": 2}


def test_a_text_without_secrets_comes_back_as_it_is() -> None:
    text = "Use tabs in Makefiles;\r\n\tset OPENAI_API_KEY in .env  "
    assert redact(text).text is text
    assert redact(text).counts == {}


def test_a_token_assigned_to_a_name_is_counted_once_by_what_tells_more() -> None:
    assert redact(f"GITHUB_TOKEN={GITHUB}").counts == {"github-token": 1}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a [redacted: private] c"),
        ("a <private>b", "a [redacted: private]"),
        ("b</private> c", "[redacted: private] c"),
        ("a <private>b<private>c</private>d</private> e", "a [redacted: private] e"),
        ("a < PRIVATE why='x>y' >b< / Private > c", "a [redacted: private] c"),
        ("a <private\n>b\nc</private\n> d", "a [redacted: private] d"),
        ("```\n<private>b</private>\n```", "```\n[redacted: private]\n```"),
        ("a <private>b</priv", "a [redacted: private]"),
        ("a <private", "a [redacted: private]"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [redacted: private] c"),
        ("\\u003cprivate\\u003eb\\u003c/private\\u003e c", "[redacted: private] c"),
        ("a <private/> b", "a <private/> b"),
        ("a `<private>` b", "a `<private>` b"),
        ("clone <private repo url>", "clone <private repo url>"),
    ],
)
def test_private_passages_go_however_they_are_written(text: str, left: str) -> None:
    assert redact(text).text == left


def test_a_key_goes_whole_and_its_neighbours_stay() -> None:
    key = next(case for case in cases() if case.text.startswith("-----BEGIN RSA"))
    assert redact(f"before\n{key.text}\nafter").text == "before\n[redacted: private-key]\nafter"


def test_json_within_a_text_stays_json() -> None:
    for case in cases():
        try:
            json.loads(case.text)
        except ValueError:
            continue
        json.loads(redact(case.text).text)


@given(MIXED)
@settings(max_examples=300, deadline=None)
def test_redacting_any_text_twice_is_redacting_it_once(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(MIXED)
@settings(max_examples=200, deadline=None)
def test_redaction_counts_what_it_leaves_and_lengthens_within_bounds(text: str) -> None:
    redacted = redact(text)
    assert sum(redacted.counts.values()) >= redacted.text.count("[redacted: ") - text.count(
        "[redacted: "
    )
    assert len(redacted.text) <= 8 * len(text) + 40


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_redaction_never_fails(text: str) -> None:
    assert isinstance(redact(text).text, str)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_long_text_full_of_beginnings_is_redacted_as_any_other(fragment: str) -> None:
    once = redact((fragment * 8_192)[:8_192]).text
    assert redact(once).text == once


def test_a_secret_of_any_length_goes_whole() -> None:
    secret = "k9Zq7Lm2" * 2_000
    assert redact(f"SECRET_KEY={secret} DEBUG=1").text == "SECRET_KEY=[redacted: secret] DEBUG=1"
    assert secret not in redact(f'{{"secret_key": "{secret}"}}').text
