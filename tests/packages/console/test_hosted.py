"""The hosted /v1 through HTTP: the engine's shapes, the tenant's own data, the plan's limits."""

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.console.context.resources import ConsoleLimits
from quire.storage.store import Store
from quire.storage.values.ids import new_document_id, new_job_id
from tests.api.harness import PDF, files
from tests.packages.console.harness import Person, a_console, caller, resources_of, sign_up, watch

ENGINE_ONLY = [
    "/v1/health",
    "/v1/stats",
    "/v1/license",
    "/v1/sources",
    "/v1/webhooks",
    "/v1/webhooks/deliveries",
    "/v1/dead-letters",
    "/v1/audit",
    "/v1/token",
    "/v1/review",
    f"/v1/jobs/{new_job_id()}/documents/{new_document_id()}/semantics",
]


async def settled(person: Person, store: Store, engine_url: str, job_id: str) -> None:
    await person.api.get(f"/v1/jobs/{job_id}?wait=60")
    await asyncio.to_thread(watch, store, engine_url)


@pytest.mark.usefixtures("reader")
async def test_a_parse_answers_with_job_and_tree_and_is_counted_at_once(ann: Person) -> None:
    answer = await ann.api.post("/v1/parse", files=files(PDF, part="file"))
    body = answer.json()
    assert (answer.status_code, body["job"]["status"]) == (200, "succeeded")
    assert body["tree"]["blocks"][0]["text"] == "Hello"
    usage = (await ann.api.get("/v1/usage")).json()
    assert (usage["documents"], usage["pages_this_month"]) == (1, 1)
    assert usage["monthly_pages"]["remaining"] == 199
    assert datetime.fromisoformat(usage["monthly_pages"]["resets_at"]) > datetime.now(UTC)


async def test_a_parse_that_takes_too_long_gives_a_job_that_resolves(ann: Person) -> None:
    answer = await ann.api.post("/v1/parse?timeout_s=0", files=files(PDF, part="file"))
    assert answer.status_code == 202
    assert (await ann.api.get(answer.headers["location"])).json()["id"] == answer.json()["job_id"]
    assert (await ann.api.get("/v1/usage")).json()["concurrent_documents"]["in_work"] == 1


async def test_a_batch_is_queued_with_no_documents_yet(ann: Person) -> None:
    answer = await ann.api.post("/v1/jobs", files=files(PDF, PDF))
    body = answer.json()
    assert (answer.status_code, body["status"], body["documents"]) == (201, "queued", [])
    assert answer.headers["location"] == f"/v1/jobs/{body['id']}"


