"""A model on loopback that says what a test tells it to, and notes what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

SUMMARY = "## Goal\nThe summary of the model."
UNSCRIPTED = "The model has nothing to add."


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model's wish to use a tool."""

    name: str
    arguments: Mapping[str, Any]


Step = str | ToolCall | int
"""What the model does next: says a text, calls a tool, or fails with an HTTP status."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model. A request without tools asks for a summary."""

    prompt: str
    tools: tuple[str, ...]
    results: tuple[str, ...]
    """What the tools called since the prompt have answered."""
    system: str


@dataclass
class FakeLlm:
    """Serves an OpenAI-compatible API; ended with the block.

    `script` maps a prompt to the steps of its turn: one per answered tool call. A call
    of a tool that is not offered is passed over. Prompts without a script get a short
    text. A failure happens once, and the step after it follows when Pi tries again.
    """

    script: dict[str, Sequence[Step]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    failures: int = 0

    def __enter__(self) -> FakeLlm:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def step(self, body: Mapping[str, Any]) -> Step:
        """Note a request and decide what to answer."""
        asked = _asked(body)
        self.asked.append(asked)
        if not asked.tools:
            return SUMMARY
        steps = [
            step
            for step in self.script.get(asked.prompt, ())
            if not isinstance(step, ToolCall) or step.name in asked.tools
        ]
        at = len(asked.results)
        if at < len(steps) and isinstance(steps[at], int):
            self.failures += 1
            at += self.failures > 1
        return steps[at] if at < len(steps) else UNSCRIPTED


def _asked(body: Mapping[str, Any]) -> Asked:
    messages = body.get("messages", [])
    prompts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    since = messages[prompts[-1] + 1 :] if prompts else []
    return Asked(
        prompt=_text(messages[prompts[-1]]) if prompts else "",
        tools=tuple(tool["function"]["name"] for tool in body.get("tools") or ()),
        results=tuple(_text(message) for message in since if message["role"] == "tool"),
        system="\n".join(_text(m) for m in messages if m["role"] in {"system", "developer"}),
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _chunks(step: str | ToolCall) -> Iterator[dict[str, Any]]:
    if isinstance(step, str):
        yield {"delta": {"role": "assistant", "content": step}, "finish_reason": None}
        yield {"delta": {}, "finish_reason": "stop"}
        return
    function = {"name": step.name, "arguments": json.dumps(step.arguments)}
    call = {"index": 0, "id": f"call_{step.name}", "type": "function", "function": function}
    yield {"delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}
    yield {"delta": {}, "finish_reason": "tool_calls"}


def _stream(step: str | ToolCall) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    base = {"id": "answer", "object": "chat.completion.chunk", "created": 0, "model": "fake-1"}
    lines = [
        {**base, "choices": [{"index": 0, **chunk}], "usage": usage} for chunk in _chunks(step)
    ]
    return b"".join(b"data: %s\n\n" % json.dumps(line).encode() for line in lines) + (
        b"data: [DONE]\n\n"
    )


def _handler_of(llm: FakeLlm) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            step = llm.step(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if isinstance(step, int):
                self._answer(step, "application/json", b'{"error":{"message":"overloaded"}}')
            else:
                self._answer(200, "text/event-stream", _stream(step))

        def _answer(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
