"""The errors callers can act on; every front maps them once, by class.

LtmError
├── InvalidInput          a value breaks a rule; names each field
├── NotFound              no such item in this project
├── LtmDisabled           the switch, or one capture setting, is off
├── SettingPinned         an environment variable decides this setting
├── SettingsUnusable      the environment or the settings file cannot be used
├── DatabaseBusy          another writer held the store too long; try again
├── BackendUnavailable    the store or service behind the contract cannot answer
├── NotSupported          this backend cannot do that, and says so
└── PiExtensionError      Pi's extension cannot be installed or removed
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ltm_tray.domain.health import StoreState


class LtmError(Exception):
    """Base of all errors raised on purpose; its text is a sentence for a person."""

    code: ClassVar[str] = "internal"

    @property
    def message(self) -> str:
        """The sentence to show; it never contains stored text."""
        return str(self)


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One broken rule: which field (wire name), a stable code, and the rule in words."""

    field: str
    code: str
    message: str


class InvalidInput(LtmError):
    """One or more fields break a rule; nothing was stored."""

    code = "validation_error"

    def __init__(self, *problems: FieldProblem) -> None:
        super().__init__("; ".join(f"{p.field}: {p.message}" for p in problems))
        self.problems = problems


class NotFound(LtmError):
    """No item of this project has that id."""

    code = "not_found"


class LtmDisabled(LtmError):
    """Long-term memory, or the asked kind of capture, is switched off."""

    code = "ltm_disabled"


class SettingPinned(LtmError):
    """The environment pins this setting, so the switch cannot move it."""

    code = "setting_pinned"


class SettingsUnusable(LtmError):
    """Some settings cannot be used; the text lists every problem."""

    code = "settings_unusable"


class DatabaseBusy(LtmError):
    """Another program kept the database locked for too long; trying again may work."""

    code = "database_busy"


class BackendUnavailable(LtmError):
    """The store cannot be reached or read; the text says what to do next.

    Attributes:
        state: What is wrong, as a code.
        sentence: The same in words.
        next_step: What a person can do about it; empty where the sentence says it.
    """

    code = "backend_unavailable"

    def __init__(
        self, sentence: str, *, state: StoreState = StoreState.UNAVAILABLE, next_step: str = ""
    ) -> None:
        super().__init__(f"{sentence} {next_step}".rstrip())
        self.sentence = sentence
        self.state = state
        self.next_step = next_step


class NotSupported(LtmError):
    """The configured backend cannot do this."""

    code = "not_implemented"


class PiExtensionError(LtmError):
    """Pi's extension cannot be installed, read or removed; the text says what to do next."""

    code = "pi_extension"


def invalid(field: str, code: str, message: str) -> InvalidInput:
    """Build an `InvalidInput` about one field."""
    return InvalidInput(FieldProblem(field, code, message))
