"""The way to an agentmemory server: requests with time limits, and failures in plain words."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, NoReturn, TypeVar

import httpx
import msgspec

from ltm_tray.domain.errors import BackendUnavailable, SettingsUnusable

CONNECT_TIMEOUT_S = 0.5
_KEEP_OPEN_S = 2.0
"""Shorter than the server keeps a connection, so that none is used that it just closed."""
_ANSWER_BYTES_MAX = 64 * 1024 * 1024
_REASON_CHARACTERS_MAX = 200

Shape = TypeVar("Shape", bound=msgspec.Struct)
Body = dict[str, Any]


class TimeLimit:
    """How much time several requests may take together."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends_at = monotonic() + seconds

    def left_s(self) -> float:
        """Return the seconds that are left; 0 when it is over."""
        return max(0.0, self._ends_at - monotonic())


class _Verdict(msgspec.Struct):
    """What any answer may say about its success."""

    success: bool = True
    error: str | None = None


class Link:
    """Asks one agentmemory server. Safe to use from any thread.

    No redirect is followed, no proxy is used, and the secret goes to this machine only.
    Every request raises `BackendUnavailable` with a sentence that says what to do.
    """

    def __init__(
        self,
        url: str,
        *,
        secret: Callable[[], str | None],
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet; `secret` is asked before each request.

        Raises:
            SettingsUnusable: The URL is not `http://host[:port]` or `https://...`.
        """
        parsed = _checked(url)
        self.url = str(parsed).rstrip("/")
        self.is_local = _is_local(parsed.host)
        self._secret = secret
        self._closed = False
        self._client = httpx.Client(
            base_url=f"{self.url}/agentmemory/",
            headers={"Accept-Encoding": "identity", "User-Agent": "ltm-tray"},
            limits=httpx.Limits(keepalive_expiry=_KEEP_OPEN_S),
            transport=transport,
            follow_redirects=False,
            trust_env=False,
        )

    def close(self) -> None:
        """Close every connection; calling it again does nothing."""
        self._closed = True
        self._client.close()

    def get(
        self, path: str, shape: type[Shape], within: TimeLimit, **query: str | int
    ) -> Shape | None:
        """Return an answer, or None where the server says that there is no such thing."""
        return self._ask(self._client.build_request("GET", path, params=query), shape, within)

    def post(self, path: str, body: Body, shape: type[Shape], within: TimeLimit) -> Shape:
        """Send a JSON body and return the answer."""
        request = self._client.build_request(
            "POST",
            path,
            content=msgspec.json.encode(body),
            headers={"Content-Type": "application/json"},
        )
        answer = self._ask(request, shape, within)
        if answer is None:
            self._fail(f"does not know /{path}; it needs agentmemory 0.9.29 or newer")
        return answer

    def _ask(self, request: httpx.Request, shape: type[Shape], within: TimeLimit) -> Shape | None:
        if self._closed:
            raise BackendUnavailable("The store is closed.")
        secret = self._secret() if self.is_local else None
        if secret:
            request.headers["Authorization"] = f"Bearer {secret}"
        left_s = within.left_s()
        request.extensions["timeout"] = httpx.Timeout(
            left_s, connect=min(CONNECT_TIMEOUT_S, left_s)
        ).as_dict()
        try:
            response = self._client.send(request, stream=True)
            try:
                raw = self._read(response, within)
            finally:
                response.close()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise BackendUnavailable(
                f"No agentmemory server answers at {self.url}; start agentmemory, or correct "
                "agentmemoryUrl in the settings."
            ) from error
        except httpx.TimeoutException as error:
            self._too_slow(within, error)
        except httpx.HTTPError as error:
            self._fail("broke off its answer; try again", error)
        except RuntimeError as error:
            if not self._closed:  # by another thread, meanwhile
                raise
            raise BackendUnavailable("The store is closed.") from error
        return self._understood(response.status_code, raw, shape, sent_secret=bool(secret))

    def _read(self, response: httpx.Response, within: TimeLimit) -> bytes:
        parts = bytearray()
        for part in response.iter_bytes():
            parts += part
            if len(parts) > _ANSWER_BYTES_MAX:
                self._fail("answers with more than 64 MiB")
            if not within.left_s():
                self._too_slow(within)
        return bytes(parts)

    def _understood(
        self, status: int, raw: bytes, shape: type[Shape], *, sent_secret: bool
    ) -> Shape | None:
        if status == 401:
            self._fail(self._about_secret(sent_secret=sent_secret))
        if status == 404 and not raw.strip():
            self._fail(
                "has its engine running but not its worker; wait a moment, or restart agentmemory"
            )
        if status == 503:
            self._fail("says that it is overloaded (503); its own log tells why")
        if status >= 500:
            self._fail(f"failed with status {status}; its own log tells why")
        try:
            verdict = msgspec.json.decode(raw, type=_Verdict)
            if status == 404 and verdict.error:
                return None
            if status in {400, 413} or not verdict.success:
                self._fail(f"refused: {_reason(verdict.error, status)}")
            return msgspec.json.decode(raw, type=shape) if status < 300 else self._stranger()
        except msgspec.MsgspecError as error:
            self._stranger(error)

    def _about_secret(self, *, sent_secret: bool) -> str:
        if not self.is_local:
            return "asks for its secret, which is sent to this machine only; use a tunnel to it"
        if sent_secret:
            return "does not take the secret; set AGENTMEMORY_SECRET to the one it has"
        return "asks for its secret; set AGENTMEMORY_SECRET to it and start LTM Tray again"

    def _stranger(self, cause: Exception | None = None) -> NoReturn:
        raise BackendUnavailable(
            f"What answers at {self.url} does not answer as agentmemory 0.9.29 or newer does; "
            "correct agentmemoryUrl in the settings."
        ) from cause

    def _too_slow(self, within: TimeLimit, cause: Exception | None = None) -> NoReturn:
        self._fail(f"did not answer within {within.seconds:g} s; try again, or restart it", cause)

    def _fail(self, what: str, cause: Exception | None = None) -> NoReturn:
        raise BackendUnavailable(f"agentmemory at {self.url} {what}.") from cause


def _checked(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError):
        parsed = httpx.URL()
    extras = parsed.userinfo or parsed.query or parsed.fragment or parsed.path.strip("/")
    if parsed.scheme not in {"http", "https"} or not parsed.host or extras:
        raise SettingsUnusable(
            "The setting agentmemoryUrl must be an address such as http://127.0.0.1:3111, "
            "without a path, a name or a password."
        )
    return parsed


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(error: str | None, status: int) -> str:
    said = " ".join((error or "").split())[:_REASON_CHARACTERS_MAX].rstrip(".")
    return said or f"status {status} without a reason"


def required(fields: Mapping[str, Any], shape: type[Shape]) -> Shape:
    """Return a part of an answer in its shape.

    Raises:
        BackendUnavailable: The server gave something else.
    """
    try:
        return msgspec.convert(fields, shape)
    except msgspec.ValidationError as error:
        raise BackendUnavailable(
            "agentmemory gave an item that LTM Tray does not understand; it needs agentmemory "
            "0.9.29 or newer."
        ) from error
