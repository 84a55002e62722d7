"""Finds what is assigned to the name of a secret, in any notation: code, settings, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ltm_tray.domain.left_out import MARK
from ltm_tray.domain.redaction.names import SecretName, secret_name, words_of
from ltm_tray.domain.redaction.spans import Span
from ltm_tray.domain.redaction.values import Setting, is_secret, looks_random

_NAME_MAX_CHARACTERS = 80
_QUOTED_MAX_CHARACTERS = 1_024
_JUDGED_CHARACTERS = 64
"""So much of a value tells whether it is a secret: some texts are full of names of secrets."""
_ASSIGNED = re.compile(
    r"""
    (?:pass|pwd|secret|token|key|cred(?:ential)?s?|auth(?!o)|kennwort|contrase|senha|parola|wachtwoord|mdp|парол
      |密码|密碼|パスワード|비밀번호|pw(?=["'\]]?\s?[:=]))
    [\w-]{0,40}+
    (?P<close>(?:\\*["'`\]]|\*\*|__){0,3}+)
    (?:[ ]\([^()\n]{1,40}\)|[ ](?:for|of|on|für|von)[ ][^\n:=]{1,40}?(?=[ ]?[:=]|[ ]is[ ]))?
    (?:
      (?P<compared>[ \t]{0,9}[=!]==?[ \t]*)
      |(?P<block>[ ]?:[ ]?[|>][+-]?[ ]*\n[ \t]+)
      |(?P<typed>(?:[ ]?:[ ]?[a-z][^=:\n"'`]{0,40}|[ ](?:string|str|text))[ ]?=[ ]?)
        (?=[rbfu]?\\*["'`])
      |(?P<pair>\\*["']?[^<>\n]{0,60}>\s{0,40}<value>\s{0,40}
        |[ ]?\{[^{}]{0,100}?\bdefault[ \t]{0,9}=[ \t]*
        |\s{0,20}[,;]?\s{0,20}\\*["']?value\\*["']?[ \t]{0,9}[:=][ \t]*)
      |(?P<assigned>(?:\[\])?[ \t]{0,9}(?:[?:.+|]{0,3}=>?|[:：]|[ ]\|(?=[ ]))(?:[ \t]|\*\*|__)*)
      |(?P<said>[ ]+(?:
        (?:(?:re)?(?:set|changed|rotated|updated)[ ])?(?:from[ ]\S{1,64}[ ])?to
        |(?:is|was|has[ ]been|ist|war|lautet|est|es|will[ ]be)(?:[ ](?:now|still))?
        (?:[ ](?:re)?(?:set|changed|rotated|updated))?(?:[ ]to)?
        )[ ]*:?[ ]+)
      |(?P<listed>[ ]?,[ ]?)(?=[rb]?\\*["'`])
      |(?P<tag>(?:[ ][\w:-]{1,20}=["'][^"'<>\n]{0,40}["']){0,4}[ ]?>\s{0,40})
      |(?P<call>\([ ]?)(?=[rb]?\\*["'`])
      |(?P<space>[ \t]+)
    )
    """,
    re.VERBOSE,
)
_OPENING = re.compile(r"[brfuBRFU@$]{0,2}(?P<quote>\\*[\"'`])")
_BARE = re.compile(
    r"""(?:[^\s"'`,;&<>|\\]|>(?=[\w$-])|<(?![/a-zA-Z!\s]|\Z)|\\(?![nrt"'\\])"""
    r"""|[,;&|](?!\s|\Z|["'|&]|[\w.-]{1,40}[ ]?[=:]))+"""
)
_OWNED = frozenset({"key", "token", "secret"})
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_BEFORE_NAME = frozenset("_-.$")
_LINE_START = re.compile(r"(?:\A|\n|\\n)[ \t]*(?:[-*>][ ])?[\"']?[\w.-]*\Z")
_LINE_END = re.compile(r"[ \t]*(?:\Z|\n|\r|\\n|\#)")
_CELL_END = re.compile(r"[ ]*\|")
_AROUND_VALUE = " \t\"'`"
_NAME_OF_SETTING = re.compile(r"[A-Z][A-Z0-9_]+\Z")


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A name of a secret and how it goes on: what is between it and its value."""

    text: str
    start: int
    match: re.Match[str]
    name: SecretName

    @property
    def written(self) -> str:
        return self.text[self.start : self.match.start("close")]

    @property
    def value_start(self) -> int:
        return self.match.end()

    @property
    def is_flag(self) -> bool:
        return self.written.startswith("-")


def assigned_secrets(text: str, lowered: str) -> Iterator[Span]:
    """Yield what is assigned to names of secrets; `lowered` is the text in lower case."""
    at = 0
    while match := _ASSIGNED.search(lowered, at):
        at = match.start("close")
        start = _start_of_name(text, match.start())
        name = secret_name(_with_owner(text, start, text[start:at]))
        if name is None or text.endswith((f"{MARK}: ", "://"), 0, start):
            continue
        assignment = _Assignment(text, start, match, name)
        span = _value(assignment) if _assigns(assignment) else None
        if span is not None:
            yield span
            at = span.end


def kind_of_assigned(name: str, value: str) -> str | None:
    """Return what kind of secret a whole value is under a name, as in JSON; None for none."""
    told = secret_name(name)
    if told is None or not is_secret(
        value.strip()[:_JUDGED_CHARACTERS], _setting(told, quoted=True)
    ):
        return None
    return told.kind


def _start_of_name(text: str, at: int) -> int:
    least = max(0, at - _NAME_MAX_CHARACTERS)
    while at > least and (text[at - 1].isalnum() or text[at - 1] in _BEFORE_NAME):
        at -= 1
    if text[max(0, at - 1) : at + 1] in {"\\n", "\\t", "\\r"}:
        at += 1
    return at


def _with_owner(text: str, start: int, name: str) -> str:
    """Return the name with the words before it, as in "API key" and "next page token"."""
    if name.lower() in _OWNED and text.endswith(" ", 0, start):
        before = text[max(0, start - 25) : start - 1]
        return " ".join([*before.split(" ")[-2:], name])
    return name


def _assigns(one: _Assignment) -> bool:
    """Tell whether what is between name and value assigns one to the other."""
    text, match = one.text, one.match
    if match["space"]:
        return one.is_flag or not one.name.vague
    if match["tag"]:
        closed = "</" in text[one.value_start : one.value_start + _QUOTED_MAX_CHARACTERS]
        return closed and text.endswith("<", 0, one.start)
    if match["call"]:
        return words_of(one.written.rpartition(".")[2])[:1] in (["set"], ["with"])
    if match["assigned"] == ":" and text.endswith(":", 0, one.start):  # arn:aws:...:secret:name
        return False
    return not (match["assigned"] and text.startswith("?", one.value_start))  # ${NAME:?why}


def _value(one: _Assignment) -> Span | None:
    text, match, at = one.text, one.match, one.value_start
    opening = _OPENING.match(text, at)
    closing = _closing(text, opening) if opening else None
    if opening and closing is not None:
        return _span(one, opening.end(), closing, _quoted(one))
    at = opening.end() if opening else at
    bare = _BARE.match(text, at, at + _JUDGED_CHARACTERS)
    if bare is None or not _may_be_bare(one, bare):
        return None
    end = _end_before_mark(text, at, bare.end())
    if match["space"] or match["said"]:  # in a sentence
        end = next((at + i for i, sign in enumerate(bare[0]) if sign in ",;"), end)
    end = _trimmed(text, at, end)
    if match["space"] and not one.is_flag and not _looks_random(one, text[at:end]):
        return None
    span = _span(one, at, end, _setting(one.name, plain_words=_takes_words(one, end)))
    if span is None or end < at + _JUDGED_CHARACTERS:
        return span
    whole = _BARE.match(text, at) or bare
    end = _end_before_mark(text, at, whole.end())
    return Span(at, _trimmed(text, at, end), span.kind)


def _end_before_mark(text: str, start: int, end: int) -> int:
    """Return where a value ends that what was taken out before may follow."""
    marked = text.find(MARK, start, end + len(MARK))
    return end if marked < 0 else marked


def _looks_random(one: _Assignment, value: str) -> bool:
    return looks_random(value, least_characters=8 if one.name.is_password else 16)


def _quoted(one: _Assignment) -> Setting:
    """Between backticks stands code as often as a value; behind a mere space, anything."""
    in_backticks = one.text.startswith("`", one.value_start)
    beside = bool(one.match["listed"] or (one.match["space"] and not one.is_flag))
    beside = beside or "!" in (one.match["compared"] or "")
    said = bool(one.match["said"])
    return _setting(
        one.name,
        quoted=not (in_backticks or beside or said),
        plain_words=said or (in_backticks and not beside),
    )


def _setting(name: SecretName, *, quoted: bool = False, plain_words: bool = False) -> Setting:
    return Setting(
        least_characters=name.least_characters,
        quoted=quoted and not name.vague,
        password=name.is_password,
        plain_words=plain_words and not name.vague,
        coded=name.coded,
    )


def _may_be_bare(one: _Assignment, bare: re.Match[str]) -> bool:
    """Tell whether a value without quotes is in a place for one."""
    match = one.match
    if match["compared"] or match["listed"] or match["typed"]:
        return False
    if match["said"]:
        return any(character.isdigit() for character in bare[0])
    if match["assigned"] and match["assigned"].strip() == "|":
        return _CELL_END.match(one.text, bare.end()) is not None
    return True


def _closing(text: str, opening: re.Match[str]) -> int | None:
    """Return where a quoted value ends; None if it does not end on its line."""
    quote = opening["quote"]
    most = opening.end() + _QUOTED_MAX_CHARACTERS
    at = text.find(quote, opening.end(), most)
    while at > 0 and len(quote) == 1 and text[at - 1] == "\\" and text[at - 2] != "\\":
        at = text.find(quote, at + 1, most)
    if at < 0 or "\n" in text[opening.end() : at]:
        return None
    return at


def _trimmed(text: str, start: int, end: int) -> int:
    """Return where a value ends without the punctuation of what it stands in."""
    while end > start:
        last = text[end - 1]
        opener = _CLOSERS.get(last)
        if last not in ".,;:*" and (opener is None or opener in text[start:end]):
            break
        end -= 1
    return end


def _takes_words(one: _Assignment, end: int) -> bool:
    """Tell whether a plain word would be a value here, as in a file of settings."""
    text, match = one.text, one.match
    if match["pair"] or match["tag"]:
        return True
    operator = match["assigned"]
    ends = _LINE_END.match(text, end) is not None
    if operator == "=":
        return bool(_NAME_OF_SETTING.match(one.written)) or ends or text[end] in ";&"
    if operator and operator.strip() in {":", "="}:
        head = text[max(0, one.start - 40) : one.start]
        return ends and _LINE_START.search(head) is not None
    return False


def _span(one: _Assignment, start: int, end: int, setting: Setting) -> Span | None:
    judged = one.text[start : min(end, start + _JUDGED_CHARACTERS)]
    if not is_secret(judged.strip(_AROUND_VALUE), setting):
        return None
    return Span(start, end, one.name.kind)
