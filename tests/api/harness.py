"""The whole API in one process over a real database: callers of several tenants, and a reader that makes tiny trees."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Match

from quire.models.cdom.errors import ErrorCode, ExtractError
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import PageImage, PageMark, ReadOutcome
from quire.models.cdom.tree import (
    BlockType,
    Source,
    Tree,
    dump_tree,
)
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.redaction.pdf.boxes import find_boxes
from quire.serve_apps.access.license import License
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.access.license_keys import raw_public
from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import Ports, Resources
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store
from quire.storage.targets.contract import TargetRecord, TargetSettings
from quire.storage.targets.opening import TargetKinds
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Claim, Failed, Succeeded
from tests.api.keys import ring_of
from tests.builders import make_block, make_tree

KEYS = "acme:read=acme-read,acme:write=acme-write,acme:admin=acme-admin,zeta=zeta-all"
PDF = b"%PDF-1.4\n% tiny\n%%EOF\n"
TREE: dict[str, Any] = {
    "cdom_version": "1.0",
    "source": {"name": "dir/far.epub", "format": "epub"},
    "pages": [{"number": 1, "width": 595, "height": 842}],
    "blocks": [
        {"id": "h", "type": "heading", "page": 1, "text": "Far"},
        {"id": "p", "type": "paragraph", "page": 1, "text": "Away", "parent": "h"},
    ],
}
"""The least a tree from outside may hold, and a little more."""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 32
SIGNING = Ed25519PrivateKey.generate()


def a_license(**changes: Any) -> License:
    now = datetime.now(UTC).replace(microsecond=0)
    facts: dict[str, Any] = {
        "license_id": "lic-test",
        "customer": "Acme",
        "plan": "test",
        "features": ("audit_export",),
        "max_pages_per_month": 100_000,
        "issued_at": now - timedelta(days=1),
        "not_before": now - timedelta(days=1),
        "expires_at": now + timedelta(days=30),
        "kid": "k1",
    }
    return License(**(facts | changes))


class Sink:
    """A kind of target that stores what it receives, by the id of the record."""

    rows: ClassVar[dict[str, TargetRecord]] = {}

    def __init__(self, settings: TargetSettings) -> None:
        settings.optional("table")

    def check(self) -> None:
        return

    def upsert(self, records: Sequence[TargetRecord]) -> None:
        self.rows.update({record.id: record for record in records})

    def delete(self, document_id: str, keep_run: str | None) -> None:
        for record in [*self.rows.values()]:
            if record.document_id == document_id and record.run != keep_run:
                del self.rows[record.id]

    def close(self) -> None:
        return


class Painter:
    """Draws every page the same; remembers which parts were wanted."""

    def __init__(self) -> None:
        self.areas: list[Bbox | None] = []

    async def render_page(
        self,
        blob_key: str,
        page: int,
        dpi: int,
        password: str | None,
        area: Bbox | None = None,
        marks: Sequence[PageMark] = (),
    ) -> PageImage:
        self.areas.append(area)
        return PageImage(png=PNG, width=595.0, height=842.0, page_count=1)


class Drawing:
    """Draws pages of the stored originals in this process, and looks up the places that are asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def render_page(
        self,
        blob_key: str,
        page: int,
        dpi: int,
        password: str | None,
        area: Bbox | None = None,
        marks: Sequence[PageMark] = (),
    ) -> PageImage:
        with self._store.blobs.open(blob_key) as file:
            data = file.read()
        boxes = find_boxes(data, page, marks) if marks else []
        return replace(open_document(data, ReadOptions()).render_page(page, dpi), boxes=tuple(map(tuple, boxes)))


class Eyes:
    """Reads in this process, with the real readers; keeps nothing."""

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        try:
            document = open_document(original, options)
            read = [document.read_page(number) for number in document.facts.page_numbers]
        except ExtractError as error:
            return ReadOutcome(error=error.code, detail=error.detail)
        if any(page.pixels is not None for page in read):
            return ReadOutcome(error=ErrorCode.ML_UNAVAILABLE, detail="no recogniser here")
        contents = [page.content for page in read]
        source = Source(format=document.facts.format, sha256=sha256(original).hexdigest(), bytes=len(original))
        return ReadOutcome(tree=assemble(document.facts, contents, source=source, options=options))


def make_resources(store: Store, **changes: Any) -> Resources:
    holder = LicenseHolder(a_license(), {"k1": raw_public(SIGNING)})
    values: dict[str, Any] = {
        "store": store,
        "keys": ring_of(KEYS),
        "license": holder,
        "targets": TargetKinds(plugged={"sink": Sink}),
        "ports": Ports(render_page=Painter(), read_once=Eyes()),
    }
    return Resources(**(values | changes))


