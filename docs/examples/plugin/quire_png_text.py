"""An example reader: the text fields of a PNG (Title, Description…) instead of what its pixels say. Name it `png`.

It is imported and run in the sandbox: no network, no files, only the bytes it is given.
"""

import struct

from quire.models.cdom.errors import Malformed
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import PageImage
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import DocumentFacts, PageBlock, PageContent, PageRead

_SIGNATURE = 8


def open_png(data: bytes, options: ReadOptions) -> "PngText":
    """A page with a block for every text field. Raises `Malformed`."""
    return PngText(data)


class PngText:
    """An `OpenDocument`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._chunks = list(_chunks(data))
        if not self._chunks or self._chunks[0][0] != b"IHDR":
            raise Malformed("no PNG header")
        self.facts = DocumentFacts(format=Format.PNG, page_count=1, page_numbers=(1,))

    def read_page(self, number: int) -> PageRead:
        width, height = struct.unpack(">II", self._chunks[0][1][:8])
        fields = [body.partition(b"\0") for kind, body in self._chunks if kind == b"tEXt"]
        blocks = tuple(
            PageBlock(type=BlockType.KEY_VALUE, text=f"{key.decode('latin-1')}: {text.decode('latin-1')}")
            for key, _, text in fields
        )
        return PageRead(
            content=PageContent(
                number=number, width=float(width), height=float(height), blocks=blocks, engine="png-text", version="1.0"
            )
        )

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        width, height = struct.unpack(">II", self._chunks[0][1][:8])
        return PageImage(png=self._data, width=float(width), height=float(height), page_count=1)

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        return {}

    def close(self) -> None: ...


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    """(kind, body) in order; what is cut off ends the list."""
    found, at = [], _SIGNATURE
    while at + 8 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        found.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return found
