"""What a command's exit code says, and which error leads to which."""

from __future__ import annotations

from enum import IntEnum

from ltm_tray.domain.errors import InvalidInput, LtmDisabled, LtmError, NotFound


class Exit(IntEnum):
    """The exit codes of all commands."""

    DONE = 0
    """The command did what it was asked; finding nothing is an answer too."""
    UNEXPECTED = 1
    """A fault of the program itself."""
    WRONG_INPUT = 2
    """An option, a text or an id breaks a rule; nothing was changed."""
    SWITCHED_OFF = 3
    """Long-term memory is off."""
    UNAVAILABLE = 4
    """The store, the settings or Pi's extensions folder cannot be used now."""
    NOT_RUNNING = 5
    """The app does not run (`open` and `status`)."""
    IN_PART = 6
    """Some lines of an import were bad or missing; the others are in."""
    FOUND = 7
    """A check-up found something that does not work, or could be lost (`doctor`)."""


EXIT_OF: dict[type[LtmError], Exit] = {
    InvalidInput: Exit.WRONG_INPUT,
    NotFound: Exit.WRONG_INPUT,
    LtmDisabled: Exit.SWITCHED_OFF,
    LtmError: Exit.UNAVAILABLE,
}
"""The nearest class in an error's ancestry counts."""


def exit_of(error: LtmError) -> Exit:
    """Return the exit code of an error."""
    return next(EXIT_OF[kind] for kind in type(error).__mro__ if kind in EXIT_OF)
