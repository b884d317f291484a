"""Stored schemas over HTTP: versions, organisations, corrections, and their effect on other documents."""

from typing import Any

import httpx

from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from tests.api.harness import TREE, client_of, make_resources, serving

SCHEMA = {
    "type": "object",
    "properties": {"zeta": {"type": "string"}, "alpha": {"type": "number"}, "total": {"type": "number"}},
}
OWED = {"path": "/total", "block_id": "b1", "text": "101,50"}


async def ingest(client: httpx.AsyncClient, number: int) -> str:
    texts = [f"Huis {number}", f"Wir bekommen {100 + number},50 EUR"]
    blocks = [block | {"text": text} for block, text in zip(TREE["blocks"], texts, strict=True)]
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return str(job["documents"][0]["document_id"])


async def put(client: httpx.AsyncClient, schema: Any = SCHEMA, name: str = "bill") -> httpx.Response:
    return await client.post("/v1/schemas", json={"name": name, "schema": schema})


async def extract(client: httpx.AsyncClient, document: str, **fields: Any) -> httpx.Response:
    return await client.post("/v1/extract", json={"document_id": document, "schema_name": "bill", **fields})


async def test_schema_keeps_its_order_and_gets_a_version_for_each_change(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        assert (await put(client)).json()["version"] == 1
        assert (await put(client)).json()["version"] == 1
        assert (await put(client, SCHEMA | {"title": "Bill"})).json()["version"] == 2
        await put(client, name="abc")
        first = (await client.get("/v1/schemas/bill?version=1")).json()
        listed = (await client.get("/v1/schemas")).json()
        unknown = await client.get("/v1/schemas/bill?version=9")
    assert list(first["schema"]["properties"]) == ["zeta", "alpha", "total"]
    assert first["labels"] == {}
    assert [(row["name"], row["version"]) for row in listed] == [("abc", 1), ("bill", 2)]
    assert unknown.status_code == 404


async def test_unusable_schemas_and_names_are_refused(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        recursive = await put(client, {"type": "object", "properties": {"a": {"$ref": "#"}}})
        named = await put(client, name="../x")
        nul = await put(client, {"type": "object", "title": "a\0"})
    assert (recursive.status_code, recursive.json()["detail"][0]["type"]) == (422, "recursive-schema")
    assert (named.status_code, nul.status_code) == (422, 422)


async def test_one_correction_names_the_value_in_five_other_documents(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        await put(client)
        documents = [await ingest(client, number) for number in range(1, 7)]
        before = [(await extract(client, document)).json()["data"].get("total") for document in documents]
        taught = await client.post("/v1/schemas/bill/corrections", json={"document_id": documents[0], **OWED})
        after = [(await extract(client, document)).json() for document in documents]
        labels = (await client.get("/v1/schemas/bill")).json()["labels"]
        elsewhere = client_of(app, org="elsewhere")
        async with elsewhere as other:
            await put(other)
            foreign = (await extract(other, await ingest(other, 9))).json()["data"]
    assert before == [None] * 6
    assert taught.status_code == 201
    assert taught.json()["label"] == "Wir bekommen"
    assert [answer["data"]["total"] for answer in after] == [100.5 + number for number in range(1, 7)]
    assert [answer["evidence"]["/total"]["how"] for answer in after[:2]] == ["corrected", "line"]
    assert labels == {"/total": ["Wir bekommen"]}
    assert "total" not in foreign


async def test_taught_label_can_be_deleted(store: Store) -> None:
    label = {"path": "/total", "label": "Wir bekommen"}
    async with serving(make_resources(store)) as app, client_of(app) as client:
        await put(client)
        first, second = [await ingest(client, number) for number in (1, 2)]
        await client.post("/v1/schemas/bill/corrections", json={"document_id": first, **OWED})
        assert (await client.delete("/v1/schemas/bill/labels", params=label)).status_code == 204
        assert (await client.delete("/v1/schemas/bill/labels", params=label)).status_code == 404
        assert "total" not in (await extract(client, second)).json()["data"]
        assert (await client.delete("/v1/schemas/bill")).status_code == 204
        assert (await extract(client, second)).status_code == 404


async def test_corrections_that_give_no_value_are_refused(store: Store) -> None:
    wrong = [({"path": "/x"}, "no-such-leaf"), ({"block_id": "b9"}, "no-such-place"), ({"text": "x"}, "no-such-text")]
    async with serving(make_resources(store)) as app, client_of(app) as client:
        await put(client)
        document = await ingest(client, 1)
        answers = [
            await client.post("/v1/schemas/bill/corrections", json={"document_id": document, **OWED, **changes})
            for changes, _ in wrong
        ]
    assert [answer.json()["detail"][0]["type"] for answer in answers] == [code for _, code in wrong]


async def test_corrections_are_erased_with_their_document(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        await put(client)
        document = await ingest(client, 1)
        await client.post("/v1/schemas/bill/corrections", json={"document_id": document, **OWED})
        await client.delete(f"/v1/documents/{document}")
    purge_some(store)
    assert store.db.fetch_all("select * from schema_corrections") == []


async def test_schema_and_its_name_exclude_each_other(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        await put(client)
        document = await ingest(client, 1)
        both = await extract(client, document, schema=SCHEMA)
        version = await client.post(
            "/v1/extract", json={"document_id": document, "schema": SCHEMA, "schema_version": 1}
        )
        old = await extract(client, document, schema_version=7)
    assert (both.status_code, version.status_code, old.status_code) == (422, 422, 404)
