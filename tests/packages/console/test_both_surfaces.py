"""One program for engine and console: only the base URL and the token differ."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import PDF, files, make_resources, reading
from tests.api.live import listening
from tests.packages.console.harness import a_console, csrf_of, resources_of, sign_up, watch
from tests.ui.papers import PATTERN_SCAN
from tests.waiting import PATIENCE_S


@dataclass
class EverySucceeded:
    """Search that finds every document the caller's organisation has read, best first by name."""

    store: Store

    async def search(self, request: SearchRequest) -> list[SearchHit]:
        return await asyncio.to_thread(self._find, request)

    async def check(self) -> float:
        """Always well."""
        return 0.0

    def _find(self, request: SearchRequest) -> list[SearchHit]:
        rows = self.store.db.fetch_all(
            """select id, job_id, source_file from documents where tenant = %(tenant)s and org = %(org)s
               and status = 'succeeded' and (%(job)s::text is null or job_id = %(job)s)
               order by position limit %(n)s""",
            {"tenant": request.tenant, "org": request.org, "job": request.job_id, "n": request.limit},
        )
        return [
            SearchHit(
                job_id=row["job_id"],
                document_id=row["id"],
                chunk_id="c0",
                score=1.0,
                text=request.q,
                section_path=(),
                pages=(1,),
                block_ids=("b0",),
                bboxes=(),
                source_file=row["source_file"],
                mode=SearchMode.VECTOR,
                snippet=request.q,
                highlights=(),
            )
            for row in rows
        ]


@pytest.fixture
def engine_url(store: Store, dsn: str) -> Iterator[str]:
    resources = make_resources(store, dsn=dsn, ports=Ports(search=EverySucceeded(store)), redaction_scan=PATTERN_SCAN)
    with listening(resources) as url, reading(store):
        yield url


@pytest.fixture(params=["engine", "console"])
async def service(
    request: pytest.FixtureRequest, store: Store, engine_url: str, tmp_path: Path
) -> AsyncIterator[httpx.AsyncClient]:
    if request.param == "engine":
        async with httpx.AsyncClient(
            base_url=engine_url, headers={"X-API-Key": "acme-write"}, timeout=PATIENCE_S
        ) as client:
            yield client
        return
    async with a_console(resources_of(store, engine_url, tmp_path)) as app:
        yield (await sign_up(app)).api


async def test_the_program(service: httpx.AsyncClient) -> None:
    parsed = (await service.post("/v1/parse", files=files(PDF, part="file"))).raise_for_status().json()
    assert parsed["tree"]["document_id"] == parsed["job"]["documents"][0]["document_id"]

    batch = (await service.post("/v1/jobs", files=files(PDF, PDF, b"no document"))).raise_for_status().json()
    assert (batch["status"], batch["documents"]) == ("queued", [])
    while (job := (await service.get(f"/v1/jobs/{batch['id']}")).raise_for_status().json())["status"] in (
        "queued",
        "running",
    ):
        await asyncio.sleep(0.02)
    assert (job["status"], len(job["documents"])) == ("partial", 3)
    assert [document["error"] for document in job["documents"]] == [None, None, "unsupported-format"]

    hits = (await service.get("/v1/search", params={"q": "Hello", "limit": 10})).raise_for_status().json()
    assert len(hits) == 3
    for hit in hits:
        view = (await service.get(f"/v1/jobs/{hit['job_id']}")).raise_for_status().json()
        assert hit["document_id"] in [document["document_id"] for document in view["documents"]]
        document = f"/v1/jobs/{hit['job_id']}/documents/{hit['document_id']}"
        assert (await service.get(f"{document}/tree")).raise_for_status().json()["blocks"]
        assert (await service.get(f"{document}/chunks")).raise_for_status().json()
        assert (await service.get(f"{document}/export/graph")).raise_for_status().json()["nodes"]
        assert "Hello" in (await service.get(f"{document}/export/context")).raise_for_status().json()["markdown"]
        narrowed = await service.get("/v1/search", params={"q": "x", "job_id": hit["job_id"]})
        assert hit["document_id"] in [found["document_id"] for found in narrowed.raise_for_status().json()]
    lines = (await service.get(f"/v1/jobs/{batch['id']}/export/finetune")).raise_for_status().text.splitlines()
    assert len(lines) == 2

    assert (await service.get("/v1/jobs/job_" + "a" * 26)).status_code == 404
    assert (await service.get("/v1/search")).status_code == 422
    async with httpx.AsyncClient(transport=service._transport, base_url=service.base_url) as nobody:
        assert (await nobody.get(f"/v1/jobs/{batch['id']}")).status_code == 401


async def test_a_hit_in_a_batch_goes_by_an_alias_of_its_own(store: Store, engine_url: str, tmp_path: Path) -> None:
    async with a_console(resources_of(store, engine_url, tmp_path)) as app:
        ann = await sign_up(app)
        batch = (await ann.api.post("/v1/jobs", files=files(PDF, PDF))).json()
        await ann.api.get(f"/v1/jobs/{batch['id']}?wait=60")
        await asyncio.to_thread(watch, store, engine_url)
        hits = (await ann.api.get("/v1/search?q=x")).json()
        views = [(await ann.api.get(f"/v1/jobs/{hit['job_id']}")).json()["id"] for hit in hits]
    assert len({hit["job_id"] for hit in hits} - {batch["id"]}) == 2
    assert views == [batch["id"]] * 2


async def test_a_person_reads_markdown_searches_and_deletes_on_the_pages(
    store: Store, engine_url: str, tmp_path: Path
) -> None:
    async with a_console(resources_of(store, engine_url, tmp_path)) as app:
        ann, bob = await sign_up(app), await sign_up(app, "bob@example.org")
        body = (await ann.api.post("/v1/parse", files=files(PDF, part="file"))).json()
        document = body["tree"]["document_id"]
        address = f"/documents/{document}"
        assert "Hello" in (await ann.pages.get(f"{address}?tab=markdown")).text
        saved = await ann.pages.get(f"{address}/outputs/export/markdown")
        assert saved.text.strip() == "Hello"
        by_token = await ann.api.get(f"/v1/jobs/{body['job']['id']}/documents/{document}/export/markdown")
        assert by_token.text == saved.text
        assert address in (await ann.pages.get("/search?q=Hello")).text
        assert address not in (await bob.pages.get("/search?q=Hello")).text
        foreign = {"csrf": await csrf_of(bob.pages)}
        assert (await bob.pages.post(f"{address}/delete", data=foreign)).status_code == 404
        assert (await ann.pages.post(f"{address}/delete", data=foreign)).status_code == 403
        gone = await ann.pages.post(f"{address}/delete", data={"csrf": await csrf_of(ann.pages)})
        assert (gone.status_code, gone.headers["location"]) == (303, "/")
        assert (await ann.pages.get(address)).status_code == 404
        assert (await ann.pages.get("/search?q=<script>")).status_code == 200
