"""Files that clients put into the bucket at signed URLs, and jobs that name them."""

import hashlib
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.objects.bucket import open_bucket, open_uploads
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, make_resources, reading, serving
from tests.storage.bucket import Bucket

LIMITS = ApiLimits(max_upload_bytes=1000, max_batch_files=2)


@pytest.fixture
def shared(store: Store, bucket: Bucket, tmp_path: Path) -> Store:
    """A store whose originals are in a bucket."""
    blobs, artifacts = open_bucket(bucket.url, tmp_path / "spool", **bucket.options)
    return replace(store, blobs=blobs, artifacts=artifacts, uploads=open_uploads(bucket.url, **bucket.options))


@pytest.fixture
async def caller(shared: Store) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(make_resources(shared, limits=LIMITS)) as app, client_of(app) as client:
        yield client


async def declare(caller: httpx.AsyncClient, content: bytes = PDF, **facts: Any) -> dict[str, Any]:
    """Return an upload that is declared as it will be sent."""
    answer = await caller.post("/v1/uploads", json={"name": "a.pdf", "bytes": len(content)} | facts)
    assert answer.status_code == 201, answer.text
    upload: dict[str, Any] = answer.json()
    return upload


async def put(upload: dict[str, Any], content: bytes) -> None:
    """Send a file as a client does: to the bucket, with the URL alone."""
    async with httpx.AsyncClient() as anyone:
        (await anyone.request(upload["method"], upload["url"], content=content)).raise_for_status()


async def test_file_put_into_the_bucket_becomes_a_document(shared: Store, caller: httpx.AsyncClient) -> None:
    upload = await declare(caller, sha256=hashlib.sha256(PDF).hexdigest(), name="dir/ä b.pdf")
    await put(upload, PDF)
    body = {"upload_ids": [upload["upload_id"]], "metadata": {"box": 7}}
    answer = await caller.post("/v1/jobs", json=body, headers={"Idempotency-Key": "once"})
    assert (answer.status_code, answer.json()["metadata"]) == (201, {"box": 7})
    with reading(shared):
        ended = (await caller.get(f"/v1/jobs/{answer.json()['id']}?wait=60")).json()
    (document,) = ended["documents"]
    assert (document["status"], document["source_file"]) == ("succeeded", "ä b.pdf")
    assert (document["bytes"], document["sha256"]) == (len(PDF), hashlib.sha256(PDF).hexdigest())
    again = await caller.post("/v1/jobs", json=body, headers={"Idempotency-Key": "once"})
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")


async def test_parse_takes_an_upload(shared: Store, caller: httpx.AsyncClient) -> None:
    upload = await declare(caller)
    await put(upload, PDF)
    with reading(shared):
        parsed = await caller.post("/v1/parse", json={"upload_ids": [upload["upload_id"]]})
    assert (parsed.status_code, parsed.json()["job"]["status"]) == (200, "succeeded")


async def test_job_waits_for_no_file_that_was_not_put(caller: httpx.AsyncClient) -> None:
    upload = await declare(caller)
    refused = await caller.post("/v1/jobs", json={"upload_ids": [upload["upload_id"]]})
    assert (refused.status_code, refused.json()["code"]) == (409, "upload-missing")
    assert (await caller.get("/v1/jobs")).json() == []


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        ({"bytes": len(PDF) - 1}, PDF),
        ({"bytes": len(PDF) + 1}, PDF),
        ({"sha256": "0" * 64}, PDF),
        ({}, b"x" * 100_000),
    ],
    ids=["longer", "shorter", "other content", "far longer"],
)
async def test_file_that_differs_from_its_declaration_is_refused(
    caller: httpx.AsyncClient, declared: dict[str, Any], sent: bytes
) -> None:
    upload = await declare(caller, **declared)
    await put(upload, sent)
    refused = await caller.post("/v1/jobs", json={"upload_ids": [upload["upload_id"]]})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["type"] == "upload-mismatch"
    assert refused.json()["detail"][0]["loc"] == ["body", "upload_ids"]
    assert (await caller.get("/v1/jobs")).json() == []


