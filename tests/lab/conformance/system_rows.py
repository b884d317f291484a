"""Health, the operator's views, sources, webhooks, limits of lists, errors, versions."""

import asyncio
import hashlib
import hmac
import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from threading import Thread
from typing import Any

from quire.models.cdom.version import SERVICE_VERSION
from tests.lab.conformance.probe import SAMPLE, UNKNOWN, NotRun, Probe, answers, members, problem, row

LISTS = ("/v1/jobs", "/v1/dead-letters", "/v1/audit", "/v1/review", "/v1/webhooks/deliveries", "/v1/documents")
DEFAULTS = {"/v1/jobs": 50, "/v1/dead-letters": 100, "/v1/audit": 200, "/v1/review": 100, "/v1/search": 5}
WAIT_S = 60.0  # seconds a delivery may take


@row("4 health", "GET /v1/health: 200 without a key, with the versions of the components")
async def health(probe: Probe) -> None:
    answer = await probe.ask("GET", "/v1/health", 200, headers={"X-API-Key": ""})
    assert answer.json()["status"] == "ok"
    assert answer.json()["components"] == {"engine": SERVICE_VERSION, "rag_generator": "0.5.2"}


@row("4 health", "GET /v1/health?deep=true: job store, disk, search index decide")
async def deep(probe: Probe) -> None:
    body = (await probe.get("/v1/health", deep="true")).json()
    members(body["checks"], "job_store disk search_index")


@row("4 system", "GET /v1/stats: queue_tasks for every key, my_jobs of the caller")
async def stats(probe: Probe) -> None:
    members((await probe.get("/v1/stats")).json(), "queue_tasks my_jobs")
    foreign = await probe.ask("GET", "/v1/stats", 200, headers=probe.key("foreign"))
    assert sum(foreign.json()["my_jobs"].values()) == 0, "another tenant's jobs"


@row("4 system", "GET /v1/dead-letters: the caller's own, paged")
async def dead_letters(probe: Probe) -> None:
    first = await probe.get("/v1/dead-letters", limit=1)
    assert len(first.json()) == 1
    theirs = await probe.ask("GET", "/v1/dead-letters", 200, headers=probe.key("foreign"))
    assert theirs.json() == []


@row("4 system", "GET /v1/audit: acts in a chain; 403 feature-not-licensed without the feature")
async def audit(probe: Probe) -> None:
    licensed = "audit_export" in (await probe.get("/v1/license")).json()["features"]
    if not licensed:
        problem(await probe.get("/v1/audit", 403), "feature-not-licensed")
        return
    rows = (await probe.get("/v1/audit", limit=1000)).json()
    members(rows[0], "seq at actor org action object request_id result prev_hash hash")
    assert all(new["prev_hash"] == old["hash"] for new, old in pairwise(rows)), "a broken chain"


@row("2 resources", "GET /v1/license has every member of the interface")
async def license_members(probe: Probe) -> None:
    body = (await probe.get("/v1/license")).json()
    members(body, "licensed plan customer expires_at days_left pages_used_this_month max_pages_per_month features")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", body["expires_at"]), body["expires_at"]


@row("4 system", "metering: pages used rise with what is read")
async def metering(probe: Probe) -> None:
    before = (await probe.get("/v1/license")).json()["pages_used_this_month"]
    job = (await probe.parse(SAMPLE.read_bytes() + b"\n%", timeout_s=120)).json()["job"]
    after = (await probe.get("/v1/license")).json()["pages_used_this_month"]
    assert after - before >= job["documents"][0]["pages"], f"{before} then {after}"
    await probe.ask("DELETE", f"/v1/jobs/{job['id']}", 204)


@row("4 system", "GET /v1/usage: documents, pages, quota; a month as it is answered")
async def usage(probe: Probe) -> None:
    body = (await probe.get("/v1/usage")).json()
    members(body, "month documents pages keys pages_used_this_month max_pages_per_month")
    assert (await probe.get("/v1/usage", month=body["month"])).json()["pages"] == body["pages"]
    await probe.get("/v1/usage", 422, month="May")


