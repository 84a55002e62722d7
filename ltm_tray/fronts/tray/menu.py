"""The tray's menu as plain values: what it says, and which action each entry names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Status = Literal["on", "off", "error"]
"""What the icon shows; `error` means that LTM is switched on but cannot work."""

ActionName = Literal[
    "toggle",
    "open_console",
    "open_recalls",
    "connect_pi",
    "open_data_folder",
    "open_log",
    "quit",
]
"""The methods of `TrayActions` that an entry can name."""

TOOLTIP_UNITS = 127
"""The longest tooltip Windows takes, in UTF-16 units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrayState:
    """Everything the tray shows at one moment; equal states need no new picture or menu."""

    status: Status
    title: str
    """One sentence for the tooltip; more than 127 characters are cut."""
    console_url: str
    switch_pinned_by: str | None = None
    """The environment variable that decides whether LTM is on; None where the switch does."""
    detail: str = ""
    """A second sentence for the menu, such as what went wrong."""
    connect_pi: str = ""
    """What the entry says that connects the Pi agent; empty where it is connected already."""


class TrayActions(Protocol):
    """What the tray asks and tells the application.

    All methods are called from one thread, the icon's; what may take long belongs in
    a thread of its own. Whatever one of them raises is logged and changes nothing else.
    """

    def state(self) -> TrayState:
        """Return what to show now; asked about once a second, so it must be cheap."""

    def toggle(self) -> None:
        """Switch LTM on if it is off, and off otherwise."""

    def open_console(self) -> None:
        """Show the console in the browser."""

    def open_recalls(self) -> None:
        """Show in the browser what the agent recalled lately."""

    def connect_pi(self) -> None:
        """Give the Pi agent this memory, and show what came of it."""

    def open_data_folder(self) -> None:
        """Show the folder that holds the memories."""

    def open_log(self) -> None:
        """Show the log file."""

    def quit(self) -> None:
        """Begin to end the application; the tray ends by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuEntry:
    """One line of the menu.

    `checked` is None where the line has no check mark. The one `default` entry is what
    a click on the icon does, on desktops that know such a thing.
    """

    text: str
    action: ActionName | None = None
    enabled: bool = True
    checked: bool | None = None
    default: bool = False
    starts_group: bool = False
    """Whether a separator stands above the line."""


def menu_of(state: TrayState, /) -> tuple[MenuEntry, ...]:
    """Return the lines of the menu, from top to bottom."""
    connect = (MenuEntry(text=state.connect_pi, action="connect_pi"),) if state.connect_pi else ()
    return (
        MenuEntry(text=_one_line(f"{state.title} {state.detail}"), enabled=False),
        _switch(state),
        MenuEntry(text="Open console", action="open_console", starts_group=True),
        MenuEntry(text="Recent recalls", action="open_recalls"),
        *connect,
        MenuEntry(text="Open data folder", action="open_data_folder"),
        MenuEntry(text="Open log", action="open_log"),
        MenuEntry(text="Quit", action="quit", starts_group=True),
    )


def tooltip_of(state: TrayState, /) -> str:
    """Return the title on one line, short enough for every desktop."""
    return _one_line(state.title)


def _switch(state: TrayState) -> MenuEntry:
    pinned_by = state.switch_pinned_by
    return MenuEntry(
        text="LTM enabled" if pinned_by is None else f"LTM enabled (set by {pinned_by})",
        action="toggle",
        enabled=pinned_by is None,
        checked=state.status != "off",
        default=True,
    )


def _one_line(text: str) -> str:
    line = " ".join(text.replace("\0", " ").split())
    units = line.encode("utf-16-le", "replace")
    if len(units) <= 2 * TOOLTIP_UNITS:
        return line
    # A character outside the basic plane is two units; half of one is dropped.
    return units[: 2 * (TOOLTIP_UNITS - 1)].decode("utf-16-le", "ignore") + "…"
