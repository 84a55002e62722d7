"""Texts and queries become the same terms."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltm_tray.domain.analysis import QueryTerm, index_terms, query_terms, spans, stem, term_set
from ltm_tray.domain.irregular import BASE_FORMS
from ltm_tray.domain.stopwords import STOP_WORDS

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
UNSPACED = st.text("重启检查データベース設定검색기능การค้นหา", min_size=1, max_size=12)


def asked(query: str) -> list[str]:
    return [term.text + ("*" if term.prefix else "") for term in query_terms(query)]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("POL-358", ["pol358", "pol", "358"]),
        ("getShippingMethod", ["getshippingmethod", "get", "shipping", "method"]),
        ("get_shipping_method", ["getshippingmethod", "get", "shipping", "method"]),
        ("parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]),
        (r"C:\repo\x.py", ["c", "repo", "xpy", "x", "py"]),
        ("v1.2.3", ["v123", "v1", "2", "3"]),
        ("C++ and g++ but not A+", ["cplusplus", "and", "gplusplus", "but", "not", "a"]),
        ("C# F# .NET ASP.NET", ["csharp", "fsharp", "dotnet", "aspnet", "asp", "net"]),
        ("don't — Caroline’s", ["dont", "caroline"]),
        ("Café naïve ﬁle ＡＢ", ["cafe", "naive", "file", "ab"]),
        ("pass\u200bword", ["password"]),
        ("`code`quoted`", ["code", "quoted"]),
        ("went children built", ["go", "child", "build"]),
        ("rocket 🚀 🇩🇪", ["rocket", "🚀", "🇩🇪"]),
        ("重启api-gw后检查", ["重启", "启", "apigw", "api", "gw", "后检", "检查", "查"]),
        ("ความ", ["คว", "วา", "าม", "ม"]),
        ("हिन्दी", ["हिन्दी"]),
        ("--- ((( )))", []),
        ("", []),
    ],
)
def test_a_text_gives_its_terms(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("how do I deploy the app?", ["deploy", "app"]),
        ("AND OR NOT", ["and", "or", "not"]),
        ("库", ["库*"]),
        ("重启", ["重启"]),
        ("数据库", ["数据", "据库"]),
        ("tabs tabs Tabs", ["tabs"]),
    ],
)
def test_a_query_asks_for_its_telling_terms(query: str, terms: list[str]) -> None:
    assert asked(query) == terms


@given(TEXT)
def test_the_same_text_always_gives_the_same_terms(text: str) -> None:
    assert index_terms(text) == index_terms(text)


@given(st.text(st.characters(categories=["Ll", "Lu", "Nd", "Po", "Zs"], max_codepoint=0x24F)))
def test_terms_of_spaced_scripts_are_their_own_terms(text: str) -> None:
    terms = index_terms(text)
    assert [again for term in terms for again in index_terms(term)] == terms


@given(TEXT)
def test_every_term_a_query_asks_for_is_a_term_of_the_same_text(text: str) -> None:
    held = term_set(text)
    for term in query_terms(text):
        assert term.text in held or (term.prefix and any(t.startswith(term.text) for t in held))


@given(UNSPACED, UNSPACED, UNSPACED)
def test_any_substring_of_an_unspaced_text_asks_only_for_terms_the_text_has(
    before: str, part: str, after: str
) -> None:
    held = term_set(before + part + after)
    for term in query_terms(part):
        assert term.text in held or (term.prefix and any(t.startswith(term.text) for t in held))


@given(TEXT)
def test_form_of_composition_does_not_matter(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert index_terms(composed) == index_terms(decomposed)


@given(TEXT)
def test_terms_never_hold_what_a_query_language_could_read(text: str) -> None:
    for term in index_terms(text):
        assert not set(term) & set("\"'()*:^-+{}\0 \t\n")


@given(TEXT)
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    last = 0
    for span in spans(text):
        assert last <= span.start < span.end <= len(text)
        last = span.start


@pytest.mark.parametrize(
    "query", ["(" * 10_000 + "a" + ")" * 10_000, "word " * 250_000, "x" * 1_000_000, "启" * 100_000]
)
def test_a_huge_query_asks_for_a_bounded_number_of_bounded_terms(query: str) -> None:
    terms = query_terms(query)
    assert len(terms) <= 32
    assert all(len(term.text) <= 64 for term in terms)


def test_a_word_of_a_hundred_thousand_letters_is_one_short_term() -> None:
    assert index_terms("a" * 100_000) == ["a" * 64]


def test_stop_words_and_base_forms_are_written_in_the_analysers_own_form() -> None:
    for word in STOP_WORDS | set(BASE_FORMS.values()):
        assert index_terms(word) == [word]


def test_no_irregular_form_hides_a_word_of_another_family() -> None:
    assert not set(BASE_FORMS) & set(BASE_FORMS.values())


@pytest.mark.parametrize(
    ("one", "other"), [("deploying", "deployed"), ("hosts", "host"), ("caches", "cached")]
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_query_terms_are_values() -> None:
    assert QueryTerm("a") == QueryTerm("a", prefix=False)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=14))
def test_a_stem_without_its_last_letter_begins_the_word(word: str) -> None:
    assert word.startswith(stem(word)[:-1])
