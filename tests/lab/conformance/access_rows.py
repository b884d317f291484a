"""Access: keys, scopes, organisations, rate limits; the console if there is one; refusals of a start."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from uuid import uuid4

from tests.lab.conformance.probe import SAMPLE, NotRun, Probe, members, on_this_machine, problem, row

WEAK = {"read": ("POST", "/v1/jobs"), "write": ("POST", "/v1/sources")}
REFUSED_STARTS = {
    "SVC_REQUIRE_AUTH=1 without keys": {"SVC_REQUIRE_AUTH": "1", "SVC_API_KEYS": ""},
    "SVC_LICENSE that nobody signed": {"SVC_LICENSE": "no.license.token"},
    "SVC_API_KEYS with the same name and scope twice": {"SVC_API_KEYS": "a:read=one1,a:read=two2"},
    "SVC_API_KEYS with the same secret twice": {"SVC_API_KEYS": "a=one1,b=one1"},
    "SVC_API_KEYS with an unknown scope": {"SVC_API_KEYS": "a:owner=one1"},
    "SVC_SOURCE_ROOT that is not there": {"SVC_SOURCE_ROOT": "/nope/nope"},
    "SVC_FAST_PDF (deprecated alias) against SVC_FAST_MODE": {"SVC_FAST_PDF": "0", "SVC_FAST_MODE": "1"},
    "SVC_PII_ENGINE that is unknown": {"SVC_PII_ENGINE": "magic"},
    "SVC_OCR_LANGS that is unknown": {"SVC_OCR_LANGS": "klingon"},
    "SVC_VLM_OCR without the hardware": {"SVC_VLM_OCR": "no-such-model"},
    "SVC_PLUGINS that is not installed": {"SVC_PLUGINS": "no-such-plugin"},
    "SVC_WORKERS that is no number": {"SVC_WORKERS": "many"},
    "SVC_MAX_UPLOAD_MB that is no number": {"SVC_MAX_UPLOAD_MB": "much"},
    "SVC_RATE_LIMIT_RPM below 0": {"SVC_RATE_LIMIT_RPM": "-1"},
    "an address beyond loopback without a licence": {"SVC_HOST": "0.0.0.0"},
}


@row("5 access", "no key, a wrong one, one in another case: 401, with WWW-Authenticate")
async def access(probe: Probe) -> None:
    for secret in ("", "quire_wrong", probe.http.headers["x-api-key"].swapcase()):
        answer = await probe.ask("GET", "/v1/stats", 401, headers={"X-API-Key": secret})
        assert "www-authenticate" in answer.headers


@row("5 access", "Authorization: Bearer carries the key too")
async def bearer(probe: Probe) -> None:
    asked = probe.http.build_request("GET", "/v1/stats")
    asked.headers["Authorization"] = f"Bearer {asked.headers.pop('x-api-key')}"
    answer = await probe.http.send(asked)
    assert answer.status_code == 200, str(answer.status_code)


@row("5 access", "a key of scope read or write: 403 beyond it, 200 within")
async def scopes(probe: Probe) -> None:
    for name, (method, path) in WEAK.items():
        header = probe.key(name)
        await probe.ask("GET", "/v1/stats", 200, headers=header)
        problem(await probe.ask(method, path, 403, json={}, headers=header), "scope-missing")


@row("5 access", "X-DE-Org scopes every operation; a malformed one is 422")
async def organisations(probe: Probe) -> None:
    other = {"X-DE-Org": "conformance-other"}
    assert (await probe.ask("GET", "/v1/jobs", 200, headers=other)).json() == []
    await probe.ask("GET", f"/v1/jobs/{probe.job['id']}", 404, headers=other)
    problem(await probe.ask("GET", "/v1/jobs", 422, headers={"X-DE-Org": "No Name!"}), "invalid-org")


@row("5 access", "another tenant's job: 404 on every verb, as an unknown one")
async def tenants(probe: Probe) -> None:
    header, job = probe.key("foreign"), probe.job["id"]
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/cancel"), ("GET", "/review"), ("GET", "/archive")):
        await probe.ask(method, f"/v1/jobs/{job}{path}", 404, headers=header)
    assert (await probe.ask("GET", "/v1/jobs", 200, headers=header)).json() == []
    assert (await probe.ask("GET", "/v1/review", 200, headers=header)).json() == []


@row("5 access", "the default token lies in a file of its owner alone")
async def token_file(probe: Probe) -> None:
    path = on_this_machine(probe) / "token"
    if not path.exists():
        raise NotRun("keys are the operator's here")
    assert path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode)


@row("7 errors", "401 after many wrong keys from one address is 429 with Retry-After, or goes on being 401")
async def strangers(probe: Probe) -> None:
    answers = [await probe.http.get("/v1/stats", headers={"X-API-Key": f"quire_{at}"}) for at in range(20)]
    assert {answer.status_code for answer in answers} <= {401, 429}
    assert all("retry-after" in answer.headers for answer in answers if answer.status_code == 429)


def refuses(what: str, settings: dict[str, str]) -> None:
    @row("8 settings", f"refuses the start: {what}")
    async def check(probe: Probe) -> None:
        on_this_machine(probe)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "w").mkdir()
            kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
            command = [sys.executable, "-m", "quire.cluster.cli.main", "up", "--detach", "--workdir", f"{folder}/w"]
            run = asyncio.to_thread(
                subprocess.run, command, env=kept | settings, capture_output=True, text=True, check=False
            )
            done = await run
        assert done.returncode != 0, "it started"
        assert "Traceback" not in done.stderr, "a traceback"
        assert len(done.stderr.strip().splitlines()) <= 6, done.stderr[-300:]


for refused, changed in REFUSED_STARTS.items():
    refuses(refused, changed)


async def console(probe: Probe) -> dict[str, str]:
    """Headers of a signed-in visitor of the console. Raises `NotRun`."""
    if "console" not in probe.kept:
        probe.kept["console"] = None
        if (await probe.http.get("/console/healthz", headers={"X-API-Key": ""})).status_code == 200:
            await sign_up(probe)
    if not probe.kept["console"]:
        raise NotRun("no console here (SVC_CONSOLE)")
    found: dict[str, str] = probe.kept["console"]
    return found


async def sign_up(probe: Probe) -> None:
    form = {"email": f"conformance-{uuid4().hex}@example.org", "password": uuid4().hex}
    made = await probe.http.post("/console/sign-up", data=form, headers={"X-API-Key": ""})
    assert made.status_code == 303, f"sign-up {made.status_code}"
    session = {"X-API-Key": "", "Cookie": made.headers["set-cookie"].partition(";")[0]}
    token = await probe.ask("POST", "/console/api/tokens", 201, json={"name": "conformance"}, headers=session)
    secret = token.json()["token"]
    probe.kept["session"], probe.kept["console_token"] = session, token.json()
    probe.kept["console"] = {"X-API-Key": secret}


@row("4 hosted", "POST /api/tokens: a token, shown once; missing or revoked ones are 401")
async def hosted_tokens(probe: Probe) -> None:
    header = await console(probe)
    await probe.ask("GET", "/console/v1/usage", 200, headers=header)
    await probe.ask("GET", "/console/v1/usage", 401, headers={"X-API-Key": ""})
    session = probe.kept["session"]
    other = (await probe.ask("POST", "/console/api/tokens", 201, json={"name": "b"}, headers=session)).json()
    await probe.ask("DELETE", f"/console/api/tokens/{other['id']}", 204, headers=session)
    await probe.ask("GET", "/console/v1/usage", 401, headers={"X-API-Key": other["token"]})


@row("4 hosted", "POST /v1/parse and /v1/jobs: as the engine's; Location within the console")
async def hosted_intake(probe: Probe) -> None:
    header = await console(probe)
    part = (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")
    parsed = await probe.ask("POST", "/console/v1/parse", 200, files={"file": part}, headers=header)
    probe.kept["hosted"] = parsed.json()["job"]
    assert parsed.json()["tree"]["blocks"]
    made = await probe.ask("POST", "/console/v1/jobs", 201, files=[("files", part)], headers=header)
    assert (made.json()["status"], made.json()["documents"]) == ("queued", [])
    assert made.headers["location"] == f"/console/v1/jobs/{made.json()['id']}", made.headers["location"]
    later = await probe.parse_without_waiting("/console/v1/parse", headers=header)
    assert later.headers["location"].startswith("/console/v1/jobs/")


@row("4 hosted", "tree, chunks, graph, context, finetune, search, usage of a hosted document")
async def hosted_outputs(probe: Probe) -> None:
    header, job = await console(probe), probe.kept["hosted"]
    place = f"/console/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
    for path in ("tree", "chunks", "export/graph", "export/context"):
        await probe.ask("GET", f"{place}/{path}", 200, headers=header)
    await probe.ask("GET", f"/console/v1/jobs/{job['id']}/export/finetune", 200, headers=header)
    assert (await probe.http.get("/console/v1/search", params={"q": "x"}, headers=header)).status_code in (200, 409)
    usage = (await probe.ask("GET", "/console/v1/usage", 200, headers=header)).json()
    members(usage, "documents pages_this_month monthly_pages") if "monthly_pages" in usage else None


@row("4 hosted", "engine-only operations are plain HTTP errors at the console")
async def hosted_absent(probe: Probe) -> None:
    header = await console(probe)
    for path in ("health", "stats", "license", "sources", "webhooks", "dead-letters", "audit", "review"):
        answer = await probe.http.get(f"/console/v1/{path}", headers=header)
        assert answer.status_code in (404, 405), f"{path}: {answer.status_code}"


@row("4 hosted", "an engine's job is 404 at the console, an engine's key 401, and the other way round")
async def hosted_apart(probe: Probe) -> None:
    header = await console(probe)
    await probe.ask("GET", f"/console/v1/jobs/{probe.job['id']}", 404, headers=header)
    await probe.ask("GET", "/console/v1/usage", 401)
    await probe.ask("GET", "/v1/stats", 401, headers=header)


@row("4 hosted", "a token lists its jobs and deletes them and their documents")
async def hosted_removal(probe: Probe) -> None:
    header, job = await console(probe), probe.kept["hosted"]
    listed = (await probe.ask("GET", "/console/v1/jobs", 200, headers=header)).json()
    assert job["id"] in [one["id"] for one in listed]
    document = job["documents"][0]["document_id"]
    await probe.ask("DELETE", f"/console/v1/documents/{document}", 204, headers=header)
    await probe.ask("GET", f"/console/v1/jobs/{job['id']}/documents/{document}/tree", 404, headers=header)
    await probe.ask("DELETE", f"/console/v1/jobs/{job['id']}", 204, headers=header)
    await probe.ask("GET", f"/console/v1/jobs/{job['id']}", 404, headers=header)


@row("4 hosted", "a batch or a file over its cap is 413 at the console")
async def hosted_caps(probe: Probe) -> None:
    header = await console(probe)
    many = [("files", (f"{at}.pdf", b"%PDF-1.4\n", "application/pdf")) for at in range(11)]
    await probe.ask("POST", "/console/v1/jobs", 413, files=many, headers=header)
    large = [("files", ("l.pdf", b"%PDF-1.4\n" + b"\0" * (21 << 20), "application/pdf"))]
    await probe.ask("POST", "/console/v1/jobs", 413, files=large, headers=header)


@row("6 events", "hosted webhooks: a private or loopback address is 422")
async def hosted_webhooks(probe: Probe) -> None:
    await console(probe)
    for url in ("http://10.0.0.1/x", "http://169.254.169.254/"):
        await probe.ask("POST", "/console/api/webhooks", 422, json={"url": url}, headers=probe.kept["session"])


@row("4 hosted", "/console leads to /console/")
async def hosted_root(probe: Probe) -> None:
    await console(probe)
    answer = await probe.http.get("/console", headers={"Accept": "text/html"}, follow_redirects=False)
    assert answer.status_code in (302, 303, 307, 308), str(answer.status_code)
    assert answer.headers["location"].endswith("/console/"), answer.headers["location"]
