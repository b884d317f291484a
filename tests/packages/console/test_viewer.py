"""The console's page of a document is the dashboard's viewer; a locked document takes its password there."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI

from quire.serve_apps.console.context import page_rendering
from quire.serve_apps.ui.browser.visit import PAGES
from quire.serve_apps.viewer.document_view import FOLLOWING, TABS, NoPageToShow, ViewPlace, view_document
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Claim, Failed
from tests.api.harness import PDF, TinyReader, at_work, files
from tests.packages.console.harness import Person, csrf_of, sign_up, watch

LOCKED, WORD = PDF + b" locked", "open sesame "
PLAIN: dict[str, Any] = {"flags": [], "table": None, "asset_ref": None, "confidence": 0.8}
TREE: dict[str, Any] = {
    "source": {"format": "pdf", "name": "a.pdf"},
    "pages": [
        {"number": n, "width": 595, "height": 842, "status": "ok", "route": "fast", "reason": None} for n in (1, 2)
    ],
    "blocks": [
        {"id": "a", "type": "heading", "level": 1, "page": 1, "bbox": [72, 80, 300, 95], "text": "First"} | PLAIN,
        {"id": "b", "type": "paragraph", "level": None, "page": 2, "bbox": [72, 80, 300, 95], "text": "x"} | PLAIN,
    ],
    "warnings": [{"code": "page-failed", "page": 2}],
    "metadata": {"title": "Plan"},
    "coverage": None,
    "pii": None,
    "provenance": {"service_version": "1.0"},
}
FACTS: dict[str, Any] = {
    **dict.fromkeys(("confidence", "started_at", "finished_at")),
    "sha256": "0" * 64,
    "document_id": "doc_x",
    "source_file": "a.pdf",
    "bytes": 1200,
    "route_counts": {"fast": 2},
    "run": 1,
}
OUTPUTS: dict[str, Any] = {
    "tree": TREE,
    "fields": [
        {"key": "No", "value": "7", "normalized": None, "value_type": "text", "evidence": {"page": 1, "block_id": "a"}}
    ],
    "semantics": {"objects": [{"type": "date", "value": "1 May", "evidence": ["a"]}]},
    "chunks": [{"text": "First", "tokens": 1, "pages": [1, 1], "section_path": ["First"], "block_ids": ["a"]}],
}


class Kept:
    """Outputs that are at hand."""

    async def read_json(self, output: str, *, redacted: bool) -> Any:
        return OUTPUTS[output]

    async def read_text(self, output: str, *, redacted: bool) -> str:
        return "# First"


class LockReader(TinyReader):
    """A file that ends with "locked" wants the word."""

    def _end(self, claim: Claim) -> None:
        assert claim.blob_sha256 is not None
        with self.store.blobs.open(claim.blob_sha256) as file:
            locked = file.read().endswith(b"locked")
        if locked and claim.options.password != WORD:
            finish(self.store, [Failed(claim=claim, error="encrypted", detail="the file wants a password")])
        else:
            super()._end(claim)


@pytest.fixture
def lock_reader(store: Store) -> Iterator[None]:
    with at_work(LockReader(store)):
        yield


async def read(ann: Person, store: Store, engine_url: str, *contents: bytes) -> list[str]:
    """Sent from the page and read: the documents' ids."""
    job = (await ann.pages.post("/api/jobs", files=files(*contents))).json()
    return await ended(ann, store, engine_url, job["id"])


async def ended(ann: Person, store: Store, engine_url: str, job_id: str) -> list[str]:
    job = (await ann.api.get(f"/v1/jobs/{job_id}?wait=60")).json()
    await asyncio.to_thread(watch, store, engine_url)
    return [document["document_id"] for document in job["documents"]]


@pytest.mark.parametrize("query", [*({"tab": tab} for tab in TABS), {"redacted": "1"}, {"page": "2", "tab": "fields"}])
async def test_dashboard_and_console_draw_a_document_from_the_same_template(query: dict[str, str]) -> None:
    view = await view_document(Kept(), ViewPlace(address="/here", outputs="/here/outputs"), FACTS, query)
    shown = [templates.get_template("viewer.html").render(view=view) for templates in (PAGES, page_rendering.PAGES)]
    assert shown[0] == shown[1]
    assert 'src="/here/outputs/pages/' in shown[0]


