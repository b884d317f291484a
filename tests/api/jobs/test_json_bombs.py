"""A JSON body of many small values uses at most as much memory as its bytes, in every operation."""

import re
import tracemalloc

import httpx
import pytest
from fastapi import FastAPI

BOMB = b'{"urls":[' + b"{}," * 3_400_000 + b"{}]}"
"""Ten megabytes; as Python objects it would be 300."""
MOST_GROWTH = 50 * 1024 * 1024  # bytes
JSON = {"Content-Type": "application/json"}


def list_operations(app: FastAPI) -> list[tuple[str, str]]:
    """List method and path of every operation that may carry a body."""
    operations = [
        (method.upper(), path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if method != "get"
    ]
    assert len(operations) > 20
    return operations


@pytest.mark.timeout(600)
async def test_no_operation_expands_a_body_of_many_values(app: FastAPI, client: httpx.AsyncClient) -> None:
    for method, path in list_operations(app):
        tracemalloc.start()
        try:
            answer = await client.request(method, re.sub(r"\{\w+\}", "x", path), content=BOMB, headers=JSON)
            growth = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert 400 <= answer.status_code < 500, (method, path, answer.status_code)
        assert growth < MOST_GROWTH, (method, path, growth)


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/parse"])
async def test_a_long_body_of_addresses_is_refused(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.post(path, content=BOMB[:300_000], headers=JSON)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "field-too-large")
    answer = await client.post(path, content=b'{"urls":[' + b"1," * 30_000 + b"1]}", headers=JSON)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-field")