@asynccontextmanager
async def serving(resources: Resources) -> AsyncIterator[FastAPI]:
    """The app with its lifespan."""
    app = create_app(resources)
    async with app.router.lifespan_context(app):
        yield app


def client_of(
    app: FastAPI, key: str | None = "acme-write", *, org: str | None = None, peer: str = "203.0.113.7"
) -> httpx.AsyncClient:
    """A caller with that key from that address."""
    headers = {name: value for name, value in (("X-API-Key", key), ("X-DE-Org", org)) if value is not None}
    transport = httpx.ASGITransport(app, raise_app_exceptions=True, client=(peer, 4711))
    hooks: dict[str, list[Callable[..., Any]]] = {"response": [partial(check_declared, app)]}
    return httpx.AsyncClient(transport=transport, base_url="http://quire.test", headers=headers, event_hooks=hooks)


async def check_declared(app: FastAPI, response: httpx.Response) -> None:
    """Check that the description of the service declares the status of each answer; other doors follow their models."""
    request = response.request
    scope = {"type": "http", "method": request.method, "path": request.url.path, "root_path": ""}
    routes = [route for route in app.router.routes if isinstance(route, APIRoute)]
    route = next((route for route in routes if route.matches(scope)[0] is Match.FULL), None)
    paths = _describe_paths(app, routes)
    if route is not None and "/v1/jobs" in paths and response.status_code != 500:
        operation = paths[route.path][request.method.lower()]
        if response.status_code == 413 and "requestBody" not in operation:
            return  # a body that the operation does not have
        declared = operation["responses"]
        assert str(response.status_code) in declared, (request.method, route.path, response.status_code)


_DESCRIBED: dict[frozenset[str], dict[str, Any]] = {}
"""The paths of each description by the operations in it: an app is made for each test, and one takes a second."""


def _describe_paths(app: FastAPI, routes: Sequence[APIRoute]) -> dict[str, Any]:
    operations = frozenset(route.unique_id for route in routes)
    if operations not in _DESCRIBED:
        _DESCRIBED[operations] = app.openapi()["paths"]
    return _DESCRIBED[operations]


def tiny_tree(claim: Claim, size: int) -> Tree:
    """One page with a paragraph and a picture that is drawn when asked for."""
    return make_tree(
        make_block(BlockType.PARAGRAPH, "Hello", bbox=(72.0, 72.0, 200.0, 84.0)),
        make_block(BlockType.PICTURE, bbox=(72.0, 100.0, 200.0, 180.0), asset_ref="p1-1.png"),
        source=Source(format=Format.PDF, sha256=claim.blob_sha256 or "", bytes=size),
        options_hash=claim.options.digest(),
    )


@dataclass
class TinyReader:
    """Claims and publishes in a thread: a file that starts with %PDF succeeds, any other is `unsupported-format`.

    Every file has one page."""

    store: Store
    hold: Callable[[Claim], None] = lambda claim: None
    stopping: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        queue = Queue(self.store.db, new_worker_id(), LeasePolicy(), self.store.signer)
        while not self.stopping.is_set():
            claim = queue.claim()
            if claim is None:
                self.stopping.wait(0.005)
                continue
            self.hold(claim)
            self._end(claim)

    def _end(self, claim: Claim) -> None:
        assert claim.blob_sha256 is not None
        with self.store.blobs.open(claim.blob_sha256) as file:
            content = file.read()
        if claim.options.pages and claim.options.pages[0][0] > 1:
            finish(self.store, [Failed(claim=claim, error="no-such-page", detail="the file has 1 pages")])
            return
        if not content.startswith(b"%PDF"):
            finish(self.store, [Failed(claim=claim, error="unsupported-format", detail="no known signature")])
            return
        tree = dump_tree(tiny_tree(claim, len(content)))
        manifest = self.store.artifacts.put(
            claim.document_id, claim.attempt, {"tree.json": tree, "assets/p1-0.png": PNG, "assets/i1.svg": SVG}
        )
        finish(self.store, [Succeeded(claim=claim, manifest=manifest, format="pdf", pages=1, route_counts={"fast": 1})])


@contextmanager
def reading(store: Store, hold: Callable[[Claim], None] = lambda claim: None) -> Iterator[None]:
    """A reader at work while the block runs."""
    with at_work(TinyReader(store, hold)):
        yield


@contextmanager
def at_work(reader: TinyReader) -> Iterator[None]:
    """Run the reader in a thread while the block runs."""
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        yield
    finally:
        reader.stopping.set()
        thread.join()


def files(*contents: bytes, part: str = "files") -> list[tuple[str, tuple[str, bytes, str]]]:
    """Multipart parts for httpx."""
    return [(part, (f"{i}.pdf", content, "application/pdf")) for i, content in enumerate(contents)]
