"""The original through HTTP: as sent for callers who may write, redacted for everybody who may read."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace

import httpx
import pytest

from quire.models.cdom.ports import RedactionRefused
from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.redact import redact_original
from quire.serve_apps.api.context.resources import Ports
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Claim, Succeeded
from tests.api.harness import TinyReader, at_work, client_of, files, make_resources, serving
from tests.models.redaction.papers import SECRET, everything, in_text, read


class ScanningReader(TinyReader):
    """Reads for real and looks for personal data."""

    def _end(self, claim: Claim) -> None:
        with self.store.blobs.open(claim.blob_sha256 or "") as file:
            tree = read(file.read())
        tree = replace(tree, source=replace(tree.source, sha256=claim.blob_sha256 or ""))
        made = dump_tree(flag_tree(tree, RegexDetector()))
        manifest = self.store.artifacts.put(claim.document_id, claim.attempt, {"tree.json": made})
        finish(self.store, [Succeeded(claim=claim, manifest=manifest, format="pdf", pages=1, route_counts={"fast": 1})])


class InProcess:
    """The port without a sandbox."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def redact_original(
        self, blob_key: str, tree: bytes, decisions: Mapping[tuple[str, str, int], str], password: str | None
    ) -> bytes:
        with self._store.blobs.open(blob_key) as file:
            try:
                return redact_original(file.read(), load_tree(tree), decisions, read, password)
            except RedactionUnproven as error:
                raise RedactionRefused(error.code, str(error)) from None


async def send(caller: httpx.AsyncClient, data: bytes) -> str:
    body = (await caller.post("/v1/parse", files=files(data, part="file"))).json()
    return f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}"


async def test_a_redacted_file_is_given_to_readers_the_original_to_writers(store: Store, dsn: str) -> None:
    resources = make_resources(store, dsn=dsn, ports=Ports(redact_original=InProcess(store)))
    original = in_text()
    async with serving(resources) as app, client_of(app) as writer, client_of(app, "acme-read") as reader:
        with at_work(ScanningReader(store)):
            path = await send(writer, original)
        raw = await writer.get(f"{path}/original")
        refused = await reader.get(f"{path}/original")
        clean = await reader.get(f"{path}/original", params={"redacted": "true"})
        (block,) = [one for one in (await writer.get(f"{path}/tree")).json()["blocks"] if one["flags"]]
        decision = {"flag": "pii:email", "decision": "rejected"}
        await writer.post(f"{path}/blocks/{block['id']}/review", json=decision)
        kept = await reader.get(f"{path}/original", params={"redacted": "true"})
    assert (raw.status_code, raw.content) == (200, original)
    assert "0.pdf" in raw.headers["content-disposition"]
    assert refused.status_code == 403
    assert (clean.status_code, clean.headers["content-type"]) == (200, "application/pdf")
    assert "0.pdf" not in clean.headers["content-disposition"]
    assert SECRET not in everything(clean.content)
    assert SECRET in everything(kept.content)


async def test_unproven_redaction_is_refused_and_a_deleted_original_is_reported(
    store: Store, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = make_resources(store, dsn=dsn, ports=Ports(redact_original=InProcess(store)))
    monkeypatch.setattr("quire.models.redaction.pdf.redact.remove_values", lambda *_: set())
    async with serving(resources) as app, client_of(app) as caller:
        with at_work(ScanningReader(store)):
            path = await send(caller, in_text())
        unproven = await caller.get(f"{path}/original", params={"redacted": "true"})
        assert (unproven.status_code, unproven.json()["code"]) == (409, "redaction-unproven")
        with store.db.transaction() as conn:
            conn.execute("update documents set sha256 = null")
        gone = await caller.get(f"{path}/original")
        assert (gone.status_code, gone.json()["code"]) == (409, "original-missing")


async def test_original_of_a_failed_document_is_served(store: Store, dsn: str) -> None:
    content = b"\0\1 no document"
    async with serving(make_resources(store, dsn=dsn)) as app, client_of(app) as writer:
        with at_work(TinyReader(store)):
            sent = (await writer.post("/v1/jobs", files=files(content))).json()
            job = (await writer.get(f"/v1/jobs/{sent['id']}?wait=60")).json()
        document = job["documents"][0]["document_id"]
        answer = await writer.get(f"/v1/jobs/{job['id']}/documents/{document}/original")
        assert (job["status"], answer.status_code, answer.content) == ("failed", 200, content)
        assert answer.headers["content-disposition"].startswith("attachment")
        other = (await writer.post("/v1/jobs", files=files(b"%PDF"))).json()["id"]
        assert (await writer.get(f"/v1/jobs/{other}/documents/{document}/original")).status_code == 404
        assert (await writer.delete(f"/v1/documents/{document}")).status_code == 204
        assert (await writer.get(f"/v1/jobs/{job['id']}/documents/{document}/original")).status_code == 404


async def test_archive_holds_redacted_files_and_records_them(store: Store, dsn: str) -> None:
    resources = make_resources(store, dsn=dsn, ports=Ports(redact_original=InProcess(store)))
    async with serving(resources) as app, client_of(app) as writer, client_of(app, "acme-read") as reader:
        with at_work(ScanningReader(store)):
            path = await send(writer, in_text())
        archive = await reader.get(
            f"{path.split('/documents')[0]}/archive", params={"redacted": "true", "include": "original"}
        )
    with zipfile.ZipFile(io.BytesIO(archive.content)) as packed:
        assert packed.namelist() == ["originals/document-00001.pdf", "contents.json"]
        clean = packed.read("originals/document-00001.pdf")
    assert clean.startswith(b"%PDF")
    assert SECRET not in everything(clean)
    acts = [row["action"] for row in store.db.fetch_all("select action from audit order by entry")]
    assert acts.count("original.redacted") == 1
