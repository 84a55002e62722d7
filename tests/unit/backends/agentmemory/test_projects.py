"""That no project sees another, on a server that does not see to it by itself."""

from __future__ import annotations

import pytest

from ltm_tray.backends.agentmemory import AgentMemoryStore
from ltm_tray.domain.errors import NotFound, NotSupported
from ltm_tray.domain.memory import Forget
from tests.support.agentmemory_asking import blind_to_projects, by_others, sent
from tests.support.asking import found
from tests.support.builders import HERE, THERE, a_memory, a_query, an_observation
from tests.support.fake_agentmemory import FakeAgentMemory

BLUE = "The deploy host is blue and it runs nginx on port eighty with two workers"
GREEN = BLUE.replace("blue", "green")


def test_whatever_is_asked_or_saved_names_its_project(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    store.remember(a_memory())
    store.observe(an_observation())
    store.recall(a_query("tea"))
    bodies = [*sent(server, "remember"), *sent(server, "observe"), *sent(server, "search")]
    assert {body["project"] for body in bodies} == {HERE.id}


def test_a_question_to_all_projects_is_not_asked(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    with pytest.raises(NotSupported, match="one project"):
        store.recall(a_query("tea", project_id=None))
    assert server.requests == []


def test_what_other_clients_saved_without_a_project_is_not_found(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    by_others(server, content="tabs of nobody")
    assert found(store, "tabs") == []


def test_what_a_server_lets_through_of_other_projects_is_not_found(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    other = by_others(server, content="tabs of another folder", project="another-folder")
    there = store.remember(a_memory("tabs of there", project_id=THERE.id, cwd=THERE.cwd)).id
    store.observe(an_observation("User: tabs", project_id=THERE.id, cwd=THERE.cwd))
    server.fails = blind_to_projects(server)
    assert found(store, "tabs") == []
    for memory_id in (other, there):
        with pytest.raises(NotFound):
            store.memory(memory_id, project_id=HERE.id)


def test_a_session_keeps_the_projects_that_used_it_apart(store: AgentMemoryStore) -> None:
    here = store.observe(an_observation("User: tabs here")).observation_id
    there = store.observe(
        an_observation("User: tabs there", project_id=THERE.id, cwd=THERE.cwd)
    ).observation_id
    assert found(store, "tabs") == [here]
    assert found(store, "tabs", project_id=THERE.id) == [there]


def test_a_small_project_beside_a_large_one_is_found(store: AgentMemoryStore) -> None:
    for n in range(130):
        store.remember(a_memory(f"tabs tabs n{n} t{n} r{n}", project_id=THERE.id, cwd=THERE.cwd))
    wanted = store.remember(a_memory("among other things, tabs")).id
    assert found(store, "tabs", limit=1) == [wanted]


def test_another_project_cannot_forget_and_the_server_is_not_even_asked(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    saved = store.remember(a_memory())
    seen = store.observe(an_observation()).observation_id or ""
    wish = Forget(project_id=THERE.id, memory_ids=(saved.id,), observation_ids=(seen,))
    assert store.forget(wish) == 0
    assert sent(server, "forget") == []


def test_what_others_saved_is_never_forgotten_along(
    store: AgentMemoryStore, server: FakeAgentMemory
) -> None:
    theirs = by_others(server, content=BLUE)
    ours = store.remember(a_memory(GREEN))
    assert ours.supersedes == theirs
    assert store.forget(Forget(project_id=HERE.id, memory_ids=(ours.id,))) == 1
    assert list(server.memories) == [theirs]
