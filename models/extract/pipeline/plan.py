"""Triage: which way a page is read, and why. Looks at its marks only, never at pixels.

Users complain equally of recognition that fires wrongly and of recognition that does not, so the reason is recorded.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.cdom.geometry import bbox_area
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.tree import Route
from models.extract.layout.lines.marks import Line, PageMarks
from models.extract.text_quality.garbled import find_garbled
from models.extract.text_quality.symbol_fonts import symbol_font

PICTURE_TEXT = "picture-text"
"""The reason for pages whose few words of text are good, but whose picture holds more."""
GARBAGE_TEXT = "garbage-text"
"""The reason for pages whose text layer does not say what they show; a recogniser has the last word about it."""
CONFIRMED_TEXT = "text-layer-confirmed"
"""The reason for pages that looked garbled and of which a recogniser read what their text layer says."""
GARBLED_FONT = "garbled-font"
"""The reason for pages of which only some fonts are so."""
TEXT_IN_PICTURES = "text-in-pictures"
"""The reason for pages with a good text layer, of which some pictures show text too."""
OUTLINED_TEXT = "outlined-text"
"""The reason for pages with little text of their own and much that is drawn as curves."""
_GARBLED_PAGE = 0.5
"""Share of a page's characters in garbled fonts from which the whole page is recognised."""
_SCAN_SHARE = 0.65
"""A page covered by pictures beyond this share is a scan when its text is missing or hidden."""
_FEW_CHARS, _SOME_SHARE = 10, 0.05  # characters of a page number; share of the page's area a small logo covers
_TITLE_CHARS, _PICTURE_SHARE = 60, 0.5
"""With fewer characters of text beside a picture that fills half the page, the picture is likely to hold the text."""
_LAYER_SHARE = 0.2  # visible share of all characters below which the rest is a scan's text layer
_MANY_SHAPES = 40
"""A page without text but with so many shapes may be text drawn as curves."""
_OUTLINED_CHARS, _LEAST_LETTERS = 120, 80
"""Pages with fewer characters than the first and more letter-sized shapes in rows than the second hold outlines."""
_IN_A_ROW, _SAME_BASE = 5, 0.3  # shapes on one line; points from one of their lower edges to the next
_GARBAGE_SHARE = 0.15  # share of undecodable characters from which a page is recognised instead
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class PagePlan:
    """`reason` is a stable word; `garbled` are lines in fonts that do not say what they show."""

    route: Route
    reason: str
    garbled: tuple[Line, ...] = ()


def plan_page(marks: PageMarks, options: ReadOptions) -> PagePlan:
    """The route of one page under the options' OCR mode."""
    if options.ocr is OcrMode.ALWAYS:
        return PagePlan(Route.OCR, "asked-for")
    if not options.fast_mode and options.ocr is not OcrMode.NEVER:
        return PagePlan(Route.OCR, "fast-mode-off")
    wish = _find_reason_for_ocr(marks)
    if wish is None:
        return _plan_readable(marks, options)
    if options.ocr is OcrMode.NEVER:
        return PagePlan(Route.FAST if marks.lines or marks.unseen else Route.NONE, f"{wish}, ocr off")
    return PagePlan(Route.OCR, wish)


def _plan_readable(marks: PageMarks, options: ReadOptions) -> PagePlan:
    """The plan of a page whose text layer has text of its own, or that is blank."""
    garbled = find_garbled(marks.lines)
    if not garbled.lines:
        return PagePlan(Route.FAST, "text-layer" if marks.lines or marks.unseen else "blank")
    whole = garbled.share >= _GARBLED_PAGE
    wish = PagePlan(Route.OCR if whole else Route.MIXED, GARBAGE_TEXT if whole else GARBLED_FONT, garbled.lines)
    never = options.ocr is OcrMode.NEVER
    return replace(wish, route=Route.FAST, reason=f"{wish.reason}, ocr off") if never else wish


def _find_reason_for_ocr(marks: PageMarks) -> str | None:
    """Why the page wants a recogniser, null when its text layer will do."""
    text = "".join(line.text for line in marks.lines)
    hidden = sum(len(line.text) for line in marks.unseen)
    covered = _picture_share(marks)
    if not marks.lines and not hidden:
        return "no-text" if covered > _SOME_SHARE or len(marks.shapes) > _MANY_SHAPES else None
    if covered > _SCAN_SHARE and len(text) < _LAYER_SHARE * (len(text) + hidden):
        return "hidden-text"
    if (len(text) < _FEW_CHARS and covered > _SOME_SHARE) or (len(text) < _TITLE_CHARS and covered > _PICTURE_SHARE):
        return PICTURE_TEXT
    if len(text) < _OUTLINED_CHARS and _count_outlined(marks) > _LEAST_LETTERS:
        return OUTLINED_TEXT
    return GARBAGE_TEXT if is_garbage(text) and is_garbage(_without_signs(marks.lines)) else None


def _count_outlined(marks: PageMarks) -> int:
    """How many shapes of the size of letters stand in rows; those of plots and maps are scattered."""
    if len(marks.glyph_shapes) <= _LEAST_LETTERS:
        return 0
    rows: list[list[float]] = []
    for base in sorted(box[3] for box in marks.glyph_shapes):
        if rows and base - rows[-1][-1] <= _SAME_BASE:
            rows[-1].append(base)
        else:
            rows.append([base])
    return sum(len(row) for row in rows if len(row) >= _IN_A_ROW)


def _without_signs(lines: Sequence[Line]) -> str:
    """The text in fonts of letters; signs that have no character of their own say nothing about the others."""
    return "".join(line.text for line in lines if symbol_font(line.font) is None)


def is_garbage(text: str) -> bool:
    """True when a text layer does not decode: replacement, private-use or control characters."""
    if len(text) < _FEW_CHARS:
        return False
    return len(_BAD.findall(text)) > _GARBAGE_SHARE * len(text)


def _picture_share(marks: PageMarks) -> float:
    page = max(1.0, marks.width * marks.height)
    return min(1.0, sum(bbox_area(box) for box in marks.pictures) / page)
