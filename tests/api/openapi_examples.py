"""`python -m tests.api.openapi_examples`: one real call of each operation, kept for the API's description.

Each call goes to the whole API in this process. Answers are cut to two items a list, ids and times are replaced by
fixed ones.
"""

import asyncio
import json
import re
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from quire.actors.sql.runner import SqlRunner
from quire.models.export import OUTPUTS
from quire.serve_apps.access.default_token import DefaultToken
from quire.serve_apps.api.app import list_operations
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.api.examples import FILE
from quire.storage.objects.bucket import open_uploads
from quire.storage.store import Store, open_store
from quire.storage.targets.contract import TargetSettings
from quire.storage.targets.opening import TargetKinds
from tests.api.harness import PNG, TREE, Sink, at_work, client_of, serving
from tests.api.searching import search_ports
from tests.postgres import test_server
from tests.ui.papers import FLAGGER, LetterReader, letter_resources, write_letter

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
BUCKET = "https://bucket.example.com"
MOST_ITEMS, MOST_CHARS, MOST_TEXT = 2, 160, 700
SCHEMA = {"type": "object", "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}}}
_ID = re.compile(r"\b(job|doc|evt|whk|dlv|src|tgt|act|wrk)_[a-z2-7]{26}\b")
_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")

IDS = {(operation.method, operation.path): id for id, operation in list_operations().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """Ids of a letter, a report with a table, a letter with extracted values, and two versions of an ingested tree."""

    letter: dict[str, str]
    report: dict[str, str]
    extracted: dict[str, str]
    ingested: str
    earlier: str


class Vectors(Sink):
    """Takes the settings of a database and stores nothing there."""

    def __init__(self, settings: TargetSettings) -> None:
        settings.text("url")


class Recorder:
    """Calls operations and keeps what was sent and answered, by operation id."""

    def __init__(self, client: httpx.AsyncClient, written_as: Mapping[str, str]) -> None:
        """`written_as`: texts of this run and what stands for them in the examples."""
        self._client, self._written_as = client, written_as
        self._names: dict[str, str] = {}
        self.examples: dict[str, Any] = {}

    async def call(
        self, method: str, path: str, ids: Mapping[str, str] | None = None, *, status: int = 200, **sent: Any
    ) -> Any:
        """Call one operation and return its JSON answer, if it has one.

        Args:
            method: HTTP method.
            path: Path with names in braces.
            ids: Values of these names.
            status: Expected status.
            sent: `params`, `json`, `data` and `files` of httpx; files are names with their content.
        """
        parts = [(part, (name, content)) for part, name, content in sent.pop("files", ())]
        answer = await self._client.request(method, path.format(**ids or {}), **sent, files=parts or None)
        assert answer.status_code == status, (method, path, answer.status_code, answer.text)
        example: dict[str, Any] = {"status": status}
        if ids:
            example["path"] = dict(ids)
        example |= {key: value for key, value in sent.items() if value}
        if parts:
            example["files"] = [[part, name] for part, (name, _) in parts]
        kind = answer.headers.get("content-type", "").partition(";")[0]
        value = answer.json() if kind == "application/json" and answer.content else None
        if answer.content:
            example["type"] = kind
            if value is not None:
                example["answer"] = shorten(value)
            elif kind.startswith("text/") or kind == "application/x-ndjson":
                example["answer"] = cut(answer.text)
        self.examples[IDS[method, path]] = json.loads(self._plain(json.dumps(example)))
        return value

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Keep no examples of the calls in this block."""
        kept = self.examples
        self.examples = {}
        try:
            yield
        finally:
            self.examples = kept

    def _plain(self, text: str) -> str:
        """Return `text` with ids and times that are the same in each run."""
        for actual, shown in self._written_as.items():
            text = text.replace(actual, shown)
        text = _ID.sub(lambda found: self._name(found[0], found[1]), text)
        return _UUID.sub("00000000-0000-4000-8000-000000000000", _TIME.sub("2026-11-27T09:30:00Z", text))

    def _name(self, found: str, kind: str) -> str:
        number = sum(name.startswith(kind) for name in self._names)
        letter = "abcdefghijklmnopqrstuvwxyz"[number % 26]
        return self._names.setdefault(found, f"{kind}_" + letter * 26)


def shorten(value: Any) -> Any:
    """Return a JSON value with the first items of its lists and the first characters of its texts."""
    if isinstance(value, dict):
        return {key: shorten(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shorten(inner) for inner in value[:MOST_ITEMS]] if not all_numbers(value) else value
    return value[:MOST_CHARS] + "…" if isinstance(value, str) and len(value) > MOST_CHARS else value


def all_numbers(values: list[Any]) -> bool:
    """Return whether the list is a short one of numbers, such as a box."""
    return len(values) <= 4 and all(isinstance(value, int | float) for value in values)


def cut(text: str) -> str:
    """Return the first lines of a text."""
    lines, size = [], 0
    for line in text.splitlines():
        lines.append(line[:MOST_TEXT])
        size += len(line)
        if size > MOST_TEXT:
            return "\n".join([*lines, "…"])
    return "\n".join(lines)


async def record(store: Store, dsn: str, folder: Path) -> dict[str, Any]:
    """Return an example of each operation, by its id."""
    sources = folder / "invoices"
    sources.mkdir()
    (sources / "invoice-0815.pdf").write_bytes(SAMPLE.read_bytes())
    written_as = {str(sources): "/data/invoices", "http://8.8.8.8": "https://hooks.example.com", '"sink"': '"postgres"'}
    with search_ports(store, folder) as (ports, _):
        token = DefaultToken("the token of this service")
        signing = {"endpoint": BUCKET, "aws_access_key_id": "id", "aws_secret_access_key": "none"}
        store = replace(store, uploads=open_uploads("s3://quire", region="us-east-1", **signing))
        resources = letter_resources(
            store,
            ports,
            flag_tree=FLAGGER,
            dsn=dsn,
            default_token=token,
            limits=ApiLimits(metrics=True),
            targets=TargetKinds(plugged={"sink": Vectors}),
        )
        resources = replace(resources, ports=replace(resources.ports, sql=SqlRunner()))
        async with serving(resources) as app, client_of(app, "acme-admin") as client:
            recorder = Recorder(client, written_as)
            with at_work(LetterReader(store)):
                ids = await _documents(recorder)
            await _outputs(recorder, ids)
            await _questions(recorder, ids)
            await _review(recorder, ids)
            await _schemas(recorder, ids)
            await _webhooks_and_sources(recorder, sources)
            await _operating(recorder)
            await _ends(recorder, ids)
    return {name: recorder.examples[name] for name in IDS.values() if name in recorder.examples}


def quotation(amount: str) -> dict[str, Any]:
    """The least a tree from outside may hold, with an amount."""
    text = {"id": "p", "type": "paragraph", "page": 1, "text": f"Parts: {amount} euro", "parent": "h"}
    return TREE | {"source": {"name": "quotation.epub", "format": "epub"}, "blocks": [TREE["blocks"][0], text]}


async def _documents(recorder: Recorder) -> Ids:
    """Call what brings documents in, and return ids of the documents for other calls."""
    letter, report = write_letter(815, 1), SAMPLE.read_bytes()
    sent: dict[str, Any] = {"files": [("files", "letter.pdf", letter)], "data": {"metadata": '{"batch": "May"}'}}
    job_id = (await recorder.call("POST", "/v1/jobs", status=201, **sent))["id"]
    await recorder.call("GET", "/v1/jobs/{job_id}", {"job_id": job_id}, params={"wait": 30})
    await recorder.call("GET", "/v1/jobs/{job_id}/events", {"job_id": job_id})
    document = (await recorder.call("GET", "/v1/jobs/{job_id}/documents", {"job_id": job_id}))[0]
    parsed = await recorder.call("POST", "/v1/parse", files=[("file", "report.pdf", report)])
    ingested = await recorder.call("POST", "/v1/ingest", status=201, json={"tree": quotation("640")})
    await recorder.call("POST", "/v1/uploads", status=201, json={"name": "plans.pdf", "bytes": 48_213_991})
    with recorder.unseen():
        earlier = await recorder.call("POST", "/v1/ingest", status=201, json={"tree": quotation("590")})
        broken = await recorder.call("POST", "/v1/jobs", status=201, files=[("files", "notes.bin", b"nothing")])
        await recorder.call("GET", "/v1/jobs/{job_id}", {"job_id": broken["id"]}, params={"wait": 30})
        form = {"extract_schema": json.dumps(SCHEMA)}
        with_schema = await recorder.call("POST", "/v1/parse", files=[("file", "letter.pdf", letter)], data=form)
    failed = {"job_id": broken["id"], "document_id": broken["pending"][0]["document_id"]}
    await recorder.call("GET", "/v1/dead-letters")
    requeue = "/v1/jobs/{job_id}/documents/{document_id}/requeue"
    await recorder.call("POST", requeue, failed, status=201, json={"password": "open sesame"})
    await recorder.call("GET", "/v1/jobs", params={"limit": 2})
    await recorder.call("GET", "/v1/documents", params={"limit": 2})
    await recorder.call("GET", "/v1/documents/counts", params={"type": "pdf"})
    return Ids(
        letter={"job_id": job_id, "document_id": document["document_id"]},
        report={"job_id": parsed["job"]["id"], "document_id": parsed["tree"]["document_id"]},
        extracted={"job_id": with_schema["job"]["id"], "document_id": with_schema["tree"]["document_id"]},
        ingested=ingested["documents"][0]["document_id"],
        earlier=earlier["documents"][0]["document_id"],
    )


async def _outputs(recorder: Recorder, ids: Ids) -> None:
    """Call what is made of one document or of some."""
    document, alone = "/v1/jobs/{job_id}/documents/{document_id}", {"document_id": ids.letter["document_id"]}
    await recorder.call("GET", "/v1/documents/{document_id}", alone)
    for output in (*(output.path for output in OUTPUTS.values()), "coverage", "original"):
        await recorder.call("GET", f"{document}/{output}", ids.letter)
    await recorder.call("GET", f"{document}/tables", ids.report, params={"format": "csv"})
    await recorder.call("GET", f"{document}/pages/{{page}}", ids.letter | {"page": "1"}, params={"dpi": 100})
    await recorder.call("GET", f"{document}/pages/{{page}}/flags", ids.letter | {"page": "1"})
    await recorder.call("GET", f"{document}/extracted", ids.extracted)
    asset = {"asset_path": "p1-0.png"}
    with recorder.unseen():
        picture = {"id": "b0", "type": "picture", "page": 1, "text": "", "asset_ref": "p1-0.png"}
        sent = {"tree": TREE | {"blocks": [picture]}, "assets": {"p1-0.png": b64encode(PNG).decode()}}
        job = await recorder.call("POST", "/v1/ingest", status=201, json=sent)
    placed = {"job_id": job["id"], "document_id": job["documents"][0]["document_id"]}
    await recorder.call("GET", f"{document}/assets/{{asset_path}}", placed | asset)
    of_job = {"job_id": ids.letter["job_id"]}
    await recorder.call("GET", "/v1/jobs/{job_id}/export/finetune", of_job, params={"style": "chat"})
    await recorder.call("GET", "/v1/jobs/{job_id}/archive", of_job, params={"include": "markdown,chunks"})
    chosen = {"document_id": [ids.letter["document_id"], ids.report["document_id"]]}
    await recorder.call("GET", "/v1/archive", params=chosen)
    await recorder.call("GET", "/v1/documents/tables.parquet", params=chosen)
    since = {"since": ids.earlier}
    await recorder.call("GET", "/v1/documents/{document_id}/changes", {"document_id": ids.ingested}, params=since)
    access = {"principals": ["group:sales", "ann@example.com"]}
    await recorder.call("PUT", "/v1/documents/{document_id}/principals", alone, json=access)
    with recorder.unseen():
        await recorder.call("PUT", "/v1/documents/{document_id}/principals", alone, json={"principals": None})


async def _questions(recorder: Recorder, ids: Ids) -> None:
    """Call what answers questions, about stored documents and about files that are not kept."""
    letter, report = write_letter(815, 1), SAMPLE.read_bytes()
    await recorder.call("GET", "/v1/search", params={"q": "brake linings of crane 3", "limit": 2})
    await recorder.call("GET", "/v1/sql/catalog", params={"document_id": ids.report["document_id"]})
    sql = {"sql": "select label, number, cite from cells where number > 10 limit 2"}
    await recorder.call("POST", "/v1/sql", json=sql | {"document_ids": [ids.report["document_id"]]})
    sent = [("a", "letter-1.pdf", letter), ("b", "letter-2.pdf", write_letter(816, 1))]
    await recorder.call("POST", "/v1/compare", files=sent)
    await recorder.call("POST", "/v1/evaluate", files=[("files", "report.pdf", report)])
    form = {"schema": json.dumps(SCHEMA)}
    await recorder.call("POST", "/v1/extract", files=[("file", "letter.pdf", letter)], data=form)


async def _review(recorder: Recorder, ids: Ids) -> None:
    """Call what reviewers use."""
    await recorder.call("GET", "/v1/review", params={"limit": 2})
    await recorder.call("GET", "/v1/review/counts")
    await recorder.call("GET", "/v1/review/documents")
    job = {"job_id": ids.letter["job_id"]}
    [flagged] = await recorder.call("GET", "/v1/jobs/{job_id}/review", job)
    block = "/v1/jobs/{job_id}/documents/{document_id}/blocks/{block_id}/review"
    decision = {"flag": flagged["flag"], "decision": "approved"}
    decided = await recorder.call("POST", block, ids.letter | {"block_id": flagged["block_id"]}, json=decision)
    await recorder.call("DELETE", "/v1/review/{act}", {"act": decided["act"]})
    await recorder.call("POST", "/v1/jobs/{job_id}/review", job, json={"decision": "approved"})
    reading = "/v1/jobs/{job_id}/documents/{document_id}/review"
    await recorder.call("POST", reading, ids.letter, json={"decision": "seen"})


async def _schemas(recorder: Recorder, ids: Ids) -> None:
    """Call what keeps schemas."""
    bill = {"name": "bill"}
    await recorder.call("POST", "/v1/schemas", status=201, json={"name": "bill", "schema": SCHEMA})
    await recorder.call("GET", "/v1/schemas")
    await recorder.call("GET", "/v1/schemas/{name}", bill)
    place = {"document_id": ids.ingested, "path": "/total", "block_id": "b1", "text": "640"}
    taught = await recorder.call("POST", "/v1/schemas/{name}/corrections", bill, status=201, json=place)
    label = {"path": "/total", "label": taught["label"]}
    await recorder.call("DELETE", "/v1/schemas/{name}/labels", bill, status=204, params=label)
    await recorder.call("DELETE", "/v1/schemas/{name}", bill, status=204)


async def _webhooks_and_sources(recorder: Recorder, folder: Path) -> None:
    """Call what connects other systems."""
    hook = await recorder.call("POST", "/v1/webhooks", status=201, json={"url": "http://8.8.8.8/quire"})
    of_hook = {"webhook_id": hook["id"]}
    await recorder.call("GET", "/v1/webhooks")
    delivery = await recorder.call("POST", "/v1/webhooks/{webhook_id}/test", of_hook, status=202)
    await recorder.call("GET", "/v1/webhooks/deliveries")
    again = "/v1/webhooks/deliveries/{delivery_id}/redeliver"
    await recorder.call("POST", again, {"delivery_id": delivery["id"]}, status=202)
    await recorder.call("POST", "/v1/webhooks/{webhook_id}/rotate", of_hook)
    await recorder.call("POST", "/v1/webhooks/{webhook_id}/enable", of_hook)
    await recorder.call("DELETE", "/v1/webhooks/{webhook_id}", of_hook, status=204)
    vectors = {"kind": "sink", "name": "vectors", "settings": {"url": "postgresql://quire@db.example.com/rag"}}
    target = await recorder.call("POST", "/v1/targets", status=201, json=vectors)
    await recorder.call("POST", "/v1/targets/check", status=204, json=vectors)
    of_target = {"target_id": target["id"]}
    await recorder.call("GET", "/v1/targets")
    await recorder.call("GET", "/v1/targets/{target_id}", of_target)
    await recorder.call("POST", "/v1/targets/{target_id}/backfill", of_target, status=202)
    await recorder.call("GET", "/v1/targets/{target_id}/dead-letters", of_target)
    await recorder.call("POST", "/v1/targets/{target_id}/retry", of_target, status=202)
    await recorder.call("PATCH", "/v1/targets/{target_id}", of_target, json={"paused": True})
    await recorder.call("DELETE", "/v1/targets/{target_id}", of_target, status=204)
    place = {"path": str(folder), "include": ["*.pdf"]}
    source = await recorder.call("POST", "/v1/sources", status=201, json=place)
    await recorder.call("POST", "/v1/sources/check", status=204, json=place)
    of_source = {"source_id": source["id"]}
    await recorder.call("GET", "/v1/sources")
    await recorder.call("POST", "/v1/sources/{source_id}/sync", of_source)
    await recorder.call("GET", "/v1/sources/{source_id}", of_source)
    await recorder.call("DELETE", "/v1/sources/{source_id}", of_source, status=204)


async def _operating(recorder: Recorder) -> None:
    """Call what operators read."""
    for path in ("/v1/health", "/v1/stats", "/v1/license", "/v1/usage", "/v1/token", "/metrics"):
        await recorder.call("GET", path)
    await recorder.call("GET", "/v1/audit", params={"limit": 2})


async def _ends(recorder: Recorder, ids: Ids) -> None:
    """Call what takes documents away."""
    await recorder.call("POST", "/v1/erasure", json={"value": "person815.0@example.org"})
    await recorder.call("DELETE", "/v1/documents/{document_id}", {"document_id": ids.ingested}, status=204)
    with recorder.unseen():
        waiting = await recorder.call("POST", "/v1/jobs", status=201, files=[("files", "letter.pdf", write_letter())])
    job = {"job_id": waiting["id"]}
    await recorder.call("POST", "/v1/jobs/{job_id}/cancel", job)
    await recorder.call("DELETE", "/v1/jobs/{job_id}", job, status=204)


def main() -> int:
    """Record the examples and write their file."""
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        examples = asyncio.run(record(store, dsn, Path(folder)))
        store.close()
    FILE.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(examples)} of {len(IDS)} operations; without: {set(IDS.values()) - set(examples)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