@pytest.mark.usefixtures("reader")
async def test_every_output_of_the_hosted_surface_is_served(ann: Person) -> None:
    body = (await ann.api.post("/v1/parse", files=files(PDF, part="file"))).json()
    document = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}"
    assert (await ann.api.get(f"{document}/tree")).json() == body["tree"]
    assert (await ann.api.get(f"{document}/chunks")).json()[0]["text"] == "Hello"
    assert (await ann.api.get(f"{document}/export/graph")).json()["nodes"]
    assert set((await ann.api.get(f"{document}/export/graph?format=neo4j")).json()) == {"nodes.csv", "edges.csv"}
    assert (await ann.api.get(f"{document}/export/context?max_tokens=100")).status_code == 200
    lines = await ann.api.get(f"/v1/jobs/{body['job']['id']}/export/finetune")
    assert lines.headers["content-type"] == "application/x-ndjson"
    assert len(lines.text.splitlines()) == 1
    tree = await ann.api.get(f"{document}/tree")
    again = await ann.api.get(f"{document}/tree", headers={"If-None-Match": tree.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.usefixtures("reader")
async def test_token_lists_jobs_of_its_tenant_only(console: FastAPI, ann: Person) -> None:
    sent = [(await ann.api.post("/v1/jobs", files=files(PDF))).json()["id"] for _ in range(3)]
    bob = await sign_up(console, "bob@example.org")
    first = await ann.api.get("/v1/jobs?limit=2")
    rest = await ann.api.get("/v1/jobs", params={"limit": 2, "cursor": first.headers["x-next-cursor"]})
    assert [job["id"] for job in first.json() + rest.json()] == sent[::-1]
    assert "x-next-cursor" not in rest.headers
    assert (await bob.api.get("/v1/jobs")).json() == []
    stolen = await bob.api.get("/v1/jobs", params={"cursor": first.headers["x-next-cursor"]})
    assert stolen.status_code == 422


@pytest.mark.usefixtures("reader")
async def test_token_deletes_its_job_and_the_usage_stays_counted(console: FastAPI, ann: Person, store: Store) -> None:
    body = (await ann.api.post("/v1/jobs", files=files(PDF, PDF))).json()
    job = f"/v1/jobs/{body['id']}"
    await ann.api.get(f"{job}?wait=60")
    bob = await sign_up(console, "bob@example.org")
    assert (await bob.api.delete(job)).status_code == 404
    assert (await ann.api.get(job)).status_code == 200
    assert (await ann.api.delete(job)).status_code == 204
    assert (await ann.api.delete(job)).status_code == (await ann.api.get(job)).status_code == 404
    assert (await ann.api.get("/v1/usage")).json()["pages_this_month"] == 2
    assert (await ann.api.get("/v1/usage")).json()["concurrent_documents"]["in_work"] == 0
    assert {row["source_file"] for row in store.db.fetch_all("select source_file from console_documents")} == {""}
    assert "Nothing yet" in (await ann.pages.get("/")).text


@pytest.mark.usefixtures("reader")
async def test_a_token_deletes_one_document_of_a_batch(console: FastAPI, ann: Person) -> None:
    body = (await ann.api.post("/v1/jobs", files=files(PDF, PDF))).json()
    job = (await ann.api.get(f"/v1/jobs/{body['id']}?wait=60")).json()
    gone, kept = (document["document_id"] for document in job["documents"])
    bob = await sign_up(console, "bob@example.org")
    assert (await bob.api.delete(f"/v1/documents/{gone}")).status_code == 404
    assert (await ann.api.delete(f"/v1/documents/{gone}")).status_code == 204
    trees = [(await ann.api.get(f"/v1/jobs/{body['id']}/documents/{one}/tree")).status_code for one in (gone, kept)]
    assert trees == [404, 200]
    assert (await ann.pages.get(f"/documents/{gone}")).status_code == 404
    assert (await ann.api.get("/v1/usage")).json()["pages_this_month"] == 2


async def test_document_in_progress_is_not_deleted(ann: Person, store: Store) -> None:
    body = (await ann.api.post("/v1/jobs", files=files(PDF))).json()
    row = store.db.fetch_one("select id from documents where job_id = %(job)s", {"job": body["id"]})
    assert row is not None
    refused = [await ann.api.delete(f"/v1/jobs/{body['id']}"), await ann.api.delete(f"/v1/documents/{row['id']}")]
    assert [answer.status_code for answer in refused] == [409, 409]
    assert (await ann.api.get(f"/v1/jobs/{body['id']}")).json()["status"] == "queued"
    unknown = [await ann.api.delete("/v1/documents/nonsense"), await ann.api.delete("/v1/jobs/job_x")]
    assert [answer.status_code for answer in unknown] == [404, 404]


@pytest.mark.parametrize("path", ENGINE_ONLY, ids=lambda path: path.rsplit("/", 1)[-1])
async def test_engine_only_route_is_a_plain_http_error(ann: Person, path: str) -> None:
    assert (await ann.api.get(path)).status_code == 404


@pytest.mark.parametrize("headers", [{}, {"X-API-Key": "qc_wrong"}, {"Authorization": "Bearer "}, {"X-API-Key": "ü"}])
async def test_a_missing_or_unknown_token_is_401(console: FastAPI, headers: dict[str, str]) -> None:
    async with caller(console, None) as nobody:
        answer = await nobody.get("/v1/usage", headers=[(k.encode(), v.encode()) for k, v in headers.items()])
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_a_token_works_as_bearer_too_and_not_when_doubled(console: FastAPI, ann: Person) -> None:
    async with caller(console, None) as plain:
        assert (await plain.get("/v1/usage", headers={"Authorization": f"Bearer {ann.token}"})).status_code == 200
        doubled = [("X-API-Key", ann.token), ("X-API-Key", ann.token)]
        assert (await plain.get("/v1/usage", headers=doubled)).status_code == 401


async def test_revoked_token_is_refused_at_once_and_only_its_digest_is_stored(ann: Person, store: Store) -> None:
    made = (await ann.pages.post("/api/tokens", data={"name": "second"})).json()
    async with httpx.AsyncClient(transport=ann.api._transport, base_url="http://console.test") as second:
        second.headers["X-API-Key"] = made["token"]
        assert (await second.get("/v1/usage")).status_code == 200
        assert (await ann.pages.delete(f"/api/tokens/{made['id']}")).status_code == 204
        assert (await second.get("/v1/usage")).status_code == 401
    rows = store.db.fetch_all("select to_jsonb(t)::text as row from console_tokens t")
    assert not [row for row in rows if made["token"] in row["row"]]


@pytest.mark.usefixtures("reader")
async def test_a_tenant_never_sees_another_tenants_documents(console: FastAPI, ann: Person) -> None:
    body = (await ann.api.post("/v1/parse", files=files(PDF, part="file"))).json()
    path = f"/v1/jobs/{body['job']['id']}"
    bob = await sign_up(console, "bob@example.org")
    for org in ("default", "x"):
        foreign = await bob.api.get(path, headers={"X-DE-Org": org})
        unknown = await bob.api.get(f"/v1/jobs/{new_job_id()}", headers={"X-DE-Org": org})
        assert (foreign.status_code, foreign.content) == (404, unknown.content)
    tree = await bob.api.get(f"{path}/documents/{body['tree']['document_id']}/tree")
    assert tree.status_code == 404
    page = await bob.pages.get(f"/documents/{body['tree']['document_id']}")
    assert page.status_code == 404


async def test_an_organisation_narrows_inside_the_tenant(ann: Person) -> None:
    body = (await ann.api.post("/v1/jobs", files=files(PDF), headers={"X-DE-Org": "emea"})).json()
    assert (await ann.api.get(f"/v1/jobs/{body['id']}")).status_code == 404
    assert (await ann.api.get(f"/v1/jobs/{body['id']}", headers={"X-DE-Org": "emea"})).status_code == 200
    long = {"X-DE-Org": "e" * 63}
    other = (await ann.api.post("/v1/jobs", files=files(PDF), headers=long)).json()
    assert (await ann.api.get(f"/v1/jobs/{other['id']}", headers=long)).status_code == 200
    assert (await ann.api.get("/v1/usage", headers={"X-DE-Org": "A*"})).status_code == 422


async def test_eleven_files_or_a_file_too_large_are_413_and_leave_nothing(
    store: Store, engine_url: str, tmp_path: Path
) -> None:
    limits = ConsoleLimits(max_file_bytes=1000)
    async with a_console(resources_of(store, engine_url, tmp_path, limits=limits)) as app:
        ann = await sign_up(app)
        many = await ann.api.post("/v1/jobs", files=files(*[PDF] * 11))
        large = await ann.api.post("/v1/jobs", files=files(PDF, b"x" * 1001))
        usage = (await ann.api.get("/v1/usage")).json()
    assert (many.status_code, many.json()["code"]) == (413, "too-many-files")
    assert (large.status_code, large.json()["code"]) == (413, "upload-too-large")
    assert usage["concurrent_documents"]["in_work"] == 0
    assert list((tmp_path / "spool").iterdir()) == []


async def test_the_shipped_limits_are_ten_files_of_twenty_megabytes() -> None:
    assert (ConsoleLimits().max_batch_files, ConsoleLimits().max_file_bytes) == (10, 20 * 1024 * 1024)


async def test_more_documents_at_once_than_the_plan_allows_is_429(ann: Person) -> None:
    for _ in range(2):
        assert (await ann.api.post("/v1/jobs", files=files(*[PDF] * 10))).status_code == 201
    answer = await ann.api.post("/v1/jobs", files=files(PDF))
    assert (answer.status_code, answer.json()["code"]) == (429, "concurrent-documents")
    assert int(answer.headers["retry-after"]) > 0


async def test_tenant_over_its_rate_limit_is_slowed_down_and_others_are_not(
    store: Store, engine_url: str, tmp_path: Path
) -> None:
    limits = ConsoleLimits(rate_limit_rpm=1)
    async with a_console(resources_of(store, engine_url, tmp_path, limits=limits)) as app:
        ann, bob = await sign_up(app), await sign_up(app, "bob@example.org")
        answers = [await ann.api.get("/v1/usage") for _ in range(12)]
        assert (await bob.api.get("/v1/usage")).status_code == 200
    assert [answer.status_code for answer in answers[:10]] == [200] * 10
    assert (answers[-1].status_code, answers[-1].json()["code"]) == (429, "rate-limited")
    assert int(answers[-1].headers["retry-after"]) > 0


def use_pages(store: Store, pages: int) -> None:
    with store.db.transaction() as conn:
        conn.execute(
            """insert into console_usage (tenant_id, month, documents, pages)
               select id, date_trunc('month', now())::date, 1, %s from console_tenants""",
            (pages,),
        )


async def test_the_pages_of_the_month_are_402_with_the_date_they_come_back(ann: Person, store: Store) -> None:
    use_pages(store, 200)
    answer = await ann.api.post("/v1/jobs", files=files(PDF))
    assert (answer.status_code, answer.json()["code"]) == (402, "monthly-pages")
    resets = datetime.fromisoformat(answer.json()["resets_at"])
    assert (resets.day, resets > datetime.now(UTC)) == (1, True)
    assert answer.json()["resets_at"][:10] in answer.json()["detail"]
    with store.db.transaction() as conn:  # the month ends
        conn.execute("update console_usage set month = (month - interval '1 month')::date")
    shown = (await ann.pages.get("/account")).text
    assert re.search(r'aria-label="Pages by month: 200 in all; most: \w+ \d{4} \(200\)"', shown)
    assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 201


async def test_single_submit_of_sixty_four_for_the_last_place_is_accepted(ann: Person, store: Store) -> None:
    use_pages(store, 199)
    sent = (ann.api.post("/v1/jobs", files=files(b"%%PDF-1.4 %d" % i)) for i in range(64))
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*sent))
    assert statuses == [201] + [402] * 63


