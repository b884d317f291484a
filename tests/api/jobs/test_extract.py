"""Extraction by schema over HTTP: a file or a stored document, refused schemas and engines."""

import json
from typing import Any

import pytest

from quire.storage.store import Store
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


REFUSED: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "look-around": ({"type": "string", "pattern": "(?=x)"}, "pattern-refused", ["pattern"]),
    "hostile repeats": ({"type": "string", "pattern": "((x{1,900}){1,900}){1,900}"}, "pattern-refused", ["pattern"]),
    "recursion": ({"$ref": "#/properties/a"}, "recursive-schema", ["$ref", "$ref"]),
    "types": ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "contradictory", ["type"]),
    "5,000 leaves": (
        {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(5_000)}},
        "field-too-large",
        [],
    ),
    "1,001 leaves": (
        {"type": "object", "properties": {f"p{n}": {} for n in range(1_001)}},
        "schema-too-large",
        ["properties", "p1000"],
    ),
}


async def test_extract_refuses_a_schema_with_the_path_of_the_fault(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        for name, (part, code, path) in REFUSED.items():
            text = json.dumps({"type": "object", "properties": {"a": part}})
            answer = await client.post("/v1/extract", files={"file": FILE}, data={"schema": text})
            detail = answer.json()["detail"][0]
            at = ["schema"] if code == "field-too-large" else ["body", "schema", "properties", "a", *path]
            assert (answer.status_code, detail["type"], detail["loc"][-len(at) :]) == (422, code, at), name


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


TOTAL = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}


async def test_job_returns_the_values_of_its_schema_for_each_document(store: Store) -> None:
    parts = [("files", FILE), ("files", ("other.pdf", pdf("Total: 7.00 EUR"), "application/pdf"))]
    with reading(store):
        async with serving(make_resources(store)) as app, client_of(app) as client:
            sent = await client.post("/v1/jobs", files=parts, data={"extract_schema": json.dumps(TOTAL)})
            job = (await client.get(f"/v1/jobs/{sent.json()['id']}", params={"wait": 60})).json()
            paths = [f"/v1/jobs/{job['id']}/documents/{d['document_id']}/extracted" for d in job["documents"]]
            answers = [(await client.get(path)).json() for path in paths]
            async with client_of(app, "zeta-all") as stranger:
                foreign = await stranger.get(paths[0])
            await client.delete(f"/v1/jobs/{job['id']}")
            gone = await client.get(paths[0])
    assert [answer["missing"] for answer in answers] == [{"/total": "no-label"}] * 2
    assert (foreign.status_code, gone.status_code) == (404, 404)


async def test_extracted_equals_the_answer_of_extract(store: Store) -> None:
    with reading(store):
        async with serving(make_resources(store)) as app, client_of(app) as client:
            data = {"extract_schema": json.dumps(TOTAL)}
            parsed = (await client.post("/v1/parse", files={"file": FILE}, data=data)).json()
            document_id = parsed["tree"]["document_id"]
            path = f"/v1/jobs/{parsed['job']['id']}/documents/{document_id}/extracted"
            first, second = [await client.get(path) for _ in range(2)]
            asked = await client.post("/v1/extract", json={"document_id": document_id, "schema": TOTAL})
    assert first.content == second.content == asked.content
    assert parsed["extracted"] == first.json()


async def test_extracted_is_not_found_when_the_job_has_no_schema(store: Store) -> None:
    with reading(store):
        async with serving(make_resources(store)) as app, client_of(app) as client:
            parsed = (await client.post("/v1/parse", files={"file": FILE})).json()
            path = f"/v1/jobs/{parsed['job']['id']}/documents/{parsed['tree']['document_id']}/extracted"
            answer = await client.get(path)
    assert answer.status_code == 404


async def test_unusable_schema_of_a_job_is_refused_before_anything_is_stored(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        for part, route in (("files", "jobs"), ("file", "parse")):
            for text in ("[1]", "{", '{"a": NaN}', '{"title": "\\u0000"}', '{"$ref": "#"}'):
                answer = await client.post(f"/v1/{route}", files={part: FILE}, data={"extract_schema": text})
                assert answer.status_code == 422
                assert answer.json()["detail"][0]["loc"][:2] == ["body", "extract_schema"]
        assert (await client.get("/v1/jobs")).json() == []


async def test_repeated_key_with_another_schema_is_a_conflict(store: Store) -> None:
    headers = {"Idempotency-Key": "k1"}
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answers = [
            await client.post("/v1/jobs", files={"files": FILE}, data={"extract_schema": text}, headers=headers)
            for text in ('{"type": "object"}', '{"type": "object"}', json.dumps(TOTAL))
        ]
    assert [answer.status_code for answer in answers] == [201, 201, 409]
