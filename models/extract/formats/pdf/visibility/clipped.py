"""Text that a page draws and clips away, found by reading the page again without clipping.

Only pages that show text inside a clip are read twice. The operators of the page's content show this.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from quire.models.cdom.coverage import Unseen
from quire.models.extract.formats.pdf.engine import mupdf
from quire.models.extract.formats.pdf.visibility.unseen import UnseenText, surround

EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)
"""Points: the area without clipping; text outside it is ignored."""
_CLIP = re.compile(rb"W\*?[ \n]n")
_RECTANGLE = re.compile(rb"([-\d.]+)\s+([-\d.]+)\s+re\s*$")
_SHOW = re.compile(rb"T[jJ]|[\s\]>)]Q\s|['\"]\s")
_LOOK_BACK, _LOOK_AHEAD = 48, 2000
"""Bytes of the content before a clip that hold its rectangle, and after it that are searched for text."""
_MOST_CLIPS = 300
"""A page with more clips is read twice without checking them."""
_LARGE = 0.9
"""A rectangle of this share of the page in both directions clips nothing on the page."""
_FLAGS = mupdf.FZ_STEXT_PRESERVE_WHITESPACE


def may_clip(contents: bytes, width: float, height: float) -> bool:
    """Return whether text is shown inside a clip other than a rectangle as large as the page."""
    counts: Counter[bytes] = Counter()
    for clip in _CLIP.finditer(contents):
        counts[clip[0]] += 1
        if counts[clip[0]] > _MOST_CLIPS:
            return True
        start = clip.start()
        area = _RECTANGLE.search(contents, max(0, start - _LOOK_BACK), start)
        if area is None or abs(float(area[1])) < _LARGE * width or abs(float(area[2])) < _LARGE * height:
            shown = _SHOW.search(contents, start, start + _LOOK_AHEAD)
            if shown is not None and shown[0][:1] == b"T":
                return True
    return False


def find_clipped(page: Any, stated: int, raw: Callable[[], list[dict[str, Any]]]) -> list[UnseenText]:
    """Return the text that is clipped away.

    Args:
        page: The engine's page.
        stated: Number of characters in the page's blocks.
        raw: Returns the page's blocks with single characters.
    """
    return find_more(page, stated, raw, Unseen.CLIPPED)


def find_more(page: Any, stated: int, raw: Callable[[], list[dict[str, Any]]], reason: Unseen) -> list[UnseenText]:
    """Return the text that a reading without clipping has beyond the raw blocks; arguments as in `find_clipped`."""
    unclipped = page.get_textpage(flags=_FLAGS, clip=EVERYWHERE)
    if count_characters(unclipped.extractText()) <= stated:
        return []
    shown = {_position_key(char) for block in raw() if block["type"] == 0 for char in _chars(block)}
    hidden: list[UnseenText] = []
    for block in unclipped.extractRAWDICT()["blocks"]:
        for line in block["lines"] if block["type"] == 0 else ():
            for span in line["spans"]:
                extra = [char for char in span["chars"] if _position_key(char) not in shown]
                text = "".join([char["c"] for char in extra])
                if extra and not text.isspace():
                    box = surround([char["bbox"] for char in extra])
                    hidden.append(UnseenText(text, box, reason, span["size"]))
    return hidden


def count_characters(text: str) -> int:
    """Return the number of characters without blanks."""
    return len("".join(text.split()))


def _chars(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (char for line in block["lines"] for span in line["spans"] for char in span["chars"])


def _position_key(char: dict[str, Any]) -> tuple[str, int, int]:
    return (char["c"], round(char["origin"][0] * 4), round(char["origin"][1] * 4))


MOST_LAYERS = 2000
"""With more layers than this, the text on layers that are off is not searched."""


def layers_off(document: Any) -> tuple[int, ...]:
    """Return the numbers of the layers that are off when the file is opened; few files have any."""
    file = mupdf.pdf_document_from_fz_document(document.this)
    count = mupdf.pdf_count_layers(file)
    if count > MOST_LAYERS:
        return tuple(range(count))
    return tuple(number for number in range(count) if not mupdf.pdf_layer_is_enabled(file, number))


def find_on_layers(
    page: Any, off: tuple[int, ...], stated: int, raw: Callable[[], list[dict[str, Any]]]
) -> list[UnseenText]:
    """Return the text that the page shows only with these layers on; arguments as in `find_clipped`."""
    file = mupdf.pdf_document_from_fz_document(page.parent.this)
    _switch(file, off, 1)
    try:
        return find_more(page, stated, raw, Unseen.LAYER_OFF)
    finally:
        _switch(file, off, 0)


def _switch(file: Any, layers: tuple[int, ...], enabled: int) -> None:
    for number in layers:
        mupdf.pdf_enable_layer(file, number, enabled)