@pytest.mark.usefixtures("reader")
async def test_finished_document_frees_its_place_and_failure_costs_no_page(
    ann: Person, store: Store, engine_url: str
) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF, b"\0\1 no document"))).json()
    await settled(ann, store, engine_url, job["id"])
    usage = (await ann.api.get("/v1/usage")).json()
    assert (usage["documents"], usage["pages_this_month"]) == (2, 1)
    assert usage["concurrent_documents"]["in_work"] == 0


@pytest.mark.usefixtures("reader")
async def test_every_alias_resolves_to_the_batch_and_opens_its_documents(
    ann: Person, store: Store, engine_url: str
) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF, PDF, PDF))).json()
    await settled(ann, store, engine_url, job["id"])
    rows = store.db.fetch_all("select alias, document_id from console_documents")
    views = [await ann.api.get(f"/v1/jobs/{row['alias']}") for row in rows]
    assert {view.json()["id"] for view in views} == {job["id"]}
    assert [len(view.json()["documents"]) for view in views] == [3, 3, 3]
    for row in rows:
        tree = await ann.api.get(f"/v1/jobs/{row['alias']}/documents/{row['document_id']}/tree")
        assert tree.json()["document_id"] == row["document_id"]
    assert (await ann.api.get(f"/v1/jobs/{rows[0]['alias']}/export/finetune")).status_code == 200


