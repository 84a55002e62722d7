"""Secrets, and pieces that texts with secrets are made of."""

from __future__ import annotations

from hypothesis import strategies as st

AWS_ID = "AKIA" + "QYLPMN5HHHFPZAM2"
GITHUB = "ghp_" + "k3Jx9Qw2Lm7Np4Rt8Vz1Bc6Df5Gh0Ys2Ua4E"
FRAGMENTS = [
    "password=", "password: ", "token is ", '"', "'", "`", "\\", "\\n", "\n", " ", ",", ";", "]",
    "[", "<private>", "</private>", "<private", "&lt;private&gt;", "[redacted: password]",
    "[redacted: ", GITHUB, AWS_ID, "hunter2!x", "Authorization: Bearer ", "Cookie: a=", "://u:",
    "@host", "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "=", ":",
    "MIIEpAIBAAKCAQEA7x", "curl -u a:", "x" * 300, "value=", "--secret ", "{", "}", "ключ",
    "密码：", "İ", "9",
]  # fmt: skip
PIECES = st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12))
