"""Faults reported of similar products: searches that failed, missed or hid what was there.

Each row is an example of its kind: what is saved, what is asked, what must be found. The
first text that is expected must come first.
"""

from __future__ import annotations

import pytest

from ltm_tray.domain.memory import Forget, MemoryType
from ltm_tray.ports import Store
from tests.support.asking import found
from tests.support.builders import HERE, a_memory, a_query, an_observation

SYNTAX = [
    (["Ticket POL-358 is about the login", "358 tests pass"], "POL-358", [0]),
    (["backup runs on pve-01", "pve is a product"], "pve-01", [0]),
    (["the skill-audit plugin", "an unrelated note"], "skill-audit", [0]),
    (["the skill-audit plugin"], "-skill", [0]),
    (["the skill-audit plugin"], "skill -audit", [0]),
    (["don't use agents here"], "don't use agents", [0]),
    (["don’t use agents here"], "don't use agents", [0]),
    (["TODO: fix the parser"], "TODO: fix", [0]),
    (["it raised error:timeout again"], "error:timeout", [0]),
    (["call namespace::value twice"], "namespace::value", [0]),
    ([r"the script is C:\repo\x.py"], r"C:\repo\x.py", [0]),
    (["a plugin for content"], "content: plugin", [0]),
    (["tags:x marks the spot"], "tags:x", [0]),
    (["a skill in content"], "{content}: skill", [0]),
    (["do not use find /"], "DO NOT USE FIND /", [0]),
    (["released v1.2.3 today", "v2 is planned"], "v1.2.3", [0]),
    (["runs on ubuntu 20.04"], "ubuntu 20.04", [0]),
    (["the host is 192.168.0.1"], "192.168.0.1", [0]),
    (["written in C++ with care", "plan c is to wait"], "C++", [0]),
    (["a .NET service", "the net is down"], ".NET", [0]),
    (["runs on node.js", "a node of the tree"], "node.js", [0]),
    (["written in C# lately", "the note c"], "C#", [0]),
    (["written in F# lately", "the note f"], "F#", [0]),
    (['say "hi"there loudly'], 'say "hi"there', [0]),
    (["a state-of-the-art parser"], "state-of-the-art", [0]),
]
WORDS = [
    (["the stale cached wheel was used"], "stale wheel", [0]),
    (["kestrel-build-7 uses port 9090"], "kestrel-build-7 pineapple", [0]),
    (["pane id and pid are shown", "the pane_pid variable"], "pane_pid", [1, 0]),
    (["call parseInvoiceTotalFromCart once"], "cart", [0]),
    (["call parseInvoiceTotalFromCart once"], "invoice", [0]),
    (["call parseInvoiceTotalFromCart once"], "parse_invoice_total_from_cart", [0]),
    (["the CategoryPropertiesForm class"], "CategoryPropert", [0]),
    (["the properties of a category"], "propert", [0]),
    (["the deploys were deployed"], "deploying", [0]),
    (["I went to the children"], "go child", [0]),
]
SCRIPTS = [
    (["部署脚本使用缓存目录"], "部署", [0]),
    (["部署脚本使用缓存目录"], "部署脚本", [0]),
    (["部署脚本使用缓存目录"], "缓存", [0]),
    (["部署脚本使用缓存目录"], "存", [0]),
    (["the db is small"], "db", [0]),
    (["データベース設定の変更"], "データベース", [0]),
    (["메모리 결제를 확인"], "결제", [0]),
    (["การค้นหาความจำ"], "ความจำ", [0]),
    (["rocket 🚀 launch"], "🚀", [0]),
    (["集成测试"], "集成测试报告", [0]),
    (["重启api-gw后检查"], "gw", [0]),
    (["重启api-gw后检查"], "api-gw", [0]),
    (["重启api-gw后检查"], "重启", [0]),
    (["the café is naïve"], "cafe naive", [0]),
    (["ｆｕｌｌ ｗｉｄｔｈ"], "full width", [0]),
    (["pass\u200bword reset"], "password", [0]),
    (["\u202eabc\u202c מסמך"], "מסמך", [0]),
]


