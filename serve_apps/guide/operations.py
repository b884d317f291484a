"""The page "Every operation" as Markdown, generated from an OpenAPI document."""

from collections.abc import Mapping
from html import escape
from typing import Any


def describe_operations(document: Mapping[str, Any]) -> str:
    """Return Markdown about every operation of an OpenAPI document: purpose, scope, parameters."""
    lines = [
        "# Every operation",
        "",
        "Generated from `/openapi.json` of this service. Use `/docs` to try the operations.",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            scope = operation.get("x-required-scope")
            lines += ["", f"## {method.upper()} {path}", "", str(operation.get("description", "")).strip()]
            lines += ["", f"Scope: {scope or 'none'}."]
            parameters = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
            if parameters:
                lines += ["", "| query | default | description |", "|---|---|---|", *map(_row, parameters)]
    return "\n".join(lines)


def _row(parameter: Mapping[str, Any]) -> str:
    schema = parameter.get("schema", {})
    default = "required" if parameter.get("required") else schema.get("default", "")
    text = str(parameter.get("description", "")).replace("|", "\\|")
    return f"| `{parameter['name']}` | {escape(str(default))} | {text} |"
