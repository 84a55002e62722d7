"""Whatever is sent, the answer is the sender's business: 200 or 400, never 500."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.web import HERE, Web

BODY = {
    "cwd": HERE,
    "content": "tea at four",
    "sessionId": "s",
    "kind": "agent_end",
    "title": "why?",
    "narrative": "User: why?",
}
_SHARED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
_NAMES = st.sampled_from(["cwd", "q", "limit", "kinds", "sessionId", "%00", ""])
_VALUES = st.one_of(
    st.sampled_from(["/work/here", "memory", "1", "%FF", "%", "%00", "+", "*", '"']),
    st.text(max_size=20),
)
_PAIRS = st.lists(st.tuples(_NAMES, _VALUES).map("=".join), max_size=6).map("&".join)


@_SHARED
@given(query=st.one_of(_PAIRS.map(str.encode), st.binary(max_size=60)))
def test_any_query_string_whatsoever_answers_200_or_400(web: Web, query: bytes) -> None:
    answer = web.client.get(
        "/api/memory/recall", environ_overrides={"QUERY_STRING": query.decode("latin-1")}
    )
    assert answer.status_code in {200, 400}


_JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\ud800")
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
_FIELDS = st.sampled_from([*BODY, "type", "concepts", "files", "messages", "source", "memoryIds"])
_BODIES = st.one_of(
    st.binary(max_size=40),
    st.dictionaries(_FIELDS, _JSON, max_size=4).map(
        lambda changes: json.dumps({**BODY, **changes}).encode()
    ),
)


@_SHARED
@given(body=_BODIES, path=st.sampled_from(["/remember", "/observe", "/forget"]))
def test_any_body_whatsoever_is_the_clients_business(web: Web, body: bytes, path: str) -> None:
    assert web.send(path, body).status_code in {200, 400}


@_SHARED
@given(query=st.one_of(_PAIRS.map(str.encode), st.binary(max_size=60)))
def test_any_address_of_the_search_page_answers_200_or_400(web: Web, query: bytes) -> None:
    answer = web.client.get("/", environ_overrides={"QUERY_STRING": query.decode("latin-1")})
    assert answer.status_code in {200, 400}
