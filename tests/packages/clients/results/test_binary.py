"""Files come back byte by byte: every binary operation of both Python clients, and an original through the service."""

import inspect
from typing import Any

import httpx
import pytest
from quire_client import AsyncClient, Client, Content

from quire.serve_apps.clients.description import Operation, read_operations
from quire.serve_apps.clients.generate import describe_service
from tests.api.harness import PDF

EVERY_BYTE = bytes(range(256)) * 2
TEXTS = ("text/", "application/json", "application/x-ndjson", "application/problem+json")
DOCUMENT = describe_service()
BINARY = [operation for operation in read_operations(DOCUMENT) if operation.is_binary]


def answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=EVERY_BYTE, headers={"content-type": "application/pdf"})


def arguments(method: Any) -> list[str]:
    """One value for each positional parameter."""
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return ["x" for parameter in inspect.signature(method).parameters.values() if parameter.kind is positional]


def media_types(operation: Operation) -> set[str]:
    answers = DOCUMENT["paths"][operation.path][operation.method.lower()]["responses"]
    return {media for status, told in answers.items() if status[0] == "2" for media in told.get("content", {})}


def test_an_operation_is_binary_unless_all_its_answers_are_text() -> None:
    textual = [o.name for o in read_operations(DOCUMENT) if all(m.startswith(TEXTS) for m in media_types(o))]
    assert {"get_original", "export_by_plugin"} <= {operation.name for operation in BINARY}
    assert [operation.name for operation in BINARY if operation.name in textual] == []
    assert [o.name for o in read_operations(DOCUMENT) if o.name not in textual and not o.is_binary] == []


@pytest.mark.parametrize("operation", BINARY, ids=lambda operation: operation.name)
async def test_a_binary_operation_returns_the_bytes_as_sent(operation: Operation) -> None:
    with Client("http://quire.test", transport=httpx.MockTransport(answer)) as quire:
        method = getattr(quire, operation.name)
        content = method(*arguments(method))
    async with AsyncClient("http://quire.test", transport=httpx.MockTransport(answer)) as quire_async:
        method = getattr(quire_async, operation.name)
        content_async = await method(*arguments(method))
    assert content == content_async == Content(EVERY_BYTE, "application/pdf")


def test_an_original_comes_back_as_it_was_sent(url: str) -> None:
    sent = PDF + EVERY_BYTE
    with Client(url, "acme-write") as quire:
        document = quire.read(("a.pdf", sent))
        assert quire.get_original(document.job_id, document.id).data == sent
