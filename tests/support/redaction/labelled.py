"""Texts with and without secrets, made of templates and chance, and how well a rule tells them."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ltm_tray.domain.left_out import without_replacements

FOLDER = Path(__file__).parent
WINDOW_CHARACTERS = 8
"""So much of a secret in one piece is a leak; of a shorter one, all of it."""

_KEEP = "keep"
_HIDDEN = re.compile("«(.*?)»", re.DOTALL)
_CHANCE = re.compile(r"\{(letters|digits|hex|upper|base32|base64|base64url|password):(\d+)\}")
_BLOCK = re.compile(r"\{pem(?:-(?P<shape>[a-z-]+))?:(?P<label>[A-Z ]+)\}")
_ESCAPE = re.compile(r"\\(.)")
_ALPHABETS = {
    "letters": string.ascii_letters + string.digits,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "upper": string.ascii_uppercase + string.digits,
    "base32": string.ascii_uppercase + "234567",
    "base64": string.ascii_letters + string.digits + "+/",
    "base64url": string.ascii_letters + string.digits + "-_",
    "password": string.ascii_letters + string.digits + "!#%+*-_.",
}
_PROSE = (
    "The checkout asks the payment service for a session and keeps its id for the whole cart. "
    "When the user goes back, the session is reused, so that no second authorization is made. "
    "We tried to drop the cache key in March, which doubled the load on the key-value store."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text, the parts of it that must go, and the parts between, which must stay."""

    kinds: frozenset[str]
    text: str
    secrets: tuple[str, ...]
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the cases, with those that went wrong by their text."""

    redacted: int
    leaked: list[str] = field(default_factory=list)
    spoilt: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of secrets that are gone, 0 to 1."""
        return self.redacted / (self.redacted + len(self.leaked))

    @property
    def precision(self) -> float:
        """The share of redactions that took nothing else, 0 to 1."""
        return self.redacted / (self.redacted + len(self.spoilt))


def cases(name: str = "labelled", seed: int = 1) -> list[Case]:
    """Return the cases of a file, filled in by the chance of a seed."""
    pick = random.Random(f"{name} {seed}")  # noqa: S311 — test data
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return [_case(line, pick) for line in lines if line and not line.startswith("#")]


def evaluate(tried: Sequence[Case], redact: Callable[[str], tuple[str, set[str]]]) -> Outcome:
    """Redact every case; `redact` returns the text and the kinds it found.

    A secret is gone if no piece of it is left. A redaction is spoilt if something around
    it went, or if it was made where there is none to make.
    """
    redacted = 0
    leaked, spoilt, misnamed = [], [], []
    for case in tried:
        text, kinds = redact(case.text)
        left = without_replacements(text)
        for secret in case.secrets:
            if any(piece in left for piece in _pieces(secret)):
                leaked.append(case.text)
            else:
                redacted += 1
        if not _holds(text, case.outside) or (not case.secrets and text != case.text):
            spoilt.append(f"{case.text}\n      -> {text}")
        if not case.kinds <= kinds:
            misnamed.append(f"{case.text}\n      {set(case.kinds)} -> {kinds}")
    return Outcome(redacted=redacted, leaked=leaked, spoilt=spoilt, misnamed=misnamed)


def _case(line: str, pick: random.Random) -> Case:
    expected, _, template = line.partition("\t")
    marked = _filled(_ESCAPE.sub(_unescaped, template), pick)
    pieces = _HIDDEN.split(marked)
    return Case(
        kinds=frozenset(expected.split(",")) - {_KEEP},
        text="".join(pieces),
        secrets=tuple(pieces[1::2]),
        outside=tuple(pieces[0::2]),
    )


def _unescaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(match[1], match[1])


def _filled(template: str, pick: random.Random) -> str:
    def block(match: re.Match[str]) -> str:
        return _pem(match["label"], match["shape"] or "plain", pick)

    def chance(match: re.Match[str]) -> str:
        return _chance(match[1], int(match[2]), pick)

    text = _CHANCE.sub(chance, _BLOCK.sub(block, template))
    for name, make in _NAMED.items():
        while name in text:
            text = text.replace(name, make(pick), 1)
    return text


def _chance(alphabet: str, length: int, pick: random.Random) -> str:
    made = "".join(pick.choices(_ALPHABETS[alphabet], k=length))
    if alphabet == "password":  # as a person or a generator would make it: of several kinds
        return f"{pick.choice(string.ascii_letters)}{made[:-3]}{pick.randint(0, 9)}k"
    if alphabet == "base64":
        return pick.choice(string.ascii_letters) + made[1:]
    return made


def _pem(label: str, shape: str, pick: random.Random) -> str:
    rules = "-" * 5
    body = _chance("base64", 64 * 6 + 20, pick)
    lines = [f"{rules}BEGIN {label}{rules}"]
    if shape == "encrypted":
        lines += ["Proc-Type: 4,ENCRYPTED", f"DEK-Info: AES-256-CBC,{_chance('hex', 32, pick)}", ""]
    if label.startswith("PGP"):
        lines += ["Version: GnuPG v2", ""]
    lines += [body[at : at + 64] for at in range(0, len(body), 64)]
    if shape == "cut":
        return "«" + "\n".join(lines[:-2]) + "»"
    lines.append(f"{rules}END {label}{rules}")
    joints = {"escaped": "\\n", "twice-escaped": "\\\\n", "crlf": "\r\n", "indented": "\n    "}
    if shape == "quoted":
        return "> «" + "\n> ".join(lines) + "»"
    return "«" + joints.get(shape, "\n").join(lines) + "»"


def _public(label: str, pick: random.Random) -> str:
    rules = "-" * 5
    body = _chance("base64", 64 * 3, pick)
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join([f"{rules}BEGIN {label}{rules}", *lines, f"{rules}END {label}{rules}"])


def _jwt(pick: random.Random) -> str:
    parts = (
        {"alg": "HS256", "typ": "JWT"},
        {"sub": str(pick.randrange(10**9)), "iat": 1_767_323_045, "scope": "shop:write"},
    )
    coded = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts
    ]
    return ".".join([*coded, _chance("base64url", 43, pick)])


def _uuid(pick: random.Random) -> str:
    digits = f"{pick.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


_NAMED: dict[str, Callable[[random.Random], str]] = {
    "{uuid}": _uuid,
    "{jwt}": _jwt,
    "{cert}": lambda pick: _public("CERTIFICATE", pick),
    "{public-key}": lambda pick: _public("PUBLIC KEY", pick),
    "{prose}": lambda _: _PROSE,
}


def _pieces(secret: str) -> Iterator[str]:
    # The lines of a block are secrets each; its frame is none.
    parts = re.split(r"[\n\r]+|\\+n", secret)
    for part in [part for part in parts if len(part) >= WINDOW_CHARACTERS] or parts:
        size = min(WINDOW_CHARACTERS, len(part))
        if size and not re.search(r"-----|Proc-Type|DEK-Info|Version:", part):
            yield from (part[at : at + size] for at in range(len(part) - size + 1))


def _holds(text: str, outside: Sequence[str]) -> bool:
    at = 0
    for part in (part.strip() for part in outside):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True
