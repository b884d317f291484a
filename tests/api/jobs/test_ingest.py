"""POST /v1/ingest: trees from outside, the good and the hostile ones."""

import asyncio
import copy
import json
import threading
from base64 import b64encode
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.api.context.resources import Ports
from quire.serve_apps.api.lanes.fair_places import FairPlaces
from quire.serve_apps.api.shapes.bodies import JobBody
from quire.storage.store import Store
from tests.api.harness import PDF, PNG, TREE, client_of, make_resources, serving
from tests.waiting import PATIENCE_S

GRAPH = {"objects": [{"id": "o1", "type": "person", "value": "Ada", "evidence": ["p"]}]}


def changed(**parts: Any) -> dict[str, Any]:
    """TREE with top-level parts replaced."""
    return copy.deepcopy(TREE) | parts


def with_block(**fields: Any) -> dict[str, Any]:
    """TREE whose second block has other fields."""
    tree = copy.deepcopy(TREE)
    tree["blocks"][1] |= fields
    return tree


async def test_an_ingested_tree_is_a_finished_metered_job_with_its_defaults(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/ingest", json={"tree": TREE})
    job = JobBody.model_validate_json(answer.content)
    document = job.documents[0]
    assert (answer.status_code, job.status) == (201, "succeeded")
    assert (document.source_file, document.format) == ("far.epub", "epub")
    tree = (await client.get(f"/v1/jobs/{job.id}/documents/{document.document_id}/tree")).json()
    assert [(b["id"], b["order"], b["parent"], b["bbox"], b["text"]) for b in tree["blocks"]] == [
        ("b0", 0, None, None, "Far"),
        ("b1", 1, "b0", None, "Away"),
    ]
    assert (await client.get("/v1/license")).json()["pages_used_this_month"] == 1


@pytest.mark.parametrize(("text", "pages"), [("a" * 10_000, 1), ("a" * 10_001, 2), ("word " * 60_000, 30), ("", 1)])
async def test_pages_are_charged_by_their_content_and_not_by_the_stated_count(
    client: httpx.AsyncClient, text: str, pages: int
) -> None:
    blocks = [{"id": "a", "type": "paragraph", "page": 1, "text": text}]
    job = (await client.post("/v1/ingest", json={"tree": changed(blocks=blocks)})).json()
    assert job["documents"][0]["pages"] == len(TREE["pages"]) == 1
    assert (await client.get("/v1/license")).json()["pages_used_this_month"] == pages
    assert sum(key["pages"] for key in (await client.get("/v1/usage")).json()["keys"]) == pages


async def test_assets_and_original_are_stored_and_served(client: httpx.AsyncClient) -> None:
    tree = with_block(type="picture", asset_ref="one.png")
    body = {"tree": tree, "assets": {"one.png": b64encode(PNG).decode()}, "source_bytes": b64encode(PDF).decode()}
    job = JobBody.model_validate_json((await client.post("/v1/ingest", json=body)).content)
    path = f"/v1/jobs/{job.id}/documents/{job.documents[0].document_id}"
    assert (await client.get(f"{path}/assets/one.png")).content == PNG
    assert job.documents[0].bytes == len(PDF)
    assert (await client.get(f"{path}/pages/1")).status_code == 200


async def test_a_page_of_a_document_without_original_is_404_original_missing(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/ingest", json={"tree": TREE})).json()
    answer = await client.get(f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/pages/1")
    assert (answer.status_code, answer.json()["code"]) == (404, "original-missing")


async def test_decisions_about_pii_are_not_taken_from_outside(client: httpx.AsyncClient) -> None:
    flags = {"flags": ["pii:email", "hidden-text"], "flag_spans": [{"flag": "pii:email", "start": 0, "end": 4}]}
    tree = with_block(**flags) | {"pii": {"engine": "mine", "version": "1", "complete": True}}
    job = (await client.post("/v1/ingest", json={"tree": tree})).json()
    path = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}/tree"
    kept = (await client.get(path)).json()
    assert (kept["pii"], kept["blocks"][1]["flags"], kept["blocks"][1]["flag_spans"]) == (None, ["hidden-text"], [])
    assert (await client.get(f"{path}?redacted=true")).status_code == 409


async def test_supplied_semantics_are_kept_with_the_trees_ids(app: FastAPI, client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/ingest", json={"tree": TREE, "semantics": GRAPH})).json()
    store: Store = app.state.running.resources.store
    kept = json.loads(store.artifacts.read(job["documents"][0]["document_id"], 1, "semantics.json"))
    assert kept["objects"][0]["evidence"] == ["b1"]


async def test_an_idempotent_ingest_is_done_once(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "i-1"}
    first, again = [await client.post("/v1/ingest", json={"tree": TREE}, headers=headers) for _ in range(2)]
    assert first.json() == again.json()
    assert (await client.get("/v1/license")).json()["pages_used_this_month"] == 1


BAD: dict[str, Any] = {
    "no tree": {},
    "tree a list": {"tree": []},
    "other version": {"tree": changed(cdom_version="2.0")},
    "no pages": {"tree": changed(pages=[])},
    "page 0": {"tree": changed(pages=[{"number": 0, "width": 1, "height": 1}])},
    "pages twice": {"tree": changed(pages=TREE["pages"] * 2)},
    "page without size": {"tree": changed(pages=[{"number": 1}])},
    "page of no width": {"tree": changed(pages=[{"number": 1, "width": 0, "height": 1}])},
    "too many pages": {"tree": changed(pages=[{"number": i, "width": 1, "height": 1} for i in range(1, 3000)])},
    "too many blocks": {"tree": changed(blocks=[{}] * 200_001)},
    "block no object": {"tree": changed(blocks=["x"])},
    "ids twice": {"tree": with_block(id="h")},
    "id a number": {"tree": with_block(id=1)},
    "no text": {"tree": changed(blocks=[{"id": "a", "type": "paragraph", "page": 1}])},
    "unknown type": {"tree": with_block(type="spell")},
    "page not there": {"tree": with_block(page=7)},
    "parent not there": {"tree": with_block(parent="zz")},
    "own parent": {"tree": with_block(parent="p")},
    "parents in a circle": {
        "tree": changed(
            blocks=[
                {"id": "a", "type": "paragraph", "page": 1, "text": "", "parent": "b"},
                {"id": "b", "type": "paragraph", "page": 1, "text": "", "parent": "a"},
            ]
        )
    },
    "span beyond the text": {"tree": with_block(spans=[{"start": 0, "end": 99}])},
    "confidence 2": {"tree": with_block(confidence=2)},
    "bbox of three": {"tree": with_block(bbox=[1, 2, 3])},
    "cell beyond its table": {"tree": with_block(table={"rows": 1, "cols": 1, "cells": [{"row": 5, "col": 0}]})},
    "cell span overflow": {
        "tree": with_block(table={"rows": 1, "cols": 1, "cells": [{"row": 0, "col": 0, "row_span": 10**9}]})
    },
    "asset not there": {"tree": with_block(asset_ref="x.png")},
    "asset a path": {"tree": TREE, "assets": {"../x": b64encode(PNG).decode()}},
    "asset no base64": {"tree": TREE, "assets": {"x": "%%%"}},
    "asset no picture": {"tree": TREE, "assets": {"x": b64encode(b"<svg/>").decode()}},
    "assets a list": {"tree": TREE, "assets": []},
    "source no base64": {"tree": TREE, "source_bytes": "é"},
    "evidence not there": {"tree": TREE, "semantics": {"objects": [{"evidence": ["zz"]}]}},
    "semantics a list": {"tree": TREE, "semantics": []},
    "__proto__ as a type": {"tree": with_block(type="__proto__")},
}


@pytest.mark.parametrize("name", BAD)
async def test_a_tree_that_cannot_be_kept_is_422_and_writes_nothing(
    client: httpx.AsyncClient, store: Store, name: str
) -> None:
    answer = await client.post("/v1/ingest", json=BAD[name])
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-ingest")
    assert (await client.get("/v1/jobs")).json() == []
    assert [path for path in store.workdir.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nonsense",
        b"\xff\xfe",
        b'{"tree":NaN}',
        b'{"tree":1e999}',
        b'{"tree":1,"tree":2}',
        b'{"tree":' + b"9" * 5000 + b"}",
        b'{"tree":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"tree":' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"}",
    ],
)
async def test_invalid_or_hostile_json_is_422(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/v1/ingest", content=body)
    assert answer.status_code == 422


async def test_an_ingest_over_its_cap_is_413(store: Store) -> None:
    from quire.serve_apps.api.context.resources import ApiLimits
    from tests.api.harness import client_of, serving

    resources = make_resources(store, limits=ApiLimits(max_ingest_bytes=1000))
    async with serving(resources) as app, client_of(app) as caller:
        answer = await caller.post("/v1/ingest", content=b"x" * 1001)
    assert answer.status_code == 413


async def test_lists_inside_blocks_are_counted_before_they_are_looked_at(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.serve_apps.api.documents.ingested.MAX_PARTS", 100)
    for fields in ({"spans": [0] * 101}, {"flags": ["x"] * 101}, {"table": {"rows": 1, "cols": 1, "cells": [0] * 101}}):
        answer = await client.post("/v1/ingest", json={"tree": with_block(**fields)})
        assert (answer.status_code, answer.json()["detail"][0]["msg"]) == (422, "at most 100 cells, spans and flags")


async def test_values_are_counted_before_anything_is_parsed(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.serve_apps.api.documents.ingesting.MAX_VALUES", 100)
    answer = await client.post("/v1/ingest", content=b'{"tree":[' + b"0," * 200)
    assert (answer.status_code, answer.json()["detail"][0]["msg"]) == (422, "more than 100 values")


@pytest.mark.parametrize("name", ["text", "id"])
async def test_half_a_character_is_refused(client: httpx.AsyncClient, name: str) -> None:
    body = json.dumps({"tree": with_block(**{name: "a\ud800"})})
    answer = await client.post("/v1/ingest", content=body)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-ingest")


async def test_unknown_or_unavailable_redaction_parameter_is_refused(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/ingest", json={"tree": TREE})).json()
    path = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
    for query in ("REDACTED=true", "redact=true", "redacted=false&Redacted=true"):
        answer = await client.get(f"{path}/tree?{query}")
        assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "unknown-parameter")
    assert (await client.get(f"{path}/tree?redacted=false")).status_code == 200


class WaitingIndex:
    """Takes chunks when it is let go: an embedder with much to do."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def index_document(self, *_: Any, **__: Any) -> None:
        self.go.wait()


def count_calls(places: FairPlaces) -> int:
    """Return the number of calls that hold a place or wait for one."""
    return places._held.total() + sum(map(len, places._waiting.values()))


async def test_ingests_waiting_for_vectors_do_not_block_other_requests(store: Store) -> None:
    index = WaitingIndex()
    index.go.set()
    async with serving(make_resources(store, ports=Ports(index_document=index))) as app, client_of(app) as client:
        job = (await client.post("/v1/ingest", json={"tree": TREE})).json()
        index.go.clear()
        waiting = [asyncio.create_task(client.post("/v1/ingest", json={"tree": TREE})) for _ in range(12)]
        try:
            while count_calls(app.state.running.ingests._places) < len(waiting):
                await asyncio.sleep(0.01)
            document = f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
            async with asyncio.timeout(PATIENCE_S):
                assert (await client.get(f"{document}/tree")).status_code == 200
                assert (await client.get(f"{document}/fields")).status_code == 200
        finally:
            index.go.set()
        assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {201}


async def test_more_spans_than_a_text_has_places_for_are_refused(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/ingest", json={"tree": with_block(text="abc", spans=[{"start": 0, "end": 1}] * 23)})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "tree"])
