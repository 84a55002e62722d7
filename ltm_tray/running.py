"""One run of the app: what starts in which order, and ends in the reverse.

Costly parts are imported where they are needed, so that a command that only saves
does not wait for a web server and a tray.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from types import FrameType
from typing import TYPE_CHECKING

from ltm_tray import __version__, bootstrap
from ltm_tray.domain.errors import BackendUnavailable, LtmError
from ltm_tray.fronts.agent.installer import PiExtension
from ltm_tray.instance import Instance, InstanceLock, console_url, wait_for_instance
from ltm_tray.opening import show, show_in_background
from ltm_tray.resources import data_dir
from ltm_tray.service import MemoryService
from ltm_tray.settings import SettingsFile
from ltm_tray.tidying import Tidying
from ltm_tray.upkeep import DailyBackups

if TYPE_CHECKING:
    from ltm_tray.desktop import Places
    from ltm_tray.fronts.web.gate import Gate
    from ltm_tray.fronts.web.server import LocalServer

Say = Callable[[str], None]
"""Shows one line to the person who started the program, if there is one."""

_OPEN_IT = " (open it with: ltm-tray open)"
_STARTING_TIMEOUT_S = 5.0
_WAKE_UP_S = 0.5
_CLOSE_WITHIN_S = 0.5

logger = logging.getLogger(__name__)


def run_app(settings: SettingsFile, *, tray: bool, say: Say) -> None:
    """Run the app until Quit or a signal; with an instance running, open its console instead.

    Call it on the main thread. Without a display or a tray the app runs on, and says
    where its console is.

    Raises:
        BackendUnavailable: The store or the memory folder cannot be used, or the app
            that runs already does not answer.
        NotSupported: This version has no such backend.
        SettingsUnusable: No port can be taken.
    """
    from ltm_tray.logs import start_logging

    lock = InstanceLock(settings.paths)
    try:
        if not lock.acquire():
            _show_running(settings, say)
            return
        start_logging(settings.paths.log_file)
    except OSError as error:
        raise bootstrap.unusable(settings, error) from error
    with closing(lock):
        _run(settings, lock, tray=tray, say=say)


def _run(settings: SettingsFile, lock: InstanceLock, *, tray: bool, say: Say) -> None:
    stop = threading.Event()
    _stop_on_signals(stop)
    with ExitStack() as life:  # ends in the reverse order
        services = bootstrap.open_services(settings, bootstrap.private_again(settings))
        life.callback(_close_in_time, services)
        gate = _gate(settings)
        server = _started_server(settings, services, gate)
        life.callback(server.stop)
        for work in (Tidying(services.archive), DailyBackups(services.upkeep)):
            work.start()
            life.callback(work.stop)
        url = f"http://127.0.0.1:{server.port}"
        lock.publish(Instance(url=url, pid=os.getpid(), version=__version__))
        life.callback(lock.withdraw)
        logger.info("LTM Tray %s answers on port %d", __version__, server.port)
        say(f"LTM Tray is running; its console is at {url}{_OPEN_IT if gate else ''}")
        if tray:
            _run_tray(settings, services.memory, _places(settings, url, gate), stop)
        while not stop.wait(_WAKE_UP_S):  # in slices: on Windows a wait without end hears no Ctrl+C
            pass
    logger.info("LTM Tray ended; threads left: %s", ", ".join(_other_threads()) or "none")


def _gate(settings: SettingsFile) -> Gate | None:
    if not settings.current().require_token:
        return None
    from ltm_tray.fronts.web.gate import Gate
    from ltm_tray.token_file import kept_token

    try:
        return Gate(kept_token(settings.paths.token_file))
    except OSError as error:
        raise bootstrap.unusable(settings, error) from error


def _started_server(
    settings: SettingsFile, services: bootstrap.Services, gate: Gate | None
) -> LocalServer:
    from ltm_tray.fronts.agent.tools import tool_specs
    from ltm_tray.fronts.web.app import AppInfo, create_app
    from ltm_tray.fronts.web.server import LocalServer, bind_loopback

    listener = bind_loopback(settings.current().port)
    info = AppInfo(
        version=__version__,
        port=listener.getsockname()[1],
        db_path=settings.db_file(),
        memory_dir=settings.paths.memory_dir,
        log_path=settings.paths.log_file,
        pi_state=_pi_state(bootstrap.pi_extension(settings)),
        overdue=services.archive.overdue,
        backups=services.upkeep.backups,
    )
    app = create_app(services.memory, info=info, tools=tool_specs, gate=gate)
    server = LocalServer(app, listener)
    server.start()
    return server


def _pi_state(extension: PiExtension) -> Callable[[], str]:
    def state() -> str:
        try:
            return extension.status().state
        except LtmError:
            return ""

    return state


def _places(settings: SettingsFile, url: str, gate: Gate | None) -> Places:
    from ltm_tray.desktop import Places

    return Places(
        console_url=url,
        memory_dir=settings.paths.memory_dir,
        log_file=settings.paths.log_file,
        entrance=gate.link if gate else str,
    )


def _run_tray(
    settings: SettingsFile, service: MemoryService, places: Places, stop: threading.Event
) -> None:
    from ltm_tray.desktop import DesktopActions
    from ltm_tray.fronts.tray.icon import run_tray

    actions = DesktopActions(
        service,
        places=places,
        extension=bootstrap.pi_extension(settings),
        show=show_in_background,
        end=stop.set,
    )
    run_tray(actions, stop, icons=data_dir("assets") / "icons")


def _close_in_time(services: bootstrap.Services) -> None:
    """Close the store, but do not wait for another program that keeps it locked."""
    closing_thread = threading.Thread(target=services.close, name="ltm-close", daemon=True)
    closing_thread.start()
    closing_thread.join(_CLOSE_WITHIN_S)


def _other_threads() -> list[str]:
    return [
        thread.name for thread in threading.enumerate() if thread is not threading.main_thread()
    ]


def _show_running(settings: SettingsFile, say: Say) -> None:
    found = wait_for_instance(settings.paths, timeout_s=_STARTING_TIMEOUT_S)
    if found is None:
        raise BackendUnavailable(
            "LTM Tray is running already but does not answer; end that process and start again."
        )
    address = console_url(settings.paths, found)
    shown = show(address)
    say(f"LTM Tray is running already; its console is at {found.url if shown else address}")


def _stop_on_signals(stop: threading.Event) -> None:
    def ask_to_stop(number: int, _: FrameType | None) -> None:
        stop.set()

    for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), ask_to_stop)
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up and signal.getsignal(hang_up) is not signal.SIG_IGN:  # nohup wants it ignored
        signal.signal(hang_up, ask_to_stop)
