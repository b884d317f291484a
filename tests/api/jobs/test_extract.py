"""Extraction by schema over HTTP: a file or a stored document, refused schemas and engines."""

import json
from typing import Any

import pytest

from storage.store import Store
from tests.api.harness import client_of, make_resources, reading, serving
from tests.api.jobs.test_ephemeral import pdf

SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string"},
        "total": {"type": "number"},
        "po": {"type": ["string", "null"]},
    },
}
FILE = ("bill.pdf", pdf("Invoice Number: INV-7731", "Total: 1,204.50 EUR"), "application/pdf")


async def send(store: Store, schema: Any = SCHEMA, **fields: str) -> Any:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    async with serving(make_resources(store)) as app, client_of(app) as client:
        return await client.post("/v1/extract", files={"file": FILE}, data={"schema": text, **fields})


async def test_extract_returns_values_evidence_and_reasons_for_a_file(store: Store) -> None:
    answer = (await send(store)).json()
    assert answer["data"] == {"invoice_number": "INV-7731", "total": 1204.5, "po": None}
    assert answer["missing"] == {"/po": "no-label"}
    assert answer["valid"] is True
    total = answer["evidence"]["/total"]
    assert total["verbatim"].startswith("1,204.50")
    assert total["places"][0].keys() == {"block_id", "page", "bbox", "cell", "start", "end"}


async def test_the_same_request_gives_the_same_bytes(store: Store) -> None:
    assert (await send(store)).content == (await send(store)).content


async def test_extract_refuses_a_schema_with_the_path_of_the_fault(store: Store) -> None:
    hostile = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}}
    answer = await send(store, hostile)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "pattern-refused"
    assert answer.json()["detail"][0]["loc"] == ["body", "schema", "properties", "a", "pattern"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"engine": "llm"}, "no-model-endpoint"),
        ({"engine": "auto"}, "no-model-endpoint"),
        ({"engine": "x"}, "invalid-field"),
    ],
)
async def test_extract_refuses_engines_that_are_not_configured(store: Store, fields: dict[str, str], code: str) -> None:
    answer = await send(store, **fields)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, code)


@pytest.mark.parametrize("schema", ["", "[1]", "{", '{"a": NaN}'])
async def test_extract_refuses_a_schema_that_is_no_json_object(store: Store, schema: str) -> None:
    answer = await send(store, schema)
    assert (answer.status_code, answer.json()["detail"][0]["loc"][1]) == (422, "schema")


async def test_extract_of_an_unknown_document_is_not_found(store: Store) -> None:
    body = {"document_id": "doc_" + "a" * 26, "schema": SCHEMA}
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answer = await client.post("/v1/extract", json=body)
        wrong = await client.post("/v1/extract", json={**body, "colour": 1})
    assert answer.status_code == 404
    assert wrong.status_code == 422


async def test_extract_of_a_stored_document_repeats_byte_for_byte(store: Store) -> None:
    blocks = [{"id": "p", "type": "paragraph", "page": 1, "text": "Invoice Number: INV-7731. Total: 1,204.50 EUR"}]
    tree = {
        "cdom_version": "1.0",
        "source": {"name": "bill.pdf", "format": "pdf"},
        "pages": [{"number": 1, "width": 595, "height": 842}],
        "blocks": blocks,
    }
    async with serving(make_resources(store)) as app, client_of(app) as client:
        stored = (await client.post("/v1/ingest", json={"tree": tree})).json()
        body = {"document_id": stored["documents"][0]["document_id"], "schema": SCHEMA}
        first, second = [await client.post("/v1/extract", json=body) for _ in range(2)]
    assert first.status_code == 200
    assert first.content == second.content
    answer = first.json()
    assert answer["data"]["total"] == 1204.5
    assert [len(answer["evidence"][path]["places"]) for path in ("/invoice_number", "/total")] == [1, 1]


async def test_parse_returns_the_values_of_a_schema_with_the_tree(store: Store) -> None:
    with reading(store):
        async with serving(make_resources(store)) as app, client_of(app) as client:
            schema = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}
            fields = {"extract_schema": json.dumps(schema)}
            answer = await client.post("/v1/parse", files={"file": FILE}, data=fields)
            plain = await client.post("/v1/parse", files={"file": FILE})
            refused = await client.post("/v1/parse", files={"file": FILE}, data={"extract_schema": '{"$ref": "#"}'})
    assert answer.json()["extracted"]["missing"] == {"/total": "no-label"}
    assert answer.json()["tree"]["blocks"]
    assert "extracted" not in plain.json()
    assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "recursive-schema")