@pytest.mark.parametrize(
    ("texts", "query", "expected"), [*SYNTAX, *WORDS, *SCRIPTS], ids=lambda value: str(value)[:30]
)
def test_what_was_saved_is_found(
    store: Store, texts: list[str], query: str, expected: list[int]
) -> None:
    ids = [store.remember(a_memory(text)).id for text in texts]
    store.remember(a_memory("something else altogether"))
    assert found(store, query)[: len(expected)] == [ids[at] for at in expected]


@pytest.mark.parametrize("query", ["---", '""', "(" * 300 + ")" * 300, "*", "\u200b", "…"])
def test_a_query_of_punctuation_finds_nothing_and_fails_nowhere(store: Store, query: str) -> None:
    store.remember(a_memory("--- a rule"))
    assert found(store, query) == []


@pytest.mark.parametrize(
    "query",
    ["(" * 10_000 + "parser" + ")" * 10_000, "parser " * 3_000, "parser " + "x" * 1_000_000],
)
def test_a_monstrous_query_is_answered(store: Store, query: str) -> None:
    saved = store.remember(a_memory("the parser of the module"))
    wanted = [saved.id] if query.startswith("parser") else []
    assert found(store, query) == wanted


def test_whole_words_are_preferred_to_words_that_only_begin_so(store: Store) -> None:
    store.remember(a_memory("the portal of the shop"))
    whole = store.remember(a_memory("the port of the shop"))
    assert found(store, "port") == [whole.id]


def test_a_reversed_decision_no_longer_outranks_the_new_one(store: Store) -> None:
    store.remember(a_memory("the deploy host is blue as of today and serves all of the traffic"))
    new = store.remember(
        a_memory("the deploy host is green as of today and serves all of the traffic")
    )
    assert found(store, "deploy host") == [new.id]
    assert found(store, "blue") == []


def test_a_forgotten_text_is_gone_at_once(store: Store) -> None:
    saved = store.remember(a_memory("the code is HERON-5151"))
    store.forget(Forget(project_id=HERE.id, memory_ids=(saved.id,)))
    assert found(store, "HERON-5151") == []


def test_forgetting_never_widens_to_what_merely_matches(store: Store) -> None:
    store.remember(a_memory("use tabs"))
    assert store.forget(Forget(project_id=HERE.id, memory_ids=("use",))) == 0
    assert len(found(store, "tabs")) == 1


def test_concepts_narrow_to_memories_saved_with_all_or_with_any_of_them(store: Store) -> None:
    both = store.remember(a_memory("tabs alpha", concepts=("open", "private"))).id
    one = store.remember(a_memory("tabs bravo", concepts=("open",))).id
    store.remember(a_memory("tabs charlie open private"))
    store.observe(an_observation("User: tabs"))
    wanted = frozenset({"open", "private"})
    assert found(store, "tabs", concepts=wanted) == [both]
    assert set(found(store, "tabs", concepts=wanted, any_concept=True)) == {both, one}


def test_types_and_dates_narrow_what_is_found(store: Store) -> None:
    bug = store.remember(a_memory("tabs alpha", type=MemoryType.BUG)).id
    fact = store.remember(a_memory("tabs bravo")).id
    saved_at = store.memory(fact).created_at
    assert found(store, "tabs", types=frozenset({"bug"})) == [bug]
    assert found(store, "tabs", since=saved_at) == [fact]
    assert found(store, "tabs", until=saved_at) == [bug]


def test_a_hit_explains_its_score(store: Store) -> None:
    store.remember(a_memory("the parser fails on empty totals"))
    (hit,) = store.recall(a_query("parser totals absent", explain=True))
    assert hit.explanation is not None
    assert {term.term for term in hit.explanation.terms} == {"parser", "totals"}
    assert all(term.holders == 1 for term in hit.explanation.terms)
    total = sum(term.score for term in hit.explanation.terms)
    assert hit.score == pytest.approx(
        total * hit.explanation.coverage * hit.explanation.kind_weight
    )


def test_a_hit_is_not_explained_unasked(store: Store) -> None:
    store.remember(a_memory("the parser"))
    assert store.recall(a_query("parser"))[0].explanation is None
