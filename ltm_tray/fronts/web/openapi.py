"""Describes the JSON API as an OpenAPI document, from the types that read and answer.

Run as a module, it writes `assets/openapi.json` of a checkout.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from ltm_tray.domain.memory import (
    RECALL_LIMIT_DEFAULT,
    RECALL_LIMIT_MAX,
    HitKind,
    MemoryType,
    ObservationKind,
    Sort,
)
from ltm_tray.fronts.web import answers, entering, wire
from ltm_tray.fronts.web.errors import ErrorAnswer
from ltm_tray.resources import data_dir

FILE_NAME = "openapi.json"
"""The name of the document among the assets."""

_REF = "#/components/schemas/{name}"
_PREFIX = "/api/memory"
_JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One route: what it reads, what it answers, and which errors it may answer instead.

    `in_short` is what it answers where a token is required and not shown.
    """

    method: str
    path: str
    summary: str
    answer: type[msgspec.Struct]
    in_short: type[msgspec.Struct] | None = None
    parameters: tuple[dict[str, Any], ...] = ()
    body: type[msgspec.Struct] | None = None
    errors: tuple[int, ...] = ()


def document() -> dict[str, Any]:
    """Return the whole document, as plain JSON values."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in _OPERATIONS:
        described = _described(operation)
        paths.setdefault(_PREFIX + operation.path, {})[operation.method] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "LTM Tray",
            "version": "1",
            "description": "The long-term memory of this machine's Pi coding agent.",
        },
        "servers": [{"url": "http://127.0.0.1:31415"}],
        # Asked for only where the settings say so.
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def text() -> str:
    """Return the document as the file holds it."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the document among the assets."""
    (data_dir("assets") / FILE_NAME).write_text(text(), "utf-8", newline="\n")


def _schemas() -> dict[str, Any]:
    shapes = [
        ErrorAnswer,
        *(operation.answer for operation in _OPERATIONS),
        *(operation.in_short for operation in _OPERATIONS if operation.in_short),
        *(operation.body for operation in _OPERATIONS if operation.body),
    ]
    _, schemas = msgspec.json.schema_components(shapes, schema_hook=_schema_of, ref_template=_REF)
    # Rules between fields, which types cannot say.
    observe = schemas["ObserveBody"]
    schemas["ObserveBody"] = {
        "title": "ObserveBody",
        "description": observe["description"],
        "oneOf": [_form(observe, "title", "narrative"), _form(observe, "messages")],
    }
    schemas["ForgetBody"]["anyOf"] = [
        {"required": [name], "properties": {name: {"minItems": 1}}}
        for name in ("memoryIds", "observationIds")
    ]
    return dict(sorted(schemas.items()))


def _form(schema: dict[str, Any], *needed: str) -> dict[str, Any]:
    """Return one of the two forms of observe: with what it needs, without the other's fields."""
    properties = {
        name: value["anyOf"][0] if name in needed else value
        for name, value in schema["properties"].items()
        if name in needed or name not in {"title", "narrative", "messages"}
    }
    others = sorted({"title", "narrative", "messages"} - set(needed))
    return {
        "type": "object",
        "properties": properties | {name: {"type": "null"} for name in others},
        "required": [*schema["required"], *needed],
    }


def _schema_of(kind: type) -> dict[str, Any]:
    if kind is answers.Time:
        return {"type": "string", "format": "date-time"}
    raise NotImplementedError


def _described(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.method + operation.path.title().replace("/", ""),
        "summary": operation.summary,
        "parameters": list(operation.parameters),
        "responses": {
            "200": _answered("The answer.", operation.answer, operation.in_short),
            **{
                str(status): _answered(_ERRORS[status], ErrorAnswer)
                for status in sorted({400, 401, 403, 500, 503, *operation.errors})
            },
        },
    }
    for sign in "{}_":
        described["operationId"] = described["operationId"].replace(sign, "")
    if operation.body:
        content = {_JSON: {"schema": _ref(operation.body)}}
        described["requestBody"] = {"required": True, "content": content}
        for status in (413, 415):
            described["responses"][str(status)] = _answered(_ERRORS[status], ErrorAnswer)
    return described


def _answered(description: str, *shapes: type[msgspec.Struct] | None) -> dict[str, Any]:
    schemas = [_ref(shape) for shape in shapes if shape]
    schema = {"anyOf": schemas} if len(schemas) > 1 else schemas[0]
    return {"description": description, "content": {_JSON: {"schema": schema}}}


