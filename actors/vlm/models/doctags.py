"""Parses DocTags, the page language of Docling's models: elements with boxes on a grid of 500, lists, OTSL tables.

A cut page keeps what was written of its last element. Text outside elements and unknown tags are dropped. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.actors.vlm.models.tables import read_otsl
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedBlock
from quire.models.cdom.tree import CHART, BlockType

GRID = 500
"""Steps of a page's side in `<loc_n>`."""
MAX_CHARS = 80_000  # longer answers are not pages
MAX_ELEMENTS = 5000  # elements of one page
_HEADING = "section_header_level_"
_TYPES = {
    "title": BlockType.TITLE,
    "text": BlockType.PARAGRAPH,
    "paragraph": BlockType.PARAGRAPH,
    "reference": BlockType.PARAGRAPH,
    "handwritten_text": BlockType.PARAGRAPH,
    "inline": BlockType.PARAGRAPH,
    "smiles": BlockType.PARAGRAPH,
    "list_item": BlockType.LIST_ITEM,
    "caption": BlockType.CAPTION,
    "footnote": BlockType.FOOTNOTE,
    "page_header": BlockType.PAGE_HEADER,
    "page_footer": BlockType.PAGE_FOOTER,
    "formula": BlockType.FORMULA,
    "code": BlockType.CODE,
    "picture": BlockType.PICTURE,
    "otsl": BlockType.TABLE,
    "table": BlockType.TABLE,
    "chart": BlockType.TABLE,
    "document_index": BlockType.TABLE,
    "checkbox_selected": BlockType.CHECKBOX,
    "checkbox_unselected": BlockType.CHECKBOX,
    **{f"{_HEADING}{level}": BlockType.HEADING for level in range(6)},
}
_LISTS = ("ordered_list", "unordered_list")
_CELLS = ("fcel", "ecel", "lcel", "ucel", "xcel", "ched", "rhed", "srow", "nl")
_TOKEN = re.compile(r"<loc_(\d{1,3})>|<(/?)([a-z][a-z_0-9]{1,40})>|<_[^<>\n]{1,30}_>|<\|?[a-z_]{1,30}\|>")
_RUNNING = ("inline", "list_item")
"""Elements whose text may consist of further elements."""
_WITH_CAPTION = (BlockType.PICTURE, BlockType.TABLE)
_CHECKED = {"checkbox_selected": "☑ ", "checkbox_unselected": "☐ "}


@dataclass(slots=True)
class _Element:
    tag: str
    depth: int
    is_part: bool = False
    """Whether its text belongs to the running text of the element around it."""
    text: str = ""
    places: list[int] = field(default_factory=list)

    def block(self, width: float, height: float) -> RecognisedBlock | None:
        """Return the element as a block, or None if it has nothing."""
        kind, text, bbox = _TYPES[self.tag], self.text.strip(), self._bbox(width, height)
        if self.tag in _RUNNING:
            text = " ".join(text.split())
        if kind is BlockType.PICTURE:
            return RecognisedBlock(type=kind, bbox=bbox)
        if kind is BlockType.TABLE:
            table = read_otsl(text)
            if table is not None:
                if self.tag == "chart":
                    return RecognisedBlock(type=BlockType.PICTURE, bbox=bbox, table=table, picture=CHART)
                return RecognisedBlock(type=kind, bbox=bbox, table=table)
            kind = BlockType.PARAGRAPH
        if not text:
            return None
        level = int(self.tag[-1]) or 1 if kind is BlockType.HEADING else None
        if kind is BlockType.LIST_ITEM:
            level = max(1, self.depth)
        return RecognisedBlock(type=kind, bbox=bbox, text=_CHECKED.get(self.tag, "") + text, level=level)

    def _bbox(self, width: float, height: float) -> Bbox | None:
        if len(self.places) < 4:
            return None
        x0, y0, x1, y1 = (min(place, GRID) / GRID for place in self.places[:4])
        return (x0 * width, y0 * height, x1 * width, y1 * height) if x0 < x1 and y0 < y1 else None


def read_doctags(text: str, width: float, height: float) -> list[RecognisedBlock]:
    """Return the blocks of a page of that size (points) in the order written."""
    blocks = (element.block(width, height) for element in _elements(text[:MAX_CHARS]))
    return [block for block in blocks if block is not None]


def _elements(text: str) -> Iterator[_Element]:
    """Yield elements in the order in which they begin; captions follow the picture or table that holds them."""
    elements: list[_Element] = []
    opened: list[_Element] = []
    depth = offset = 0
    for match in _TOKEN.finditer(text):
        _write(opened, text[offset : match.start()])
        offset = match.end()
        place, closing, tag = match.groups()
        if place is not None and opened:
            opened[-1].places.append(int(place))
        elif tag in _LISTS:
            depth = max(0, depth + (-1 if closing else 1))
        elif tag in _CELLS:
            _write(opened, match[0])
        elif tag in _TYPES and closing:
            _close(opened, tag)
        elif tag in _TYPES and len(elements) < MAX_ELEMENTS:
            element = _open(opened, tag, depth)
            if not element.is_part:
                elements.append(element)
    _write(opened, text[offset:])
    for element in opened[1:]:  # a cut answer
        if element.is_part:
            _write(opened[:1], element.text)
    return iter(elements)


def _write(opened: list[_Element], text: str) -> None:
    if opened:
        opened[-1].text += text


def _open(opened: list[_Element], tag: str, depth: int) -> _Element:
    """Open an element inside the open one if that may hold it; otherwise the end of the open one was not written."""
    holder = opened[-1] if opened else None
    is_caption = holder is not None and tag == "caption" and _TYPES[holder.tag] in _WITH_CAPTION
    is_part = holder is not None and (holder.is_part or holder.tag in _RUNNING)
    if not is_caption and not is_part:
        opened.clear()
    opened.append(_Element(tag, depth, is_part=is_part))
    return opened[-1]


def _close(opened: list[_Element], tag: str) -> None:
    """Close the innermost element of that tag; a part of running text joins the text around it."""
    if tag not in [element.tag for element in opened]:
        return
    while opened:
        element = opened.pop()
        if element.is_part:
            text = element.text.strip()
            _write(opened, f" ${text}$ " if element.tag == "formula" else f" {text} ")
        if element.tag == tag:
            return
