"""Zips of a job or of chosen documents: what is inside, who may have originals, and that nothing piles up in memory."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.api.documents.zip_stream import PIECE_BYTES, EntryNames, ZipStream
from quire.storage.store import Store
from tests.api.harness import PDF, TREE, client_of, files, make_resources, reading, serving
from tests.ui.papers import FLAGGER


async def job_of(client: httpx.AsyncClient, store: Store, *contents: bytes) -> dict[str, object]:
    with reading(store):
        job = (await client.post("/v1/jobs", files=files(*contents))).json()
        ended: dict[str, object] = (await client.get(f"/v1/jobs/{job['id']}?wait=60")).json()
    return ended


def opened(answer: httpx.Response) -> zipfile.ZipFile:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    return archive


async def test_job_archive_is_a_zip_with_a_list_of_its_contents(client: httpx.AsyncClient, store: Store) -> None:
    job = await job_of(client, store, PDF, PDF, b"no document")
    archive = opened(await client.get(f"/v1/jobs/{job['id']}/archive?include=markdown,tree,chunks,original"))
    listed = json.loads(archive.read("contents.json"))
    assert [one["status"] for one in listed] == ["succeeded", "succeeded", "failed"]
    assert sorted(name for one in listed for name in one["files"]) == sorted(
        set(archive.namelist()) - {"contents.json"}
    )
    markdown, tree, chunks, original = listed[0]["files"]
    assert "Hello" in archive.read(markdown).decode()
    assert json.loads(archive.read(tree))["document_id"] == listed[0]["document_id"]
    assert "text" in json.loads(archive.read(chunks).splitlines()[0])
    assert archive.read(original) == PDF
    assert archive.read(listed[2]["files"][0]) == b"no document"
    assert len({name for one in listed for name in one["files"]}) == 9


async def test_the_same_job_gives_the_same_bytes(client: httpx.AsyncClient, store: Store) -> None:
    job = await job_of(client, store, PDF)
    here = f"/v1/jobs/{job['id']}/archive"
    assert (await client.get(here)).content == (await client.get(here)).content
    assert [name.rpartition(".")[2] for name in opened(await client.get(here)).namelist()] == [
        "md", "json", "jsonl", "json",
    ]  # fmt: skip


async def test_chosen_documents_of_several_jobs_come_together(client: httpx.AsyncClient, store: Store) -> None:
    jobs = [await job_of(client, store, PDF) for _ in range(2)]
    ids = [document["document_id"] for job in jobs for document in job["documents"]]  # type: ignore[attr-defined]
    archive = opened(await client.get("/v1/archive", params={"document_id": ids, "include": "markdown"}))
    assert [one["document_id"] for one in json.loads(archive.read("contents.json"))] == ids
    missing = await client.get("/v1/archive", params={"document_id": [ids[0], "doc_" + "a" * 26]})
    assert missing.status_code == 404
    assert (await client.get("/v1/archive")).status_code == 422


async def test_originals_need_the_write_scope(app: FastAPI, client: httpx.AsyncClient, store: Store) -> None:
    job = await job_of(client, store, PDF)
    async with client_of(app, "acme-read") as reader:
        refused = await reader.get(f"/v1/jobs/{job['id']}/archive?include=original")
        assert (refused.status_code, refused.json()["code"]) == (403, "scope-missing")
        assert (await reader.get(f"/v1/jobs/{job['id']}/archive")).status_code == 200


@pytest.mark.parametrize("query", ["include=paper", "include="])
async def test_invalid_query_is_refused(client: httpx.AsyncClient, store: Store, query: str) -> None:
    job = await job_of(client, store, PDF)
    answer = await client.get(f"/v1/jobs/{job['id']}/archive?{query}")
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-field")


async def test_redacted_archives_mask_texts_and_names(store: Store) -> None:
    blocks = [TREE["blocks"][0], TREE["blocks"][1] | {"text": "write to ann.canary@example.com"}]
    tree = TREE | {"blocks": blocks, "source": {"name": "ann.canary.epub", "format": "epub"}}
    async with serving(make_resources(store, flag_tree=FLAGGER)) as app, client_of(app) as client:
        job = (await client.post("/v1/ingest", json={"tree": tree})).json()
        archive = opened(await client.get(f"/v1/jobs/{job['id']}/archive?redacted=true"))
    assert len(archive.namelist()) == 4
    assert [name for name in archive.namelist() if "canary" in archive.read(name).decode() + name] == []


async def test_nothing_redacted_is_sent_before_the_scan_is_finished(client: httpx.AsyncClient, store: Store) -> None:
    job = await job_of(client, store, PDF)
    answer = await client.get(f"/v1/jobs/{job['id']}/archive?redacted=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


def a_large_file(pieces: int) -> Iterator[bytes]:
    class Endless(io.RawIOBase):
        left = pieces

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return bytes(size) if self.left >= 0 else b""

    stream = ZipStream()
    yield from stream.copy("originals/large.bin", Endless())  # type: ignore[arg-type]
    yield from stream.end()


def test_a_large_archive_is_never_whole_in_memory() -> None:
    tracemalloc.start()
    sent = sum(map(len, a_large_file(800)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sent > 800 * PIECE_BYTES
    assert peak < 8 * PIECE_BYTES


@pytest.mark.parametrize(
    ("stem", "name"),
    [("../../etc/passwd", "_.._etc_passwd.md"), ("", "document.md"), ("..", "document.md"), ("a\\b", "a_b.md")],
)
def test_names_stay_inside_the_archive(stem: str, name: str) -> None:
    assert EntryNames().unique("", stem, ".md") == name


def test_names_that_differ_in_case_only_get_separate_entries() -> None:
    names = EntryNames()
    assert [names.unique("", stem, ".md") for stem in ("A", "a", "A")] == ["A.md", "a-2.md", "A-3.md"]
