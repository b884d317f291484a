"""The interface, row by row: what is asked of a live service and what it must answer.

Every row says where in the interface it stands; `Probe` holds what earlier rows made. Knows HTTP and nothing of us.
"""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "sample" / "quire-sample.pdf"
UNKNOWN = "job_" + "a" * 26


@dataclass(slots=True)
class Probe:
    """A caller with full scope, and the job and document its first rows made."""

    http: httpx.AsyncClient
    job: dict[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> str:
        return f"/v1/jobs/{self.job['id']}/documents/{self.job['documents'][0]['document_id']}"

    async def get(self, path: str, expected: int = 200, **params: Any) -> httpx.Response:
        return await self.ask(path, expected, params)

    async def ask(self, path: str, expected: int, params: dict[str, Any]) -> httpx.Response:
        answer = await self.http.get(path, params=params)
        assert answer.status_code == expected, f"{answer.status_code} instead of {expected}"
        return answer


Check = Callable[[Probe], Awaitable[object]]
ROWS: list[tuple[str, str, Check]] = []


def row(section: str, what: str) -> Callable[[Check], Check]:
    """A row of the table, in the order of the file."""

    def keep(check: Check) -> Check:
        ROWS.append((section, what, check))
        return check

    return keep


def answers(section: str, what: str, path: str, expected: int = 200, kind: type | None = None, **params: Any) -> None:
    """A row that is one GET; `kind` is the JSON type of its body. `{doc}` and `{job}` stand for what was made."""

    async def check(probe: Probe) -> None:
        job = f"/v1/jobs/{probe.job.get('id', UNKNOWN)}"
        answer = await probe.ask(path.format(doc=probe.document if probe.job else "", job=job), expected, params)
        assert kind is None or isinstance(answer.json(), kind), "another JSON type"

    ROWS.append((section, what, check))


@row("4 jobs", "POST /v1/parse: 200 with job and tree inline")
async def parse(probe: Probe) -> None:
    files = {"file": (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")}
    answer = await probe.http.post("/v1/parse", files=files, params={"timeout_s": 120})
    assert answer.status_code == 200, answer.text[:200]
    body = answer.json()
    probe.job = body["job"]
    assert body["tree"]["blocks"], "no blocks"
    assert probe.job["status"] == "succeeded", probe.job["status"]


@row("4 jobs", "POST /v1/parse: 202 with a job id after timeout_s")
async def parse_later(probe: Probe) -> None:
    files = {"file": (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")}
    answer = await probe.http.post("/v1/parse", files=files, params={"timeout_s": 0})
    assert answer.status_code == 202, str(answer.status_code)
    assert answer.headers["location"].endswith(answer.json()["job_id"])


@row("4 jobs", "POST /v1/jobs: 201 queued; replayed with its key as first given")
async def submit(probe: Probe) -> None:
    files = [("files", (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf"))]
    key = {"Idempotency-Key": f"conformance-{probe.job['id']}"}
    first = await probe.http.post("/v1/jobs", files=files, headers=key)
    again = await probe.http.post("/v1/jobs", files=files, headers=key)
    assert (first.status_code, first.json()["documents"]) == (201, []), str(first.status_code)
    assert again.json() == first.json(), "another answer"
    assert again.headers["idempotency-replayed"] == "true"
    ended = await probe.get(f"/v1/jobs/{first.json()['id']}", wait=120)
    assert ended.json()["status"] in ("succeeded", "partial", "failed")
    gone = await probe.http.delete(f"/v1/jobs/{first.json()['id']}")
    assert gone.status_code == 204, str(gone.status_code)
    await probe.get(f"/v1/jobs/{first.json()['id']}", 404)


answers("4 health", "GET /v1/health", "/v1/health", kind=dict)
answers("4 health", "GET /v1/health?deep=true: ready", "/v1/health", kind=dict, deep="true")
answers("4 system", "GET /v1/stats", "/v1/stats", kind=dict)
answers("4 system", "GET /v1/dead-letters", "/v1/dead-letters", kind=list)
answers("4 system", "GET /v1/license", "/v1/license", kind=dict)
answers("4 jobs", "GET /v1/jobs: array", "/v1/jobs", kind=list, limit=5)
answers("4 jobs", "GET /v1/jobs?status=", "/v1/jobs", kind=list, status="succeeded")
answers("4 jobs", "GET /v1/jobs/{job_id}", "{job}", kind=dict)
answers("4 outputs", "GET tree", "{doc}/tree", kind=dict)
answers("4 outputs", "GET tree redacted", "{doc}/tree", kind=dict, redacted="true")
answers("4 outputs", "GET semantics", "{doc}/semantics", kind=dict)
answers("4 outputs", "GET fields", "{doc}/fields", kind=list)
answers("4 outputs", "GET fields of unknown keys", "{doc}/fields", kind=list, keys="no such key")
answers("4 outputs", "GET chunks", "{doc}/chunks", kind=list)
answers("4 outputs", "GET chunks redacted", "{doc}/chunks", kind=list, redacted="true")
answers("4 outputs", "GET export/html", "{doc}/export/html")
answers("4 outputs", "GET export/markdown", "{doc}/export/markdown", tables="pipe")
answers("4 outputs", "GET export/graph", "{doc}/export/graph", kind=dict)
answers("4 outputs", "GET export/graph neo4j", "{doc}/export/graph", kind=dict, format="neo4j")
answers("4 outputs", "GET export/context", "{doc}/export/context", kind=dict, max_tokens=200)
answers("4 outputs", "GET pages/1", "{doc}/pages/1")
answers("4 outputs", "GET export/finetune", "{job}/export/finetune", style="completion", dedup="true")
answers("4 outputs", "an asset that climbs is 404", "{doc}/assets/..%2f..%2fetc%2fpasswd", 404)
answers("4 review", "GET /v1/review", "/v1/review", kind=list)
answers("4 review", "GET /v1/jobs/{job_id}/review", "{job}/review", kind=list)
answers("4 sources", "GET /v1/sources", "/v1/sources", kind=list)
answers("4 webhooks", "GET /v1/webhooks/deliveries", "/v1/webhooks/deliveries", kind=list)
answers("4 search", "GET /v1/search without q is 422", "/v1/search", 422)
answers("7 errors", "unknown job is 404", f"/v1/jobs/{UNKNOWN}", 404)
answers("7 errors", "limit=0 is 422", "/v1/jobs", 422, limit=0)
answers("7 errors", "unknown query parameter is 422", "/v1/jobs", 422, REDACTED="true")
answers("7 errors", "forged cursor is 422", "/v1/jobs", 422, cursor="AAAA")
answers("9 versions", "GET /openapi.json", "/openapi.json", kind=dict)


@row("2 resources", "a listed job shows its documents")
async def listed(probe: Probe) -> None:
    jobs = (await probe.get("/v1/jobs", limit=50)).json()
    mine = next(job for job in jobs if job["id"] == probe.job["id"])
    assert mine["documents"], "documents: []"


@row("2 resources", "GET /v1/license has every member of the interface")
async def license_members(probe: Probe) -> None:
    named = "licensed plan customer expires_at days_left pages_used_this_month max_pages_per_month features"
    missing = set(named.split()) - (await probe.get("/v1/license")).json().keys()
    assert not missing, str(missing)


@row("4 ephemeral", "POST /v1/compare and /v1/evaluate")
async def ephemeral(probe: Probe) -> None:
    part = (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")
    compared = await probe.http.post("/v1/compare", files=[("a", part), ("b", part)])
    judged = await probe.http.post("/v1/evaluate", files=[("files", part)])
    assert (compared.status_code, judged.status_code) == (200, 200)


@row("4 edge", "HEAD on GET, Allow with every method")
async def edge(probe: Probe) -> None:
    assert (await probe.http.head("/v1/health")).status_code == 200
    refused = await probe.http.put("/v1/jobs")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS, POST")


@row("4 edge", "X-Request-Id once, ours where the caller's is refused")
async def request_id(probe: Probe) -> None:
    answer = await probe.http.get("/v1/health", headers={"X-Request-Id": "bad id;x"})
    (found,) = answer.headers.get_list("x-request-id")
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", found), found


@row("5 access", "no key is 401, a wrong key is 401")
async def access(probe: Probe) -> None:
    for headers in ({"X-API-Key": ""}, {"X-API-Key": "quire_wrong"}):
        assert (await probe.http.get("/v1/stats", headers=headers)).status_code == 401


@row("9 versions", "the description carries 0.9.3")
async def version(probe: Probe) -> None:
    assert json.loads((await probe.get("/openapi.json")).content)["info"]["version"] == "0.9.3"
