"""Tells a secret from what stands in its place: a reference, a gap to fill in, code, a word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ltm_tray.domain.left_out import MARK
from ltm_tray.domain.redaction.words import SENTENCE, SPEAKING

_REFERENCE = re.compile(
    r"""
    \$(?:[A-Za-z_]|\{[A-Za-z_.]|\(|\[|env:) # $NAME ${NAME} $(command) $env:NAME
    | \$?\$?\{\{[^{}]*(?:\}\}|\Z) | \#\{ | \{% # templates
    | %[A-Za-z_]\w*% | %[sdv]\b | %\(   # %NAME% and formats
    | \{[\w.\[\]"'!:-]*\}\Z | \{\}      # {name}
    | <[^<>]*>?\Z | \[[^\[\]]*\]?\Z | @[\w.]+@\Z
    | (?:op|vault|sm|ssm|aws(?:sm)?|gcp|keychain|file|https?|env|secret|bw):(?://|[\w./-]+\Z)
    | arn:[\w-]+: | ![A-Za-z:]+\Z | [*&][A-Za-z_-]+\Z
    | (?:process\.env|import\.meta|env[.\[(]|ENV\b|getenv|config[.\[(])
    | (?:os|System|Deno|secrets|vars?|settings|self|this|ctx|req|request|data)\.
    | (?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)*/?\Z | [A-Za-z]:\\   # paths
    | projects/[\w/-]+
    """,
    re.VERBOSE,
)
_FILLING = re.compile(r"[xX]{4}|\*{3}|\.{3}|…|•{3}|_{4}|#{4}|-{6}|y{5}|0{12}")
_SHOWN_WORDS = (
    "example", "placeholder", "redacted", "changeme", "change_me", "change-me", "changeit",
    "replace", "insert", "dummy", "-here", "_here", "deadbeef", "lorem", "my-secret", "my_secret",
    "my-token", "my_token", "my-password", "my_password", "my-api", "my_api", "my-key", "my_key",
)  # fmt: skip
_SHOWN_BEGINNINGS = re.compile(r"(?<![a-z])(?:your|fake|todo|tbd|fixme)(?![a-z])")
_CODE = re.compile(
    r"[A-Za-z_$][A-Za-z_$]*(?:(?:\?\.|\.|->|::|:)[A-Za-z_$][A-Za-z_$]*)+\Z"  # a.b.c
    r"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*[(\[]"  # a call, an index
    r"|\(|\{[\w.]*\Z|:[\w-]+:|--?[a-z][\w-]*(?:=.*)?\Z"  # a group, a type, a role, a flag
)
_PATTERN = re.compile(r"\\[wWdDsSbB](?![A-Za-z0-9])|\[\^|\(\?[:=!<P]|\A/\^")
_CAPITALS = re.compile(r"[A-Z_]*(?:TOKEN|PASS|PASSWORD|SECRET|KEY|PWD)[A-Z_]*\d{0,2}\Z")
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_JUMBLED_LEAST_CHARACTERS = 8
_JUMBLED_CHUNK_CHARACTERS = 3
_CODED = re.compile(r"(?=\D*\d)[A-Za-z0-9+/]+=*\Z")
_AMOUNT = re.compile(r"[\d.,:/_-]+ ?(?:[a-zA-Z]{1,3}|sec|min|hours?|days?|bytes?|chars?)?\Z")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}\Z")
_CAPITAL, _SMALL, _DIGIT = re.compile("[A-Z]"), re.compile("[a-z]"), re.compile(r"\d")
_SIGN = re.compile(r"[!#$%&*+=?@^~]")
_ALGORITHM = re.compile(
    r"(?:[a-z]{1,9}-){0,3}(?:base|sha|md|[hrep]s|aes|utf|ed|argon|pbkdf|oauth|http|ipv|v)-?\d+"
    r"(?:[-/_a-z]+)?\Z",
    re.IGNORECASE,
)
_NO_SECRETS = (_ADDRESS, _CAPITALS, _ALGORITHM)
_LETTERS = re.compile(r"[^\W\d]+(?:[-_/'’][^\W\d]+)*\Z")
_LOWER_WORDS = re.compile(r"[a-z]{2,12}(?:[ ][a-z]{2,12}){2,11}\Z")
_MIXED_WORD = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)(?=\S*[^\w\s.,:;/-])\S{6,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where a value stands: in quotes, for a password, where a plain word is a value too.

    `coded` asks for one run of letters and digits, as a coding of bytes gives it.
    """

    least_characters: int
    quoted: bool = False
    password: bool = False
    plain_words: bool = False
    coded: bool = False


def is_placeholder(value: str) -> bool:
    """Tell whether a value only shows where a secret would be."""
    if (len(value) > 5 and len(set(value)) < 4) or MARK in value or _FILLING.search(value):
        return True
    lowered = value.lower()
    shown = any(word in lowered for word in _SHOWN_WORDS)
    return shown or _SHOWN_BEGINNINGS.search(lowered) is not None


def is_reference(value: str) -> bool:
    """Tell whether a value names a place where the secret is."""
    return _REFERENCE.match(value) is not None


def is_secret(value: str, setting: Setting) -> bool:
    """Tell whether what is assigned to the name of a secret is one."""
    if len(value) < setting.least_characters or _is_something_else(value, setting):
        return False
    if " " in value:
        return setting.password and _is_passphrase(value)
    if _AMOUNT.match(value):
        return setting.password and value.isdigit()
    return not _LETTERS.match(value) or _is_jumbled(value) or _is_word_of_secret(value, setting)


def _is_something_else(value: str, setting: Setting) -> bool:
    return (
        is_placeholder(value)
        or is_reference(value)
        or value.lower() in SPEAKING
        or any(form.match(value) for form in _NO_SECRETS)
        or _PATTERN.search(value) is not None
        or (setting.coded and not _CODED.match(value))
        or (not setting.quoted and _CODE.match(value) is not None)
    )


def looks_random(value: str, *, least_characters: int) -> bool:
    """Tell whether no word looks like this: where nothing but a name says that it is a secret."""
    cased = _CAPITAL.search(value) and _SMALL.search(value)
    return (
        len(value) >= least_characters
        and not value.startswith(("[", "(", "{", "<"))
        and "://" not in value
        and _DIGIT.search(value) is not None
        and bool(cased or (least_characters < 16 and _SIGN.search(value)))
    )


def _is_jumbled(letters: str) -> bool:
    """Tell whether capitals stand where no name in camel case has them."""
    if len(letters) < _JUMBLED_LEAST_CHARACTERS or letters.islower() or letters.isupper():
        return False
    return len(letters) < _JUMBLED_CHUNK_CHARACTERS * len(_CHUNK.findall(letters))


def _is_word_of_secret(value: str, setting: Setting) -> bool:
    """Tell whether a value of nothing but letters is a secret rather than a word or a name."""
    words = re.split(r"[-_/'’]", value.lower())
    if any(word in SPEAKING for word in words):
        return False
    lower = value.lower()
    if any(sign in lower for sign in ("pass", "token", "secret", "key", "pwd")):
        return setting.plain_words and len(value) > 12 and "_" not in value
    if setting.password:
        return setting.plain_words or (setting.quoted and len(words) < 3)
    return setting.plain_words and len(value) > 11


def _is_passphrase(value: str) -> bool:
    words = value.lower().split()
    if _LOWER_WORDS.match(value):
        return not any(word in SENTENCE for word in words)
    return len(words) < 4 and _MIXED_WORD.search(value) is not None
