"""Sizes of glyphs in Type 3 fonts: their units are the font's own, so that a stated size can be any number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from quire.models.extract.formats.pdf.engine import mupdf
from quire.models.extract.formats.pdf.text.raw_lines import iter_glyphs, iter_spans
from quire.models.extract.formats.pdf.visibility.unseen import keep_spans


@dataclass(frozen=True, slots=True)
class TypeSizeLimits:
    """Sizes in points that letters have. A stated size within them is kept.

    Attributes:
        least: Smallest size.
        most: Largest size of a stated number.
        most_drawn: Largest height of a font's box.
        assumed_descent: Ems below the baseline that the engine states for a font whose box is below its baseline.
        blank: Widths of a letter from which a gap is a blank, and from which an equal letter is no overprint.
    """

    least: float = 4.0
    most: float = 40.0
    most_drawn: float = 150.0
    assumed_descent: float = -0.1
    blank: float = 0.3


LIMITS = TypeSizeLimits()


def correct_sizes(page: Any, text_page: Any, blocks: list[dict[str, Any]]) -> bool:
    """Give glyphs of Type 3 fonts the size and place of their font's box, in place, where the stated ones are wrong.

    A stated size can be implausible, and glyphs can hang below their baseline.

    Args:
        page: The engine's page.
        text_page: Its text page, whose glyphs are changed.
        blocks: The dictionary of the text page.

    Returns:
        Whether a glyph was changed, so that the dictionary must be made anew.
    """
    if not any(_may_be_wrong(span) for span in iter_spans(blocks)):
        return False
    if not any(font[2] == "Type3" for font in page.get_fonts(full=True)):
        return False
    changed = False
    for glyph in iter_glyphs(text_page):
        if not mupdf.ll_fz_font_t3_procs(glyph.font):
            continue
        box = mupdf.ll_fz_font_bbox(glyph.font)
        if LIMITS.least <= glyph.size <= LIMITS.most and box.y1 > 0:
            continue
        size = glyph.size * (box.y1 - box.y0)
        if LIMITS.least <= size <= LIMITS.most_drawn:
            _move_edges(glyph, box.y0 * glyph.size, box.y1 * glyph.size)
            glyph.size = size
            changed = True
    return changed


@dataclass(frozen=True, slots=True)
class DroppedChar:
    """A character that the engine drops: the block and line of its text page, and the offset of it in the line.

    `leads`: it belongs to the span of the character after it, otherwise to that of the one before it.
    """

    block: int
    line: int
    offset: int
    char: str
    leads: bool = False


def find_dropped(page: Any, text_page: Any, blocks: list[dict[str, Any]]) -> list[DroppedChar]:
    """Return the letters and the blanks that the engine drops in Type 3 fonts of a huge stated size.

    It takes a letter for an overprint of an equal one, and words for neighbours, where they are close for that size.
    """
    if all(span["size"] <= LIMITS.most for span in iter_spans(blocks)):
        return []
    kept = _find_places(text_page)
    dropped: list[DroppedChar] = []
    last: tuple[str, float, float, float] | None = None
    position: tuple[int, int, int] | None = None
    waiting: list[str] = []
    for char, x, y, width in _list_drawn(page):
        is_near = last is not None and abs(y - last[2]) < width
        gap = x - last[1] - last[3] if last is not None and is_near else 0.0
        found = kept.get((char, *_round_place(x, y)))
        if not is_near:
            position, waiting = None, []
        if found is not None and position is None:
            dropped += [DroppedChar(*found, first, leads=True) for first in waiting]
            waiting = []
        if position is not None and gap > LIMITS.blank * width and (found is None or found[:2] == position[:2]):
            dropped.append(DroppedChar(*position, " "))
        if found is not None:
            position = (*found[:2], found[2] + 1)
        elif last is None or not is_near or x - last[1] > LIMITS.blank * width:
            if position is None:
                waiting.append(char)
            else:
                dropped.append(DroppedChar(*position, char))
        last = (char, x, y, width)
    return dropped


def _round_place(x: float, y: float) -> tuple[int, int]:
    return (round(x * 4), round(y * 4))


def _find_places(text_page: Any) -> dict[tuple[str, int, int], tuple[int, int, int]]:
    """Return the block, line and offset of each character by its origin."""
    places: dict[tuple[str, int, int], tuple[int, int, int]] = {}
    for number, block in enumerate(text_page.extractRAWDICT()["blocks"]):
        for index, line in enumerate(block["lines"] if block["type"] == 0 else ()):
            chars = [char for span in line["spans"] for char in span["chars"]]
            for offset, char in enumerate(chars):
                places[char["c"], *_round_place(*char["origin"])] = (number, index, offset)
    return places


def _list_drawn(page: Any) -> Iterator[tuple[str, float, float, float]]:
    """Yield the level characters of huge Type 3 fonts in painting order: character, origin and width."""
    names = find_type3_fonts(page)
    for span in page.get_texttrace():
        if span["size"] > LIMITS.most and span["font"] in names and span["dir"][0] > 0:
            for code, _, (x, y), box in span["chars"]:
                if box[2] > box[0] and not chr(code).isspace():
                    yield chr(code), x, y, box[2] - box[0]


def find_type3_fonts(page: Any) -> frozenset[str]:
    """Return the names that the engine gives to the Type 3 fonts of a page: their own, or one with their number."""
    numbers = [font[0] for font in page.get_fonts(full=True) if font[2] == "Type3"]
    stated = [page.parent.xref_get_key(number, "Name")[1].removeprefix("/") for number in numbers]
    return frozenset([*stated, *(f"Type3 ({number} 0 R)" for number in numbers)])


def add_dropped(blocks: list[dict[str, Any]], dropped: Sequence[DroppedChar]) -> None:
    """Put the characters that the engine dropped into the lines of the dictionary, in place."""
    for missing in reversed(dropped):
        line = blocks[missing.block]["lines"][missing.line]
        offset = missing.offset
        for span in line["spans"]:
            if offset < len(span["text"]) + (not missing.leads):
                span["text"] = span["text"][:offset] + missing.char + span["text"][offset:]
                break
            offset -= len(span["text"])
        line["torn"] = True


def _may_be_wrong(span: dict[str, Any]) -> bool:
    """Return whether a span has an implausible size, or may be of a font whose glyphs hang below their baseline."""
    if not LIMITS.least <= span["size"] <= LIMITS.most:
        return True
    return bool(abs(span["descender"] - LIMITS.assumed_descent) < 1e-6)


def part_lines(blocks: list[dict[str, Any]]) -> None:
    """Part lines with text on several baselines, in place: the engine joins them where a stated size is huge."""
    for block in blocks:
        if block["type"] == 0:
            block["lines"] = [part for line in block["lines"] for part in _part_line(line)]


def _part_line(line: dict[str, Any]) -> list[dict[str, Any]]:
    groups: list[list[dict[str, Any]]] = []
    for span in line["spans"]:
        last = groups[-1][-1] if groups else None
        if last is not None and abs(span["origin"][1] - last["origin"][1]) < max(span["size"], last["size"]):
            groups[-1].append(span)
        else:
            groups.append([span])
    if len(groups) < 2 or line["dir"][0] < 1:
        return [line]
    parts = [{**line, "torn": True} for _ in groups]
    for part, spans in zip(parts, groups, strict=True):
        keep_spans(part, spans)
    return parts


def _move_edges(glyph: Any, bottom: float, top: float) -> None:
    """Move the lower and upper edge of a glyph to these distances from its baseline.

    Glyphs that hang from their baseline are moved onto one at their lower edge, as other letters have it.
    """
    quad, origin = glyph.quad, glyph.origin
    up_x, up_y = quad.ul.x - quad.ll.x, quad.ul.y - quad.ll.y
    length = hypot(up_x, up_y)
    if not length:
        return
    up_x, up_y = up_x / length, up_y / length
    across_x, across_y = quad.lr.x - quad.ll.x, quad.lr.y - quad.ll.y
    for left, right, distance in ((quad.ll, quad.lr, bottom), (quad.ul, quad.ur, top)):
        left.x, left.y = origin.x + up_x * distance, origin.y + up_y * distance
        right.x, right.y = left.x + across_x, left.y + across_y
    if top <= 0:
        origin.x, origin.y = quad.ll.x, quad.ll.y
