"""Tells which names are those of secrets: the last word decides, those before it may object."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ltm_tray.domain.redaction.words import KEY_OWNERS, NO_TOKENS, PASSWORDS, SECOND_NAMES

PASSWORD_LEAST_CHARACTERS = 4
SHORT_NAME_LEAST_CHARACTERS = 6
KEY_LEAST_CHARACTERS = 8
_VAGUE_LEAST_CHARACTERS = 20

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_SHORTPASSWORDS = frozenset({"pass", "pw", "psw"})
_VAGUE = frozenset({"credentials", "creds", "auth"})
_JOINED = {
    "apisecret": "api-key", "apikey": "api-key", "apitoken": "token", "authtoken": "token",
    "accesstoken": "token", "refreshtoken": "token", "bearertoken": "token",
    "accountkey": "azure-key", "sharedaccesskey": "azure-key",
    "secretkey": "secret", "accesskey": "secret", "privatekey": "secret", "clientsecret": "secret",
    "authkey": "secret", "signingkey": "secret", "masterkey": "secret", "encryptionkey": "secret",
    "appsecret": "secret", "userpass": "password", "dbpass": "password", "rootpass": "password",
    "requirepass": "password", "masterauth": "password", "storepass": "password",
    "keypass": "password", "bindpw": "password", "rootpw": "password", "adminpw": "password",
    "userpw": "password", "dbpw": "password", "sshpass": "password",
}  # fmt: skip
"""Names written as one word, longer ones before those they end with."""
_KEYS = {
    "secret access": "aws-secret-key",
    "aws secret": "aws-secret-key",
    "shared access": "azure-key",
    "account": "azure-key",
    "api": "api-key",
}
"""Kinds of keys by the words before."""
_NO_SECRETS = frozenset(
    {"no", "without", "has", "is", "needs", "require", "requires", "use", "show"}
)
_NOPASSWORDS = frozenset(
    {"has", "is", "show", "hide", "forgot", "reset", "confirm", "validate", "check"}
)


@dataclass(frozen=True, slots=True)
class SecretName:
    """What the name of a secret tells of its value.

    `least_characters` is how short the value may be; a `vague` name may be that of other
    things, so that a word is no secret of it; one that is `coded` has letters and digits only.
    """

    kind: str
    least_characters: int = KEY_LEAST_CHARACTERS
    vague: bool = False
    coded: bool = False

    @property
    def is_password(self) -> bool:
        """Whether people choose the value, so that a word or a number may be it."""
        return self.kind == "password" and not self.vague


def words_of(name: str) -> list[str]:
    """Return the words of a name in any style, in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def secret_name(name: str) -> SecretName | None:
    """Return what a name tells if it is the name of a secret, else None."""
    words = words_of(name)
    while len(words) > 1 and (words[-1] in SECOND_NAMES or words[-1].isdigit()):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[:-1]
    if last.endswith(PASSWORDS) or last in _SHORTPASSWORDS:
        return _password(last, before)
    if last in _VAGUE:
        return SecretName("secret", _VAGUE_LEAST_CHARACTERS, vague=True, coded=True)
    kind = _kind_of_key(last, before)
    return SecretName(kind) if kind else None


def _password(last: str, before: list[str]) -> SecretName | None:
    if before and before[-1] in _NOPASSWORDS:
        return None
    if last in _SHORTPASSWORDS and not before:
        return SecretName("password", SHORT_NAME_LEAST_CHARACTERS, vague=True)
    return SecretName("password", PASSWORD_LEAST_CHARACTERS)


def _kind_of_key(last: str, before: list[str]) -> str | None:
    joined = next((kind for ending, kind in _JOINED.items() if last.endswith(ending)), None)
    owner = before[-1] if before else ""
    if joined or owner in _NO_SECRETS:
        return joined
    if last == "token":
        return None if owner in NO_TOKENS else "token"
    if last in {"secret", "credential"}:
        return "secret"
    if last != "key" or owner not in KEY_OWNERS:
        return None
    return _KEYS.get(" ".join(before[-2:])) or _KEYS.get(owner) or "secret"
