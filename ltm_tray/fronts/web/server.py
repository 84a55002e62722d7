"""The HTTP server: takes a loopback port and serves one app from one loop thread.

Waitress' own `run` and `close` do not end cleanly from another thread, so the loop is
ours. `task_dispatcher`, `trigger` and `wasyncore` are not documented by Waitress; this
is the only module that uses them, and its version is pinned.
"""

from __future__ import annotations

import logging
import socket
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.server import create_server

from ltm_tray.domain.errors import SettingsUnusable

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

logger = logging.getLogger(__name__)

PORTS_TRIED = 100
"""How many ports are tried, from the first one upwards."""
STOP_WITHIN_S = 2.0
"""How long `stop` takes at most."""

_LOOPBACK = "127.0.0.1"
_BACKLOG = 128
_ANSWER_WITHIN_S = 1.4
_WORKERS_END_WITHIN_S = 0.4
_IDLE_WAKE_S = 5.0
_CONNECTIONS_MAX = 400
_CROWDED = 200
"""From so many connections on, those that ask nothing are closed, the longest silent first."""
_ROOMY = 150
_DRAIN_WAKE_S = 0.05
_LIMITS: dict[str, Any] = {
    # More than the writers a store lets wait, so that there is one left to answer readers.
    "threads": 16,
    "connection_limit": _CONNECTIONS_MAX,
    "channel_timeout": 20,
    "cleanup_interval": 5,
    "max_request_header_size": 65_536,
    # Above the app's own limit of 1 MiB, so that the app answers 413 in JSON.
    "max_request_body_size": 2_097_152,
    "expose_tracebacks": False,
    "clear_untrusted_proxy_headers": True,
    "log_socket_errors": False,
    "ident": None,
}


def bind_loopback(first_port: int) -> socket.socket:
    """Take the first free port from `first_port` upwards on 127.0.0.1, at most 100 tries.

    The socket listens already, so nobody else can take the port, and clients that
    come before the server starts wait for it. Port 0 takes any free port.

    Raises:
        SettingsUnusable: None of the ports can be taken.
    """
    last_port = min(first_port + PORTS_TRIED - 1, 65_535)
    reason: OSError | None = None
    for port in range(first_port, last_port + 1):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            _claim(listener, port)
        except OSError as error:
            listener.close()
            reason = error
        else:
            return listener
    raise SettingsUnusable(
        f"No port from {first_port} to {last_port} can be taken on {_LOOPBACK} ({reason}); "
        "set LTM_PORT to a free one."
    ) from reason


def _claim(listener: socket.socket, port: int) -> None:
    # On Windows SO_REUSEADDR would let another program take the same port; elsewhere it
    # only lets a restarted app have its port back at once.
    exclusive: int | None = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
    option = socket.SO_REUSEADDR if exclusive is None else exclusive
    listener.setsockopt(socket.SOL_SOCKET, option, 1)
    listener.bind((_LOOPBACK, port))
    listener.listen(_BACKLOG)


class LocalServer:
    """Serves a WSGI app on a listening socket; the socket is the server's from then on."""

    def __init__(self, app: WSGIApplication, listener: socket.socket) -> None:
        self._app = app
        self._listener = listener
        self.port: int = listener.getsockname()[1]
        self._map: dict[int, Any] = {}
        self._server: Any = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ltm-http", daemon=True)

    def start(self) -> None:
        """Begin to answer, in threads of the server's own."""
        self._server = create_server(
            self._app, map=self._map, sockets=[self._listener], backlog=_BACKLOG, **_LIMITS
        )
        self._thread.start()

    def stop(self) -> bool:
        """Stop listening, answer the requests that run, and end all threads.

        Takes at most about two seconds; an answer that takes longer is cut off. Safe
        to call before `start`, and again. Returns whether every thread has ended.
        """
        if self._server is None:
            self._listener.close()
            return True
        if not self._stopping.is_set() and self._thread.is_alive():
            self._stopping.set()
            self._server.pull_trigger()
        self._thread.join(STOP_WITHIN_S)
        return not self._thread.is_alive() and not self._server.task_dispatcher.threads

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._turn(_IDLE_WAKE_S)
            self._drain()
        except Exception:
            logger.exception("The web server's loop ended early")
        finally:
            self._server.task_dispatcher.shutdown(timeout=_WORKERS_END_WITHIN_S)
            for channel in self._channels():
                channel.handle_close()
            wasyncore.close_all(self._map, ignore_all=True)

    def _turn(self, timeout_s: float) -> None:
        wasyncore.loop(timeout=timeout_s, map=self._map, count=1, use_poll=True)
        if len(self._map) > _CROWDED:
            self._make_room()

    def _make_room(self) -> None:
        """Close silent connections before there are so many that no new one is accepted."""
        silent = sorted(filter(_is_silent, self._channels()), key=lambda c: c.last_activity)
        for channel in silent[: max(0, len(self._map) - _ROOMY)]:
            channel.handle_close()

    def _drain(self) -> None:
        self._turn(0)  # takes in what had arrived when stop was called
        wasyncore.dispatcher.close(self._server)  # the listener alone: workers need the trigger
        end_s = monotonic() + _ANSWER_WITHIN_S
        while True:
            for channel in self._channels():
                if _is_silent(channel):
                    channel.handle_close()
            if not self._channels() or monotonic() > end_s:
                return
            self._turn(_DRAIN_WAKE_S)

    def _channels(self) -> list[Any]:
        return list(self._server.active_channels.values())


def _is_silent(channel: Any) -> bool:
    """Tell whether a connection has no whole request to be answered and no answer to be sent."""
    return not channel.requests and not channel.total_outbufs_len
