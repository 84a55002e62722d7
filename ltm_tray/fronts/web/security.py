"""Who may talk to the server and what every answer carries; it holds on every path.

A loopback port is no defence against a web page in the user's own browser. Two checks
carry nearly all of it: the exact Host (a page under a rebound name) and where the
request comes from (a page of another site). Neither can be switched off.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter

from flask import Flask, Response, g, request

from ltm_tray.fronts.web.errors import (
    API_PREFIX,
    CrossSiteRequest,
    HostNotAllowed,
    UnsupportedMediaType,
)

logger = logging.getLogger(__name__)

BODY_MAX_BYTES = 1_048_576
"""A larger body is refused with 413."""

_FORM_MAX_BYTES = 65_536
_FORM_MAX_PARTS = 50
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, browsers send `Origin: null` with the console's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def protect(app: Flask, *, port: int, admit: Callable[[], Response | None]) -> None:
    """Put the rules around every request of an app that has no routes yet.

    `port` is the one the server listens on: only requests that name it pass. `admit`
    checks who asks, once it is known where from; it raises, or answers itself, or lets pass.
    """
    hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"})
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_MAX_BYTES,
        MAX_FORM_MEMORY_SIZE=_FORM_MAX_BYTES,
        MAX_FORM_PARTS=_FORM_MAX_PARTS,
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    # A merged or slashed path would be answered with a redirect; only known places may be.
    app.url_map.merge_slashes = False

    def check() -> Response | None:
        g.started_s = perf_counter()
        _check_host(hosts)
        _check_origin()
        answer = admit()
        if request.routing_exception is None:
            _check_media_type()
        return answer

    app.before_request(check)
    app.after_request(_seal)


def _check_host(hosts: frozenset[str]) -> None:
    if _host() not in hosts:
        raise HostNotAllowed("This server answers only under 127.0.0.1 and localhost.")


def _host() -> str:
    # The header itself: Flask's `request.host` fills in a name where there is none.
    return str(request.environ.get("HTTP_HOST", "")).lower()


def _check_origin() -> None:
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        allowed = site in {"same-origin", "none"} or _is_followed_link()
    else:
        origin = request.headers.get("Origin")
        # Programs send neither header.
        allowed = origin is None or origin.lower() == f"http://{_host()}"
    if not allowed:
        raise CrossSiteRequest("Pages of other origins may not use this server.")


def _is_followed_link() -> bool:
    return (
        request.method in _SAFE_METHODS
        and request.headers.get("Sec-Fetch-Mode") == "navigate"
        and request.headers.get("Sec-Fetch-Dest") == "document"
        and not request.path.startswith(API_PREFIX)
    )


def _check_media_type() -> None:
    if "Content-Encoding" in request.headers:
        raise UnsupportedMediaType("Send the body without a Content-Encoding.")
    unsafe = request.method not in _SAFE_METHODS
    if unsafe and request.path.startswith(API_PREFIX) and request.mimetype != "application/json":
        raise UnsupportedMediaType("Send the body as application/json.")


def _seal(response: Response) -> Response:
    response.headers.update(_HEADERS)
    if not response.cache_control.max_age:
        response.headers["Cache-Control"] = "no-store"
    took_ms = (perf_counter() - g.get("started_s", perf_counter())) * 1_000
    # The route, not what was asked of it: path, query and body hold people's text.
    route = request.url_rule or "(no such route)"
    logger.info("%s '%s' %d %.1f ms", request.method, route, response.status_code, took_ms)
    return response
