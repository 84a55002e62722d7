"""Finds private keys: PEM, OpenSSH, PGP and PuTTY blocks, whole, cut, quoted or escaped."""

from __future__ import annotations

import re

from ltm_tray.domain.redaction.spans import Span

KIND = "private-key"

_FRAME = re.compile(
    r"-{4,5} ?(?P<end>BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|(?P<putty>Private-Lines: \d{1,4})"
)
# What stands between the lines of a block: line ends, written out too, and what quotes it.
_GAP = r"""(?:\s|\\+[nrt]|[>|"'+,\#*;\\])*+"""
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\n\\]{0,200}+"
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?:{_GAP}(?:{_HEADER}|{_LINE}))++")
_LAST_LINE = re.compile(rf"{_GAP}[A-Za-z0-9+/=]{{1,64}}+(?:\s*+\Z|…|\.\.\.)")
_A_LINE = re.compile(_LINE)
_LINE_BREAK = re.compile(r"\s*(?:\n|\\+n)\s*")
_BEFORE_MAX_CHARACTERS = 16_384


def private_keys(text: str) -> list[Span]:
    """Return the blocks of a text with their first and last lines; a frame alone is none."""
    frames = list(_FRAME.finditer(text))
    spans: list[Span] = []
    for at, frame in enumerate(frames):
        following = frames[at + 1] if at + 1 < len(frames) else None
        if frame["end"] == "END":
            start = _start_of_body(text, frame.start(), frames[at - 1].end() if at else 0)
            if (not spans or spans[-1].end < frame.end()) and start < frame.start():
                spans.append(Span(start, frame.end(), KIND))
            continue
        end = _end_of_body(text, frame.end())
        closed = following is not None and following["end"] == "END"
        if following and closed and _A_LINE.search(text, frame.end(), following.start()):
            end = following.end()
        if end > frame.end():
            spans.append(Span(frame.start(), end, KIND))
    return spans


def _end_of_body(text: str, start: int) -> int:
    """Return where the lines of a key end; `start` itself where there are none."""
    end = start
    body = _BODY.match(text, start)
    if body:
        end = body.end()
    last = _LAST_LINE.match(text, end)
    return last.end() if last else end


def _start_of_body(text: str, end: int, after: int) -> int:
    """Return where the lines before a last one begin; `end` itself where there are none."""
    start = max(after, end - _BEFORE_MAX_CHARACTERS)
    breaks = [match.span() for match in _LINE_BREAK.finditer(text, start, end)]
    begin = end
    for at in range(len(breaks) - 1, -1, -1):
        line_end = breaks[at][0]
        line_start = breaks[at - 1][1] if at else start
        if line_end > line_start and not _A_LINE.fullmatch(text, line_start, line_end):
            break
        begin = line_start if line_end > line_start else begin
    return begin
