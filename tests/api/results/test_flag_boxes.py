"""The boxes of flagged values: their own where the page's glyphs say so, else what the tree knows."""

from collections.abc import AsyncIterator

import httpx
import pymupdf
import pytest

from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import Drawing, at_work, client_of, make_resources, serving
from tests.api.results.test_originals import ScanningReader, send
from tests.models.redaction.papers import SECRET

WORDS = "The rope was measured twice before anybody asked"
OTHER = "mary.zaq@leak.example"


def a_table_and_a_letter() -> bytes:
    """Two values in one paragraph and one in a cell; a second page without any."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), f"{WORDS} {SECRET},")
        page.insert_text((72, 114), f"who was told to ask {OTHER} and nobody else.")
        for row, texts in enumerate((("Name", "Mail"), ("Crane", "crane.zaq@leak.example or at the quay"))):
            for column, text in enumerate(texts):
                box = pymupdf.Rect(72 + 220 * column, 200 + 24 * row, 292 + 220 * column, 224 + 24 * row)
                page.draw_rect(box)
                page.insert_text((box.x0 + 4, box.y1 - 8), text, fontsize=10)
        document.new_page().insert_text((72, 100), WORDS)
        return bytes(document.tobytes())


@pytest.fixture
async def client(store: Store, dsn: str) -> AsyncIterator[httpx.AsyncClient]:
    resources = make_resources(store, dsn=dsn, ports=Ports(render_page=Drawing(store)))
    async with serving(resources) as app, client_of(app) as caller:
        yield caller


async def test_a_value_has_its_own_boxes_on_its_page(client: httpx.AsyncClient, store: Store) -> None:
    original = a_table_and_a_letter()
    with at_work(ScanningReader(store)):
        path = await send(client, original)
    found = (await client.get(f"{path}/pages/1/flags")).json()
    page = pymupdf.open(stream=original)[0]
    for value, one in zip((SECRET, OTHER, "crane.zaq@leak.example"), found, strict=True):
        assert one["exact"]
        ((x0, y0, x1, y1),) = one["boxes"]
        (true,) = page.search_for(value)
        assert (x0, y0, x1, y1) == pytest.approx(tuple(true), abs=3)
    assert len({one["place"] for one in found}) == 3
    assert (await client.get(f"{path}/pages/2/flags")).json() == []


async def test_a_page_that_is_not_there_is_unknown(client: httpx.AsyncClient, store: Store) -> None:
    with at_work(ScanningReader(store)):
        path = await send(client, a_table_and_a_letter())
    assert [(await client.get(f"{path}/pages/{page}/flags")).status_code for page in ("3", "0", "x")] == [404, 404, 422]


async def test_without_a_picture_the_block_or_cell_is_the_place(store: Store, dsn: str) -> None:
    async with serving(make_resources(store, dsn=dsn, ports=Ports())) as app, client_of(app) as caller:
        with at_work(ScanningReader(store)):
            path = await send(caller, a_table_and_a_letter())
        found = (await caller.get(f"{path}/pages/1/flags")).json()
        blocks = (await caller.get(f"{path}/tree")).json()["blocks"]
    assert [one["exact"] for one in found] == [False] * 3
    cell = next(block["table"]["cells"][3]["bbox"] for block in blocks if block["table"])
    assert found[2]["boxes"] == [pytest.approx(cell, abs=0.01)]
    assert found[0]["boxes"] == found[1]["boxes"]
