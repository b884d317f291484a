"""A slide drawn from the boxes of its blocks, for presentations whose pages have no picture."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any

from quire.models.cdom.original import Format

SLIDE_FORMATS = frozenset({Format.PPTX, Format.PPT, Format.ODP})
_LARGEST_PT, _SMALLEST_PT = 40, 6  # sizes of type
_LETTER_WIDTH, _LINE_HEIGHT = 0.58, 1.25  # of a letter and a line, in ems


@dataclass(frozen=True, slots=True)
class SlideShape:
    """The blocks of one shape with its box in points and the size of type that fits in it."""

    x: float
    y: float
    width: float
    height: float
    size: int
    blocks: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Slide:
    """The shapes of a slide, and its width and height in points."""

    width: float
    height: float
    shapes: list[SlideShape]


def draw_slide(tree: Mapping[str, Any], page: Mapping[str, Any] | None, blocks: list[dict[str, Any]]) -> Slide | None:
    """Return the drawing of a page of a presentation, or None if nothing on it has a box.

    Neighbouring blocks with an equal box are the paragraphs of one shape. A slide is as large as its page, or as its
    boxes where these pass the page.
    """
    if page is None or tree["source"]["format"] not in SLIDE_FORMATS:
        return None
    placed = [block for block in blocks if block["bbox"]]
    if not placed:
        return None
    shapes = [_shape(box, list(group)) for box, group in groupby(placed, key=lambda block: block["bbox"])]
    right, bottom = (max(block["bbox"][edge] for block in placed) for edge in (2, 3))
    if right > page["width"] or bottom > page["height"]:
        return Slide(right, bottom, shapes)
    return Slide(page["width"], page["height"], shapes)


def _shape(box: list[float], blocks: list[dict[str, Any]]) -> SlideShape:
    x, y, right, bottom = box
    width, height = max(right - x, 1.0), max(bottom - y, 1.0)
    return SlideShape(x, y, width, height, _fit(width, height, blocks), blocks)


def _fit(width: float, height: float, blocks: list[dict[str, Any]]) -> int:
    """Return the largest size of type at which the lines of the blocks fit in the box."""
    for size in range(_LARGEST_PT, _SMALLEST_PT, -1):
        if _LINE_HEIGHT * size * sum(_count_lines(block, width / (_LETTER_WIDTH * size)) for block in blocks) <= height:
            return size
    return _SMALLEST_PT


def _count_lines(block: dict[str, Any], letters: float) -> float:
    """Return how many lines of so many letters a block needs; rows of a table are a third higher for their rules."""
    table = block["table"]
    if not table:
        return sum(max(1, ceil(len(line) / letters)) for line in block["text"].split("\n"))
    rows = dict.fromkeys(range(table["rows"]), 1)
    for cell in table["cells"]:
        own = letters * cell["col_span"] / max(table["cols"], 1)
        rows[cell["row"]] = max(rows[cell["row"]], ceil(len(cell["text"]) / own))
    return 1.3 * sum(rows.values())
