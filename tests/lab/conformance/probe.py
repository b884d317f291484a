"""Tools of a row: a caller of full scope, other callers, and documents of earlier rows. Knows HTTP, not the service.

A row is an async function that raises where the promise does not hold; `NotRun` where it cannot run.
"""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

SAMPLE = Path(__file__).resolve().parents[3] / "docs" / "sample" / "quire-sample.pdf"
UNKNOWN = "job_" + "a" * 26
UNKNOWN_DOCUMENT = "doc_" + "a" * 26
BROKEN = b"%PDF-1.4\n%%EOF\nbroken \x00\x01"
"""A file whose content is of no format that is read."""
TREE: dict[str, Any] = {
    "cdom_version": "1.0",
    "source": {"name": "conformance.tree", "format": "conformance"},
    "pages": [{"number": 1, "width": 595, "height": 842}],
    "blocks": [
        {"id": "h", "type": "heading", "level": 1, "page": 1, "text": "Invoice"},
        {"id": "p", "type": "paragraph", "page": 1, "text": "Write to conformance.person@example.org today."},
        {"id": "k", "type": "key_value", "page": 1, "text": "Invoice number: CONF-4711"},
        {"id": "s", "type": "paragraph", "page": 1, "text": "<script>alert(1)</script> # no heading"},
        {"id": "d", "type": "paragraph", "page": 1, "text": "Write to conformance.person@example.org today."},
        {"id": "g", "type": "picture", "page": 1, "text": "", "asset_ref": "dot.png"},
    ],
}
"""A document of which every answer is known."""


class NotRun(Exception):
    """This row cannot be tried against this service; the text says what is missing."""


TRIES = 20
"""Of a call that is answered before a document of three pages is read: once in some hundred it is not."""


@dataclass(slots=True)
class Probe:
    """`key_of`: the secret of another caller (`read`, `write`, `foreign`), None if missing. `job` is of the
    sample, `made` ingested.

    `folder` is readable by the service; `workdir` is the service's workdir, when this is its machine.
    """

    http: httpx.AsyncClient
    key_of: Callable[[str], str | None] = field(default=lambda _: None)
    folder: Path | None = None
    workdir: Path | None = None
    job: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> str:
        return place_of(self.job)

    @property
    def ingested(self) -> str:
        return place_of(self.made)

    async def get(self, path: str, expected: int = 200, **params: Any) -> httpx.Response:
        return await self.ask("GET", path, expected, params=params)

    async def ask(self, method: str, path: str, expected: int, **call: Any) -> httpx.Response:
        answer = await self.http.request(method, path, **call)
        assert answer.status_code == expected, f"{answer.status_code} instead of {expected}"
        return answer

    def key(self, name: str) -> dict[str, str]:
        """The header of another caller. Raises `NotRun`."""
        secret = self.key_of(name)
        if secret is None:
            raise NotRun(f"no key named {name} here")
        return {"X-API-Key": secret}

    async def finished(self, job_id: str) -> dict[str, Any]:
        """The job once it has ended."""
        while True:
            job: dict[str, Any] = (await self.get(f"/v1/jobs/{job_id}", wait=30)).json()
            if job["status"] not in ("queued", "running"):
                return job

    async def finished_and_gone(self, job_id: str) -> dict[str, Any]:
        """The ended job, deleted."""
        ended = await self.finished(job_id)
        await self.ask("DELETE", f"/v1/jobs/{job_id}", 204)
        return ended

    async def submit(self, *contents: bytes, expected: int = 201, **fields: str) -> httpx.Response:
        parts = [("files", (f"conformance-{at}.pdf", data, "application/pdf")) for at, data in enumerate(contents)]
        return await self.ask("POST", "/v1/jobs", expected, files=parts, data=fields)

    async def parse_without_waiting(self, path: str = "/v1/parse", **call: Any) -> httpx.Response:
        """The 202 for the sample; one that was read before anybody looked is answered whole, and sent again."""
        part = {"file": (SAMPLE.name, SAMPLE.read_bytes(), "application/pdf")}
        for _ in range(TRIES):
            answer = await self.http.request("POST", path, files=part, params={"timeout_s": 0}, **call)
            if answer.status_code != httpx.codes.OK:
                break
        assert answer.status_code == httpx.codes.ACCEPTED, f"{answer.status_code} instead of 202"
        return answer

    async def parse(self, data: bytes, expected: int = 200, **params: Any) -> httpx.Response:
        parts = {"file": (SAMPLE.name, data, "application/pdf")}
        return await self.ask("POST", "/v1/parse", expected, files=parts, params=params)


def place_of(job: dict[str, Any]) -> str:
    """Return the path of the outputs of a job's first document."""
    if not job:
        raise NotRun("the document of an earlier row is missing")
    return f"/v1/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


Check = Callable[[Probe], Awaitable[object]]
ROWS: list[tuple[str, str, Check]] = []


def row(section: str, what: str) -> Callable[[Check], Check]:
    """A row of the table, in the order of the files."""

    def keep(check: Check) -> Check:
        ROWS.append((section, what, check))
        return check

    return keep


def answers(section: str, what: str, path: str, expected: int = 200, kind: type | None = None, **params: Any) -> None:
    """A row that is one GET; `kind` is the JSON type of its body. `{doc}`, `{made}`, `{job}` are what was made."""

    async def check(probe: Probe) -> None:
        places = {"job": f"/v1/jobs/{probe.job.get('id', UNKNOWN)}", "doc": "", "made": ""}
        if "{doc}" in path or "{made}" in path:
            places |= {"doc": probe.document, "made": probe.ingested}
        answer = await probe.ask("GET", path.format(**places), expected, params=params)
        assert kind is None or isinstance(answer.json(), kind), "another JSON type"

    ROWS.append((section, what, check))


def members(body: dict[str, Any], names: str) -> None:
    """Every one of the names is in the body."""
    missing = set(names.split()) - body.keys()
    assert not missing, f"missing {sorted(missing)}"


def problem(answer: httpx.Response, code: str) -> None:
    """The one form of errors, with its code."""
    body = answer.json()
    found = body["detail"][0]["type"] if answer.status_code == 422 else body["code"]
    assert found == code, f"{found} instead of {code}"


def on_this_machine(probe: Probe) -> Path:
    """The service's workdir. Raises `NotRun`."""
    if probe.workdir is None or not (probe.workdir / "run").is_dir() or not os.access(probe.workdir, os.R_OK):
        raise NotRun("the service is on another machine")
    return probe.workdir
