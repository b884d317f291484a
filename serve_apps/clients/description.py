"""Operations and schemas of the OpenAPI document, reduced to what a client needs.

Pure: a document in, frozen data out. Names are the operation ids.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Schema = dict[str, Any]

_TEXTUAL = {"application/json", "application/x-ndjson"}


class SchemaKind(StrEnum):
    """Result kinds of an operation."""

    JSON = "json"
    PAGE = "page"
    TEXT = "text"
    CONTENT = "content"
    NOTHING = "nothing"
    EVENTS = "events"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A path, query or body value."""

    name: str
    schema: Schema
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    `body`: JSON values by name. `free_body`: a JSON object of any shape. `upload`: multipart. `repeatable`: sending the
    request twice has the same effect as sending it once.
    """

    name: str
    method: str
    path: str
    summary: str
    kind: SchemaKind
    result: Schema
    path_parameters: tuple[Parameter, ...]
    query: tuple[Parameter, ...]
    body: tuple[Parameter, ...] = ()
    free_body: bool = False
    upload: bool = False
    keyed: bool = False
    repeatable: bool = False

    @property
    def is_binary(self) -> bool:
        """Return whether the answer is a file whose bytes must reach the caller unchanged."""
        return self.kind is SchemaKind.CONTENT


def read_operations(document: Schema) -> Iterator[Operation]:
    """Yield all operations in the document's order."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield _read(document, path, method.upper(), operation)


def short_name(name: str) -> str:
    """Return the clients' name of a schema: `JobBody` is `Job`."""
    name = re.sub(r"\W", "_", name.split("__")[-1])
    return name.removesuffix("Body") or name


def _read(document: Schema, path: str, method: str, operation: Schema) -> Operation:
    parameters = operation.get("parameters", [])
    query = tuple(_parameter(p) for p in parameters if p["in"] == "query")
    kind, result = _result(operation, {p.name for p in query})
    body, free, upload = _body(document, operation)
    return Operation(
        name=operation["operationId"],
        method=method,
        path=path,
        summary=str(operation.get("description") or operation.get("summary") or "").split("\n")[0],
        kind=kind,
        result=result,
        path_parameters=tuple(_parameter(p) for p in parameters if p["in"] == "path"),
        query=query,
        body=body,
        free_body=free,
        upload=upload,
        repeatable=method in {"GET", "DELETE"} or operation.get("x-repeatable", False),
        keyed=any(p["name"] == "Idempotency-Key" for p in parameters),
    )


def _parameter(parameter: Schema) -> Parameter:
    return Parameter(parameter["name"], parameter.get("schema", {}), parameter.get("required", False))


def _result(operation: Schema, query: set[str]) -> tuple[SchemaKind, Schema]:
    good = {status: answer for status, answer in operation["responses"].items() if status.startswith("2")}
    answers = [answer.get("content", {}) for answer in good.values()]
    contents = [content for content in answers if "application/problem+json" not in content]  # of a scan: clients wait
    kinds = {media for content in contents for media in content}
    if not kinds:
        return SchemaKind.NOTHING, {}
    if "text/event-stream" in kinds:
        return SchemaKind.EVENTS, {}
    if not all(media.startswith("text/") or media in _TEXTUAL for media in kinds):
        return SchemaKind.CONTENT, {}
    if "application/json" not in kinds:
        return SchemaKind.TEXT, {}
    schemas = [content["application/json"].get("schema", {}) for content in contents if "application/json" in content]
    result = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return (SchemaKind.PAGE if "cursor" in query else SchemaKind.JSON), result


def _body(document: Schema, operation: Schema) -> tuple[tuple[Parameter, ...], bool, bool]:
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return (), False, True
    if "application/json" not in content:
        return (), False, False
    schema = content["application/json"].get("schema", {})
    chosen = [option for option in schema.get("anyOf", [schema]) if option != {"type": "null"}]
    schema = chosen[0] if len(chosen) == 1 else schema  # an optional body
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "properties" not in schema:
        return (), True, False
    required = set(schema.get("required", ()))
    return tuple(Parameter(n, s, n in required) for n, s in schema["properties"].items()), False, False
