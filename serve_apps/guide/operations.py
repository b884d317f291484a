"""The page "Every operation" as Markdown, generated from an OpenAPI document."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any


def describe_operations(document: Mapping[str, Any]) -> str:
    """Return Markdown about every operation of an OpenAPI document: purpose, scope, parameters, an example."""
    lines = [
        "# Every operation",
        "",
        "Generated from `/openapi.json` of this service. Use `/docs` to try the operations. Examples are real calls;",
        "`QUIRE_URL` is the address of the service, `KEY` your key. Answers are cut: two items of each list.",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            scope = operation.get("x-required-scope")
            lines += ["", f"## {method.upper()} {path}", "", str(operation.get("description", "")).strip()]
            lines += ["", f"Scope: {scope or 'none'}. Method of the clients: `{operation['operationId']}`."]
            parameters = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
            if parameters:
                lines += ["", "| query | default | description |", "|---|---|---|", *map(_row, parameters)]
            lines += _example(operation)
    return "\n".join(lines)


def _example(operation: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a command and of its answer."""
    for sample in operation.get("x-codeSamples", ()):
        yield from ("", "```console", *f"$ {sample['source']}".split("\n"))
    for answer in operation["responses"].values():
        for media, content in answer.get("content", {}).items():
            if "example" in content:
                shown = content["example"]
                yield from ("```", "", "```json" if media == "application/json" else "```text")
                yield from (shown if isinstance(shown, str) else json.dumps(shown, indent=2, ensure_ascii=False)).split(
                    "\n"
                )
    yield "```"


def _row(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    default = "required" if parameter.get("required") else schema.get("default", "")
    text = str(parameter.get("description", "")).replace("|", "\\|")
    return f"| `{parameter['name']}` | {escape(str(default))} | {text} |"
