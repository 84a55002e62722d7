"""What tests see of a played agentmemory server, and how they let it go other ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

from tests.support.fake_agentmemory import FakeAgentMemory

Fail = Callable[[httpx.Request], httpx.Response | None]


def sent(server: FakeAgentMemory, path: str) -> list[dict[str, Any]]:
    """The bodies of what was sent to a path."""
    asked = [request for request in server.requests if request.url.path == f"/agentmemory/{path}"]
    return [json.loads(request.content) for request in asked]


def by_others(server: FakeAgentMemory, **body: Any) -> str:
    """Save as another client of the server does, and return the id."""
    with httpx.Client(transport=server, base_url="http://127.0.0.1:3111/agentmemory/") as client:
        return str(client.post("remember", json=body).json()["memory"]["id"])


def blind_to_projects(server: FakeAgentMemory) -> Fail:
    """Let searches find whatever there is, of any project."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/search"):
            return None
        memories = [
            {"id": row["id"], "timestamp": row["createdAt"], "narrative": row["content"]}
            for row in server.memories.values()
        ]
        hits = [{"observation": m, "sessionId": "memory", "score": 1.0} for m in memories]
        for session_id, rows in server.observations.items():
            hits += [
                {"observation": row, "sessionId": session_id, "score": 1.0} for row in rows.values()
            ]
        return httpx.Response(200, json={"results": hits})

    return answer


def pages_by_cursor(server: FakeAgentMemory) -> Fail:
    """Give pages as newer servers do: newest first, with the name of the next one."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        if not request.url.path.endswith("/memories"):
            return None
        start = int(request.url.params.get("cursor", "c0")[1:])
        rows = list(server.memories.values())[::-1]
        page = {"memories": rows[start : start + 500]}
        more = start + 500 < len(rows)
        return httpx.Response(200, json={**page, "nextCursor": f"c{start + 500}" if more else None})

    return answer
