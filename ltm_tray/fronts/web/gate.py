"""Who is let in where a token is required: programs by the token, browsers by a link used once."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from threading import Lock
from time import monotonic

LINK_LIVES_S = 60.0
"""How long a link to the console can be used."""

_SECRET_BYTES = 32
_LINKS_MAX = 20
_SESSIONS_MAX = 100


class Gate:
    """Knows the token, the links that were given out, and the browsers that used one.

    A browser is known until the process ends, or a hundred others came after it. Safe to
    use from any thread.
    """

    def __init__(self, token: str, *, elapsed_s: Callable[[], float] = monotonic) -> None:
        """Take the token; `elapsed_s` returns the seconds since any fixed moment."""
        self._token = token
        self._elapsed_s = elapsed_s
        self._guard = Lock()
        self._links: dict[str, tuple[float, str]] = {}
        self._sessions: list[str] = []

    def link(self, path: str = "") -> str:
        """Return a path that leads to a page of the console, once and within a minute.

        Without `path` it leads to the first page. It is a secret: show it to nobody but
        the user's own browser, and never log it.
        """
        once = secrets.token_urlsafe(_SECRET_BYTES)
        with self._guard:
            for oldest in list(self._links)[: 1 - _LINKS_MAX]:
                del self._links[oldest]
            self._links[once] = (self._elapsed_s() + LINK_LIVES_S, path)
        return f"/login?once={once}"

    def enter(self, once: str) -> tuple[str, str] | None:
        """Use a link up: return a new session's secret and the page that the link leads to.

        None means that there is no such link, that it was used, or that it is too old.
        """
        with self._guard:
            known = next((known for known in self._links if _same(known, once)), None)
            if known is None:
                return None
            ends_at_s, path = self._links.pop(known)
            if self._elapsed_s() > ends_at_s:
                return None
            session = secrets.token_urlsafe(_SECRET_BYTES)
            self._sessions = [*self._sessions[1 - _SESSIONS_MAX :], session]
        return session, path

    def knows_program(self, authorization: str) -> bool:
        """Tell whether an `Authorization` header holds the token, as `Bearer`."""
        scheme, _, sent = authorization.partition(" ")
        return scheme.lower() == "bearer" and _same(self._token, sent.strip())

    def knows_browser(self, session: str) -> bool:
        """Tell whether a cookie holds the secret of a session."""
        return any(_same(known, session) for known in self._sessions)


def _same(known: str, sent: str) -> bool:
    # Takes as long wherever the two begin to differ, so that nobody can guess bit by bit.
    return hmac.compare_digest(known.encode(), sent.encode(errors="backslashreplace"))