@row("4 system", "GET /v1/token: an admin gets it, or 409 where keys are the operator's")
async def token(probe: Probe) -> None:
    answer = await probe.http.get("/v1/token")
    assert answer.status_code in (200, 409), str(answer.status_code)
    if answer.status_code == 409:
        problem(answer, "no-default-token")
    wrong = await probe.http.get("/v1/token", headers={"X-API-Key": "quire_wrong"})
    assert wrong.status_code == 401, str(wrong.status_code)


@row("4 system", "GET /metrics: 404 unless the setting is 1")
async def metrics(probe: Probe) -> None:
    answer = await probe.http.get("/metrics")
    assert answer.status_code == 404 or "quire_" in answer.text


@row("6 events", "POST /v1/webhooks: 201 with the secret once; listed without; DELETE 204")
async def webhook(probe: Probe) -> None:
    made = (await probe.ask("POST", "/v1/webhooks", 201, json={"url": "https://1.1.1.1/conformance"})).json()
    members(made, "id url events secret created_at")
    assert made["events"] == ["job.finished"]
    listed = (await probe.get("/v1/webhooks")).json()
    assert "secret" not in next(one for one in listed if one["id"] == made["id"])
    await probe.ask("DELETE", f"/v1/webhooks/{made['id']}", 204)


@row("6 events", "POST /v1/webhooks of a private, a link-local, a malformed address: 422")
async def webhook_refused(probe: Probe) -> None:
    for url in ("http://10.0.0.1/", "http://169.254.169.254/", "http://[::1]:9/", "ftp://1.1.1.1/", "x"):
        problem(await probe.ask("POST", "/v1/webhooks", 422, json={"url": url}), "url-refused")


@row("6 events", "job.finished and document.finished are delivered, signed, once each; attempts")
async def delivered(probe: Probe) -> None:
    got: list[tuple[dict[str, str], bytes]] = []
    server = receiver(got)
    try:
        body = {"url": f"http://127.0.0.1:{server.server_port}/", "events": ["job.finished", "document.finished"]}
        made = await probe.http.post("/v1/webhooks", json=body)
        if made.status_code == 422:
            raise NotRun("SVC_WEBHOOK_ALLOW leaves this machine out")
        hook = made.json()
        job = (await probe.ask("POST", "/v1/jobs", 201, files=[("files", (SAMPLE.name, SAMPLE.read_bytes()))])).json()
        async with asyncio.timeout(WAIT_S):
            while len([one for one in got if job["id"].encode() in one[1]]) < 2:
                await asyncio.sleep(0.1)
        check_deliveries(got, hook["secret"], job["id"])
        tried = (await probe.get("/v1/webhooks/deliveries", webhook_id=hook["id"])).json()
        members(tried[0], "id webhook_id event event_id attempt attempts state response_status error created_at")
        await probe.finished_and_gone(job["id"])
        await probe.ask("DELETE", f"/v1/webhooks/{hook['id']}", 204)
    finally:
        server.shutdown()
        server.server_close()


def check_deliveries(got: list[tuple[dict[str, str], bytes]], secret: str, job_id: str) -> None:
    """Both events, once each, with the members and the signature of the interface."""
    events = {}
    for headers, body in got:
        expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        assert headers["x-svc-signature"] == expected, "another signature"
        facts: dict[str, Any] = json.loads(body)
        assert facts["job_id"] == job_id
        assert headers["x-svc-event"] not in events, "twice"
        events[headers["x-svc-event"]] = facts
    members(events["document.finished"], "document_id job_id filename status pages chunks")
    members(events["job.finished"], "event job_id status documents finished_at")


