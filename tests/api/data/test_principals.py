"""Principals: set at upload, by rules of sources and by API; searches, listings and queries never go beyond them."""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from quire.actors.sql.runner import SqlRunner
from quire.models.cdom.search import SearchMode, SearchRequest
from quire.serve_apps.api.context.resources import Ports
from quire.storage.access.principals import set_principals
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId
from tests.api.harness import PDF, TREE, client_of, files, make_resources, reading, serving
from tests.api.results.test_search import ask, ingest
from tests.api.searching import search_ports
from tests.storage.index.library import Library, embed
from tests.storage.scenes import ACME, ACTOR

GROUPS = ("group:hr", "group:sales", "user:ann")


@pytest.fixture
async def client(store: Store, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    with search_ports(store, tmp_path) as (ports, _):
        sql = Ports(search=ports.search, index_document=ports.index_document, sql=SqlRunner())
        async with serving(make_resources(store, ports=sql)) as app, client_of(app) as caller:
            yield caller


async def restrict(client: httpx.AsyncClient, document: str, principals: list[str] | None) -> dict[str, Any]:
    answer = await client.put(f"/v1/documents/{document}/principals", json={"principals": principals})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize("mode", ["vector", "fts", "hybrid"])
async def test_search_finds_restricted_documents_only_for_their_principals(
    client: httpx.AsyncClient, mode: str
) -> None:
    (_, free), (job, secret) = await ingest(client, "apples ripen"), await ingest(client, "apples rot")
    body = await restrict(client, secret, ["group:hr", "user:ann"])
    assert body["principals"] == ["group:hr", "user:ann"]
    found = {
        name: {hit.document_id for hit in await ask(client, "apples", mode=mode, principals=principals)}
        for name, principals in {"none": [], "hr": ["group:hr"], "sales": ["group:sales", "user:bob"]}.items()
    }
    assert found == {"none": {free}, "hr": {free, secret}, "sales": {free}}
    for narrowed in ({"document_id": secret}, {"job_id": job}):
        params: dict[str, Any] = {"q": "apples", "mode": mode, **narrowed}
        assert (await client.get("/v1/search", params=params)).status_code == 404
        assert (await client.get("/v1/search", params=params | {"principals": "user:ann"})).status_code == 200
    await restrict(client, secret, None)
    assert {hit.document_id for hit in await ask(client, "apples", mode=mode)} == {free, secret}


async def test_listing_and_queries_leave_hidden_documents_out(client: httpx.AsyncClient) -> None:
    (_, free), (job, secret) = await ingest(client, "apples"), await ingest(client, "pears")
    await restrict(client, secret, ["group:hr"])

    async def listed(**params: Any) -> set[str]:
        answer = await client.get("/v1/documents", params=params)
        return {document["document_id"] for document in answer.json()}

    assert await listed() == {free, secret}
    assert await listed(principals="group:sales") == {free}
    assert await listed(principals=["group:sales", "group:hr"]) == {free, secret}

    async def asked(**body: Any) -> httpx.Response:
        return await client.post("/v1/sql", json={"sql": "select 1", **body})

    assert (await asked()).json()["documents"] == 1
    assert (await asked(principals=["group:hr"])).json()["documents"] == 2
    assert (await asked(document_ids=[secret])).status_code == 404
    assert (await asked(document_ids=[secret], principals=["group:hr"])).json()["documents"] == 1
    assert (await asked(job_id=job)).json()["documents"] == 0


async def test_upload_sets_principals_and_wrong_names_are_refused(client: httpx.AsyncClient, store: Store) -> None:
    with reading(store):
        sent = await client.post("/v1/jobs", files=files(PDF), data={"principals": "group:hr, user:ann"})
        job = (await client.get(f"/v1/jobs/{sent.json()['id']}?wait=60")).json()
    document = job["documents"][0]["document_id"]
    shown = (await client.get(f"/v1/documents/{document}")).json()
    assert shown["principals"] == ["group:hr", "user:ann"]
    assert (await client.post("/v1/jobs", files=files(PDF), data={"principals": "x" * 201})).status_code == 422
    path = f"/v1/documents/{document}/principals"
    for wrong in (["a,b"], [""], ["x" * 201], ["a"] * 101, "a"):
        assert (await client.put(path, json={"principals": wrong})).status_code == 422
    assert (await client.put(path, json={})).status_code == 422


async def test_ingested_document_is_restricted_from_the_start(client: httpx.AsyncClient) -> None:
    sent = {"json": {"tree": TREE}, "params": {"principals": ["group:hr", "user:ann"]}}
    job = (await client.post("/v1/ingest", **sent)).json()  # type: ignore[arg-type]
    document = job["documents"][0]["document_id"]
    assert (await client.get(f"/v1/documents/{document}")).json()["principals"] == ["group:hr", "user:ann"]
    assert await ask(client, "Far away") == []
    assert [hit.document_id for hit in await ask(client, "Far away", principals="user:ann")] == [document]


async def test_every_change_of_principals_is_in_the_audit_trail(client: httpx.AsyncClient, store: Store) -> None:
    _, document = await ingest(client, "apples")
    await restrict(client, document, ["group:hr", "group:hr"])
    await restrict(client, document, None)
    rows = store.db.fetch_all(
        "select result from audit where action = 'document.principals' and object = %(id)s order by entry",
        {"id": document},
    )
    assert [row["result"] for row in rows] == ["1 principals", "open"]


def test_many_searches_return_no_hidden_document(store: Store, tmp_path: Path) -> None:
    library = Library(store, str(tmp_path / "rag"), tmp_path / "rag" / "keywords")
    chance = random.Random(3)
    owners: dict[str, set[str] | None] = {}
    for number in range(30):
        claimed = library.publish(f"apples {number}", f"pears {number % 7}")
        principals = chance.choice([None, [], ["group:hr"], ["group:sales"], ["group:hr", "user:ann"]])
        set_principals(store.db, ACME, ACTOR, DocumentId(claimed.document_id), principals)
        owners[claimed.document_id] = None if principals is None else set(principals)
    foreign = found = 0
    for _ in range(200):
        asked = tuple(chance.sample(GROUPS, chance.randrange(3)))
        hidden = {name for name, allowed in owners.items() if allowed is not None and not allowed & {*asked}}
        words = f"apples pears {chance.randrange(30)}"
        request = SearchRequest(
            tenant=ACME.tenant, org=ACME.org, q=words, mode=chance.choice(list(SearchMode)), limit=40, principals=asked
        )
        vector = (lambda words=words: embed([words])[0]) if chance.random() < 0.7 else None
        hits = {hit.document_id for hit in library.reader.search(request, vector)}
        foreign, found = foreign + len(hits & hidden), found + len(hits)
        one = chance.choice(sorted(hidden))
        with pytest.raises(NotFound):
            library.reader.search(SearchRequest(**{**vars_of(request), "document_id": one}), vector)
    library.close()
    assert (foreign, found > 1000) == (0, True)


def vars_of(request: SearchRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}