@pytest.mark.parametrize("page", ["3", "0", "x", "-1"])
async def test_a_page_that_is_not_there_is_not_another_one(page: str) -> None:
    with pytest.raises(NoPageToShow):
        await view_document(Kept(), ViewPlace(address="", outputs=""), FACTS, {"page": page})


@pytest.mark.usefixtures("reader")
async def test_tabs_and_downloads_are_served_for_own_documents_only(
    console: FastAPI, ann: Person, store: Store, engine_url: str
) -> None:
    (document,) = await read(ann, store, engine_url, PDF)
    here = f"/documents/{document}"
    bob = await sign_up(console, "bob@example.org")
    for tab, title in TABS.items():
        text = (await ann.pages.get(f"{here}?tab={tab}")).text
        scope = "Of this page" if tab in ("blocks", *FOLLOWING) else "Of the whole document"
        assert f'aria-current="page" title="{scope}">{title}<' in text
    menu = [part.split('"')[0] for part in text.split('<li><a href="')[1:]]
    assert f"{here}/outputs/export/markdown" in menu
    for address in (*menu, f"{here}/preview", f"{here}/preview?as=markdown"):
        assert (await ann.pages.get(address)).status_code == 200, address
        assert (await bob.pages.get(address)).status_code == 404, address
    assert (await ann.pages.get(f"{here}/outputs/original")).content == PDF
    for wrong in (f"{here}/outputs/review", f"{here}/outputs/..%2ftree", f"{here}/outputs/", f"{here}?page=2"):
        assert (await ann.pages.get(wrong)).status_code == 404, wrong


@pytest.mark.usefixtures("lock_reader")
async def test_a_locked_document_is_read_with_its_password_and_counts_once(
    console: FastAPI, ann: Person, store: Store, engine_url: str
) -> None:
    (locked,) = await read(ann, store, engine_url, LOCKED)
    page = (await ann.pages.get(f"/documents/{locked}")).text
    assert "This file needs a password" in page
    assert f'action="/documents/{locked}/unlock"' in page
    opened = locked
    for word, said in (("wrong", "Wrong password"), (WORD, "Hello")):
        form = {"csrf": await csrf_of(ann.pages), "password": word}
        answer = await ann.pages.post(f"/documents/{opened}/unlock", data=form)
        assert answer.status_code == 303
        assert (await ann.pages.get(f"/documents/{opened}")).status_code == 404
        opened = answer.headers["location"].split("/")[2].split("?")[0]
        row = store.db.fetch_one("select job_id from console_documents where document_id = %(id)s", {"id": opened})
        assert row is not None
        assert await ended(ann, store, engine_url, row["job_id"]) == [opened]
        assert said in (await ann.pages.get(answer.headers["location"])).text
    usage = (await ann.api.get("/v1/usage")).json()
    assert (usage["pages_this_month"], usage["concurrent_documents"]["in_work"]) == (1, 0)
    assert list(console.state.running.spool.list_older(-1)) == []


@pytest.mark.usefixtures("lock_reader")
async def test_unlock_is_refused_for_documents_of_others_and_for_read_documents(
    console: FastAPI, ann: Person, store: Store, engine_url: str
) -> None:
    locked, open_one = await read(ann, store, engine_url, LOCKED, PDF)
    bob = await sign_up(console, "bob@example.org")
    ours, theirs = {"csrf": await csrf_of(ann.pages)}, {"csrf": await csrf_of(bob.pages)}
    word = {"password": WORD}
    assert (await bob.pages.post(f"/documents/{locked}/unlock", data=theirs | word)).status_code == 404
    assert (await ann.pages.post(f"/documents/{locked}/unlock", data=theirs | word)).status_code == 403
    assert (await ann.pages.post(f"/documents/{open_one}/unlock", data=ours | word)).status_code == 404
    for form in (ours, ours | {"password": ""}, ours | {"password": "x" * 256}):
        answer = await ann.pages.post(f"/documents/{locked}/unlock", data=form)
        assert answer.headers["location"] == f"/documents/{locked}?again=1"
    assert (await ann.pages.get(f"/documents/{locked}")).status_code == 200