def _ref(shape: type[msgspec.Struct]) -> dict[str, str]:
    return {"$ref": _REF.format(name=shape.__name__)}


def _query(name: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


_ERRORS = {
    400: "Something sent cannot be used; `details` names the fields.",
    401: "A token is required, and the request does not show it.",
    403: "The request names another host, or a page of another origin sent it.",
    404: "The project has no such item.",
    409: "The environment pins this setting.",
    413: "The body is larger than 1 MiB.",
    415: "The body is not plain JSON.",
    500: "Something went wrong; the log says more.",
    503: "Memory is switched off, or the store cannot answer now; `error` tells which.",
}
_TEXT = {"type": "string", "pattern": wire.TEXT_PATTERN}
_CWD = _query("cwd", {"type": "string", "pattern": wire.PATH_PATTERN}, required=True)


def _list(name: str, items: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter that holds a list, joined by commas."""
    schema = {"type": "array", "minItems": 1, "maxItems": 200, "items": items}
    return {**_query(name, schema), "style": "form", "explode": False}


_TIME = {"type": "string", "format": "date-time"}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1, "default": RECALL_LIMIT_DEFAULT}
_RECALL = (
    _CWD,
    _query("q", _TEXT, required=True),
    {**_query("limit", _LIMIT), "description": f"More than {RECALL_LIMIT_MAX} counts as that."},
    _list("kinds", {"enum": list(HitKind)}),
    _list("types", {"enum": [*MemoryType, *ObservationKind]}),
    _list("concepts", {"type": "string", "pattern": r"^[A-Za-z0-9]{1,40}$"}),
    _query("conceptMatch", {"enum": ["all", "any"], "default": "all"}),
    _query("since", _TIME),
    {**_query("until", _TIME), "description": "This time itself is excluded."},
    _query("sort", {"enum": list(Sort), "default": Sort.RELEVANCE}),
    _query("explain", {"enum": ["1", "0", "true", "false"], "default": "0"}),
    _query("sessionId", _TEXT),
)


def _id(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


_OPERATIONS = (
    Operation(
        method="get", path="/health",
        summary="Who answers, and can it? Without a required token, only who.",
        answer=answers.HealthAnswer, in_short=entering.IdentityAnswer,
    ),
    Operation(
        method="get", path="/recall", summary="Find what answers a question best.",
        answer=answers.HitsAnswer, parameters=_RECALL,
    ),
    Operation(
        method="post", path="/remember", summary="Save a memory.",
        answer=answers.SavedAnswer, body=wire.RememberBody,
    ),
    Operation(
        method="post", path="/observe", summary="Store what a moment left behind.",
        answer=answers.ObservedAnswer, body=wire.ObserveBody,
    ),
    Operation(
        method="post", path="/forget", summary="Delete by id.",
        answer=answers.DeletedAnswer, body=wire.ForgetBody,
    ),
    Operation(
        method="get", path="/stats", summary="Count what a project holds.",
        answer=answers.StatsAnswer, parameters=(_CWD,),
    ),
    Operation(
        method="get", path="/memories/{memory_id}", summary="A whole memory with its versions.",
        answer=answers.MemoryAnswer, parameters=(_id("memory_id"), _CWD), errors=(404,),
    ),
    Operation(
        method="get", path="/observations/{observation_id}", summary="A whole observation.",
        answer=answers.ObservationAnswer, parameters=(_id("observation_id"), _CWD), errors=(404,),
    ),
    Operation(
        method="get", path="/tools", summary="The tools an agent may use.",
        answer=answers.ToolsAnswer, parameters=(_query("role", {"enum": ["main", "sub"]}),),
    ),
    Operation(
        method="get", path="/settings", summary="The effective settings.",
        answer=answers.SettingsAnswer,
    ),
    Operation(
        method="patch", path="/settings", summary="Throw the switch.",
        answer=answers.SettingsAnswer, body=wire.SettingsBody, errors=(409,),
    ),
    Operation(
        method="post", path="/console", summary="A path that opens the console in a browser.",
        answer=entering.ConsoleAnswer, body=wire.ConsoleBody,
    ),
)  # fmt: skip

if __name__ == "__main__":
    main()
