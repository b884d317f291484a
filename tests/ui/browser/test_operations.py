"""Every operation of the API is asked by a page of the dashboard, or docs/ui.md names it as not meant for it."""

import re
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from PIL import Image

from quire.serve_apps.ui.browser.gateway import BrowserApi
from quire.serve_apps.ui.browser.visit import FILES
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from tests.api.harness import serving
from tests.api.searching import search_ports
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of
from tests.ui.papers import FLAGGER, HELD, LetterReader, letter_resources, write_letter
from tests.ui.test_page_view import PAGES, a_block

ROOT = Path(__file__).resolve().parents[3]
RECEIVER = "https://93.184.215.14/hooks"
Operation = tuple[str, str]
ASKS = re.compile(r'"(POST|DELETE|GET)", (?:url: )?["`]/ui(/v1/[^"`]+)["`]')
_LINK = re.compile(r'(?:href|src|action|data-events|data-flags)="([^"#]*)')
_FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]+)"(.*?)</form>', re.DOTALL)
_INPUT = re.compile(r'<(?:input type="hidden" |button[^>]*? )name="([^"]+)"[^>]*? value="([^"]*)"')


@dataclass
class Walker:
    """Follows every link of the pages and sends every form that asks for nothing, those that delete last."""

    visitor: Visitor
    met: set[Operation]
    pages: set[str] = field(default_factory=set)
    forms: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    starts: list[str] = field(default_factory=list)

    async def walk(self, *paths: str) -> None:
        """From these pages on, each of these for certain, of the others one of a kind."""
        waiting = list(paths)
        while waiting:
            path = waiting.pop(0)
            seen = {path} if path in paths else {path, _kind(path)}
            if seen & self.pages:
                continue
            self.pages |= {path, _kind(path)}
            text = (await self.visitor.http.get(path)).text
            found = [urljoin(path, unescape(link)) for link in _LINK.findall(text)]
            self.met |= {("GET", link.removeprefix("/ui")) for link in found if link.startswith("/ui/v1/")}
            self.met |= {("POST", url.removeprefix("/ui")) for url in re.findall(r'data-url="(/ui/v1/[^"]+)"', text)}
            waiting += [one for one in found if one.startswith("/ui") and not one.startswith(("/ui/v1/", "/ui/static"))]
            self._note_forms(text)

    def _note_forms(self, text: str) -> None:
        for action, inside in _FORM.findall(text):
            fields = dict(_INPUT.findall(inside))
            if action.startswith("/ui/v1/"):
                self.met.add(("POST", action.removeprefix("/ui")))
            elif action in ("/ui/act", "/ui/act-on-many"):
                self.forms.setdefault((fields["act"], fields.get("documents", "")), fields)

    async def send_forms(self) -> None:
        for (act, _), fields in sorted(self.forms.items(), key=lambda form: "delete" in form[0][0]):
            await self.send("/ui/act-on-many" if act not in ACTS else "/ui/act", **fields)

    async def send(self, action: str, **fields: str) -> httpx.Response:
        answer = await self.visitor.http.post(action, data=fields | {"csrf": self.visitor.csrf}, headers=SAME_SITE)
        onward = answer.headers.get("location", "")
        if onward.startswith("/ui/v1/"):
            self.met.add(("GET", onward.removeprefix("/ui")))
        return answer


ACTS = frozenset(
    re.findall(r'    [A-Z_]+ = "([a-z-]+)"', (ROOT / "serve_apps" / "ui" / "pages" / "actions.py").read_text())
)


def _kind(path: str) -> str:
    """A page by its path and the names in its query, identifiers left out: one of a kind is enough."""
    parts = urlsplit(path)
    tab = re.search(r"(?:tab|status)=\w+", parts.query)
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    place = re.sub(r"(job|doc|wh|src|tgt)_[a-z0-9]+", r"\1", parts.path)
    return f"{place}?{names}{tab and tab[0]}"


@pytest.fixture
async def dashboard(store: Store, dsn: str, tmp_path: Path) -> AsyncIterator[FastAPI]:
    (tmp_path / "files" / "contracts").mkdir(parents=True)
    gate = SourceGate(workdir=store.workdir, root=tmp_path / "files")
    reader = LetterReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        with search_ports(store, tmp_path) as (ports, _):
            changes: dict[str, Any] = {"source_gate": gate, "flag_tree": FLAGGER, "exports": {"outline": _outline}}
            async with serving(letter_resources(store, dsn=dsn, ports=ports, **changes)) as running:
                yield running
    finally:
        reader.stopping.set()
        thread.join()


def _outline(tree: object) -> Any:
    raise AssertionError("nobody downloads it here")


