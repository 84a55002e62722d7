"""The verbs and their rules, over the plainest store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.domain.catalog import ItemFilter, RecallLogFilter
from ltm_tray.domain.errors import InvalidInput, LtmDisabled, SettingPinned
from ltm_tray.domain.payload import Message
from ltm_tray.domain.requests import (
    ForgetRequest,
    ObserveRequest,
    RecallRequest,
    RememberRequest,
)
from ltm_tray.service import MemoryService
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.switch import FakeSwitch

CWD = "/work/here"


@pytest.fixture
def switch() -> FakeSwitch:
    return FakeSwitch()


@pytest.fixture
def service(switch: FakeSwitch) -> Iterator[MemoryService]:
    clock = TickingClock()
    store = InMemoryStore(clock=clock, new_id=CountingIds())
    service = MemoryService(store, switch=switch, clock=clock)
    yield service
    service.close()


def an_observation(**changes: Any) -> ObserveRequest:
    values = {
        "cwd": CWD,
        "session_id": "s",
        "kind": "agent_end",
        "title": "a title",
        "narrative": "User: a prompt",
    }
    return ObserveRequest(**{**values, **changes})


def fields(error: pytest.ExceptionInfo[InvalidInput]) -> list[tuple[str, str]]:
    return [(problem.field, problem.code) for problem in error.value.problems]


def test_what_one_session_saves_another_of_the_same_directory_recalls(
    service: MemoryService,
) -> None:
    saved = service.remember(RememberRequest(cwd=CWD, content="Use tabs", session_id="a"))
    (hit,) = service.recall(RecallRequest(cwd=f"{CWD}/", query="tabs", session_id="b"))
    assert hit.id == saved.id
    assert service.recall(RecallRequest(cwd="/work/there", query="tabs")) == []


def test_while_off_no_verb_does_anything(service: MemoryService, switch: FakeSwitch) -> None:
    switch.enabled = False
    with pytest.raises(LtmDisabled):
        service.remember(RememberRequest(cwd="", content=""))
    with pytest.raises(LtmDisabled):
        service.recall(RecallRequest(cwd=CWD, query="tabs"))
    with pytest.raises(LtmDisabled):
        service.observe(an_observation())
    with pytest.raises(LtmDisabled):
        service.observe_messages(an_observation(), [Message("user", "hello")])
    with pytest.raises(LtmDisabled):
        service.forget(ForgetRequest(cwd=CWD, memory_ids=("mem_1",)))
    assert service.newest().items == ()
    assert service.recalls().entries == ()
    assert service.stats(CWD).memory_count == 0


def test_all_that_was_saved_and_asked_can_be_browsed_while_off(
    service: MemoryService, switch: FakeSwitch
) -> None:
    saved = service.remember(RememberRequest(cwd=CWD, content="Use tabs"))
    service.recall(RecallRequest(cwd=CWD, query="tabs"))
    switch.enabled = False
    (project,) = service.project_details()
    project_id = project.summary.project_id
    (entry,) = service.recalls(RecallLogFilter(project_id=project_id)).entries
    assert service.project(project_id) == project
    assert [item.id for item in service.items(ItemFilter(project_id=project_id))] == [saved.id]
    assert service.facets(ItemFilter(project_id=project_id), "tabs").total == 1
    assert service.recall_entry(entry.id).hits[0].id == saved.id
    assert service.recalls_of(saved.id) == [entry]
    assert [day.recalls for day in service.activity(1, project_id=project_id)] == [1]
    assert service.sparklines(1) == {project_id: (2,)}
    assert service.totals(project_id).memory_count == 1


@pytest.mark.parametrize("kind", ["agent_end", "pre_compact"])
def test_each_capture_can_be_switched_off_alone(
    service: MemoryService, switch: FakeSwitch, kind: str
) -> None:
    switch.observe_agent_end = kind != "agent_end"
    switch.observe_pre_compact = kind != "pre_compact"
    other = {"agent_end": "pre_compact", "pre_compact": "agent_end"}[kind]
    with pytest.raises(LtmDisabled, match=kind):
        service.observe(an_observation(kind=kind))
    assert not service.observe(an_observation(kind=other)).deduplicated


def test_every_recall_is_noted_with_who_asked_and_what_came(service: MemoryService) -> None:
    saved = service.remember(RememberRequest(cwd=CWD, content="Use tabs"))
    service.recall(RecallRequest(cwd=CWD, query="tabs", source="pi", session_id="s"))
    (entry,) = service.recalls().entries
    assert (entry.query, entry.source, entry.session_id) == ("tabs", "pi", "s")
    assert entry.hit_ids == (saved.id,)
    assert entry.duration_ms >= 0


def test_recalls_are_not_noted_when_that_is_switched_off(
    service: MemoryService, switch: FakeSwitch
) -> None:
    switch.log_recalls = False
    service.recall(RecallRequest(cwd=CWD, query="tabs"))
    assert service.recalls().entries == ()


def test_messages_become_an_observation(service: MemoryService) -> None:
    seen = service.observe_messages(
        an_observation(title="", narrative=""),
        [Message("user", "Why is it slow?"), Message("assistant", "No index.")],
    )
    observation = service.observation(seen.observation_id or "", cwd=CWD)
    assert observation.title == "Why is it slow?"
    assert observation.narrative == "User: Why is it slow?\nAssistant: No index."


def test_messages_without_text_are_refused(service: MemoryService) -> None:
    with pytest.raises(InvalidInput) as error:
        service.observe_messages(an_observation(), [Message("toolResult", "x")])
    assert fields(error) == [("messages", "required")]


def test_the_leaf_names_the_moment_and_else_the_title_does(service: MemoryService) -> None:
    service.observe(an_observation(idempotency_key="leaf-1"))
    assert service.observe(an_observation(idempotency_key="leaf-1", title="other")).deduplicated
    assert not service.observe(an_observation(title="no leaf")).deduplicated
    assert service.observe(an_observation(title="no leaf", narrative="x")).deduplicated


def test_a_limit_over_fifty_is_lowered(service: MemoryService) -> None:
    for number in range(60):
        service.remember(RememberRequest(cwd=CWD, content=f"tabs {number} in chapter{number}"))
    assert len(service.recall(RecallRequest(cwd=CWD, query="tabs", limit=10_000))) == 50


@pytest.mark.parametrize(
    ("request_", "problems"),
    [
        ({"content": ""}, [("content", "required")]),
        ({"content": " \n"}, [("content", "required")]),
        ({"content": "x" * 65_537}, [("content", "too_long")]),
        ({"content": "a\0b"}, [("content", "invalid_text")]),
        ({"content": "\ud800"}, [("content", "invalid_text")]),
        ({"type": "poem"}, [("type", "unknown")]),
        ({"concepts": ("",)}, [("concepts", "required")]),
        ({"files": ("f",) * 201}, [("files", "too_many")]),
        ({"session_id": "s" * 1_025}, [("sessionId", "too_long")]),
        ({"content": "", "type": "poem"}, [("content", "required"), ("type", "unknown")]),
        ({"cwd": "relative"}, [("cwd", "not_absolute")]),
    ],
)
def test_bad_memories_are_refused_and_nothing_is_stored(
    service: MemoryService, request_: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidInput) as error:
        service.remember(RememberRequest(**{"cwd": CWD, "content": "fine", **request_}))
    assert fields(error) == problems
    assert service.projects() == []


def test_a_memory_of_the_greatest_length_is_kept_whole(service: MemoryService) -> None:
    content = "é" * 65_536
    saved = service.remember(RememberRequest(cwd=CWD, content=content))
    assert service.memory(saved.id).content == content


@pytest.mark.parametrize(
    ("request_", "problems"),
    [
        ({"query": ""}, [("q", "required")]),
        ({"query": "\u3000"}, [("q", "required")]),
        ({"query": "\0"}, [("q", "invalid_text")]),
        ({"limit": 0}, [("limit", "out_of_range")]),
        ({"limit": -1}, [("limit", "out_of_range")]),
        ({"limit": 10**19}, [("limit", "out_of_range")]),
        ({"kinds": ("memory", "dream")}, [("kinds", "unknown")]),
        ({"sort": "oldest"}, [("sort", "unknown")]),
    ],
)
def test_bad_questions_are_refused(
    service: MemoryService, request_: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidInput) as error:
        service.recall(RecallRequest(**{"cwd": CWD, "query": "fine", **request_}))
    assert fields(error) == problems


@pytest.mark.parametrize(
    ("request_", "problems"),
    [
        ({"session_id": ""}, [("sessionId", "required")]),
        ({"kind": "lunch"}, [("kind", "unknown")]),
        ({"narrative": "x" * 4_001}, [("narrative", "too_long")]),
        ({"title": ""}, [("title", "required")]),
    ],
)
def test_bad_observations_are_refused(
    service: MemoryService, request_: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidInput) as error:
        service.observe(an_observation(**request_))
    assert fields(error) == problems


def test_forgetting_needs_an_id(service: MemoryService) -> None:
    with pytest.raises(InvalidInput) as error:
        service.forget(ForgetRequest(cwd=CWD))
    assert fields(error) == [("memoryIds", "required")]


def test_a_pinned_switch_does_not_move(service: MemoryService, switch: FakeSwitch) -> None:
    switch.pinned_by = "LTM_ENABLED"
    with pytest.raises(SettingPinned, match="LTM_ENABLED"):
        service.set_enabled(enabled=False)
    assert service.enabled


def test_health_tells_of_settings_that_cannot_be_used(
    service: MemoryService, switch: FakeSwitch
) -> None:
    switch.reported.append("The settings file cannot be read.")
    assert service.health().ok
    assert service.health().detail == "The settings file cannot be read."
