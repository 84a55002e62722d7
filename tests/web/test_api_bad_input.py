"""Bad input gets a clear answer that names the field, and nothing is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.web import HERE, Web, problem_of

OBSERVATION = {
    "cwd": HERE,
    "sessionId": "s",
    "kind": "agent_end",
    "title": "why?",
    "narrative": "User: why?",
}
MEMORY = {"cwd": HERE, "content": "tea at four"}


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"cwd": None}, "cwd", "wrong_type"),
        ({"cwd": ""}, "cwd", "required"),
        ({"cwd": "  "}, "cwd", "required"),
        ({"cwd": "work/here"}, "cwd", "not_absolute"),
        ({"cwd": "/work/\0"}, "cwd", "invalid_text"),
        ({"cwd": 7}, "cwd", "wrong_type"),
        ({"content": ""}, "content", "required"),
        ({"content": " \n\t"}, "content", "required"),
        ({"content": "x" * 65_537}, "content", "too_long"),
        ({"content": ["tea"]}, "content", "wrong_type"),
        ({"content": "a\0b"}, "content", "invalid_text"),
        ({"type": "opinion"}, "type", "unknown"),
        ({"type": 1}, "type", "wrong_type"),
        ({"concepts": "tea"}, "concepts", "wrong_type"),
        ({"concepts": ["tea", 4]}, "concepts[1]", "wrong_type"),
        ({"concepts": ["tea", ""]}, "concepts", "required"),
        ({"files": [None]}, "files[0]", "wrong_type"),
        ({"files": ["f"] * 201}, "files", "too_many"),
        ({"sessionId": False}, "sessionId", "wrong_type"),
        ({"sessionId": "s" * 1_025}, "sessionId", "too_long"),
        ({"unknown": 10**19}, "unknown", "out_of_range"),
    ],
)
def test_a_memory_that_breaks_a_rule_names_its_field(
    web: Web, changes: dict[str, Any], field: str, code: str
) -> None:
    answer = web.post("/remember", {**MEMORY, **changes})
    assert problem_of(answer) == (400, "validation_error", [field])
    assert answer.get_json()["details"][0]["code"] == code
    assert web.counts() == (0, 0)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kind": "lunch"}, "kind"),
        ({"kind": None}, "kind"),
        ({"sessionId": ""}, "sessionId"),
        ({"title": ""}, "title"),
        ({"narrative": None}, "narrative"),
        ({"narrative": "x" * 4_001}, "narrative"),
        ({"leafId": ""}, "leafId"),
        ({"source": 2**63}, "source"),
        ({"source": {"deep": [{"n": -(2**63) - 1}]}}, "source.deep[0].n"),
        ({"source": {"nul": "\0"}}, "source.nul"),
        ({"source": {"\0": 1}}, "source"),
        ({"messages": []}, "messages"),
        ({"title": None, "narrative": None, "messages": []}, "messages"),
        ({"title": None, "narrative": None, "messages": [{"role": "user"}]}, "messages[0].text"),
        (
            {"title": None, "narrative": None, "messages": [{"role": "tool", "text": "x"}]},
            "messages",
        ),
        ({"title": None, "narrative": None, "messages": "hello"}, "messages"),
    ],
)
def test_an_observation_that_breaks_a_rule_names_its_field(
    web: Web, changes: dict[str, Any], field: str
) -> None:
    answer = web.post("/observe", {**OBSERVATION, **changes})
    assert problem_of(answer) == (400, "validation_error", [field])
    assert web.counts() == (0, 0)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/remember", {"content": "tea"}, "cwd"),
        ("/remember", {"cwd": HERE}, "content"),
        ("/observe", {"cwd": HERE, "kind": "agent_end"}, "sessionId"),
        ("/forget", {"memoryIds": ["mem_1"]}, "cwd"),
        ("/forget", {"cwd": HERE}, "memoryIds"),
        ("/forget", {"cwd": HERE, "memoryIds": [], "observationIds": []}, "memoryIds"),
        ("/forget", {"cwd": HERE, "memoryIds": [""]}, "memoryIds"),
        ("/forget", {"cwd": HERE, "memoryIds": "mem_1"}, "memoryIds"),
    ],
)
def test_what_is_missing_is_named(web: Web, path: str, body: dict[str, Any], field: str) -> None:
    assert problem_of(web.post(path, body)) == (400, "validation_error", [field])


def test_all_broken_rules_are_told_at_once(web: Web) -> None:
    answer = web.post("/remember", {**MEMORY, "content": "", "type": "opinion", "sessionId": ""})
    assert problem_of(answer)[2] == ["content", "type", "sessionId"]


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"[]", "body"),
        (b'"text"', "body"),
        (b"null", "body"),
        (b'{"cwd": "/w", "content": "a"} b', "body"),
        (b'\xef\xbb\xbf{"cwd": "/w", "content": "a"}', "body"),
        ('{"cwd": "/w", "content": "a"}'.encode("utf-16"), "body"),
        (b'{"cwd": "/w", "content": "caf\xe9"}', "content"),
        (b'{"cwd": "/w", "content": "\\ud800"}', "content"),
        (b'{"cwd": "/w\\udfff", "content": "a"}', "cwd"),
        (b'{"cwd": "/w", "content": NaN}', "content"),
        (b'{"cwd": "/w", "content": "a", "more": {"n": -Infinity}}', "more.n"),
        (b'{"cwd": "/w", "content": "a", "n": 1e999}', "n"),
        (b'{"cwd": "/w", "content": "a", "n": 18446744073709551616}', "n"),
        (b'{"cwd": "/w", "content": "a", "\\ud800": NaN}', "body"),
        (b'{"cwd": "/w", "content": "a", "n": ' + b"9" * 5_000 + b"}", "body"),
        (b'{"cwd": "/w", "content": "a", "n": ' + b"[" * 65 + b"]" * 65 + b"}", "n"),
        (b"[" * 100_000, "body"),
        (b'{"a":' * 100_000, "body"),
    ],
)
def test_a_body_that_no_store_can_keep_names_the_place(web: Web, raw: bytes, field: str) -> None:
    status, _, fields = problem_of(web.send("/remember", raw))
    assert (status, fields[0].split("[")[0]) == (400, field)
    assert not web.service.projects()


def test_a_body_that_is_no_json_is_a_bad_request(web: Web) -> None:
    assert problem_of(web.send("/remember", b"tea")) == (400, "bad_request", ["body"])


def test_an_error_does_not_repeat_what_was_sent(web: Web) -> None:
    answer = web.send("/remember", b'{"cwd": "relative-secret", "content": secret}')
    assert "secret" not in answer.text


def test_unknown_fields_are_ignored(web: Web) -> None:
    assert web.post("/remember", {**MEMORY, "colour": {"of": "tea"}}).status_code == 200


def test_the_longest_content_fits_in_a_body_even_escaped(web: Web) -> None:
    content = "\U0001f600" * 65_536
    raw = json.dumps({"cwd": HERE, "content": content}).encode()
    assert web.send("/remember", raw).status_code == 200
    assert web.service.memory("mem_00000001").content == content


def test_a_body_over_a_mebibyte_is_too_large(web: Web) -> None:
    raw = json.dumps({**MEMORY, "content": "x" * 1_048_576}).encode()
    assert problem_of(web.send("/remember", raw)) == (413, "payload_too_large", [])


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/jsonx",
        "application/json, text/plain",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/remember", "/observe", "/forget"])
def test_a_body_of_another_media_type_is_refused(web: Web, path: str, media_type: str) -> None:
    answer = web.send(path, json.dumps(MEMORY).encode(), media_type)
    assert problem_of(answer) == (415, "unsupported_media_type", [])
    assert web.counts() == (0, 0)


def test_a_media_type_may_have_parameters(web: Web) -> None:
    raw = json.dumps(MEMORY).encode()
    assert web.send("/remember", raw, "application/json; charset=utf-8").status_code == 200


def test_a_compressed_body_is_refused(web: Web) -> None:
    answer = web.client.post(
        "/api/memory/remember", json=MEMORY, headers={"Content-Encoding": "gzip"}
    )
    assert problem_of(answer) == (415, "unsupported_media_type", [])


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("q=tea", "cwd"),
        ("cwd=&q=tea", "cwd"),
        ("cwd=%20&q=tea", "cwd"),
        ("cwd=work&q=tea", "cwd"),
        ("cwd=/w%00&q=tea", "cwd"),
        ("cwd=/a&cwd=/b&q=tea", "cwd"),
        ("cwd=/w%FF&q=tea", "cwd"),
        ("cwd=/w", "q"),
        ("cwd=/w&q=", "q"),
        ("cwd=/w&q", "q"),
        ("cwd=/w&q=%20%E3%80%80", "q"),
        ("cwd=/w&q=a%00b", "q"),
        ("cwd=/w&q=%ED%A0%80", "q"),
        ("cwd=/w&q=a&q=b", "q"),
        ("cwd=/w&q=tea&limit=0", "limit"),
        ("cwd=/w&q=tea&limit=-1", "limit"),
        ("cwd=/w&q=tea&limit=abc", "limit"),
        ("cwd=/w&q=tea&limit=", "limit"),
        ("cwd=/w&q=tea&limit=1.5", "limit"),
        ("cwd=/w&q=tea&limit=%D9%A3", "limit"),
        (f"cwd=/w&q=tea&limit={10**19}", "limit"),
        (f"cwd=/w&q=tea&limit={'9' * 5000}", "limit"),
        ("cwd=/w&q=tea&limit=1&limit=2", "limit"),
        ("cwd=/w&q=tea&kinds=", "kinds"),
        ("cwd=/w&q=tea&kinds=memory,lunch", "kinds"),
        ("cwd=/w&q=tea&kinds=memory,", "kinds"),
        ("cwd=/w&q=tea&sessionId=%00", "sessionId"),
    ],
)
def test_a_question_that_breaks_a_rule_names_its_parameter(
    web: Web, query: str, field: str
) -> None:
    answer = web.client.get("/api/memory/recall", query_string=query)
    assert problem_of(answer) == (400, "validation_error", [field])


@pytest.mark.parametrize("path", ["/stats", "/memories/mem_1", "/observations/obs_1"])
def test_reading_needs_the_cwd(web: Web, path: str) -> None:
    assert problem_of(web.get(path)) == (400, "validation_error", ["cwd"])


@pytest.mark.parametrize("body", [{}, {"enabled": "true"}, {"enabled": 1}, {"enabled": None}])
def test_the_switch_takes_only_true_and_false(web: Web, body: dict[str, Any]) -> None:
    answer = web.client.patch("/api/memory/settings", json=body)
    assert problem_of(answer) == (400, "validation_error", ["enabled"])
    assert web.switch.enabled is True


@pytest.mark.parametrize(
    "q",
    ['"', "*", "NEAR(a b)", "title:a", "^a", "-a", "a AND", "(((", "'; drop table memories;--"],
)
def test_a_question_in_the_language_of_the_index_is_plain_text(web: Web, q: str) -> None:
    web.remember("tea at four")
    assert web.get("/recall", cwd=HERE, q=q).status_code == 200
    assert web.counts() == (1, 0)