async def test_an_alias_of_another_tenant_is_unknown(console: FastAPI, ann: Person, store: Store) -> None:
    await ann.api.post("/v1/jobs", files=files(PDF, PDF))
    alias = store.db.fetch_all("select alias from console_documents")[0]["alias"]
    bob = await sign_up(console, "bob@example.org")
    assert (await bob.api.get(f"/v1/jobs/{alias}")).status_code == 404


@pytest.mark.parametrize("path", ["job_..%2f..%2fstats", "x", "..", "job_" + "a" * 200, "file_%00"])
async def test_invalid_id_never_reaches_the_engine(ann: Person, path: str) -> None:
    assert (await ann.api.get(f"/v1/jobs/{path}/documents/x/tree")).status_code == 404


async def test_engine_refusal_is_passed_on_and_frees_the_place(ann: Person) -> None:
    unread = await ann.api.post("/v1/parse", files=files(b"\0\1 no text", part="file"))
    assert (unread.status_code, unread.json()["detail"][0]["type"]) == (422, "unsupported-format")
    wrong = await ann.api.post("/v1/jobs", files=files(PDF), data={"pages": "0"})
    assert wrong.status_code == 422
    assert (await ann.api.get("/v1/usage")).json()["concurrent_documents"]["in_work"] == 0


async def test_an_idempotency_key_gives_the_same_job_and_takes_no_second_place(ann: Person) -> None:
    key = {"Idempotency-Key": "mine-1"}
    first = await ann.api.post("/v1/jobs", files=files(PDF), headers=key)
    again = await ann.api.post("/v1/jobs", files=files(PDF), headers=key)
    other = await ann.api.post("/v1/jobs", files=files(PDF + b" "), headers=key)
    assert (first.json()["id"], other.status_code) == (again.json()["id"], 409)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert (await ann.api.get("/v1/usage")).json()["concurrent_documents"]["in_work"] == 1
