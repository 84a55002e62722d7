"""Every error of the web front: which status it gets, and the one shape it is told in."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field
from http import HTTPStatus

import msgspec
from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from ltm_tray.domain.errors import (
    BackendUnavailable,
    DatabaseBusy,
    FieldProblem,
    InvalidInput,
    LtmDisabled,
    LtmError,
    NotFound,
    NotSupported,
    SettingPinned,
    SettingsUnusable,
)

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"
"""Paths below it are answered in JSON, all others in HTML, errors too."""


class Unauthorized(LtmError):
    """The request shows neither the token nor a cookie of ours."""

    code = "unauthorized"


class HostNotAllowed(LtmError):
    """The request names a host that is not this server."""

    code = "host_not_allowed"


class CrossSiteRequest(LtmError):
    """A page of another origin asked."""

    code = "cross_site_request"


class UnsupportedMediaType(LtmError):
    """The body is not plain JSON."""

    code = "unsupported_media_type"


class MalformedBody(InvalidInput):
    """The body cannot be read as JSON at all."""

    code = "bad_request"


STATUS_OF: dict[type[LtmError], int] = {
    InvalidInput: 400,
    Unauthorized: 401,
    HostNotAllowed: 403,
    CrossSiteRequest: 403,
    NotFound: 404,
    SettingPinned: 409,
    UnsupportedMediaType: 415,
    LtmDisabled: 503,
    SettingsUnusable: 503,
    DatabaseBusy: 503,
    BackendUnavailable: 503,
    NotSupported: 503,
    LtmError: 500,
}
"""The status of an error is that of the nearest of its classes."""

_HEADERS: dict[type[LtmError], dict[str, str]] = {
    DatabaseBusy: {"Retry-After": "1"},
    Unauthorized: {"WWW-Authenticate": "Bearer"},
}
_PAGES = {401: "locked.html"}
_HTTP = {
    400: ("bad_request", "The request cannot be understood."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("payload_too_large", "The request body is too large; at most 1 MiB is read."),
    415: (UnsupportedMediaType.code, "Send the body as application/json."),
}
_INTERNAL = "Something went wrong in LTM Tray; its log says more."


class Problem(msgspec.Struct):
    """One broken rule on the wire."""

    field: str
    code: str
    message: str


class ErrorAnswer(msgspec.Struct):
    """The one shape of an error on the wire. `error` is the stable code."""

    error: str
    message: str
    status: int
    details: list[Problem] = []


@dataclass(frozen=True, slots=True)
class _Told:
    answer: ErrorAnswer
    headers: dict[str, str] = field(default_factory=dict)


def status_of(error: LtmError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS_OF[kind] for kind in type(error).__mro__ if kind in STATUS_OF)


def register(app: Flask) -> None:
    """Let the app answer every error in the one shape."""
    app.register_error_handler(LtmError, _on_purpose)
    app.register_error_handler(HTTPException, _from_http)
    app.register_error_handler(Exception, _by_mistake)


def _on_purpose(error: LtmError) -> Response:
    status = status_of(error)
    problems: tuple[FieldProblem, ...] = getattr(error, "problems", ())
    details = [Problem(p.field, p.code, p.message) for p in problems]
    headers = next((held for kind, held in _HEADERS.items() if isinstance(error, kind)), {})
    return _respond(_Told(ErrorAnswer(error.code, error.message, status, details), headers))


def _from_http(error: HTTPException) -> Response:
    status = error.code or 500
    code, message = _HTTP.get(status, ("internal" if status >= 500 else "bad_request", ""))
    message = message or HTTPStatus(status).phrase
    kept = {name: value for name, value in error.get_headers() if name == "Allow"}
    return _respond(_Told(ErrorAnswer(code, message, status), kept))


def _by_mistake(error: Exception) -> Response:
    # The trace without the messages, the route without what stands in its place: those
    # may quote what was sent or stored.
    logger.error("%s %s failed: %s", request.method, request.url_rule, _trace(error))
    return _respond(_Told(ErrorAnswer(LtmError.code, _INTERNAL, 500)))


def _trace(error: BaseException | None) -> str:
    parts: list[str] = []
    while error is not None and len(parts) < 5:
        frames = "".join(traceback.format_tb(error.__traceback__))
        parts.append(f"{type(error).__qualname__}\n{frames}")
        error = error.__cause__ or error.__context__
    return "caused by ".join(parts)


def _respond(told: _Told) -> Response:
    answer = told.answer
    if request.path.startswith(API_PREFIX):
        return Response(
            msgspec.json.encode(answer), answer.status, told.headers, mimetype="application/json"
        )
    template = _PAGES.get(answer.status, "error.html")
    page = render_template(template, error=answer, phrase=HTTPStatus(answer.status).phrase)
    return Response(page, answer.status, told.headers, mimetype="text/html")
