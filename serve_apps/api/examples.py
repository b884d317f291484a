"""Examples of the API's description: for each operation a command for curl, and what a real call sent and got."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

FILE = Path(__file__).with_suffix(".json")
"""One call of each operation by operation id, written by `python -m tests.api.openapi_examples`."""
_VARIABLES = {"job_id": "$JOB", "document_id": "$DOC"}
_SAVED = ("application/zip", "application/vnd.", "application/octet-stream", "image/")
"""Beginnings of media types that a terminal cannot show."""


def add_examples(schema: dict[str, Any]) -> None:
    """Add the examples to the operations of an OpenAPI document."""
    recorded = json.loads(FILE.read_text())
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            example = recorded.get(operation["operationId"], {})
            _add_values(operation, example)
            command = write_command(method.upper(), path, example)
            operation["x-codeSamples"] = [{"lang": "Shell", "label": "curl", "source": command}]


def _add_values(operation: dict[str, Any], example: dict[str, Any]) -> None:
    values = example.get("path", {}) | example.get("params", {})
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in values:
            parameter["example"] = values[parameter["name"]]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        sent = example.get("json" if media == "application/json" else "data")
        if sent:
            content["example"] = sent
    answer = operation["responses"].get(str(example.get("status")), {})
    if "answer" in example and example["type"] in answer.get("content", {}):
        answer["content"][example["type"]]["example"] = example["answer"]


def write_command(method: str, path: str, example: dict[str, Any]) -> str:
    """Return the command for curl that makes the call of an example.

    Args:
        method: HTTP method.
        path: Path with names in braces; jobs and documents become the variables JOB and DOC of a shell.
        example: What was sent: `path`, `params`, `json`, `data` and `files`.
    """
    for name, value in example.get("path", {}).items():
        path = path.replace(f"{{{name}}}", _VARIABLES.get(name, str(value)))
    query = urlencode(example["params"], doseq=True) if "params" in example else ""
    address = f'"$QUIRE_URL{path}{"?" + query if query else ""}"'
    return " \\\n  ".join(['curl -s -H "X-API-Key: $KEY"', *_options(method, example), address])


def _options(method: str, example: dict[str, Any]) -> Iterator[str]:
    has_body = any(part in example for part in ("json", "files", "data"))
    if method != ("POST" if has_body else "GET"):
        yield f"-X {method}"
    if "json" in example:
        yield "-H 'Content-Type: application/json' -d " + shlex.quote(json.dumps(example["json"], ensure_ascii=False))
    for part, name in example.get("files", ()):
        yield f"-F {part}=@{name}"
    for name, value in example.get("data", {}).items():
        yield f"-F {name}={shlex.quote(value)}"
    if example.get("type", "").startswith(_SAVED):
        yield "-OJ"
