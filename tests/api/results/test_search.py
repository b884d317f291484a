"""Search through HTTP: what an ingested document answers, whom it answers, and what a strange question does."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import TypeAdapter

from quire.models.cdom.ports import PortUnavailable
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.serve_apps.api.context.resources import Ports
from quire.serve_apps.api.shapes.bodies import HealthBody, SearchHitBody
from quire.storage.store import Store
from quire.storage.values.ids import new_document_id
from tests.api.harness import TREE, client_of, make_resources, serving
from tests.api.searching import search_ports

HITS = TypeAdapter(list[SearchHitBody])


@pytest.fixture
async def app(store: Store, tmp_path: Path) -> AsyncIterator[FastAPI]:
    with search_ports(store, tmp_path) as (ports, _):
        flag = partial(flag_tree, detector=RegexDetector())
        async with serving(make_resources(store, ports=ports, flag_tree=flag)) as running:
            yield running


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(app) as caller:
        yield caller


async def ingest(client: httpx.AsyncClient, *texts: str) -> tuple[str, str]:
    """Return (job, document) of a tree with these paragraphs, each under a separate heading."""
    blocks: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        blocks.append({"id": f"h{number}", "type": "heading", "level": 1, "page": 1, "text": f"Part {number}"})
        blocks.append({"id": f"p{number}", "type": "paragraph", "page": 1, "text": text})
    job = (await client.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    assert job["documents"][0]["chunks"] == len(texts)
    return job["id"], job["documents"][0]["document_id"]


async def ask(client: httpx.AsyncClient, q: str, **params: Any) -> list[SearchHitBody]:
    answer = await client.get("/v1/search", params={"q": q} | params)
    assert answer.status_code == 200, answer.text
    return HITS.validate_json(answer.content)


@pytest.mark.parametrize("mode", ["vector", "fts", "hybrid"])
async def test_ingested_text_is_found_at_once_and_every_hit_resolves(client: httpx.AsyncClient, mode: str) -> None:
    job_id, document_id = await ingest(client, "The harvest of apples begins.", "Ropes are measured twice.")
    hit = (await ask(client, "measured ropes", mode=mode))[0]
    assert (hit.job_id, hit.document_id, hit.mode, hit.section_path) == (job_id, document_id, mode, ["Part 1"])
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["Ropes", "measured"]
    chunks = (await client.get(f"/v1/jobs/{job_id}/documents/{document_id}/chunks")).json()
    assert hit.chunk_id in [chunk["id"] for chunk in chunks]
    assert hit.text == next(chunk["text"] for chunk in chunks if chunk["id"] == hit.chunk_id)


async def test_the_default_is_five_hits_by_vector(client: httpx.AsyncClient) -> None:
    await ingest(client, *(f"apples of kind {number}" for number in range(8)))
    hits = await ask(client, "apples")
    assert ({hit.mode for hit in hits}, len(hits)) == ({"vector"}, 5)
    assert len(await ask(client, "apples", limit=7, mode="fts")) == 7


async def test_search_hides_documents_of_other_tenants_and_organisations(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    job_id, document_id = await ingest(client, "apples ripen")
    for key, org in (("zeta-all", None), ("acme-write", "elsewhere")):
        async with client_of(app, key, org=org) as stranger:
            assert await ask(stranger, "apples") == []
            unknown = await stranger.get("/v1/search", params={"q": "apples", "document_id": new_document_id()})
            for narrowed in ({"document_id": document_id}, {"job_id": job_id}, {"document_id": "no id"}):
                foreign = await stranger.get("/v1/search", params={"q": "apples"} | narrowed)
                assert (foreign.status_code, foreign.content) == (404, unknown.content)


async def test_a_deleted_document_is_not_found_any_more(client: httpx.AsyncClient) -> None:
    _, document_id = await ingest(client, "apples ripen")
    assert len(await ask(client, "apples", document_id=document_id)) == 1
    await client.delete(f"/v1/documents/{document_id}")
    assert await ask(client, "apples") == []
    assert (await client.get("/v1/search", params={"q": "a", "document_id": document_id})).status_code == 404


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"q": ""},
        {"q": "a" * 4097},
        {"q": "a", "mode": "magic"},
        {"q": "a", "limit": "0"},
        {"q": "a", "limit": "1001"},
        {"q": "a", "min_score": "nan"},
        {"q": "a", "redacted": "maybe"},
    ],
)
async def test_a_wrong_question_is_422(client: httpx.AsyncClient, params: dict[str, str]) -> None:
    answer = await client.get("/v1/search", params=params)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], list)


@pytest.mark.parametrize(
    "q",
    [
        "apples' or scope = 'zeta/default' --",
        'text_en:"apples" AND (ropes OR *)',
        "apples\x00\x07\x1b[31m",
        "+apples -ropes ~2 ^9 \\",
        "' ) ] } \" ; drop table documents",
        "äpfel 苹果 \U0001f34e",
        "(" * 4096,
        " \t\n",
        "\x00",
    ],
)
async def test_operators_quotes_and_control_characters_are_just_text(
    app: FastAPI, client: httpx.AsyncClient, q: str
) -> None:
    async with client_of(app, "zeta-all") as other:
        await ingest(other, "foreign apples")
    _, document_id = await ingest(client, "apples ripen")
    for mode in ("vector", "fts", "hybrid"):
        assert {hit.document_id for hit in await ask(client, q, mode=mode)} <= {document_id}


async def test_a_redacted_hit_shows_nothing_that_was_flagged(client: httpx.AsyncClient) -> None:
    await ingest(client, "apples from ann@example.com ripen")
    assert "ann@example.com" in (await ask(client, "apples"))[0].text
    answer = await client.get("/v1/search", params={"q": "apples", "redacted": "true"})
    hit = HITS.validate_json(answer.content)[0]
    assert "ann@" not in answer.text
    assert (hit.highlights, "apples" in hit.text) == ([], True)


async def test_without_a_finished_scan_a_redacted_search_is_refused(store: Store, tmp_path: Path) -> None:
    with search_ports(store, tmp_path) as (ports, _):
        async with serving(make_resources(store, ports=ports)) as app, client_of(app) as client:
            await ingest(client, "apples ripen")
            answer = await client.get("/v1/search", params={"q": "apples", "redacted": "true"})
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


async def test_without_an_index_the_answer_says_so(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as client:
        answer = await client.get("/v1/search", params={"q": "apples"})
    assert (answer.status_code, answer.json()["code"]) == (409, "search-not-configured")


class Away:
    """An index that does not answer."""

    async def search(self, request: SearchRequest) -> list[SearchHit]:
        raise PortUnavailable("searcher", "away")

    async def check(self) -> float:
        await self.search(SearchRequest(tenant="t", org="o", q="q"))
        return 0.0


class Behind(Away):
    """An index whose keywords lag behind the table."""

    async def check(self) -> float:
        return 37.2


async def test_an_index_that_is_away_is_503_and_deep_health_says_so(store: Store) -> None:
    async with serving(make_resources(store, ports=Ports(search=Away()))) as app, client_of(app) as client:
        answer = await client.get("/v1/search", params={"q": "apples"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        health = await client.get("/v1/health", params={"deep": "true"})
    body = HealthBody.model_validate_json(health.content)
    assert body.checks is not None
    assert (health.status_code, body.checks["search_index"].status) == (503, "failed")


async def test_deep_health_asks_the_index(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/health", params={"deep": "true"})
    checks = HealthBody.model_validate_json(answer.content).checks
    assert checks is not None
    assert checks["search_index"].detail == "reachable"


async def test_deep_health_says_how_old_the_keyword_index_is(store: Store) -> None:
    async with serving(make_resources(store, ports=Ports(search=Behind()))) as app, client_of(app) as client:
        health = await client.get("/v1/health", params={"deep": "true"})
    checks = HealthBody.model_validate_json(health.content).checks
    assert checks is not None
    assert (health.status_code, checks["search_index"].detail) == (200, "reachable, keyword index 37 s behind")


async def test_while_documents_come_and_go_no_hit_is_unpublished_or_foreign(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    """Every answer holds only what was alive at some time between question and answer."""
    born: dict[str, None] = {}
    dead: set[str] = set()

    async def churn() -> None:
        for number in range(12):
            _, document_id = await ingest(client, f"apples number {number}", "ropes")
            born[document_id] = None
            if number % 2:
                await client.delete(f"/v1/documents/{document_id}")
                dead.add(document_id)

    async def look() -> None:
        for number in range(60):
            gone = frozenset(dead)
            for hit in await ask(client, "apples ropes number", mode=("vector", "fts", "hybrid")[number % 3]):
                assert hit.document_id not in gone

    async with client_of(app, "zeta-all") as other:
        await ingest(other, "foreign apples ropes number")
        await asyncio.gather(churn(), look(), look())
    found = {hit.document_id for hit in await ask(client, "apples ropes number", limit=100, mode="hybrid")}
    assert found == born.keys() - dead