async def test_upload_id_belongs_to_one_tenant_and_organisation(shared: Store) -> None:
    async with serving(make_resources(shared, limits=LIMITS)) as app, client_of(app) as owner:
        upload = await declare(owner)
        await put(upload, PDF)
        body = {"upload_ids": [upload["upload_id"]]}
        for key, org in (("zeta-all", None), ("acme-write", "elsewhere")):
            async with client_of(app, key, org=org) as stranger:
                refused = await stranger.post("/v1/jobs", json=body)
            assert refused.json()["detail"][0]["type"] == "unknown-upload"
        assert (await owner.post("/v1/jobs", json=body)).status_code == 201


@pytest.mark.parametrize("changed", ["", "upl_", "upl_AAAA", "upl_%", "ü", "upl_" + "A" * 5000])
async def test_forged_upload_id_is_refused(caller: httpx.AsyncClient, changed: str) -> None:
    refused = await caller.post("/v1/jobs", json={"upload_ids": [changed]})
    assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "unknown-upload")


async def test_changed_character_of_an_upload_id_is_refused(caller: httpx.AsyncClient) -> None:
    upload_id = (await declare(caller))["upload_id"]
    middle = len(upload_id) // 2
    forged = upload_id[:middle] + ("A" if upload_id[middle] != "A" else "B") + upload_id[middle + 1 :]
    refused = await caller.post("/v1/jobs", json={"upload_ids": [forged]})
    assert refused.json()["detail"][0]["type"] == "unknown-upload"


async def test_expired_upload_id_is_refused(caller: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = await declare(caller)
    await put(upload, PDF)
    later = time.time() + LIMITS.upload_url_s + 1
    monkeypatch.setattr("quire.serve_apps.api.intake.direct.time.time", lambda: later)
    refused = await caller.post("/v1/jobs", json={"upload_ids": [upload["upload_id"]]})
    assert "expired" in refused.json()["detail"][0]["msg"]


async def test_too_large_and_too_many_files_are_refused(caller: httpx.AsyncClient) -> None:
    large = await caller.post("/v1/uploads", json={"name": "a.pdf", "bytes": 1001})
    assert (large.status_code, large.json()["code"]) == (413, "upload-too-large")
    many = await caller.post("/v1/jobs", json={"upload_ids": ["upl_"] * 3})
    assert (many.status_code, many.json()["code"]) == (413, "too-many-files")


@pytest.mark.parametrize(
    "body",
    [
        {"upload_ids": []},
        {"upload_ids": "upl_"},
        {"upload_ids": [1]},
        {"upload_ids": ["upl_"], "url": "https://example.com/a.pdf"},
    ],
)
async def test_malformed_list_of_uploads_is_refused(caller: httpx.AsyncClient, body: dict[str, Any]) -> None:
    refused = await caller.post("/v1/jobs", json=body)
    assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "invalid-field")


async def test_uploads_without_a_bucket_are_refused_with_the_way_that_works(client: httpx.AsyncClient) -> None:
    refused = await client.post("/v1/uploads", json={"name": "a.pdf", "bytes": 9})
    assert (refused.status_code, refused.json()["code"]) == (409, "uploads-not-configured")
    assert "POST /v1/jobs" in refused.json()["detail"]


async def test_old_uploads_are_swept_and_originals_stay(shared: Store, caller: httpx.AsyncClient) -> None:
    upload = await declare(caller)
    await put(upload, PDF)
    body = {"upload_ids": [upload["upload_id"]]}
    assert (await caller.post("/v1/jobs", json=body)).status_code == 201
    assert shared.uploads is not None
    assert shared.uploads.sweep(3600) == 0
    assert shared.uploads.sweep(0) == 1
    assert shared.blobs.exists(hashlib.sha256(PDF).hexdigest())
    assert (await caller.post("/v1/jobs", json=body)).json()["code"] == "upload-missing"
