"""Search hits prepared for display: marked words, rows of a table under their header, a crop of the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.models.cdom.search import marked_words
from quire.serve_apps.viewer.document_view import ViewPlace

_CELLS = " | "
"""Between two cells of a row, in the text of a chunk."""
_ROWS = 2  # rows of a table shown of one hit, below its header: three lines
_BLOCKS = 40  # blocks named in an address
_MARGIN = 12.0  # points around a crop
_CROP_HEIGHT = 220.0  # points of a page shown next to a hit: about fifteen lines


@dataclass(frozen=True, slots=True)
class PageCrop:
    """The shown part of a page in points, and the marked box in it."""

    page: int
    x: float
    y: float
    width: float
    height: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit with its address in the viewer and the prefix of its document's outputs.

    `rows`: header and rows with words of the question, if the hit is a table. `equal`: names and addresses of further
    documents with the same passage.
    """

    facts: dict[str, Any]
    address: str
    outputs: str
    rows: list[list[str]]
    crop: PageCrop | None
    equal: list[tuple[str, str]] = field(default_factory=list)


def show_hits(hits: Sequence[dict[str, Any]], place_of: Callable[[dict[str, Any]], ViewPlace]) -> list[ShownHit]:
    """Return the API's hits with further data for the page, equal passages of several documents as one.

    `place_of` returns the viewer place of a hit's document.
    """
    shown: dict[tuple[str, ...], ShownHit] = {}
    for hit in hits:
        key = (hit["text"], *(str(page) for page in hit["pages"]))
        first = shown.get(key)
        if first is None:
            shown[key] = _shown(hit, place_of(hit))
        elif first.facts["document_id"] != hit["document_id"]:
            first.equal.append((hit["source_file"], address_of(hit, place_of(hit).address)))
    return list(shown.values())


def address_of(hit: dict[str, Any], document: str) -> str:
    """Return the address that shows a hit's boxes, in the viewer at `document`. It names at most the first blocks."""
    blocks = hit["block_ids"][:_BLOCKS]
    page = hit["pages"][0] if hit["pages"] else 1
    return f"{document}?page={page}&blocks={','.join(blocks)}#{blocks[0] if blocks else ''}"


def table_rows(hit: dict[str, Any]) -> list[list[str]]:
    """Return the header of the matching table and its rows with words of the question; empty without a table."""
    words, table = marked_words(hit), [line for line in hit["text"].split("\n") if _CELLS in line]
    rows = [line for line in table[1:] if any(word in line.casefold() for word in words)]
    if not rows:
        return []
    return [line.split(_CELLS) for line in (table[0], *rows[:_ROWS])]


def crop_of(hit: dict[str, Any]) -> PageCrop | None:
    """Return the hit's area on its first page with a margin, or None if it has no place or its page no picture."""
    if not hit["bboxes"] or not hit["has_page_pictures"]:
        return None
    page = hit["bboxes"][0]["page"]
    lefts, tops, rights, bottoms = zip(*(box["bbox"] for box in hit["bboxes"] if box["page"] == page), strict=True)
    left, top, right, bottom = min(lefts), min(tops), max(rights), max(bottoms)
    width, height = right - left + 2 * _MARGIN, min(bottom - top + 2 * _MARGIN, _CROP_HEIGHT)
    if width <= 2 * _MARGIN or height <= 2 * _MARGIN:
        return None
    x, y = max(0.0, left - _MARGIN), max(0.0, top - _MARGIN)
    return PageCrop(page, x, y, width, height, (left, top, right - left, bottom - top))


def _shown(hit: dict[str, Any], place: ViewPlace) -> ShownHit:
    address = address_of(hit, place.address)
    return ShownHit(hit, address, place.outputs, table_rows(hit), crop_of(hit))
