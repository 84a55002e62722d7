"""What the service lets through to a store: no secret, in no field of any verb."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from ltm_tray.backends.inmemory import InMemoryStore
from ltm_tray.domain.errors import InvalidInput
from ltm_tray.domain.payload import Message
from ltm_tray.domain.requests import ObserveRequest, RecallRequest, RememberRequest
from ltm_tray.service import MemoryService
from tests.support.clock import TickingClock
from tests.support.ids import CountingIds
from tests.support.redaction.pieces import AWS_ID, GITHUB
from tests.support.switch import FakeSwitch

CWD = "/work/here"
HIDDEN = "<private>in the drawer</private>"


@pytest.fixture
def service() -> Iterator[MemoryService]:
    clock = TickingClock()
    store = InMemoryStore(clock=clock, new_id=CountingIds())
    service = MemoryService(store, switch=FakeSwitch(), clock=clock)
    yield service
    service.close()


def remembering(content: str, **about: Any) -> RememberRequest:
    return RememberRequest(cwd=CWD, content=content, **about)


def observing(**about: Any) -> ObserveRequest:
    values = {"session_id": "s", "kind": "agent_end", "title": "a title", "narrative": "a turn"}
    return ObserveRequest(cwd=CWD, **{**values, **about})


def all_that_is_stored(service: MemoryService) -> str:
    stored = [asdict(item) for item in service.items()]
    return json.dumps([stored, [asdict(entry) for entry in service.recalls().entries]], default=str)


def test_no_field_of_a_memory_holds_a_secret(service: MemoryService) -> None:
    saved = service.remember(
        remembering(
            f"The CI token is {GITHUB}; {HIDDEN} password=hunter2!",
            concepts=("ci", HIDDEN, f"key {AWS_ID}"),
            files=("deploy.sh", f"https://bob:s3cr3t99@host/{GITHUB}"),
        )
    )
    memory = service.memory(saved.id)
    assert memory.content == (
        "The CI token is [redacted: github-token]; [redacted: private] "
        "password=[redacted: password]"
    )
    assert memory.concepts == ("ci", "key [redacted: aws-access-key]")
    assert memory.files == (
        "deploy.sh",
        "https://bob:[redacted: url-password]@host/[redacted: github-token]",
    )
    assert saved.redacted == {
        "aws-access-key": 1,
        "github-token": 2,
        "password": 1,
        "private": 2,
        "url-password": 1,
    }
    assert service.stats(CWD).redacted == saved.redacted


def test_a_title_is_made_of_what_is_left(service: MemoryService) -> None:
    saved = service.remember(remembering(f"{GITHUB} is the token of CI"))
    assert service.memory(saved.id).title == "[redacted: github-token] is the token of CI"


def test_the_same_text_has_the_same_id_whatever_its_secrets_were(service: MemoryService) -> None:
    first = service.remember(remembering("The database has password=hunter2! since May"))
    again = service.remember(remembering("The database has password=hunter3! since May"))
    assert (again.id, again.deduplicated) == (first.id, True)
    assert again.redacted == {"password": 1}
    assert service.stats(CWD).redacted == {"password": 1}


def test_a_memory_without_secrets_says_nothing_of_redaction(service: MemoryService) -> None:
    assert service.remember(remembering("Set OPENAI_API_KEY in .env")).redacted == {}


@pytest.mark.parametrize("content", [HIDDEN, GITHUB, f" {HIDDEN}\n- {GITHUB}.", "<private>x"])
def test_a_memory_of_nothing_but_secrets_is_refused(service: MemoryService, content: str) -> None:
    with pytest.raises(InvalidInput) as error:
        service.remember(remembering(content))
    assert [(p.field, p.code) for p in error.value.problems] == [("content", "redacted")]
    assert "drawer" not in error.value.message
    assert service.projects() == []


def test_lengths_are_those_of_what_was_sent(service: MemoryService) -> None:
    private = f"kept <private>{'x' * 65_536}</private>"
    with pytest.raises(InvalidInput):
        service.remember(remembering(private))
    short = ("password=abcd1 " * 4_370)[:65_536]
    assert len(service.memory(service.remember(remembering(short)).id).content) > 65_536


def test_no_field_of_an_observation_holds_a_secret(service: MemoryService) -> None:
    seen = service.observe(
        observing(
            title=f"pushing with {GITHUB}",
            narrative="User: password=hunter2!",
            source={"env": {"API_KEY": "8d7f6a8d7f6a8d7f"}, AWS_ID: [HIDDEN], "turns": 3},
        )
    )
    observation = service.observation(seen.observation_id or "")
    assert observation.title == "pushing with [redacted: github-token]"
    assert observation.narrative == "User: password=[redacted: password]"
    assert observation.source == {
        "env": {"API_KEY": "[redacted: api-key]"},
        "[redacted: aws-access-key]": ["[redacted: private]"],
        "turns": 3,
    }
    assert service.stats(CWD).redacted == seen.redacted
    assert sum(seen.redacted.values()) == 5


def test_an_observation_of_nothing_but_secrets_is_refused(service: MemoryService) -> None:
    with pytest.raises(InvalidInput) as error:
        service.observe(observing(narrative=HIDDEN))
    assert [(p.field, p.code) for p in error.value.problems] == [("narrative", "redacted")]


def test_a_secret_that_a_narrative_would_cut_in_half_is_not_stored(service: MemoryService) -> None:
    prompt = f"{'why ' * 120}{GITHUB}{' and so on' * 50}"
    assert prompt.index(GITHUB) < 500 < prompt.index(GITHUB) + len(GITHUB)
    seen = service.observe_messages(
        observing(), [Message("user", prompt), Message("assistant", f"Done, {HIDDEN}.")]
    )
    assert GITHUB[:12] not in all_that_is_stored(service)
    assert seen.redacted == {"github-token": 1, "private": 1}
    assert service.stats(CWD).redacted == seen.redacted


def test_messages_of_nothing_but_private_words_are_no_observation(service: MemoryService) -> None:
    with pytest.raises(InvalidInput):
        service.observe_messages(observing(), [Message("user", HIDDEN)])
    seen = service.observe_messages(
        observing(), [Message("user", HIDDEN), Message("assistant", "All is well.")]
    )
    assert service.observation(seen.observation_id or "").narrative == "Assistant: All is well."


def test_a_private_title_does_not_name_the_moment(service: MemoryService) -> None:
    first = service.observe(observing(title="<private>one</private>"))
    again = service.observe(observing(title="<private>two</private>"))
    assert service.observation(first.observation_id or "").title == "[redacted: private]"
    assert again.deduplicated


def test_the_recall_log_holds_no_secret_of_a_question(service: MemoryService) -> None:
    service.recall(RecallRequest(cwd=CWD, query=f"who made {GITHUB}?"))
    assert service.recalls().entries[0].query == "who made [redacted: github-token]?"
    assert service.stats(CWD).redacted == {"github-token": 1}


def test_ids_of_observations_are_left_alone(service: MemoryService) -> None:
    ids = ("obs_1767323045006_5f1c0a9d3b7e",)
    saved = service.remember(remembering("tea", source_observation_ids=ids))
    assert service.memory(saved.id).source_observation_ids == ids
