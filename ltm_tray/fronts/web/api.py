"""The JSON API: each route reads, asks the service, and answers; no rule lives here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, request

from ltm_tray.domain.project import project_of
from ltm_tray.fronts.web import answers, wire
from ltm_tray.fronts.web.reading import Query, read_body
from ltm_tray.service import MemoryService

SERVICE_NAME = "ltm_tray"
"""How clients tell this program from another one on the same port."""

ToolSpecs = Callable[[str | None], list[dict[str, Any]]]
"""Returns the specifications of the tools an agent of the given role may use."""


class Api:
    """The routes under `/api/memory` over one service."""

    def __init__(self, service: MemoryService, *, version: str, tools: ToolSpecs) -> None:
        self._service = service
        self._version = version
        self._tools = tools

    def blueprint(self) -> Blueprint:
        """Return the routes, ready to be registered."""
        made = Blueprint("api", __name__, url_prefix="/api/memory")
        routes: list[tuple[str, str, Callable[..., Response]]] = [
            ("GET", "/health", self.health),
            ("GET", "/recall", self.recall),
            ("POST", "/remember", self.remember),
            ("POST", "/observe", self.observe),
            ("POST", "/forget", self.forget),
            ("GET", "/stats", self.stats),
            ("GET", "/memories/<memory_id>", self.memory),
            ("GET", "/observations/<observation_id>", self.observation),
            ("GET", "/tools", self.tools),
            ("GET", "/settings", self.settings),
            ("PATCH", "/settings", self.change_settings),
        ]
        for method, path, view in routes:
            made.add_url_rule(path, view.__name__, view, methods=[method])
        return made

    def health(self) -> Response:
        """Tell who answers here and whether the store can."""
        health = self._service.health()
        return _answer(
            answers.HealthAnswer(
                ok=health.ok,
                service=SERVICE_NAME,
                version=self._version,
                enabled=self._service.enabled,
                backend=health.backend,
                state=health.state,
                detail=health.detail,
                next_step=health.next_step,
                facts=health.facts,
            )
        )

    def recall(self) -> Response:
        """Return the best hits for a question."""
        self._service.require_enabled()
        source = request.headers.get(wire.SOURCE_HEADER, "")
        hits = self._service.recall(wire.recall_request(_query(), source))
        return _answer(
            answers.HitsAnswer(hits=[answers.shaped(hit, answers.HitAnswer) for hit in hits])
        )

    def remember(self) -> Response:
        """Save a memory."""
        self._service.require_enabled()
        body = read_body(request.get_data(), wire.RememberBody)
        return _answer(answers.shaped(self._service.remember(body.request()), answers.SavedAnswer))

    def observe(self) -> Response:
        """Store an observation."""
        self._service.require_enabled()
        body = read_body(request.get_data(), wire.ObserveBody)
        wanted, messages = body.request(), body.spoken()
        observed = (
            self._service.observe(wanted)
            if messages is None
            else self._service.observe_messages(wanted, messages)
        )
        return _answer(answers.shaped(observed, answers.ObservedAnswer))

    def forget(self) -> Response:
        """Delete by id."""
        self._service.require_enabled()
        body = read_body(request.get_data(), wire.ForgetBody)
        return _answer(answers.DeletedAnswer(deleted=self._service.forget(body.request())))

    def stats(self) -> Response:
        """Return the counts of a project."""
        cwd = _query().text("cwd")
        return _answer(answers.stats_answer(self._service.stats(cwd), project_of(cwd)))

    def memory(self, memory_id: str) -> Response:
        """Return a whole memory with its versions."""
        cwd = _query().text("cwd")
        found = self._service.memory(memory_id, cwd=cwd)
        return _answer(answers.memory_answer(found, self._service.versions(found.id, cwd=cwd)))

    def observation(self, observation_id: str) -> Response:
        """Return a whole observation."""
        found = self._service.observation(observation_id, cwd=_query().text("cwd"))
        return _answer(answers.shaped(found, answers.ObservationAnswer))

    def tools(self) -> Response:
        """Return the specifications of the agent's tools."""
        return _answer(answers.ToolsAnswer(tools=self._tools(_query().optional("role"))))

    def settings(self) -> Response:
        """Return the effective settings."""
        settings = [answers.shaped(s, answers.SettingAnswer) for s in self._service.settings()]
        return _answer(answers.SettingsAnswer(enabled=self._service.enabled, settings=settings))

    def change_settings(self) -> Response:
        """Throw the switch and return the effective settings."""
        body = read_body(request.get_data(), wire.SettingsBody)
        self._service.set_enabled(enabled=body.enabled)
        return self.settings()


def _query() -> Query:
    return Query(request.query_string)


def _answer(answer: answers.Answer) -> Response:
    return Response(answers.encoded(answer), mimetype="application/json")
