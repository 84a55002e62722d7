"""Speaks HTTP byte by byte, for requests that no client library would send."""

from __future__ import annotations

import socket
from dataclasses import dataclass


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes


def exchange(port: int, request: bytes) -> Reply:
    """Send the bytes as they are and read until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        return read_reply(connection)


def get(port: int, path: str, *lines: str) -> Reply:
    """Send a GET with exactly these header lines (and none else but Connection)."""
    head = "\r\n".join([f"GET {path} HTTP/1.1", *lines, "Connection: close", "", ""])
    return exchange(port, head.encode("latin-1"))


def read_reply(connection: socket.socket) -> Reply:
    received = b""
    while chunk := connection.recv(65_536):
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Reply(int(first.split()[1]), headers, body)