def receiver(got: list[tuple[dict[str, str], bytes]]) -> HTTPServer:
    """A listener on this machine that keeps what it is sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


@row("8 limits", "default page sizes: jobs 50, dead letters 100, audit 200, review 100, search 5")
async def default_sizes(probe: Probe) -> None:
    paths = (await probe.get("/openapi.json")).json()["paths"]
    for path, size in DEFAULTS.items():
        limit = next(one for one in paths[path]["get"]["parameters"] if one["name"] == "limit")
        assert limit["schema"]["default"] == size, path


for listing in LISTS:
    if listing != "/v1/audit":  # its feature is judged first
        answers("8 limits", f"limit of {listing}: 0 is 422", listing, 422, limit=0)
        answers("8 limits", f"limit of {listing}: 1001 is 422", listing, 422, limit=1001)
        answers("7 errors", f"cursor of {listing}: a forged one is 422", listing, 422, cursor="AAAA")
answers("7 errors", "an unknown query parameter is 422 unknown-parameter", "/v1/jobs", 422, colour="red")
answers("7 errors", "an unknown path is 404", "/v1/nothing", 404)


@row("7 errors", "every error is problem+json with type, title, status, detail, code")
async def problems(probe: Probe) -> None:
    answer = await probe.get(f"/v1/jobs/{UNKNOWN}", 404)
    assert answer.headers["content-type"] == "application/problem+json"
    members(answer.json(), "type title status detail code")


@row("7 errors", "every 422 is a list of type, loc and msg")
async def validation(probe: Probe) -> None:
    for entry in (await probe.get("/v1/jobs", 422, limit="x")).json()["detail"]:
        members(entry, "type loc msg")


@row("4 edge", "HEAD on GET; OPTIONS and 405 with every method")
async def edge(probe: Probe) -> None:
    for path in ("/v1/health", "/v1/jobs", f"{probe.document}/tree"):
        head = await probe.ask("HEAD", path, 200)
        assert head.content == b"", path
    refused = await probe.ask("PUT", "/v1/jobs", 405)
    assert refused.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    options = await probe.ask("OPTIONS", f"/v1/jobs/{probe.job['id']}", 204)
    assert options.headers["allow"] == "DELETE, GET, HEAD, OPTIONS"


@row("4 edge", "a preflight of a site that is not named is an ordinary OPTIONS; a named one is let in")
async def preflight(probe: Probe) -> None:
    for origin, allowed in (("https://evil.example", None), ("https://conformance.example", "let in where named")):
        asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = await probe.ask("OPTIONS", "/v1/jobs", 204, headers=asked)
        named = answer.headers.get("access-control-allow-origin")
        assert named is None or (allowed and named in (origin, "*")), str(named)


@row("4 edge", "the proxy's own list of applications is 404")
async def no_routes(probe: Probe) -> None:
    problem(await probe.ask("GET", "/-/routes", 404), "not-found")


@row("4 edge", "X-Request-Id once: the caller's, or ours where theirs is refused")
async def request_id(probe: Probe) -> None:
    for sent, kept in (("mine-4711", True), ("bad id;x", False)):
        answer = await probe.ask("GET", "/v1/health", 200, headers={"X-Request-Id": sent})
        (found,) = answer.headers.get_list("x-request-id")
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", found), found
        assert (found == sent) is kept, found


@row("4 edge", "GET / leads a browser to /ui, a program to links; /ui is the dashboard")
async def root(probe: Probe) -> None:
    browser = await probe.http.get("/", headers={"Accept": "text/html"}, follow_redirects=False)
    assert browser.headers["location"].startswith("/ui"), browser.headers.get("location", "none")
    assert "links" in (await probe.get("/", 404)).json()
    dashboard = await probe.http.get("/ui/login", headers={"Accept": "text/html"}, follow_redirects=True)
    assert dashboard.headers["content-type"].startswith("text/html")


@row("4 edge", "time stamps of jobs, sources, licence and health end in Z")
async def times(probe: Probe) -> None:
    texts = [(await probe.get(path)).text for path in ("/v1/jobs", "/v1/sources", "/v1/license", "/v1/documents")]
    assert not any(re.search(r"\d\d:\d\d(\.\d+)?\+00:00", text) for text in texts), "+00:00"


@row("9 versions", "the description carries 0.9.3; /docs shows it; every path is under /v1")
async def version(probe: Probe) -> None:
    body = (await probe.get("/openapi.json")).json()
    assert body["info"]["version"] == "0.9.3"
    outside = [path for path in body["paths"] if not path.startswith("/v1/")]
    assert outside == ["/metrics"], str(outside)
    await probe.get("/docs")
