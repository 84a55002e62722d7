"""The API's routes do what their table says."""

from __future__ import annotations

import pytest

from ltm_tray.domain.project import project_of
from tests.support.web import HERE, THERE, Web, problem_of


def test_a_saved_memory_is_recalled_in_its_project_only(web: Web) -> None:
    memory_id = web.remember("The importer reads files in batches", type="architecture")
    hits = web.get("/recall", cwd=HERE, q="importer").get_json()["hits"]
    assert [hit["id"] for hit in hits] == [memory_id]
    assert web.get("/recall", cwd=THERE, q="importer").get_json() == {"hits": []}


def test_a_hit_has_the_documented_fields(web: Web) -> None:
    web.remember("The importer reads files in batches", type="architecture")
    (hit,) = web.get("/recall", cwd=HERE, q="importer").get_json()["hits"]
    assert hit.pop("score") > 0
    assert hit.pop("createdAt").startswith("2026-01-02T03:04:05.")
    assert hit == {
        "kind": "memory",
        "id": "mem_00000001",
        "title": "The importer reads files in batches",
        "snippet": "The importer reads files in batches",
        "type": "architecture",
        "truncated": False,
    }


def test_times_are_utc_with_milliseconds(web: Web) -> None:
    web.remember("tea at four")
    (hit,) = web.get("/recall", cwd=HERE, q="tea").get_json()["hits"]
    assert len(hit["createdAt"]) == len("2026-01-02T03:04:05.006Z")
    assert hit["createdAt"].endswith("Z")


def test_remember_answers_the_id_and_the_type(web: Web) -> None:
    answer = web.post("/remember", {"cwd": HERE, "content": "tea at four"})
    assert answer.get_json() == {"id": "mem_00000001", "type": "fact"}
    assert answer.mimetype == "application/json"


def test_remember_says_what_it_replaced(web: Web) -> None:
    old = web.remember("the deploy host of the staging system is blue")
    answer = web.post(
        "/remember", {"cwd": HERE, "content": "the deploy host of the staging system is blue now"}
    )
    assert answer.get_json()["supersedes"] == old


def test_remember_says_that_the_text_was_there_already(web: Web) -> None:
    old = web.remember("tea at four")
    answer = web.post("/remember", {"cwd": HERE, "content": "tea  at four\n"}).get_json()
    assert (answer["id"], answer["deduplicated"]) == (old, True)


def test_remember_keeps_every_field(web: Web) -> None:
    memory_id = web.remember(
        "tea at four",
        type="preference",
        concepts=["tea", "time"],
        files=["docs/tea.md"],
        sourceObservationIds=["obs_1"],
        sessionId="s-9",
    )
    found = web.get(f"/memories/{memory_id}", cwd=HERE).get_json()
    assert found["type"] == "preference"
    assert found["concepts"] == ["tea", "time"]
    assert found["files"] == ["docs/tea.md"]
    assert found["sourceObservationIds"] == ["obs_1"]
    assert found["sessionId"] == "s-9"


def test_recall_keeps_to_the_limit(web: Web) -> None:
    for number in range(3):
        web.remember(f"tea number {number} {'abc'[number] * 9} is served")
    assert len(web.get("/recall", cwd=HERE, q="tea", limit="2").get_json()["hits"]) == 2


def test_a_limit_over_fifty_is_lowered(web: Web) -> None:
    assert web.get("/recall", cwd=HERE, q="tea", limit="5000").status_code == 200


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"types": "bug"}, ["tabs alpha"]),
        ({"types": "bug,fact"}, ["tabs alpha", "tabs bravo"]),
        ({"concepts": "open,private"}, ["tabs alpha"]),
        ({"concepts": "open,private", "conceptMatch": "any"}, ["tabs alpha", "tabs bravo"]),
        ({"since": "2099-01-01T00:00:00Z"}, []),
        ({"until": "2099-01-01T00:00:00Z"}, ["tabs alpha", "tabs bravo"]),
    ],
)
def test_recall_is_narrowed_by_type_concept_and_date(
    web: Web, narrowed: dict[str, str], expected: list[str]
) -> None:
    web.remember("tabs alpha", type="bug", concepts=["open", "private"])
    web.remember("tabs bravo", concepts=["open"])
    hits = web.get("/recall", cwd=HERE, q="tabs", **narrowed).get_json()["hits"]
    assert sorted(hit["title"] for hit in hits) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [("types", "runbook"), ("since", "yesterday"), ("until", "2026-01-01"), ("conceptMatch", "x")],
)
def test_recall_refuses_what_it_cannot_narrow_by(web: Web, name: str, value: str) -> None:
    answer = web.get("/recall", cwd=HERE, q="tabs", **{name: value})
    assert problem_of(answer) == (400, "validation_error", [name])


def test_recall_keeps_to_the_kinds(web: Web) -> None:
    memory_id, observation_id = web.remember("tea at four"), web.observe("tea at five")

    def found(kinds: str) -> set[str]:
        hits = web.get("/recall", cwd=HERE, q="tea", kinds=kinds).get_json()["hits"]
        return {hit["id"] for hit in hits}

    assert found("memory") == {memory_id}
    assert found("observation") == {observation_id}
    assert found("memory,observation") == {memory_id, observation_id}


@pytest.mark.parametrize(
    ("sent", "noted"), [("pi", "pi"), ("cli", "cli"), ("api", "api"), ("evil\x01", "api")]
)
def test_the_recall_log_names_the_front_that_asked(web: Web, sent: str, noted: str) -> None:
    web.client.get(
        "/api/memory/recall",
        query_string={"cwd": HERE, "q": "tea", "sessionId": "s-3"},
        headers={"X-LTM-Source": sent},
    )
    (entry,) = web.service.recalls().entries
    assert (entry.source, entry.session_id, entry.query) == (noted, "s-3", "tea")


