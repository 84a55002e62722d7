"""How the fields of a request are redacted, JSON data by its names and values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.domain.redaction import Redactor, is_nothing
from tests.support.redaction.pieces import AWS_ID, GITHUB, PIECES

GONE = "[redacted: password]"
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), PIECES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(PIECES, st.sampled_from(["password", "name"])), inner, max_size=4
        ),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ({"password": "hunter2"}, {"password": GONE}),
        ({"password": "swordfish"}, {"password": GONE}),
        ({"password": "correct horse battery staple"}, {"password": GONE}),
        ({"password": 12345678}, {"password": GONE}),
        ({"a": [{"b": {"dbPassword": "x1!yz"}}]}, {"a": [{"b": {"dbPassword": GONE}}]}),
        (["run", "--password", "hunter2"], ["run", "--password", GONE]),
        ({"name": "DB_PASSWORD", "value": "pg8!x"}, {"name": "DB_PASSWORD", "value": GONE}),
        ({"note": f"use {AWS_ID}"}, {"note": "use [redacted: aws-access-key]"}),
        ({GITHUB: 1}, {"[redacted: github-token]": 1}),
        ({GITHUB: "12345678a"}, {"[redacted: github-token]": "12345678a"}),
        (
            {"Authorization": "Bearer 8sd7f6s8d7f6s8d7f6"},
            {"Authorization": "Bearer [redacted: authorization]"},
        ),
        ({"cookie": "sid=8s7d6f8s7d6f; a=b"}, {"cookie": "[redacted: cookie]"}),
        (
            {"<private>a</private>": 1, "<private>b</private>": 2},
            {"[redacted: private]": 1, "[redacted: private] (2)": 2},
        ),
    ],
)
def test_secrets_in_data_go_by_their_names_and_by_their_shape(value: Any, left: Any) -> None:
    redactor = Redactor()
    assert redactor.json(value) == left
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize(
    "value",
    [
        {"maxTokens": 4096, "tokens": 12, "pass": 42, "password": None, "token": True},
        {"password": "${DB_PASSWORD}", "apiKey": "process.env.KEY", "secret": "<your secret>"},
        {"password": {"type": "string", "minLength": 12}},
        {"commit": "9fceb02d0ae598e95dc970b74767f19372d61af8", "items": [1, 2.5, "three"]},
        ["--verbose", "--cwd", "/work/here"],
    ],
)
def test_data_without_secrets_stays_as_it_is(value: Any) -> None:
    redactor = Redactor()
    assert redactor.json(value) == value
    assert redactor.counts == {}


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_redacted_data_is_data_still_and_redacting_it_again_changes_nothing(value: Any) -> None:
    once = Redactor().json(value)
    assert json.loads(json.dumps(once)) == once
    assert Redactor().json(once) == once


@given(JSON)
@settings(max_examples=100, deadline=None)
def test_redacted_data_has_the_form_it_had(value: Any) -> None:
    redacted = Redactor().json(value)
    if isinstance(value, dict | list):
        assert type(redacted) is type(value)
        assert len(redacted) == len(value)


def test_a_label_that_is_nothing_but_private_is_left_out() -> None:
    redactor = Redactor()
    labels = ("tea", "<private>x</private>", GITHUB, "key <private>y</private>")
    assert redactor.labels(labels) == ("tea", "key [redacted: private]")
    assert redactor.counts == {"github-token": 1, "private": 2}


def test_words_of_nothing_but_secrets_are_none() -> None:
    assert Redactor().words("<private>all of it</private>") == ""
    assert Redactor().words(f" {GITHUB}. ") == ""
    assert Redactor().words("password=hunter2!") == "password=[redacted: password]"
    assert Redactor().words("...") == "..."


def test_what_was_taken_out_says_nothing() -> None:
    assert is_nothing("- [redacted: private] [redacted: github-token]!")
    assert not is_nothing("[redacted: private] and more")


def test_counts_of_several_fields_add_up() -> None:
    redactor = Redactor()
    redactor.text(f"{GITHUB} and {AWS_ID}")
    redactor.text(GITHUB)
    assert redactor.counts == {"aws-access-key": 1, "github-token": 2}
    assert redactor.counts_with({"jwt": 1, "github-token": 1}) == {
        "aws-access-key": 1,
        "github-token": 3,
        "jwt": 1,
    }
