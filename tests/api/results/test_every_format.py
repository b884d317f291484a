"""The contract of formats × operations through HTTP: one file of each format, every operation of the API on it."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from quire.actors.reader.outcome import describe
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.ports import IndexDocument, ReadOutcome
from quire.models.cdom.tree import Source, dump_tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.export import OUTPUTS
from quire.models.extract.formats.flow.document import embedded_of
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.engines.choose import make_flagger
from quire.models.redaction.redact import REDACTABLE
from quire.serve_apps.api.context.resources import ApiLimits, Ports
from quire.storage.inside.members import add_members
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from quire.storage.values.rows import Claim, Failed, Finished, MemberFile, Succeeded
from tests.actors.sandbox.test_every_format import make_files
from tests.api.harness import Eyes, TinyReader, at_work, client_of, make_resources, serving
from tests.api.results.test_originals import InProcess
from tests.api.searching import search_ports
from tests.conftest import SIGNING_KEY
from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, shape, slide
from tests.models.extract.formats.slides.decks import paragraph as words
from tests.models.extract.formats.word.docx.files import make_docx, paragraph
from tests.models.redaction.test_formats import types
from tests.postgres import TestServer
from tests.storage.scenes import put_blob

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

WORD = "needle"
MAIL = "ann.lee@example.org"
TEXT = f"{WORD} {MAIL}"


def typed_packages() -> dict[str, bytes]:
    """Packages that state what their parts are, as all but the smallest files of tests do."""
    presentation = types(
        ppt__presentation="presentationml.presentation.main", ppt__slides__slide1="presentationml.slide"
    )
    sheets = types(
        xl__workbook="spreadsheetml.sheet.main",
        xl__worksheets__sheet1="spreadsheetml.worksheet",
        xl__styles="spreadsheetml.styles",
    )
    word = types(word__document="wordprocessingml.document.main")["[Content_Types].xml"]
    return {
        "pptx": deck(slide(shape(words(TEXT))), more=presentation),
        "xlsx": workbook(sheet(f'<row r="1">{text_cell("A1", TEXT)}</row>'), more=sheets),
        "docx": make_docx(paragraph(TEXT), files={"[Content_Types].xml": str(word).encode()}),
    }


FILES = make_files(TEXT) | typed_packages()
DERIVED = tuple(output.path for output in OUTPUTS.values())
"""What is asked of every document; each shows no personal data when it is asked for redacted."""
SHOWING = frozenset(DERIVED) - {"fields", "semantics", "export/docx", "export/context"}
"""Of these, the ones that show all of the text in letters."""


@dataclass
class WholeReader(TinyReader):
    """Reads every format for real, looks for personal data, makes documents of the files inside and indexes."""

    index: IndexDocument | None = None

    def _end(self, claim: Claim) -> None:
        """A fault of this reader fails its document, so that no test waits for it for ever."""
        with self.store.blobs.open(claim.blob_sha256 or "") as file:
            data = file.read()
        try:
            ended = self._read(claim, data)
        except Exception as error:
            ended = Failed(claim=claim, error="internal", detail=repr(error))
        finish(self.store, [ended], add_members)

    def _read(self, claim: Claim, data: bytes) -> Finished:
        try:
            document = open_document(data, claim.options)
            contents = [document.read_page(number).content for number in document.facts.page_numbers]
        except ExtractError as error:
            return Failed(claim=claim, error=error.code.value, detail=error.detail or "")
        source = Source(format=document.facts.format, sha256=claim.blob_sha256 or "", bytes=len(data))
        tree = make_flagger("regex")(assemble(document.facts, contents, source=source, options=claim.options))
        outcome = ReadOutcome(tree=tree, tree_json=dump_tree(tree), embedded=embedded_of(document))
        result = describe(claim, outcome)
        row = result.finished
        assert isinstance(row, Succeeded)
        manifest = self.store.artifacts.put(claim.document_id, claim.attempt, result.artifacts)
        members = tuple(
            MemberFile(name=one.name, path=one.path, blob=put_blob(self.store, one.data)) for one in result.embedded
        )
        if self.index is not None:
            chunks = chunk_tree(tree, load_tokenizer())
            self.index.index_document((claim.scope.tenant, claim.scope.org), claim.document_id, claim.attempt, chunks)
            row = replace(row, chunks=len(chunks))
        return replace(row, manifest=manifest, members=members)


@dataclass(frozen=True)
class Shelf:
    """A job with a document of each format: `paths` by format."""

    store: Store
    client: httpx.AsyncClient
    job: str
    paths: dict[str, str]
    body: dict[str, Any]

    async def get(self, path: str, **params: Any) -> httpx.Response:
        answer = await self.client.get(path, params=params)
        assert answer.status_code == 200, (path, answer.text)
        return answer


async def submit(client: httpx.AsyncClient, contents: dict[str, bytes]) -> dict[str, Any]:
    """The job of these files, by their names, when it has ended."""
    parts = [("files", (name, data, "application/octet-stream")) for name, data in contents.items()]
    answer = await client.post("/v1/jobs", files=parts)
    assert answer.status_code == 201, answer.text
    job = answer.json()["id"]
    while (body := (await client.get(f"/v1/jobs/{job}")).json())["status"] in ("queued", "running"):
        await asyncio.sleep(0.05)
    found: dict[str, Any] = body
    return found


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shelf(postgres_server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shelf]:
    """One shelf for all tests, which leave it as it was."""
    folder = tmp_path_factory.mktemp("shelf")
    with postgres_server.database() as dsn:
        store = open_store(dsn, folder / "workdir", signing_key=SIGNING_KEY)
        try:
            async for opened in fill_shelf(store, dsn, folder):
                yield opened
        finally:
            store.close()


async def fill_shelf(store: Store, dsn: str, tmp_path: Path) -> AsyncIterator[Shelf]:
    flag = make_flagger("regex")
    with search_ports(store, tmp_path) as (searching, _):
        ports = Ports(
            search=searching.search, index_document=searching.index_document, read_once=Eyes(),
            redact_original=InProcess(store),
        )  # fmt: skip
        resources = make_resources(
            store, dsn=dsn, ports=ports, flag_tree=flag, limits=ApiLimits(max_batch_files=len(FILES))
        )
        async with serving(resources) as app, client_of(app) as client:
            with at_work(WholeReader(store, index=searching.index_document)):
                body = await submit(client, FILES)
            job = f"/v1/jobs/{body['id']}"
            own = [one for one in body["documents"] if not one.get("parent_document_id")]
            paths = {one["source_file"]: f"{job}/documents/{one['document_id']}" for one in own}
            assert paths.keys() == FILES.keys()
            yield Shelf(store, client, job, paths, body)


def shown(answer: httpx.Response) -> str:
    """The text of an answer without the backslashes of JSON and Markdown."""
    return answer.text.replace("\\", "")


async def test_outputs_of_each_format_are_served_plain_and_redacted(shelf: Shelf) -> None:
    for name, path in shelf.paths.items():
        for operation in DERIVED:
            open_, masked = (
                await shelf.get(f"{path}/{operation}"),
                await shelf.get(f"{path}/{operation}", redacted=True),
            )
            if operation in SHOWING:
                assert MAIL in shown(open_), (name, operation)
            assert MAIL not in shown(masked), (name, operation)
        tree = (await shelf.get(f"{path}/tree")).json()
        assert (await shelf.get(f"{path}/coverage")).json(), name
        assert tree["source"]["format"] == name
        assert all(block["provenance"]["path"] for block in tree["blocks"] if name != "docx"), name
        chunks = (await shelf.get(f"{path}/chunks")).json()
        assert {block for chunk in chunks for block in chunk["block_ids"]} <= {block["id"] for block in tree["blocks"]}


async def test_personal_data_of_each_format_waits_for_review_and_decisions_hold(shelf: Shelf) -> None:
    waiting = (await shelf.get(f"{shelf.job}/review")).json()
    for name, path in shelf.paths.items():
        found = [one for one in waiting if path.endswith(one["document_id"]) and one["flag"] == "pii:email"]
        assert found, name
        for decision in ("rejected", "approved"):
            for one in found:
                body = {"flag": one["flag"], "decision": decision}
                answer = await shelf.client.post(f"{path}/blocks/{one['block_id']}/review", json=body)
                assert answer.status_code == 200, name
            masked = shown(await shelf.get(f"{path}/export/markdown", redacted=True))
            assert (MAIL in masked) is (decision == "rejected"), (name, decision)


async def test_originals_are_served_unchanged_and_redacted_where_supported(shelf: Shelf) -> None:
    for name, path in shelf.paths.items():
        assert (await shelf.get(f"{path}/original")).content == FILES[name], name
        masked = await shelf.client.get(f"{path}/original", params={"redacted": "true"})
        if name in REDACTABLE:
            assert masked.status_code == 200, (name, masked.text)
            assert MAIL.encode() not in masked.content, name
        else:
            assert (masked.status_code, masked.json()["code"]) == (409, "not-redactable"), name


async def test_each_format_is_found_by_search_with_a_hit_that_resolves(shelf: Shelf) -> None:
    for name, path in shelf.paths.items():
        document = path.rsplit("/", 1)[1]
        hits = (await shelf.get("/v1/search", q=WORD, mode="fts", document_id=document)).json()
        assert hits, name
        chunks = (await shelf.get(f"{path}/chunks")).json()
        assert hits[0]["chunk_id"] in {chunk["id"] for chunk in chunks}, name


async def test_the_job_is_exported_archived_and_counted_with_every_format(shelf: Shelf) -> None:
    finetune = f"{shelf.job}/export/finetune"
    lines = (await shelf.get(finetune, style="raw", redacted=False)).text.splitlines()
    assert len(lines) >= len(FILES)
    assert MAIL not in (await shelf.get(finetune, style="raw")).text
    archive = zipfile.ZipFile(io.BytesIO((await shelf.get(f"{shelf.job}/archive")).content))
    assert {name.rpartition(".")[0] for name in archive.namelist()} >= FILES.keys()
    alone = [(await shelf.get(path.replace(shelf.job, "/v1"))).json() for path in shelf.paths.values()]
    assert {(one["source_file"], one["status"]) for one in alone} == {(name, "succeeded") for name in FILES}


async def test_each_format_is_parsed_compared_and_rated_without_being_stored(shelf: Shelf) -> None:
    for name, data in FILES.items():
        pair = {"a": ("a", data), "b": ("b", FILES["txt"])}
        compared = await shelf.client.post("/v1/compare", files=pair)
        assert compared.status_code == 200, (name, compared.text)
    parts = [("files", (name, data)) for name, data in FILES.items()]
    for at in range(0, len(parts), 10):
        rated = await shelf.client.post("/v1/evaluate", files=parts[at : at + 10])
        assert rated.status_code == 200, rated.text
        assert all(one["error"] is None for one in rated.json()["documents"]), rated.text


async def test_files_inside_mails_and_archives_have_parent_and_path(shelf: Shelf) -> None:
    mail = b"From: a@b.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nbody\n--B\n"
    mail += b"Content-Disposition: attachment; filename=r.csv\n\na;b\n1;2\n3;4\n\n--B--\n"
    outer = zipped({"in/m.eml": mail, "note.txt": b"words of a note", "broken.pdf": b"%PDF-1.4\n"})
    with at_work(WholeReader(shelf.store)):
        body = await submit(shelf.client, {"outer.zip": outer})
    by_path = {one.get("path"): one for one in body["documents"]}
    assert set(by_path) == {None, "in/m.eml", "note.txt", "broken.pdf", "1.2/r.csv"}
    ids = {path: one["document_id"] for path, one in by_path.items()}
    parents = {path: one.get("parent_document_id") for path, one in by_path.items()}
    assert parents == {None: None, "in/m.eml": ids[None], "note.txt": ids[None], "broken.pdf": ids[None],
                       "1.2/r.csv": ids["in/m.eml"]}  # fmt: skip
    assert by_path["broken.pdf"]["status"] == "failed"
    table = (await shelf.get(f"/v1/jobs/{body['id']}/documents/{ids['1.2/r.csv']}/tree")).json()
    assert table["source"]["sha256"] == sha256(b"a;b\n1;2\n3;4\n").hexdigest()
    assert table["blocks"][0]["table"]["rows"] == 3
