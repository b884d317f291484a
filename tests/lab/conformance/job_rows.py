"""Jobs and documents: intake, states, lists, deletes."""

import asyncio
import json
from base64 import b64encode
from io import BytesIO
from typing import Any

from PIL import Image

from tests.lab.conformance.probe import (
    BROKEN,
    SAMPLE,
    TREE,
    UNKNOWN,
    UNKNOWN_DOCUMENT,
    Probe,
    answers,
    members,
    place_of,
    problem,
    row,
)
from tests.waiting import PATIENCE_S

JOB = "id status documents pending counts created_at started_at finished_at pages_done pages_total"
RESULT = "document_id source_file status error format pages bytes sha256 attempts run chunks route_counts confidence"


@row("4 jobs", "POST /v1/parse: 200 with job and tree inline")
async def parse(probe: Probe) -> None:
    body = (await probe.parse(SAMPLE.read_bytes(), timeout_s=120)).json()
    probe.job = body["job"]
    assert body["tree"]["blocks"], "no blocks"
    assert probe.job["status"] == "succeeded", probe.job["status"]


@row("4 jobs", "POST /v1/parse: 202 with a job id after timeout_s, to be polled")
async def parse_later(probe: Probe) -> None:
    answer = await probe.parse_without_waiting()
    job_id = answer.json()["job_id"]
    assert answer.headers["location"].endswith(job_id)
    assert (await probe.finished(job_id))["id"] == job_id
    await probe.ask("DELETE", f"/v1/jobs/{job_id}", 204)


@row("4 jobs", "POST /v1/parse: unsupported file is 422")
async def parse_unsupported(probe: Probe) -> None:
    problem(await probe.parse(b"\x00\x01 nothing", 422), "unsupported-format")


