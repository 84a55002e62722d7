"""What a reader sees of a long text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltm_tray.domain.analysis import query_terms, spans, stem
from ltm_tray.domain.snippet import SNIPPET_CHARACTERS, matches, snippet_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=900)


def marked(text: str, query: str) -> list[str]:
    return [text[m.start : m.end] for m in matches(text, query_terms(query))]


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("We deployed it; deploys are fast", "deploying", ["deployed", "deploys"]),
        ("see getShippingMethod()", "shipping", ["getShippingMethod"]),
        ("修复了支付模块", "支付模块", ["支付", "模", "块"]),
        ("修复了支付模块", "付", ["付模"]),
        ("Café", "cafe", ["Café"]),
        ("I don't know, I don’t", "dont", ["don't", "don’t"]),
        ("see HTTPServer", "server", ["HTTPServer"]),
        ("a pretended tender", "tend", []),
        ("nothing here", "absent", []),
    ],
)
def test_matches_are_the_words_a_reader_would_mark(text: str, query: str, found: list[str]) -> None:
    assert marked(text, query) == found


def test_a_text_of_six_hundred_characters_is_shown_whole() -> None:
    text = "x" * SNIPPET_CHARACTERS
    assert snippet_of(text, query_terms("y")) == snippet_of(text, [])
    assert snippet_of(text, []).text == text
    assert not snippet_of(text, []).truncated


def test_the_window_with_more_of_the_query_wins() -> None:
    text = "alpha " + "filler " * 150 + "alpha beta gamma " + "filler " * 150
    snippet = snippet_of(text, query_terms("alpha beta gamma"))
    assert snippet.truncated
    assert "alpha beta gamma" in snippet.text


def test_words_at_the_edges_are_whole() -> None:
    text = "filler " * 150 + "needle " + "filler " * 150
    words = snippet_of(text, query_terms("needle")).text.split()
    assert set(words) == {"filler", "needle"}


def test_a_long_text_without_a_match_gives_its_beginning() -> None:
    assert snippet_of("start " * 200, query_terms("absent")).text.startswith("start")


@given(TEXT, st.text(max_size=20))
def test_a_snippet_is_a_bounded_part_of_its_text(text: str, query: str) -> None:
    snippet = snippet_of(text, query_terms(query))
    assert snippet.text in text
    assert len(snippet.text) <= SNIPPET_CHARACTERS
    assert snippet.truncated == (len(text) > SNIPPET_CHARACTERS)


@settings(deadline=None)
@given(
    text=st.lists(
        st.sampled_from(
            ["went", "going", "get_shipping", "getShipping", "GETSHIPPING", "C++", "cpp", ".NET",
             "don't", "don’t", "go…café…go", "d'on't", "café", "goHTTPServer2go", "xgo", "x3go",
             "ＣＡＦＥ", "部署脚本", "v1.2.3", "ships", "shippings,", "\u200bgo"]
        ),
        max_size=8,
    ).map(" ".join),
    query=st.sampled_from(
        ["go", "getshipping", "get shipping", "c++", ".net", "dont", "cafe", "部署", "1.2.3"]
    ),
)  # fmt: skip
def test_no_span_with_an_asked_term_is_passed_over(text: str, query: str) -> None:
    terms = query_terms(query)
    stems = {stem(term.text) for term in terms}
    holders = [span for span in spans(text) if stems & set(map(stem, span.terms))]
    found = matches(text, terms)
    assert {match.end for match in found} == {span.end for span in holders}
    assert bool(found) == bool(holders)
