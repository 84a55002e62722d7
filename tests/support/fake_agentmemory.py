"""An agentmemory 0.9.29 in this process, reached as an httpx transport.

Its answers have the shapes that the real one gave; `agentmemory_talk` holds both to that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from itertools import count
from threading import Lock
from typing import Any

import httpx

from ltm_tray.backends.agentmemory import AgentMemoryStore
from ltm_tray.domain.times import to_iso
from ltm_tray.ports import Clock
from tests.support.agentmemory_index import WordIndex

Row = dict[str, Any]
Answer = tuple[int, Any]

_TYPES = {"pattern", "preference", "architecture", "bug", "workflow", "fact"}
_OBSERVATIONS_MAX = 500
_MOMENT_S = 300
_EMPTY_404 = (404, None)


class FakeAgentMemory(httpx.BaseTransport):
    """Answers as the server does. `requests` holds all that was sent.

    With `secret` it asks for it; `fails` is given each request first and may answer, or
    raise what httpx would.
    """

    def __init__(self, clock: Clock, *, secret: str | None = None) -> None:
        self._clock = clock
        self._secret = secret
        self._numbers = count(1)
        self._guard = Lock()
        self._index = WordIndex()
        self._moments: dict[tuple[str, str, str], float] = {}
        self.memories: dict[str, Row] = {}
        self.sessions: dict[str, Row] = {}
        self.observations: dict[str, dict[str, Row]] = {}
        self.requests: list[httpx.Request] = []
        self.fails: Callable[[httpx.Request], httpx.Response | None] = lambda _: None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request; one at a time, as the server's own lock has it."""
        request.read()
        with self._guard:
            self.requests.append(request)
            failed = self.fails(request)
            if failed is not None:
                return failed
            status, answer = self._answer(request)
        if answer is None:
            return httpx.Response(status)
        return httpx.Response(status, json=answer)

    def _answer(self, request: httpx.Request) -> Answer:
        *_, root, name, rest = ("", *f"{request.url.path}/".split("/", 3)[1:])
        routes: dict[tuple[str, str], Callable[..., Answer]] = {
            ("GET", "livez"): self._livez,
            ("GET", "health"): self._health,
            ("POST", "remember"): self._remember,
            ("POST", "search"): self._search,
            ("POST", "observe"): self._observe,
            ("POST", "forget"): self._forget,
            ("GET", "memories"): self._list,
            ("GET", "sessions"): self._list_sessions,
            ("GET", "observations"): self._list_observations,
        }
        route = routes.get((request.method, name))
        if root != "agentmemory" or route is None:
            return _EMPTY_404
        sent = request.headers.get("authorization")
        if self._secret and name != "livez" and sent != f"Bearer {self._secret}":
            return 401, {"error": "unauthorized"}
        if request.method == "POST":
            typed = "application/json" in request.headers.get("content-type", "")
            return route(json.loads(request.content) if typed else {})
        if name == "memories" and rest.strip("/"):
            return self._get(rest.strip("/"))
        return route(dict(request.url.params))

    def _livez(self, _: Row) -> Answer:
        return 200, {"status": "ok", "service": "agentmemory", "viewerPort": 3113}

    def _health(self, _: Row) -> Answer:
        return 200, {"status": "healthy", "service": "agentmemory", "version": "0.9.29"}

    def _remember(self, body: Row) -> Answer:
        content = body.get("content")
        if not isinstance(content, str) or not content.strip():
            return 400, {"error": "content is required"}
        if not isinstance(body.get("concepts", []), list):
            return 201, {"success": False, "error": "concepts must be an array"}
        old = self._replaced_by(content, body.get("project"))
        row = self._new_memory(body, old)
        if old:
            old["isLatest"] = False
            self._index.remove(old["id"])
        self.memories[row["id"]] = row
        self._index.add(row["id"], _searched(_as_observation(row)))
        return 201, {"success": True, "memory": row}

    def _new_memory(self, body: Row, old: Row | None) -> Row:
        now = to_iso(self._clock())
        row = {
            "id": self._new_id("mem"),
            "createdAt": now,
            "updatedAt": now,
            "type": body["type"] if body.get("type") in _TYPES else "fact",
            "title": body["content"][:80],
            "content": body["content"],
            "concepts": body.get("concepts", []),
            "files": body.get("files", []),
            "sessionIds": [],
            "strength": 7,
            "version": old["version"] + 1 if old else 1,
            "supersedes": [old["id"]] if old else [],
            "sourceObservationIds": body.get("sourceObservationIds", []),
            "isLatest": True,
            "origin": {"channel": "agent", "capturedAt": now},
        }
        row |= {"parentId": old["id"]} if old else {}
        return row | ({"project": body["project"].strip()} if body.get("project") else {})

    def _replaced_by(self, content: str, project: str | None) -> Row | None:
        for found_id, _ in self._index.search(content, 50):
            row = self.memories.get(found_id)
            strange = row and project and row.get("project") not in {None, project}
            if row and not strange and _similarity(content, row["content"]) > 0.7:
                return row
        return None

    def _search(self, body: Row) -> Answer:
        query, project = body.get("query"), body.get("project")
        if not isinstance(query, str) or not query.strip():
            return 400, {"error": "query is required and must be a non-empty string"}
        limit = min(body.get("limit", 20), 100)
        found: list[Row] = []
        for found_id, score in self._index.search(query, max(limit * 10, 100)):
            hit = self._hit(found_id, project)
            if hit and len(found) < limit:
                found.append({**hit, "score": score})
        used = sum(-(-len(json.dumps(hit)) // 3) for hit in found)
        return 200, {"format": "full", "results": found, "tokens_used": used, "truncated": False}

    def _hit(self, found_id: str, project: str | None) -> Row | None:
        """Return a hit unless it is known to be of another project; what is of none passes."""
        memory = self.memories.get(found_id)
        if memory:
            passes = memory.get("project") in {None, project}
            return (
                {"observation": _as_observation(memory), "sessionId": "memory"} if passes else None
            )
        for session_id, rows in self.observations.items():
            if found_id in rows:
                session = self.sessions.get(session_id)
                passes = session is None or session["project"] == project
                return {"observation": rows[found_id], "sessionId": session_id} if passes else None
        return None

    def _observe(self, body: Row) -> Answer:
        names = ("hookType", "sessionId", "project", "cwd", "timestamp")
        if not all(isinstance(body.get(name), str) and body[name].strip() for name in names):
            return 400, {"error": f"{', '.join(names[:-1])}, and timestamp are required strings"}
        session_id, data = body["sessionId"], body["data"]
        title = data.get("tool_name") or body["hookType"]
        moment = (session_id, title, json.dumps(data)[:500])
        now = self._clock()
        if now.timestamp() - self._moments.get(moment, 0) <= _MOMENT_S:
            return 201, {"deduplicated": True, "sessionId": session_id}
        rows = self.observations.setdefault(session_id, {})
        if len(rows) >= _OBSERVATIONS_MAX:
            said = f"Session observation limit reached ({_OBSERVATIONS_MAX})"
            return 201, {"success": False, "error": said}
        self._moments[moment] = now.timestamp()
        self._note_session(body, now)
        row = self._new_observation(body, title)
        rows[row["id"]] = row
        self._index.add(row["id"], _searched(row))
        return 201, {"observationId": row["id"]}

    def _note_session(self, body: Row, now: datetime) -> None:
        session = self.sessions.setdefault(
            body["sessionId"],
            {
                "id": body["sessionId"],
                "project": body["project"],
                "cwd": body["cwd"],
                "startedAt": body["timestamp"],
                "status": "active",
                "observationCount": 0,
            },
        )
        session |= {"updatedAt": to_iso(now), "observationCount": session["observationCount"] + 1}

    def _new_observation(self, body: Row, title: str) -> Row:
        at = body["timestamp"]
        return {
            "id": self._new_id("obs"),
            "sessionId": body["sessionId"],
            "timestamp": at,
            "type": "other",
            "title": _cut(title, 80),
            "facts": [],
            "narrative": _cut(body["data"].get("tool_output", ""), 400),
            "concepts": [],
            "files": [],
            "importance": 5,
            "confidence": 0.3,
            "origin": {"channel": "tool", "capturedAt": at, "detail": title},
        }

    def _forget(self, body: Row) -> Answer:
        memory_id, session_id = body.get("memoryId") or "", body.get("sessionId") or ""
        if not memory_id and not session_id:
            return 400, {"error": "sessionId or memoryId is required"}
        deleted = int(self.memories.pop(memory_id, None) is not None)
        self._index.remove(memory_id)
        rows = self.observations.get(session_id, {})
        everything = bool(session_id) and not body.get("observationIds")
        for observation_id in list(rows) if everything else body.get("observationIds", []):
            rows.pop(observation_id, None)
            self._index.remove(observation_id)
            deleted += 1
        if everything:
            self.sessions.pop(session_id, None)
            deleted += 2
        return 200, {"success": True, "deleted": deleted}

    def _get(self, memory_id: str) -> Answer:
        row = self.memories.get(memory_id)
        return (200, {"memory": row}) if row else (404, {"error": f"memory not found: {memory_id}"})

    def _list(self, query: Row) -> Answer:
        offset, limit = int(query.get("offset", 0)), int(query["limit"])
        rows = list(self.memories.values())
        page = rows[offset : offset + limit]
        return 200, {"memories": page, "total": len(rows), "offset": offset, "limit": limit}

    def _list_sessions(self, _: Row) -> Answer:
        return 200, {"sessions": list(self.sessions.values())}

    def _list_observations(self, query: Row) -> Answer:
        return 200, {"observations": list(self.observations.get(query["sessionId"], {}).values())}

    def _new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):08x}_0123456789ab"


def an_agentmemory(
    transport: httpx.BaseTransport, clock: Clock, url: str = "http://127.0.0.1:3111"
) -> AgentMemoryStore:
    """Return a store that reaches a server, or one that plays it, and knows no secret."""
    return AgentMemoryStore(url, clock=clock, secret=lambda: None, redact=str, transport=transport)


def _as_observation(memory: Row) -> Row:
    return {
        "id": memory["id"],
        "sessionId": "memory",
        "timestamp": memory["createdAt"],
        "type": "decision",
        "title": memory["title"],
        "facts": [memory["content"]],
        "narrative": memory["content"],
        "concepts": memory["concepts"],
        "files": memory["files"],
        "importance": 7,
    }


def _searched(row: Row) -> str:
    parts = (row["title"], row["narrative"], *row["facts"], *row["concepts"], *row["files"])
    return " ".join((*parts, row["type"]))


def _similarity(first: str, second: str) -> float:
    one, other = ({w for w in text.lower().split() if len(w) > 2} for text in (first, second))
    if not one or not other:
        return float(first.split() == second.split())
    return len(one & other) / len(one | other)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
