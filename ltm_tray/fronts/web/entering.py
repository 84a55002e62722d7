"""The way in: what each request must show where a token is required, and the links to the console.

A cookie goes to every port of this machine, so it never holds the token: it opens the
console of this run and nothing else, and the API takes the token only.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ltm_tray.fronts.web import wire
from ltm_tray.fronts.web.answers import Answer, encoded
from ltm_tray.fronts.web.api import SERVICE_NAME
from ltm_tray.fronts.web.errors import API_PREFIX, Unauthorized
from ltm_tray.fronts.web.gate import Gate
from ltm_tray.fronts.web.info import AppInfo
from ltm_tray.fronts.web.reading import Query, read_body

_OPEN = frozenset({"login", "console.static_file", "console.favicon"})
"""What anybody on this machine may have: it tells nothing of the memory."""

Admit = Callable[[], Response | None]
"""Lets a request pass, answers in its place, or raises `Unauthorized`."""


class IdentityAnswer(Answer):
    """The answer of health to a program that did not show the token."""

    service: str
    version: str
    token_required: bool


class ConsoleAnswer(Answer):
    """The answer of console: a path of this server, for a browser to open."""

    path: str


def admission(gate: Gate | None, info: AppInfo) -> Admit:
    """Return the check of who asks; without a gate everybody passes."""
    if gate is None:
        return lambda: None
    identity = IdentityAnswer(service=SERVICE_NAME, version=info.version, token_required=True)
    cookie = _cookie_name(info)

    def admit() -> Response | None:
        if request.endpoint in _OPEN:
            return None
        if not request.path.startswith(API_PREFIX):
            if gate.knows_browser(request.cookies.get(cookie, "")):
                return None
            raise Unauthorized("This console opens for its own user only.")
        if gate.knows_program(request.headers.get("Authorization", "")):
            return None
        if request.endpoint == "api.health":
            return Response(encoded(identity), mimetype="application/json")
        raise Unauthorized("Send the token in ltm-tray.token as `Authorization: Bearer`.")

    return admit


def register(app: Flask, gate: Gate | None, info: AppInfo) -> None:
    """Add the routes that lead into the console."""

    def console_link() -> Response:
        read_body(request.get_data(), wire.ConsoleBody)
        path = gate.link() if gate else url_for("console.search")
        return Response(encoded(ConsoleAnswer(path=path)), mimetype="application/json")

    app.add_url_rule("/api/memory/console", "console_link", console_link, methods=["POST"])
    if gate is not None:
        app.add_url_rule("/login", "login", _login(gate, info), methods=["GET"])


def _login(gate: Gate, info: AppInfo) -> Callable[[], AnyResponse]:
    def login() -> AnyResponse:
        # Looking at a link does not use it up.
        once = Query(request.query_string).lenient("once") if request.method == "GET" else ""
        entered = gate.enter(once)
        if entered is None:
            raise Unauthorized("This link was used before, or is older than a minute.")
        session, path = entered
        # Away from the link, so that it stays in no address bar, history or Referer.
        response = redirect(path or url_for("console.search"), 303)
        response.set_cookie(_cookie_name(info), session, httponly=True, samesite="Strict")
        return response

    return login


def _cookie_name(info: AppInfo) -> str:
    return f"ltm_console_{info.port}"
