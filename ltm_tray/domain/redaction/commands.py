"""Finds passwords that only the form of a command or a file tells of: `mysql -p...`, netrc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ltm_tray.domain.redaction.spans import Span
from ltm_tray.domain.redaction.values import Setting, is_secret

_KIND = "password"
_VALUE = r"(?P<secret>[^\s\"'|;]{4,200})"
_FORMS = (
    ("sshpass", rf"sshpass[ ]+-p[ ]?[\"']?{_VALUE}"),
    ("curl", rf"curl\b[^\n|;]{{0,200}}?[ ](?:-u|--user)[ =]?[\"']?[\w.@+-]{{1,64}}:{_VALUE}"),
    ("mysql", rf"mysql(?:dump|admin|import)?\b[^\n|;]{{0,120}}?[ ]-p[\"']?{_VALUE}"),
    ("mariadb", rf"mariadb(?:-\w+)?\b[^\n|;]{{0,120}}?[ ]-p[\"']?{_VALUE}"),
    ("login", rf"login\b[^\n|;]{{0,120}}?[ ]-p[ =]?[\"']?{_VALUE}"),
    ("redis-cli", rf"redis-cli\b[^\n|;]{{0,120}}?[ ]-a[ ][\"']?{_VALUE}"),
    ("login", rf"login[ \n]{{1,9}}\S{{1,100}}\s{{1,9}}password\s{{1,9}}{_VALUE}"),
    (
        "htpasswd",
        rf"htpasswd[ ]+-[a-zA-Z]*b[a-zA-Z]*[ ]+\S{{1,200}}[ ]+\S{{1,100}}[ ]+[\"']?{_VALUE}",
    ),
    (
        "ldap",
        rf"ldap(?:search|modify|add|whoami|passwd)\b[^\n|;]{{0,200}}?[ ]-w[ ][\"']?{_VALUE}",
    ),
    ("zip", rf"zip\b[^\n|;]{{0,80}}?[ ]-P[ ]?[\"']?{_VALUE}"),
    (
        "getConnection",
        rf"getConnection\([^)\n]{{1,200}},[ ]?\"[^\"\n]{{0,80}}\",[ ]?\"{_VALUE}",
    ),
    ("auth(", rf"\bauth\([ ]?[\"'][^\"'\n]{{1,80}}[\"'],[ ]?[\"']{_VALUE}"),
    ("smb", rf"smb\w*\b[^\n|;]{{0,120}}?[ ]-U[ ]?[\"']?[\w.@\\-]{{1,64}}%{_VALUE}"),
    ("stdin", rf"echo[ ](?:-n[ ])?[\"']?{_VALUE}[\"']?[ ]?\|[^\n|]{{0,100}}stdin"),
    ("sudo -S", rf"echo[ ](?:-n[ ])?[\"']?{_VALUE}[\"']?[ ]?\|[ ]?sudo -S"),
    ("dentified", rf"dentified by[ ]+'{_VALUE}"),
    ("DENTIFIED", rf"DENTIFIED BY[ ]+'{_VALUE}"),
    (":", rf"^[\w.*-]{{1,100}}:(?:\d{{4,5}}|\*):[\w*-]{{1,60}}:[\w*-]{{1,60}}:{_VALUE}$"),
)
"""Forms, each behind a hint that every text with one holds."""
_SURE = Setting(least_characters=4, quoted=True, password=True, plain_words=True)
_UNSURE = Setting(least_characters=4, password=True)
_SURE_FORMS = frozenset(
    {
        "sshpass",
        "curl",
        "mysql",
        "mariadb",
        "redis-cli",
        "htpasswd",
        "ldap",
        "zip",
        "auth(",
        "smb",
        "getConnection",
    }
    | {"dentified", "DENTIFIED"}
)
"""Forms in which even a plain word is a password."""


def command_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords of commands and of files that name no field."""
    for hint, form in _FORMS:
        if hint in text:
            yield from _passwords(text, _compiled(form), _SURE if hint in _SURE_FORMS else _UNSURE)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form, re.MULTILINE)


def _passwords(text: str, form: re.Pattern[str], setting: Setting) -> Iterator[Span]:
    for match in form.finditer(text):
        if not match["secret"].isdigit() and is_secret(match["secret"], setting):
            yield Span(*match.span("secret"), _KIND)
