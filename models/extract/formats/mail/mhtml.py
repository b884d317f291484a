"""Saved web pages (.mhtml, .mht): a message whose body is the page and whose parts are its pictures."""

from typing import Final

from models.cdom.original import Format, ReadOptions
from models.extract.formats.common.html.page import read_html
from models.extract.formats.common.html.pictures import PagePictures
from models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from models.extract.formats.mail.bodies import part_bytes, part_text
from models.extract.formats.mail.headers import decode_header
from models.extract.formats.mail.message import read_eml
from models.extract.formats.mail.mime import MimePart, parse_message

_PAGES: Final = frozenset(("text/html", "application/xhtml+xml"))


def open_mhtml(data: bytes, options: ReadOptions) -> FlowDocument:
    """The page in `data`. Raises `ExtractError` when a limit is passed."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    parts = parse_message(data).walk()
    page = next((part for part in parts if part.kind in _PAGES), None)
    if page is None:
        return read_eml(data)
    places: dict[str, MimePart] = {}
    for part in parts:
        if part.kind.startswith("image/"):
            places[decode_header(part.header("content-location"))] = part
            places["cid:" + decode_header(part.header("content-id")).strip("<>")] = part

    def find(source: str) -> bytes | None:
        return part_bytes(places[source]) if source in places else None

    return read_html(part_text(page), Format.MHTML, PagePictures(find))
