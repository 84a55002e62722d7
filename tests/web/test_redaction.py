"""What the API and the console tell of what was taken out, and that it is gone from the file."""

from __future__ import annotations

from pathlib import Path

from tests.support.redaction.pieces import AWS_ID, GITHUB
from tests.support.web import HERE, Web, problem_of


def test_remember_tells_what_it_left_out(web: Web) -> None:
    body = {"cwd": HERE, "content": f"CI pushes with {GITHUB}", "concepts": [f"id {AWS_ID}"]}
    answer = web.post("/remember", body).get_json()
    assert answer["redacted"] == {"aws-access-key": 1, "github-token": 1}
    memory = web.get(f"/memories/{answer['id']}", cwd=HERE).get_json()
    assert memory["content"] == "CI pushes with [redacted: github-token]"


def test_observe_tells_what_it_left_out(web: Web) -> None:
    spoken = [{"role": "user", "text": "my password: hunter2! <private>and more</private>"}]
    body = {"cwd": HERE, "sessionId": "s", "kind": "agent_end", "messages": spoken}
    answer = web.post("/observe", body).get_json()
    assert answer["redacted"] == {"password": 1, "private": 1}


def test_stats_and_health_add_up_what_was_left_out(web: Web) -> None:
    assert web.get("/stats", cwd=HERE).get_json()["redacted"] == {}
    web.remember(f"CI pushes with {GITHUB}")
    web.remember("The wiki has password=hunter2!")
    web.get("/recall", cwd=HERE, q=f"who made {GITHUB}")
    assert web.service.recalls().entries != ()  # the log is written by now
    assert web.get("/stats", cwd=HERE).get_json()["redacted"] == {"github-token": 2, "password": 1}
    assert web.get("/health").get_json()["facts"]["redacted"] == "github-token 2, password 1"


def test_a_memory_of_nothing_but_secrets_is_refused_by_its_field(web: Web) -> None:
    answer = web.post("/remember", {"cwd": HERE, "content": "<private>all of it</private>"})
    assert problem_of(answer) == (400, "validation_error", ["content"])
    assert "nothing but secrets or private passages" in answer.get_json()["message"]
    assert web.counts() == (0, 0)


def test_the_console_tells_in_words_what_was_left_out(web: Web) -> None:
    assert "Taken out before storing" not in web.client.get("/stats").text
    web.remember(f"CI pushes with {GITHUB}; <private>Bob's phone</private>")
    page = web.client.get("/stats").text
    assert "Taken out before storing: github token 1, private 1." in page
    assert "github-token 1, private 1" in web.client.get("/settings").text


def test_no_page_no_export_and_no_file_holds_what_was_taken_out(web: Web, tmp_path: Path) -> None:
    hidden = ("hunter2!", GITHUB[4:], "phone of Bob")
    text = f"password=hunter2! and {GITHUB} <private>phone of Bob</private>"
    memory_id = web.remember(f"note {text}", files=[f"a {text}"], concepts=[f"b {text}"])
    seen = web.observe(f"title {text}", source={f"key {text}": [text]})
    web.get("/recall", cwd=HERE, q=f"note {text}")
    pages = ["/", "/recalls", "/stats", "/export.json", "/export.csv"]
    pages += [f"/memories/{memory_id}", f"/observations/{seen}"]
    shown = [web.client.get(page) for page in pages]
    assert [page.status_code for page in shown] == [200] * len(pages)
    assert [word for word in hidden for page in shown if word in page.text] == []
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert files != []
    assert [word for word in hidden for file in files if word.encode() in file] == []