@row("4 jobs", "POST /v1/parse: pages that select nothing are 422 no-such-page")
async def parse_no_page(probe: Probe) -> None:
    part = {"file": (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")}
    answer = await probe.ask("POST", "/v1/parse", 422, files=part, data={"pages": "9999"}, params={"timeout_s": 120})
    problem(answer, "no-such-page")


@row("4 jobs", "POST /v1/parse: timeout_s beyond its bounds is 422; the default is 55 s")
async def parse_bounds(probe: Probe) -> None:
    for text in ("-1", "601", "nan", "x"):
        await probe.parse(SAMPLE.read_bytes(), 422, timeout_s=text)
    description = (await probe.get("/openapi.json")).json()["paths"]["/v1/parse"]["post"]["parameters"]
    assert next(one for one in description if one["name"] == "timeout_s")["schema"]["default"] == 55.0


@row("4 jobs", "POST /v1/jobs: 201, queued, documents empty")
async def submit(probe: Probe) -> None:
    answer = await probe.submit(SAMPLE.read_bytes())
    job = answer.json()
    assert (job["status"], job["documents"]) == ("queued", []), f"{job['status']} {job['documents']}"
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    probe.kept["job"] = job["id"]


@row("2 resources", "Job: every member; its documents once they are finished")
async def job_members(probe: Probe) -> None:
    job = await probe.finished(probe.kept["job"])
    members(job, JOB)
    members(job["documents"][0], RESULT)


@row("4 jobs", "POST /v1/jobs: several files are one job")
async def batch(probe: Probe) -> None:
    job = (await probe.submit(SAMPLE.read_bytes(), SAMPLE.read_bytes() + b"\n")).json()
    ended = await probe.finished(job["id"])
    assert len(ended["documents"]) == 2, str(len(ended["documents"]))
    probe.kept["batch"] = ended


@row("8 limits", "POST /v1/jobs: a batch over its cap is 413 (10 files by default)")
async def too_many(probe: Probe) -> None:
    problem(await probe.submit(*[b"%PDF-1.4\n"] * 201, expected=413), "too-many-files")


@row("4 jobs", "POST /v1/jobs: no file, an empty file, another content type are 422")
async def wrong_uploads(probe: Probe) -> None:
    await probe.ask("POST", "/v1/jobs", 422, files=[("other", ("a", b"x", "text/plain"))])
    await probe.submit(b"", expected=422)
    await probe.ask("POST", "/v1/jobs", 422, content=b"x", headers={"Content-Type": "text/plain"})


@row("8 limits", "a file over the upload cap is 413, on jobs and on parse")
async def too_large(probe: Probe) -> None:
    cap = probe.kept.get("max_upload_bytes", 50 * 1_000_000 + (4 << 20))
    large = SAMPLE.read_bytes() + b"\0" * cap
    problem(await probe.submit(large, expected=413), "upload-too-large")
    problem(await probe.parse(large, 413), "upload-too-large")


@row("3 states", "some succeeded, some failed: partial, each with its status and error")
async def partial(probe: Probe) -> None:
    job = await probe.finished((await probe.submit(SAMPLE.read_bytes(), b"\x00\x01 nothing")).json()["id"])
    found = {document["status"]: document["error"] for document in job["documents"]}
    assert (job["status"], found) == ("partial", {"succeeded": None, "failed": "unsupported-format"}), str(found)
    probe.kept["partial"] = job


@row("3 states", "all failed: failed; it is among the dead letters")
async def dead(probe: Probe) -> None:
    job = await probe.finished((await probe.submit(b"\x00\x01 nothing")).json()["id"])
    assert job["status"] == "failed", job["status"]
    letters = (await probe.get("/v1/dead-letters", limit=1000)).json()
    letter = next(one for one in letters if one["job_id"] == job["id"])
    members(letter, "job_id document_id source_file error error_detail attempts failed_at")
    probe.kept["failed"] = job


@row("3 states", "POST requeue: 201 with the job, the document is read again")
async def requeue(probe: Probe) -> None:
    job = probe.kept["failed"]
    again = (await probe.ask("POST", f"{place_of(job)}/requeue", 201)).json()
    assert again["id"] == job["id"], "another job"
    ended = await probe.finished(job["id"])
    assert (ended["documents"][0]["run"], ended["documents"][0]["error"]) == (2, "unsupported-format")


@row("3 states", "POST requeue of what did not fail is 409; of the unknown 404")
async def requeue_refused(probe: Probe) -> None:
    await probe.ask("POST", f"{probe.document}/requeue", 409)
    await probe.ask("POST", f"/v1/jobs/{UNKNOWN}/documents/{UNKNOWN_DOCUMENT}/requeue", 404)


@row("3 states", "DELETE of a running job is 409 and changes nothing")
async def delete_running(probe: Probe) -> None:
    files = [SAMPLE.read_bytes()] * 8
    for _ in range(5):
        job = (await probe.submit(*files)).json()
        answer = await probe.http.delete(f"/v1/jobs/{job['id']}")
        if answer.status_code == 409:
            ended = await probe.finished(job["id"])
            assert len(ended["documents"]) == len(files), "documents are missing"
        await probe.finished_and_gone(job["id"])
        if answer.status_code == 409:
            return
    raise AssertionError("every one of five jobs had ended before it was deleted")


@row("4 jobs", "GET /v1/jobs: most recent first, with their documents")
async def listed(probe: Probe) -> None:
    jobs = (await probe.get("/v1/jobs", limit=1000)).json()
    times = [job["created_at"] for job in jobs]
    assert times == sorted(times, reverse=True), "another order"
    mine = next(job for job in jobs if job["id"] == probe.job["id"])
    assert mine["documents"], "documents: []"


@row("4 jobs", "GET /v1/jobs: X-Next-Cursor leads on and is absent on the last page")
async def paged(probe: Probe) -> None:
    first = await probe.get("/v1/jobs", limit=1)
    second = await probe.get("/v1/jobs", limit=1000, cursor=first.headers["x-next-cursor"])
    assert first.json()[0]["id"] not in [job["id"] for job in second.json()]
    assert len(second.json()) == 1000 or "x-next-cursor" not in second.headers


@row("4 jobs", "GET /v1/jobs?status= filters; an unknown status is 422")
async def filtered(probe: Probe) -> None:
    for status in ("succeeded", "failed", "partial"):
        jobs = (await probe.get("/v1/jobs", status=status, limit=1000)).json()
        assert {job["status"] for job in jobs} == {status}, status
    await probe.get("/v1/jobs", 422, status="lost")


answers("4 jobs", "GET /v1/jobs/{job_id}", "{job}", kind=dict)
answers("7 errors", "GET of an unknown job is 404", f"/v1/jobs/{UNKNOWN}", 404)
answers("7 errors", "GET of a malformed id is 404", "/v1/jobs/nonsense", 404)


@row("4 jobs", "GET /v1/documents and /v1/documents/{id}")
async def documents(probe: Probe) -> None:
    document = probe.job["documents"][0]["document_id"]
    assert (await probe.get(f"/v1/documents/{document}")).json()["job_id"] == probe.job["id"]
    listed = (await probe.get("/v1/documents", job_id=probe.job["id"])).json()
    assert [one["document_id"] for one in listed] == [document]


@row("4 jobs", "DELETE /v1/documents/{id}: 204; its outputs are 404, the job stays")
async def delete_document(probe: Probe) -> None:
    job = probe.kept["batch"]
    place = place_of(job)
    await probe.ask("DELETE", f"/v1/documents/{job['documents'][0]['document_id']}", 204)
    await probe.get(f"{place}/tree", 404)
    await probe.get(f"{place}/pages/1", 404)
    shown = (await probe.get(f"/v1/jobs/{job['id']}")).json()
    assert sum(document["deleted_at"] is not None for document in shown["documents"]) == 1
    await probe.ask("DELETE", f"/v1/documents/{UNKNOWN_DOCUMENT}", 404)


@row("4 jobs", "DELETE /v1/jobs/{job_id}: 204, then 404 on every route of it")
async def delete_job(probe: Probe) -> None:
    job = probe.kept["batch"]
    await probe.ask("DELETE", f"/v1/jobs/{job['id']}", 204)
    for path in ("", "/review", "/export/finetune"):
        await probe.get(f"/v1/jobs/{job['id']}{path}", 404)
    await probe.ask("DELETE", f"/v1/jobs/{job['id']}", 404)


@row("4 jobs", "POST /v1/ingest: 201, a finished job; its own PII scan, its assets")
async def ingest(probe: Probe) -> None:
    picture = BytesIO()
    Image.new("RGB", (4, 4), "red").save(picture, "PNG")
    probe.kept["asset"] = picture.getvalue()
    assets = {"dot.png": b64encode(picture.getvalue()).decode()}
    body = {"tree": TREE, "assets": assets, "source_bytes": b64encode(SAMPLE.read_bytes()).decode()}
    probe.made = (await probe.ask("POST", "/v1/ingest", 201, json=body)).json()
    assert probe.made["status"] == "succeeded", probe.made["status"]
    assert probe.made["documents"][0]["source_file"] == "conformance.tree"
    members(probe.made["documents"][0], RESULT)


@row("4 jobs", "POST /v1/ingest: semantics are served as they came, redacted anew")
async def ingest_semantics(probe: Probe) -> None:
    own: dict[str, Any] = {"objects": [{"id": "o", "type": "made", "value": "up", "evidence": ["p"]}]}
    tree = TREE | {"blocks": TREE["blocks"][:-1]}
    job = (await probe.ask("POST", "/v1/ingest", 201, json={"tree": tree, "semantics": own})).json()
    served = (await probe.get(f"{place_of(job)}/semantics")).json()
    assert [one["type"] for one in served["objects"]] == ["made"]
    await probe.ask("DELETE", f"/v1/jobs/{job['id']}", 204)


@row("4 jobs", "POST /v1/ingest: without a tree, with a broken one, as no JSON: 422")
async def ingest_refused(probe: Probe) -> None:
    for body in (b"{}", b"[]", b"{", json.dumps({"tree": {"cdom_version": "2"}}).encode()):
        await probe.ask("POST", "/v1/ingest", 422, content=body, headers={"Content-Type": "application/json"})


@row("4 ephemeral", "POST /v1/compare: a diff of two files; nothing is stored")
async def compare(probe: Probe) -> None:
    before = len((await probe.get("/v1/jobs", limit=1000)).json())
    part = (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")
    body = (await probe.ask("POST", "/v1/compare", 200, files=[("a", part), ("b", part)])).json()
    members(body["summary"], "added removed modified unchanged")
    assert body["summary"]["unchanged"] > 0, "nothing is unchanged"
    assert len((await probe.get("/v1/jobs", limit=1000)).json()) == before, "a job was made"


@row("4 ephemeral", "POST /v1/compare: an unsupported file is 422, one file too")
async def compare_refused(probe: Probe) -> None:
    good, bad = (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf"), ("b.bin", b"\x00\x01 nothing", "x/y")
    problem(await probe.ask("POST", "/v1/compare", 422, files=[("a", good), ("b", bad)]), "unsupported-format")
    await probe.ask("POST", "/v1/compare", 422, files=[("a", good)])


@row("4 ephemeral", "POST /v1/evaluate: a quality report per document and an aggregate; html")
async def evaluate(probe: Probe) -> None:
    good, bad = (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf"), ("b.bin", b"\x00\x01 nothing", "x/y")
    body = (await probe.ask("POST", "/v1/evaluate", 200, files=[("files", good), ("files", bad)])).json()
    for document in body["documents"]:
        members(document, "source_file format status error pages tables fields ocr_pages confidence flags")
    assert [document["status"] for document in body["documents"]] == ["succeeded", "failed"]
    assert body["aggregate"], "no aggregate"
    page = await probe.ask("POST", "/v1/evaluate", 200, files=[("files", good)], params={"format": "html"})
    assert page.headers["content-type"].startswith("text/html")
    other = await probe.ask("POST", "/v1/evaluate", 200, files=[("files", good)], params={"format": "xml"})
    assert other.json()["documents"], "anything else is JSON"


@row("4 additions", "Idempotency-Key: replayed as first given, marked; other content is 409")
async def idempotent(probe: Probe) -> None:
    key = {"Idempotency-Key": f"conformance-{probe.job['id']}"}
    parts = [("files", (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf"))]
    first = await probe.ask("POST", "/v1/jobs", 201, files=parts, headers=key)
    await probe.finished(first.json()["id"])
    again = await probe.ask("POST", "/v1/jobs", 201, files=parts, headers=key)
    assert again.json() == first.json(), "another answer"
    assert (first.headers.get("idempotency-replayed"), again.headers["idempotency-replayed"]) == (None, "true")
    await probe.ask("POST", "/v1/jobs", 409, files=[("files", ("x.pdf", BROKEN, "x/y"))], headers=key)
    await probe.ask("DELETE", f"/v1/jobs/{first.json()['id']}", 204)


@row("4 additions", "POST /v1/jobs/{id}/cancel; GET …/events; GET …/documents; ?wait=")
async def additions(probe: Probe) -> None:
    job = (await probe.submit(*[SAMPLE.read_bytes()] * 4)).json()
    await probe.ask("POST", f"/v1/jobs/{job['id']}/cancel", 200)
    ended = await probe.finished_and_gone(job["id"])
    assert ended["status"] in ("canceled", "partial", "succeeded"), ended["status"]
    async with asyncio.timeout(PATIENCE_S), probe.http.stream("GET", f"/v1/jobs/{probe.job['id']}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
    await probe.get(f"/v1/jobs/{probe.job['id']}/documents")


@row("4 additions", "POST /v1/jobs and /v1/parse by address; a private one is 422 url-refused")
async def by_address(probe: Probe) -> None:
    for path in ("/v1/jobs", "/v1/parse"):
        problem(await probe.ask("POST", path, 422, json={"url": "http://10.0.0.1/a.pdf"}), "url-refused")
