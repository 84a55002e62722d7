"""What the agentmemory backend makes of a server that checks little and cannot do all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ltm_tray.backends.agentmemory import AgentMemoryStore, NoArchive
from ltm_tray.domain.archive import NO_LIMITS, PurgeWish
from ltm_tray.domain.catalog import RecallLogEntry
from ltm_tray.domain.errors import BackendUnavailable, NotFound, NotSupported
from ltm_tray.domain.memory import Forget, HitKind, MemoryType, ObservationKind
from tests.support.agentmemory_asking import by_others, pages_by_cursor, sent
from tests.support.agentmemory_talk import recorded, talk
from tests.support.asking import found
from tests.support.builders import HERE, a_memory, a_query, an_observation
from tests.support.clock import TickingClock
from tests.support.fake_agentmemory import FakeAgentMemory

BLUE = "The deploy host is blue and it runs nginx on port eighty with two workers"
GREEN = BLUE.replace("blue", "green")


def test_the_server_of_these_tests_answers_as_the_real_one_did(server: FakeAgentMemory) -> None:
    with httpx.Client(transport=server, base_url="http://127.0.0.1:3111/agentmemory/") as client:
        assert talk(client) == recorded()


def test_words_that_tell_nothing_find_nothing(store: AgentMemoryStore) -> None:
    store.remember(a_memory("what is served is the tea"))
    assert found(store, "what is the deploy command?") == []


def test_a_match_far_into_a_long_text_is_found(store: AgentMemoryStore) -> None:
    store.remember(a_memory("needle"))
    store.remember(a_memory("hay " * 10_000 + "needle"))
    assert len(found(store, "needle")) == 2


def test_a_replaced_version_is_not_found_even_if_the_server_still_finds_it(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    saved = store.remember(a_memory("tea at four"))
    server.memories[saved.id]["isLatest"] = False
    assert found(store, "tea") == []


def test_forgetting_an_observation_leaves_the_others_of_its_session(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    first = store.observe(an_observation("User: tabs", dedup_key="1")).observation_id or ""
    second = store.observe(an_observation("User: more tabs", dedup_key="2")).observation_id
    assert store.forget(Forget(project_id=HERE.id, observation_ids=(first, "obs_x"))) == 1
    assert found(store, "tabs") == [second]
    assert all(body["observationIds"] for body in sent(server, "forget"))


def test_a_memory_is_forgotten_with_all_versions_and_nothing_else(store: AgentMemoryStore) -> None:
    for colour in ("blue", "green", "red"):
        last = store.remember(a_memory(BLUE.replace("blue", colour)))
    kept = store.remember(a_memory("tea at four"))
    assert store.forget(Forget(project_id=HERE.id, memory_ids=(last.id, last.id))) == 3
    assert found(store, "deploy tea") == [kept.id]


def test_known_text_with_new_labels_becomes_a_version_with_the_labels_of_both(
    store: AgentMemoryStore,
) -> None:
    first = store.remember(a_memory("Tea at four", concepts=("tea",), type=MemoryType.WORKFLOW))
    again = store.remember(a_memory("Tea at\nfour", concepts=("time",), files=("a.md",)))
    assert (again.supersedes, again.deduplicated) == (first.id, False)
    kept = store.memory(again.id)
    assert (kept.concepts, kept.files, kept.type) == (("tea", "time"), ("a.md",), "workflow")
    same = store.remember(a_memory("Tea at four", concepts=("time",)))
    assert (same.id, same.deduplicated) == (again.id, True)


def test_an_item_comes_back_with_all_that_the_server_keeps(store: AgentMemoryStore) -> None:
    saved = store.remember(
        a_memory("one", concepts=("c",), source_observation_ids=("obs_1",), session_id="s")
    )
    memory = store.memory(saved.id, project_id=HERE.id)
    assert (memory.project_id, memory.concepts) == (HERE.id, ("c",))
    assert memory.source_observation_ids == ("obs_1",)
    assert (memory.cwd, memory.session_id) == ("", None)
    kind = ObservationKind.PRE_COMPACT
    seen = store.observe(an_observation("x" * 500, kind=kind)).observation_id or ""
    observation = store.observation(seen, project_id=HERE.id)
    assert (observation.cwd, observation.session_id) == (HERE.cwd, "session-1")
    assert (observation.title, observation.kind) == ("why is it slow?", kind)
    assert len(observation.narrative) == 400


@pytest.mark.parametrize("memory_id", ["..", "mem_../sessions", "mem_a?b", "mem_%2e", "obs_1", ""])
def test_an_id_never_reaches_another_address(
    store: AgentMemoryStore, server: FakeAgentMemory, memory_id: str
) -> None:
    with pytest.raises(NotFound):
        store.memory(memory_id, project_id=HERE.id)
    assert server.requests == []


def test_every_text_is_redacted_before_it_is_sent(server: FakeAgentMemory) -> None:
    store = AgentMemoryStore(
        "http://127.0.0.1:3111",
        clock=TickingClock(),
        secret=lambda: None,
        redact=lambda text: text.replace("hunter2", "[secret]"),
        transport=server,
    )
    store.remember(a_memory("hunter2 is it", concepts=("hunter2",), files=("hunter2",)))
    store.observe(an_observation("User: hunter2", title="hunter2"))
    store.recall(a_query("hunter2?"))
    assert [request for request in server.requests if b"hunter2" in request.content] == []
    assert found(store, "hunter2 secret") != []


def test_a_full_session_is_a_failure_and_the_moment_may_be_tried_again(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    def full(request: httpx.Request) -> httpx.Response | None:
        said = {"success": False, "error": "Session observation limit reached (500)"}
        return httpx.Response(201, json=said) if request.url.path.endswith("observe") else None

    server.fails = full
    with pytest.raises(BackendUnavailable, match=r"limit reached \(500\)"):
        store.observe(an_observation())
    server.fails = lambda _: None
    assert store.observe(an_observation()).observation_id


@pytest.mark.parametrize(
    ("answer", "observed"),
    [
        ({"observationId": "obs_1", "deduplicated": True, "existing": True}, None),
        ({"deduplicated": True, "sessionId": "s"}, None),
        ({"observationId": "obs_1", "queued": False}, "obs_1"),
    ],
)
def test_newer_and_older_servers_say_that_they_had_a_moment(
    store: AgentMemoryStore, server: FakeAgentMemory, answer: dict[str, Any], observed: str | None
) -> None:
    server.fails = lambda _: httpx.Response(201, json=answer)
    assert store.observe(an_observation()).observation_id == observed


def test_an_observation_that_was_not_acknowledged_is_a_failure(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    server.fails = lambda _: httpx.Response(201, json={})
    with pytest.raises(BackendUnavailable):
        store.observe(an_observation())


def test_all_pages_are_counted_by_offset_as_by_cursor(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    for n in range(1_003):
        by_others(server, content=f"n{n}", project=HERE.id if n % 2 else "another-folder")
    assert store.stats(HERE.id).memory_count == 501
    server.fails = pages_by_cursor(server)
    assert store.stats(HERE.id).memory_count == 501


def test_an_item_of_a_strange_shape_is_a_failure_of_its_project_only(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    theirs = by_others(server, content="one", project="another-folder")
    ours = store.remember(a_memory("two"))
    server.memories[theirs]["createdAt"] = 5
    assert store.stats(HERE.id).memory_count == 1
    server.memories[ours.id]["createdAt"] = 5
    with pytest.raises(BackendUnavailable, match="does not understand"):
        store.stats(HERE.id)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.projects(),
        lambda s: s.project(HERE.id),
        lambda s: s.project_details(),
        lambda s: s.newest(),
        lambda s: list(s.items()),
        lambda s: s.facets(),
        lambda s: s.recalls(),
        lambda s: s.recall_entry(1),
        lambda s: s.recalls_of("mem_1"),
        lambda s: s.activity(7),
        lambda s: s.sparklines(7),
        lambda s: s.totals(),
        lambda s: s.record_recall(an_entry()),
    ],
)
def test_what_agentmemory_cannot_do_is_said_and_not_asked(
    store: AgentMemoryStore, server: FakeAgentMemory, ask: Callable[[AgentMemoryStore], object]
) -> None:
    with pytest.raises(NotSupported, match="kept by agentmemory"):
        ask(store)
    assert server.requests == []


def test_kinds_are_told_by_where_an_item_is_kept(store: AgentMemoryStore) -> None:
    store.remember(a_memory("tabs"))
    store.observe(an_observation("User: tabs"))
    kinds = [hit.kind for hit in store.recall(a_query("tabs"))]
    assert kinds == [HitKind.MEMORY, HitKind.OBSERVATION]


def an_entry() -> RecallLogEntry:
    return RecallLogEntry(
        project_id=HERE.id,
        query="tea",
        source="pi",
        session_id=None,
        hit_ids=(),
        duration_ms=1,
        asked_at=TickingClock()(),
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda a: a.snapshot(),
        lambda a: a.take_in([]),
        lambda a: a.rehearsal(),
        lambda a: a.purgeable(PurgeWish()),
        lambda a: a.purge(PurgeWish()),
        lambda a: a.delete_overdue(NO_LIMITS, 1),
        lambda a: a.count_overdue(NO_LIMITS),
    ],
)
def test_a_whole_store_is_carried_by_its_own_tools_only(
    ask: Callable[[NoArchive], object],
) -> None:
    with pytest.raises(NotSupported, match="its own tools"):
        ask(NoArchive())
