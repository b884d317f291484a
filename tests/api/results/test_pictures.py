"""Assets and page pictures through HTTP."""

import httpx
import pytest

from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import PDF, PNG, SVG, Painter, client_of, files, make_resources, reading, serving


@pytest.fixture
async def document(client: httpx.AsyncClient, reader: None) -> str:
    """The path of a read document."""
    body = (await client.post("/v1/parse", files=files(PDF, part="file"))).json()
    return f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}"


async def test_an_asset_is_served_by_its_reference(client: httpx.AsyncClient, document: str) -> None:
    answer = await client.get(f"{document}/assets/p1-0.png")
    assert (answer.status_code, answer.content) == (200, PNG)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-disposition"] == "attachment"
    again = await client.get(f"{document}/assets/p1-0.png", headers={"If-None-Match": f"W/{answer.headers['etag']}"})
    assert again.status_code == 304


async def test_picture_without_a_file_is_cut_from_its_page_once(store: Store, dsn: str) -> None:
    painter = Painter()
    resources = make_resources(store, dsn=dsn, ports=Ports(render_page=painter))
    async with serving(resources) as app, client_of(app) as caller:
        with reading(store):
            body = (await caller.post("/v1/parse", files=files(PDF, part="file"))).json()
        path = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}/assets/p1-1.png"
        first, again = await caller.get(path), await caller.get(path)
        kept = await caller.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, first.content, first.headers["content-type"]) == (200, PNG, "image/png")
    assert (again.status_code, kept.status_code) == (200, 304)
    assert painter.areas == [(72.0, 100.0, 200.0, 180.0)]


async def test_active_content_is_served_as_octet_stream(client: httpx.AsyncClient, document: str) -> None:
    answer = await client.get(f"{document}/assets/i1.svg")
    assert (answer.status_code, answer.content) == (200, SVG)
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == "attachment"


@pytest.mark.parametrize(
    "path",
    [
        "..%2ftree.json",
        "%2e%2e%2ftree.json",
        "%252e%252e/tree.json",
        "..\\tree.json",
        "/etc/passwd",
        "%00",
        "P1-0.PNG",
        "tree.json",
        "x" * 5000,
    ],
)
async def test_path_traversal_reaches_no_other_file(client: httpx.AsyncClient, document: str, path: str) -> None:
    assert (await client.get(f"{document}/assets/{path}")).status_code in {404, 422}


async def test_a_page_is_drawn_with_its_size_in_headers(client: httpx.AsyncClient, document: str) -> None:
    answer = await client.get(f"{document}/pages/1?dpi=72")
    assert (answer.status_code, answer.content) == (200, PNG)
    sizes = [answer.headers[f"x-page-{name}"] for name in ("width", "height", "count")]
    assert sizes == ["595", "842", "1"]


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("0", 404),
        ("-1", 404),
        ("2", 404),
        ("1000000000", 404),
        ("1.5", 422),
        ("x", 422),
        ("1?dpi=35", 422),
        ("1?dpi=301", 422),
    ],
)
async def test_a_page_that_is_not_there_is_unknown(
    client: httpx.AsyncClient, document: str, page: str, status: int
) -> None:
    assert (await client.get(f"{document}/pages/{page}")).status_code == status


@pytest.mark.parametrize("path", ["assets/p1-0.png", "pages/1", "tree"])
async def test_nothing_is_shown_redacted_without_a_finished_scan(
    client: httpx.AsyncClient, document: str, path: str
) -> None:
    answer = await client.get(f"{document}/{path}?redacted=true")
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


async def test_without_a_painter_a_page_is_503(store: Store, dsn: str) -> None:
    async with serving(make_resources(store, dsn=dsn, ports=Ports())) as app, client_of(app) as caller:
        with reading(store):
            body = (await caller.post("/v1/parse", files=files(PDF, part="file"))).json()
        path = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}/pages/1"
        answer = await caller.get(path)
    assert (answer.status_code, answer.json()["code"]) == (503, "port-unavailable")
