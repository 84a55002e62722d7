"""Finds credentials of requests: `Authorization` headers, cookies, and passwords in URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ltm_tray.domain.left_out import MARK
from ltm_tray.domain.redaction.names import PASSWORD_LEAST_CHARACTERS
from ltm_tray.domain.redaction.spans import Span
from ltm_tray.domain.redaction.values import (
    Setting,
    is_placeholder,
    is_reference,
    is_secret,
)

_SIGNS = r"[A-Za-z0-9._~+/:=%-]"
_LAST = r"[A-Za-z0-9_+/=~-]"
_PARAMETER = r"[\w-]{1,40}=(?!=)(?:\\*\"[^\"\n\\]{0,400}\\*\"|[^\s,\"'`\\]{1,400})"
_AUTHORIZATION = re.compile(
    rf"""
    authorization(?:\\*["'\]]){{0,2}}[ \t]{{0,9}}(?:=>|[:=,])\\?[ \t]{{0,9}}\[?[fb]?\\*["'`]?
    (?P<scheme>[A-Za-z][\w-]{{1,30}}\\?[ ]{{1,9}})?
    (?P<secret>
      (?P<signed>(?<!basic[ ])(?<!earer[ ])(?<!token[ ]){_PARAMETER}(?:,[ ]?{_PARAMETER}){{0,30}})
      |{_SIGNS}{{7,8000}}{_LAST})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEARER = re.compile(rf"bearer\\?[ ]{{1,9}}(?P<secret>{_SIGNS}{{15,8000}}{_LAST})", re.IGNORECASE)
_PAIR = r"[\w!#$%&*+.^|~-]{1,80}=[^\s;,\"'`\\]{0,4000}"
_COOKIE = re.compile(
    rf"""
    (?:(?P<set>set-)?cookie|[ ]-b(?=[ ]["']))(?:\\*["'\]]){{0,2}}
    (?:[ \t]{{0,9}}[:=][ \t]{{0,9}}|[ ]+(?=["']))[fb]?\\*["'`]?
    (?P<secret>(?P<name>[\w!#$%&*+.^|~-]{{1,80}}=)(?P<value>[^\s;,\"'`\\]{{1,4000}})
    (?P<more>(?:;[ ]?{_PAIR}){{0,100}}))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HOST = r"@(?=[\w\[.-])"
_URL = re.compile(
    rf"""
    ://(?P<user>[^\s/:@"'<>`|\\]{{0,256}})
    (?::(?P<secret>[^\s/"'<>`|\\]{{1,256}}){_HOST}
      |:(?!\d{{1,5}}/)(?P<odd>[^\s@"'<>`|\\]{{1,256}}){_HOST}
      |(?P<alone>){_HOST})
    """,
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_MIXED = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])\S{16}")
_URL_NAMES = frozenset(
    {"password", "pass", "passwd", "pwd", "pw", "secret", "token", "xxx", "xxxx"}
)
_URL_PLACE = re.compile(r"[A-Z][A-Z_]*\Z|[{<$%*].*|\w*(?:pass|token|secret)\w*\Z", re.DOTALL)


def authorizations(text: str) -> Iterator[Span]:
    """Yield the credentials of `Authorization` headers, and of bearers named anywhere."""
    for match in _AUTHORIZATION.finditer(text):
        value = match["secret"]
        if not match["scheme"] and text.startswith(f" {MARK}", match.end()):
            continue
        if _is_signed(value) if match["signed"] else _is_credential(value, at_least=8):
            yield Span(*match.span("secret"), "authorization")
    for match in _BEARER.finditer(text):
        if _is_credential(match["secret"], at_least=16):
            yield Span(*match.span("secret"), "authorization")


def cookies(text: str) -> Iterator[Span]:
    """Yield the pairs of `Cookie` headers, and what `Set-Cookie` sets."""
    for match in _COOKIE.finditer(text):
        pairs = match["value"], *re.findall(r"=([^;]*)", match["more"])
        telling = (match["value"],) if match["set"] else pairs
        if any(_is_credential(value, at_least=8) for value in telling):
            yield Span(*match.span("value" if match["set"] else "secret"), "cookie")


def url_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords, and tokens in the place of users, of URLs."""
    for match in _URL.finditer(text):
        group = match.lastgroup or ""
        if group == "alone":
            user = match["user"]
            if len(user) >= 20 and _is_credential(user, at_least=20):
                yield Span(*match.span("user"), "url-password")
        elif not _stands_for_password(match[group]):
            yield Span(*match.span(group), "url-password")


def _stands_for_password(value: str) -> bool:
    return (
        len(value) < PASSWORD_LEAST_CHARACTERS
        or value.lower() in _URL_NAMES
        or _URL_PLACE.match(value) is not None
        or is_placeholder(value)
        or is_reference(value)
    )


def _is_signed(parameters: str) -> bool:
    return not is_placeholder(parameters) and any(sign.isdigit() for sign in parameters)


def _is_credential(value: str, *, at_least: int) -> bool:
    if len(value) < at_least or not (_DIGIT.search(value) or _MIXED.match(value)):
        return False
    return is_secret(value, Setting(least_characters=at_least, quoted=True, plain_words=True))
