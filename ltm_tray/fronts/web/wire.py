"""What the JSON API reads: the shapes of bodies and query strings, with their names on the wire."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from ltm_tray.domain.errors import invalid
from ltm_tray.domain.memory import (
    CONTENT_MAX_CHARACTERS,
    NARRATIVE_MAX_CHARACTERS,
    RECALL_LIMIT_DEFAULT,
    MemoryType,
    ObservationKind,
    Sort,
)
from ltm_tray.domain.payload import Message
from ltm_tray.domain.requests import (
    LABEL_MAX_CHARACTERS,
    LABELS_MAX,
    SOURCES,
    ForgetRequest,
    ObserveRequest,
    RecallRequest,
    RememberRequest,
)
from ltm_tray.fronts.web.reading import Query

SOURCE_HEADER = "X-LTM-Source"
"""Names the front that asks, for the recall log; anything unknown counts as `api`."""

_SENT_SOURCES = SOURCES & {"api", "cli", "pi"}
PATH_PATTERN = r"^(/|[A-Za-z]:[\\/]|[\\/]{2}[^\\/]+[\\/]+[^\\/]+)[^\x00]*$"
"""An absolute path: of this machine's kind, which only it can tell."""
TEXT_PATTERN = r"^[^\x00]*[^\s\x00][^\x00]*$"
"""A text that is not blank and holds no NUL."""

# The rules themselves stand in `domain.requests`, which tells all broken ones at once;
# what is noted here only shows in the schema.
Cwd = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": PATH_PATTERN})]
Content = Annotated[
    str,
    msgspec.Meta(extra_json_schema={"pattern": TEXT_PATTERN, "maxLength": CONTENT_MAX_CHARACTERS}),
]
Narrative = Annotated[
    str,
    msgspec.Meta(
        extra_json_schema={"pattern": TEXT_PATTERN, "maxLength": NARRATIVE_MAX_CHARACTERS}
    ),
]
Label = Annotated[
    str,
    msgspec.Meta(extra_json_schema={"pattern": TEXT_PATTERN, "maxLength": LABEL_MAX_CHARACTERS}),
]
Labels = Annotated[tuple[Label, ...], msgspec.Meta(extra_json_schema={"maxItems": LABELS_MAX})]
TypeName = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(MemoryType)})]
KindName = Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(ObservationKind)})]

_YES = {"1": True, "true": True, "0": False, "false": False}


class RememberBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of remember."""

    cwd: Cwd
    content: Content
    type: TypeName | None = None
    concepts: Labels = ()
    files: Labels = ()
    source_observation_ids: Labels = ()
    session_id: Label | None = None

    def request(self) -> RememberRequest:
        """Return it as the service takes it."""
        return RememberRequest(**msgspec.structs.asdict(self))


class MessageBody(msgspec.Struct):
    """One message of a conversation."""

    role: str
    text: str


Messages = Annotated[
    tuple[MessageBody, ...],
    msgspec.Meta(
        extra_json_schema={
            "contains": {
                "properties": {
                    "role": {"enum": ["user", "assistant"]},
                    "text": {"pattern": TEXT_PATTERN},
                },
            }
        }
    ),
]


class ObserveBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of observe: title and narrative, or the messages they are made from."""

    cwd: Cwd
    session_id: Label
    kind: KindName
    title: Label | None = None
    narrative: Narrative | None = None
    messages: Messages | None = None
    leaf_id: Label | None = None
    source: Any = None

    def request(self) -> ObserveRequest:
        """Return it as the service takes it.

        Raises:
            InvalidInput: Both forms are mixed.
        """
        if self.messages is not None and (self.title is not None or self.narrative is not None):
            raise invalid("messages", "conflict", "give either messages or title and narrative")
        return ObserveRequest(
            cwd=self.cwd,
            session_id=self.session_id,
            kind=self.kind,
            title=self.title or "",
            narrative=self.narrative or "",
            source=self.source,
            idempotency_key=self.leaf_id,
        )

    def spoken(self) -> list[Message] | None:
        """Return the messages, or None in the form without them."""
        if self.messages is None:
            return None
        return [Message(message.role, message.text) for message in self.messages]


class ForgetBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of forget."""

    cwd: Cwd
    memory_ids: Labels = ()
    observation_ids: Labels = ()

    def request(self) -> ForgetRequest:
        """Return it as the service takes it."""
        return ForgetRequest(**msgspec.structs.asdict(self))


class SettingsBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of a change of settings: the switch is the only one that moves."""

    enabled: bool


class ConsoleBody(msgspec.Struct, rename="camel", kw_only=True):
    """The body of a wish to open the console: an empty object."""


def recall_request(query: Query, source: str) -> RecallRequest:
    """Read the question of recall; `source` is the value of the source header.

    Raises:
        InvalidInput: A parameter is missing, given twice, blank or not of its type.
    """
    return RecallRequest(
        cwd=query.text("cwd"),
        query=query.text("q"),
        limit=query.integer("limit", RECALL_LIMIT_DEFAULT),
        kinds=_listed(query, "kinds"),
        types=_listed(query, "types"),
        concepts=_listed(query, "concepts"),
        concept_match=query.optional("conceptMatch") or "all",
        since=query.optional("since"),
        until=query.optional("until"),
        sort=query.optional("sort") or Sort.RELEVANCE,
        explain=_flag(query, "explain"),
        source=source if source in _SENT_SOURCES else "api",
        session_id=query.optional("sessionId"),
    )


def _listed(query: Query, name: str) -> tuple[str, ...]:
    value = query.optional(name)
    return () if value is None else tuple(part.strip() for part in value.split(","))


def _flag(query: Query, name: str) -> bool:
    value = query.optional(name)
    if value is None:
        return False
    if value not in _YES:
        raise invalid(name, "wrong_type", "must be 1 or 0")
    return _YES[value]
