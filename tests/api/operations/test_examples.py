"""Ids and examples of the API's description: one for each operation, and examples that its schemas accept."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import APIRouter
from jsonschema import Draft202012Validator

from quire.serve_apps.api import app
from quire.serve_apps.api.examples import write_command
from quire.serve_apps.clients.generate import describe_service

RECORD = "run python -m tests.api.openapi_examples"
WITHOUT = {"export_by_plugin"}
"""Operations whose answer depends on what is installed."""


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return describe_service()


def operations(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in description["paths"].values():
        yield from methods.values()


def test_each_operation_has_an_id_of_its_own(description: dict[str, Any]) -> None:
    ids = [operation["operationId"] for operation in operations(description)]
    assert sorted(ids) == sorted(app.list_operations())


def test_app_refuses_to_start_when_a_route_states_no_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = APIRouter()
    bare.add_api_route("/v1/bare", lambda: None)
    monkeypatch.setattr(app, "_ROUTERS", (*app._ROUTERS, bare))
    with pytest.raises(LookupError, match="/v1/bare"):
        describe_service()


def test_each_operation_has_a_command_and_an_answer(description: dict[str, Any]) -> None:
    for operation in operations(description):
        assert operation["x-codeSamples"][0]["source"].startswith("curl ")
        contents = [
            content
            for status, answer in operation["responses"].items()
            for media, content in answer.get("content", {}).items()
            if status.startswith("2") and (media == "application/json" or media.startswith("text/"))
        ]
        shown = any("example" in content for content in contents)
        assert shown or not contents or operation["operationId"] in WITHOUT, (operation["operationId"], RECORD)


def test_examples_fit_the_schemas(description: dict[str, Any]) -> None:
    checked = 0
    for operation in operations(description):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (body.get("content", {}).get("application/json", {}) for body in bodies):
            if "example" in content:
                schema = content.get("schema", {}) | {"components": description["components"]}
                errors = [error.message for error in Draft202012Validator(schema).iter_errors(content["example"])]
                assert errors == [], (operation["operationId"], RECORD)
                checked += 1
    assert checked > 50


CURL = 'curl -s -H "X-API-Key: $KEY" '


@pytest.mark.parametrize(
    ("method", "example", "options"),
    [
        ("POST", {"json": {"a": "it's"}}, """-H 'Content-Type: application/json' -d '{"a": "it'"'"'s"}'"""),
        ("PUT", {"json": {}}, "-X PUT -H 'Content-Type: application/json' -d '{}'"),
        ("GET", {"type": "application/zip"}, "-OJ"),
        ("DELETE", {}, "-X DELETE"),
        ("POST", {"files": [["file", "a.pdf"]], "data": {"ocr": "never"}}, "-F file=@a.pdf -F ocr=never"),
    ],
)
def test_commands_send_the_whole_example(method: str, example: dict[str, Any], options: str) -> None:
    sent = {"path": {"job_id": "job_a"}, "params": {"q": "a b", "id": ["1", "2"]}}
    written = write_command(method, "/x/{job_id}", example | sent)
    assert written.replace(" \\\n  ", " ") == CURL + options + ' "$QUIRE_URL/x/$JOB?q=a+b&id=1&id=2"'