def test_a_turn_is_observed_by_title_and_narrative(web: Web) -> None:
    observation_id = web.observe("why is it slow?", source={"tokens": 12, "tags": ["a", None]})
    found = web.get(f"/observations/{observation_id}", cwd=HERE).get_json()
    assert found.pop("createdAt").endswith("Z")
    assert found == {
        "id": observation_id,
        "projectId": project_of(HERE).id,
        "cwd": HERE,
        "sessionId": "s-1",
        "kind": "agent_end",
        "title": "why is it slow?",
        "narrative": "User: why is it slow?",
        "source": {"tokens": 12, "tags": ["a", None]},
    }


def test_a_turn_is_observed_by_its_messages(web: Web) -> None:
    messages = [{"role": "user", "text": "why?"}, {"role": "assistant", "text": "because"}]
    body = {"cwd": HERE, "sessionId": "s", "kind": "agent_end", "messages": messages}
    observation_id = web.post("/observe", body).get_json()["observationId"]
    found = web.get(f"/observations/{observation_id}", cwd=HERE).get_json()
    assert (found["title"], found["narrative"]) == ("why?", "User: why?\nAssistant: because")


@pytest.mark.parametrize(
    "form",
    [
        {"messages": [{"role": "user", "text": "why?"}]},
        {"title": "why?", "narrative": "User: why?"},
    ],
)
def test_the_same_leaf_is_observed_once(web: Web, form: dict[str, object]) -> None:
    body = {"cwd": HERE, "sessionId": "s", "kind": "pre_compact", "leafId": "leaf-1", **form}
    assert "observationId" in web.post("/observe", body).get_json()
    assert web.post("/observe", body).get_json() == {"deduplicated": True}
    assert web.counts() == (0, 1)


def test_forget_says_how_many_rows_went(web: Web) -> None:
    memory_id, observation_id = web.remember("tea at four"), web.observe("tea at five")
    body = {"cwd": HERE, "memoryIds": [memory_id, "mem_no"], "observationIds": [observation_id]}
    assert web.post("/forget", body).get_json() == {"deleted": 2}
    assert web.counts() == (0, 0)


def test_forget_leaves_other_projects_alone(web: Web) -> None:
    memory_id = web.remember("tea at four")
    assert web.post("/forget", {"cwd": THERE, "memoryIds": [memory_id]}).json == {"deleted": 0}
    assert web.counts() == (1, 0)


def test_stats_count_the_project(web: Web) -> None:
    web.remember("tea at four")
    web.observe("tea at five")
    stats = web.get("/stats", cwd=HERE + "/x/..").get_json()
    assert (stats["memoryCount"], stats["observationCount"], stats["versionCount"]) == (1, 1, 0)
    assert (stats["cwd"], stats["projectId"]) == (HERE, project_of(HERE).id)
    assert stats["lastSavedAt"].endswith("Z")
    assert stats["lastRecalledAt"] is None


def test_a_memory_comes_with_its_versions(web: Web) -> None:
    old = web.remember("the deploy host of the staging system is blue")
    new = web.remember("the deploy host of the staging system is blue now")
    found = web.get(f"/memories/{new}", cwd=HERE).get_json()
    assert [version["id"] for version in found["versions"]] == [new, old]
    assert [version["isLatest"] for version in found["versions"]] == [True, False]
    assert found["parentId"] == old


@pytest.mark.parametrize("path", ["/memories/mem_00000001", "/observations/obs_00000002"])
def test_an_item_of_another_project_is_not_found(web: Web, path: str) -> None:
    web.remember("tea at four")
    web.observe("tea at five")
    assert web.get(path, cwd=HERE).status_code == 200
    assert problem_of(web.get(path, cwd=THERE)) == (404, "not_found", [])


def test_health_tells_which_program_answers(web: Web) -> None:
    health = web.get("/health").get_json()
    assert health["ok"] is True
    assert health["service"] == "ltm_tray"
    assert health["version"] == "9.9.9"
    assert health["enabled"] is True
    assert health["backend"] == "sqlite"


def test_health_repeats_what_is_wrong_with_the_settings(web: Web) -> None:
    web.switch.reported.append("The settings file cannot be read.")
    assert web.get("/health").get_json()["detail"] == "The settings file cannot be read."


def test_tools_are_those_of_the_role(web: Web) -> None:
    def names(**query: str) -> list[str]:
        return [tool["name"] for tool in web.get("/tools", **query).get_json()["tools"]]

    assert names() == names(role="main") == ["memory_save", "memory_recall", "memory_forget"]
    assert names(role="sub") == ["memory_recall"]
    assert problem_of(web.get("/tools", role="boss")) == (400, "validation_error", ["role"])


def test_settings_tell_what_pins_them(web: Web) -> None:
    web.switch.pinned_by = "LTM_ENABLED"
    answer = web.get("/settings").get_json()
    assert answer["enabled"] is True
    assert answer["settings"][0] == {
        "key": "enabled",
        "value": True,
        "origin": "environment",
        "pinnedBy": "LTM_ENABLED",
    }


def test_the_switch_is_thrown_by_a_change_of_settings(web: Web) -> None:
    answer = web.client.patch("/api/memory/settings", json={"enabled": False})
    assert answer.get_json()["enabled"] is False
    assert web.switch.enabled is False


def test_a_pinned_switch_is_a_conflict(web: Web) -> None:
    web.switch.pinned_by = "LTM_ENABLED"
    answer = web.client.patch("/api/memory/settings", json={"enabled": False})
    assert problem_of(answer) == (409, "setting_pinned", [])
    assert web.switch.enabled is True