async def test_every_operation_is_reachable_from_a_page_or_listed_as_excluded(
    dashboard: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: set[Operation] = set(asked_by_scripts())
    _listen(monkeypatch, met)
    visitor = visitor_of(dashboard)
    async with visitor.http:
        assert (await visitor.sign_in("acme-admin")).status_code == 303
        walker = Walker(visitor, met)
        first, second = await _fill(walker, tmp_path)
        job, a = first.split("/")
        await walker.send("/ui/act-on-many", act="download", id=first)
        compared = f"/ui/compare?a={a}&b={second.partition('/')[2]}"
        await walker.walk("/ui", f"/ui/jobs/{job}", "/ui/search?q=complaint&mode=fts", compared, *walker.starts)
        await walker.send_forms()
    operations = described(dashboard)
    reached = {_operation_of(one, operations) for one in met}
    excused = named_in_docs()
    assert reached - operations == set()
    assert set(excused) - operations == set()
    assert operations - reached - set(excused) == set()
    assert set(excused) & reached == set()


def _listen(monkeypatch: pytest.MonkeyPatch, met: set[Operation]) -> None:
    """Notes what pages ask the API in their own process."""
    call = BrowserApi._call

    async def noted(self: BrowserApi, method: str, path: str, *rest: Any) -> Any:
        met.add((method, path))
        return await call(self, method, path, *rest)

    monkeypatch.setattr(BrowserApi, "_call", noted)


async def _fill(walker: Walker, folder: Path) -> tuple[str, str]:
    """Something of every kind, and two documents (job/document) that were read."""
    visitor = walker.visitor
    jobs = [
        await visitor.upload(("letter.pdf", write_letter(1, 2)), ("second.pdf", write_letter(2, 2))),
        await visitor.upload(("notes.bin", b"no document")),
        await visitor.upload(("long.pdf", HELD)),
    ]
    for job in jobs[:2]:
        ended = (await visitor.http.get(f"/ui/v1/jobs/{job['id']}?wait=60")).json()
        assert ended["finished_at"], ended
    await walker.send("/ui/sources", place="/none", test="1")
    await walker.send("/ui/targets", kind="sink", test="1")
    await walker.send("/ui/sources", place=str(folder / "files" / "contracts"), name="Contracts")
    await walker.send("/ui/webhooks", url=RECEIVER, **{"job.finished": "1"})
    (hook,) = (await visitor.http.get("/ui/v1/webhooks")).json()
    await walker.send("/ui/act", act="test-webhook", id=hook["id"])
    await walker.send(f"/ui/webhooks/{hook['id']}")
    await walker.send("/ui/act", act="enable-webhook", id=hook["id"])
    await walker.send("/ui/targets", kind="sink", name="Vectors", settings="table=chunks")
    (target,) = (await visitor.http.get("/ui/v1/targets")).json()
    for name in ("pause-target", "resume-target", "retry-target"):
        await walker.send("/ui/act", act=name, id=target["id"])
    (delivery, *_) = (await visitor.http.get("/ui/v1/webhooks/deliveries")).json()
    await walker.send("/ui/act", act="redeliver", id=delivery["id"])
    (first, second) = (await visitor.http.get(f"/ui/v1/documents?job_id={jobs[0]['id']}")).json()
    walker.starts += [await _ingest(visitor), f"/ui/jobs/{jobs[2]['id']}"]
    await _extract(walker, f"/ui/jobs/{jobs[0]['id']}/documents/{first['document_id']}")
    shown = {"job": jobs[0]["id"], "document": first["document_id"], "decision": "approved", "kind": "email"}
    await walker.send("/ui/act", act="decide-shown", **shown)
    return (f"{jobs[0]['id']}/{first['document_id']}", f"{jobs[0]['id']}/{second['document_id']}")


async def _extract(walker: Walker, document: str) -> None:
    """Store a schema on the extract page, look at its values and send a correction."""
    schema = '{"type": "object", "properties": {"subject": {"type": "string"}}}'
    stored = await walker.send(f"{document}/extract", act="store", name="letter", json=schema)
    assert stored.headers["location"] == f"{document}/extract?schema=letter"
    walker.starts.append(f"{document}/extract?schema=letter")
    await walker.send(f"{document}/extract", act="correct", schema="letter", path="/subject", block="b0")


async def _ingest(visitor: Visitor) -> str:
    """Return the page of a document with a doubtful block and a separate picture."""
    picture = a_block("drawn", 1, type="picture", text="", asset_ref="p1-1.png")
    blocks = [a_block("doubtful", 1, confidence=0.3), picture]
    tree = {"cdom_version": "1.0", "source": {"name": "a.pdf", "format": "pdf"}, "pages": PAGES, "blocks": blocks}
    drawn = Image.new("L", (4, 4))
    drawn.save(png := BytesIO(), "PNG")
    body = {"tree": tree, "assets": {"p1-1.png": b64encode(png.getvalue()).decode()}}
    answer = await visitor.http.post("/ui/v1/ingest", json=body, headers=SAME_SITE | {"X-CSRF-Token": visitor.csrf})
    job = answer.json()
    return f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"


def asked_by_scripts() -> Iterator[Operation]:
    """Return the requests of the scripts."""
    for name, data in FILES.content.items():
        if name.endswith(".js") and not name.startswith("htmx"):
            for method, path in ASKS.findall(data.decode()):
                yield method, re.sub(r"\$\{[^}]+\}", "x", path)


def described(app: FastAPI) -> set[Operation]:
    paths = app.openapi()["paths"]
    return {(method.upper(), path) for path, methods in paths.items() for method in methods}


def _operation_of(met: Operation, operations: set[Operation]) -> Operation:
    """Return the described operation of a request, or the request itself without one."""
    method, path = met[0], urlsplit(met[1]).path
    for one in sorted(operations, key=lambda one: one[1].count("{")):
        pattern = re.sub(r"\\\{asset_path\\\}", ".+", re.escape(one[1]))
        if one[0] == method and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", pattern), path):
            return one
    return met


def named_in_docs() -> dict[Operation, str]:
    """Operation → reason, of the table in docs/ui.md."""
    text = (ROOT / "docs" / "ui.md").read_text().partition("## Operations without a page")[2]
    rows = re.findall(r"^\| `(GET|POST|PUT|DELETE) ([^`]+)` \| (\S.*) \|$", text.partition("\n## ")[0], re.MULTILINE)
    return {(method, path): reason for method, path, reason in rows}
