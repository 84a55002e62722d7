"""A talk with an agentmemory server, with what changes from run to run made plain.

`agentmemory_recorded.json` holds what the real 0.9.29 answered. To record it anew, run
`python -m tests.support.agentmemory_talk URL` against a fresh server.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx

RECORDED = Path(__file__).with_name("agentmemory_recorded.json")
OBSERVED = {
    "hookType": "post_tool_use",
    "sessionId": "s-1",
    "project": "proj_a",
    "cwd": "/w/a",
    "timestamp": "2026-01-02T03:04:05.006Z",
}
SAID = {"moment": "m-1", "tool_name": "why? ", "tool_output": "User: the flux capacitor leaks "}
BLUE = "The deploy host is blue and it runs nginx with two workers"
GREEN = BLUE.replace("blue", "green")
TALK: tuple[tuple[str, str, Any], ...] = (
    ("POST", "remember", {"content": BLUE, "project": "proj_a", "concepts": ["host"]}),
    ("POST", "remember", {"content": GREEN, "project": "proj_a", "type": "architecture"}),
    ("POST", "remember", {"content": GREEN, "project": "proj_b"}),
    ("POST", "remember", {"content": "Nobody owns the nginx note here", "type": "opinion"}),
    ("POST", "remember", {"content": " "}),
    ("POST", "remember", {"content": "x y", "concepts": "host"}),
    ("POST", "search", {"query": "nginx", "project": "proj_a", "limit": 100, "format": "full"}),
    ("POST", "search", {"query": "unheard", "project": "proj_a", "limit": 100, "format": "full"}),
    ("POST", "search", {"project": "proj_a"}),
    ("GET", "memories/<mem-1>", None),
    ("GET", "memories/mem_unknown", None),
    ("GET", "memories?limit=2&offset=1", None),
    ("POST", "observe", {**OBSERVED, "data": SAID}),
    ("POST", "observe", {**OBSERVED, "data": SAID}),
    ("POST", "observe", {**OBSERVED, "data": {**SAID, "moment": "m-2", "tool_output": "y" * 500}}),
    ("POST", "observe", {**OBSERVED, "cwd": ""}),
    ("POST", "search", {"query": "capacitor", "project": "proj_a", "limit": 100, "format": "full"}),
    ("POST", "search", {"query": "capacitor", "project": "proj_b", "limit": 100, "format": "full"}),
    ("GET", "sessions", None),
    ("GET", "observations?sessionId=s-1", None),
    ("POST", "forget", {"memoryId": "<mem-2>"}),
    ("POST", "forget", {"memoryId": "<mem-2>"}),
    ("POST", "forget", {}),
    ("POST", "forget", {"sessionId": "s-1", "observationIds": ["<obs-1>"]}),
    ("GET", "observations?sessionId=s-1", None),
    ("GET", "no/such/path", None),
)
_ID = re.compile(r"\b(mem|obs)_[0-9a-z]+_[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")
_NUMBER = re.compile(r'("(?:score|tokens_used)": )[\d.]+')


def talk(client: httpx.Client) -> list[Any]:
    """Return what a fresh server answers: status and body of each request in turn."""
    names: dict[str, str] = {}
    said: list[Any] = []
    for method, path, body in TALK:
        given = json.dumps([path, body])
        for found, name in names.items():
            given = given.replace(name, found)
        where, sent = json.loads(given)
        answer = client.request(method, where, json=sent)
        text = json.dumps(answer.json(), ensure_ascii=False) if answer.content else "null"
        for match in _ID.finditer(text):
            kind = match[1]
            number = sum(name.startswith(f"<{kind}") for name in names.values()) + 1
            names.setdefault(match[0], f"<{kind}-{number}>")
        text = _TIME.sub("<time>", _ID.sub(lambda match: names[match[0]], text))
        said.append([answer.status_code, json.loads(_NUMBER.sub(r'\1"<number>"', text))])
    return said


def recorded() -> list[Any]:
    """Return what the real server answered."""
    found: list[Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


if __name__ == "__main__":
    with httpx.Client(base_url=f"{sys.argv[1]}/agentmemory/", trust_env=False) as asking:
        RECORDED.write_text(json.dumps(talk(asking), indent=1, ensure_ascii=False) + "\n", "utf-8")
