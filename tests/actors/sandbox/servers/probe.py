"""A fork server whose children read probe documents: a page is an order to do something no reader should.

A probe document is `%PDF-probe` and JSON `{"open": order, "pages": [order…]}`; see `ORDERS`.
"""

import ctypes
import json
import os
import time
from collections.abc import Callable
from typing import NoReturn

from quire.actors.sandbox import child, server
from quire.actors.sandbox.frames import encode
from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.geometry import Bbox, bbox_area
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import PageImage, PixelPage
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import DocumentFacts, OpenDocument, PageBlock, PageContent, PageRead
from quire.models.extract.registry import open_document
from tests.actors.sandbox.escapes import ESCAPES

HEAD = b"%PDF-probe\n"
PIXELS = b"\x89PNG pixels"


def probe_document(*pages: str, opening: str = "") -> bytes:
    """The bytes of a document whose pages carry out these orders."""
    return HEAD + json.dumps({"open": opening, "pages": pages}).encode()


def _segfault() -> None:
    ctypes.string_at(0)


def _spin() -> None:
    while True:
        pass


def _eat_memory() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(8 << 20))


def _flood() -> None:
    asset = encode({"kind": "asset", "name": "a", "data": bytes(1 << 20)})
    while True:
        os.write(server.CHANNEL, asset)


def _garbage() -> None:
    os.write(server.CHANNEL, b"\x00\x00\x00\x04\xff\xff\xff\xff")


def _out_of_memory() -> None:
    raise ResourceLimit("memory")


def _broken() -> None:
    raise Malformed("broken")


def _bug() -> None:
    raise ZeroDivisionError


def _slip() -> None:
    bbox_area(None)  # type: ignore[arg-type]


def _work() -> None:
    """Use 0.2 seconds of CPU time."""
    end_s = time.process_time() + 0.2
    while time.process_time() < end_s:
        pass


_met: list[str] = []
_kept: list[bytearray] = []


def _stain() -> None:
    _met.append("stain")


def _keep_memory() -> None:
    """Keep 64 MiB after the document has ended."""
    _kept.append(bytearray(64 << 20))


def _fail_when_stained() -> None:
    if _met:
        raise Malformed("what an earlier document left")


def _die_when_stained() -> None:
    if _met:
        os.abort()


ORDERS: dict[str, Callable[[], None]] = {
    "segfault": _segfault,
    "abort": os.abort,
    "exit": lambda: os._exit(3),
    "spin": _spin,
    "sleep": lambda: time.sleep(3600),
    "work": _work,
    "nap": lambda: time.sleep(0.02),
    "eat-memory": _eat_memory,
    "flood": _flood,
    "garbage": _garbage,
    "out-of-memory": _out_of_memory,
    "broken": _broken,
    "bug": _bug,
    "slip": _slip,
    "keep-memory": _keep_memory,
    "stain": _stain,
    "fail-when-stained": _fail_when_stained,
    "die-when-stained": _die_when_stained,
}


class ProbeDocument:
    """Does what its pages say; a page that says nothing known is text."""

    def __init__(self, data: bytes) -> None:
        orders = json.loads(data.removeprefix(HEAD))
        _carry_out(orders["open"])
        self._pages: list[str] = orders["pages"]
        count = len(self._pages)
        self.facts = DocumentFacts(format=Format.PDF, page_count=count, page_numbers=tuple(range(1, count + 1)))

    def read_page(self, number: int) -> PageRead:
        order = self._pages[number - 1]
        text = ESCAPES[order]() if order in ESCAPES else order
        _carry_out(order)
        picture = f"p{number}.png" if order.startswith("draw") else None
        block = PageBlock(type=BlockType.PARAGRAPH, text=text, bbox=(10.0, 10.0, 90.0, 20.0), asset_ref=picture)
        content = PageContent(number=number, width=100.0, height=100.0, blocks=(block,), engine="probe")
        if order == "pixels":
            pixels = PixelPage(number=number, image=PIXELS, width=100.0, height=100.0)
            return PageRead(content=content, pixels=pixels)
        return PageRead(content=content)

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        _carry_out(self._pages[number - 1])
        return PageImage(png=PIXELS, width=100.0, height=100.0, page_count=len(self._pages))

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        _carry_out(self._pages[content.number - 1].removeprefix("draw "))
        return {f"p{content.number}.png": PIXELS}

    def close(self) -> None:
        self._pages = []


def _carry_out(order: str) -> None:
    if order in ORDERS:
        ORDERS[order]()


def open_probe(data: bytes, options: ReadOptions) -> OpenDocument:
    return ProbeDocument(data) if data.startswith(HEAD) else open_document(data, options)


def main(control: int, limits_json: str) -> NoReturn:
    vars(child)["open_document"] = open_probe
    server.main(control, limits_json)
