"""Triage: decides how a page is read, and records why. Uses only its marks, never pixels.

Users complain equally about needless and about missing recognition, so the reason is recorded.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import bbox_area
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Route
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.text_quality.garbled import find_garbled
from quire.models.extract.text_quality.statistics import measure_lines
from quire.models.extract.text_quality.symbol_fonts import symbol_font

NO_TEXT = "no-text"
"""Reason for pages without text that have pictures or many shapes."""
PICTURE_TEXT = "picture-text"
"""Reason for pages whose few words of text are good, but whose picture holds more text."""
GARBAGE_TEXT = "garbage-text"
"""Reason for pages whose text layer differs from what they show; a recogniser decides about it."""
CONFIRMED_TEXT = "text-layer-confirmed"
"""Reason for pages that looked garbled, but whose text layer a recogniser confirmed."""
GARBLED_FONT = "garbled-font"
"""Reason for pages on which only some fonts are garbled."""
TEXT_IN_PICTURES = "text-in-pictures"
"""Reason for pages with a good text layer, of which some pictures show text too."""
OUTLINED_TEXT = "outlined-text"
"""Reason for pages with little text in the layer and much text drawn as curves."""
_GARBLED_PAGE = 0.5
"""Share of a page's characters in garbled fonts from which the whole page is recognised."""
_SCAN_SHARE = 0.65
"""A page covered by pictures beyond this share is a scan when its text is missing or hidden."""
_FEW_CHARS, _SOME_SHARE = 10, 0.05  # characters of a page number; share of the page's area a small logo covers
_TITLE_CHARS, _PICTURE_SHARE = 60, 0.5
"""With fewer characters of text and a picture that fills half the page, the picture probably holds the text."""
_LAYER_SHARE = 0.2  # visible share of characters below which the others are a scan's text layer
_MANY_SHAPES = 40
"""A page without text but with so many shapes may be text drawn as curves."""
_OUTLINED_CHARS, _LEAST_LETTERS = 120, 80
"""Pages with fewer characters than the first and more letter-sized shapes in rows than the second hold outlines."""
_IN_A_ROW, _SAME_BASE = 5, 0.3  # shapes on one line; points from one of their lower edges to the next
_GARBAGE_SHARE = 0.15  # share of undecodable characters from which a page is recognised instead
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The route of a page; `reason` is a stable word, `garbled` are lines in fonts that misstate their characters."""

    route: Route
    reason: str
    garbled: tuple[Line, ...] = ()


ASKED_FOR, FAST_MODE_OFF = "asked-for", "fast-mode-off"
"""Reasons for pages that a caller sends to a recogniser; what it reads replaces the text layer."""
HIDDEN_LAYER = "hidden-text"
"""Reason for scans with a text layer that is invisible; a recogniser reads the picture, and the better of both stays.
"""
SCAN_LAYER = "scan-layer"
"""Reason for scans with a good text layer, which need no recogniser."""
_LAYER_INK = 0.7
"""Share of a scan's ink that a good text layer covers at least."""
_LAYER_SURPRISE = 2.9
"""Greatest surprise (nats a triple of letters) of a good text layer; most printed text has 2.0 to 2.8."""
_LAYER_DIGITS = 0.1
"""Greatest share of digits next to letters in a good text layer; recognisers confuse 0 and o, 1 and l."""


def plan_page(marks: PageMarks, options: ReadOptions) -> PagePlan:
    """Return the route of one page under the options' OCR mode."""
    if options.ocr is OcrMode.ALWAYS:
        return PagePlan(Route.OCR, ASKED_FOR)
    if not options.fast_mode and options.ocr is not OcrMode.NEVER:
        return PagePlan(Route.OCR, FAST_MODE_OFF)
    ocr_reason = _find_reason_for_ocr(marks)
    if ocr_reason == HIDDEN_LAYER and _has_good_layer(marks):
        return PagePlan(Route.MIXED, SCAN_LAYER)
    if ocr_reason is None:
        return _plan_readable(marks, options)
    if options.ocr is OcrMode.NEVER:
        return PagePlan(Route.FAST if marks.lines or marks.unseen else Route.NONE, f"{ocr_reason}, ocr off")
    return PagePlan(Route.OCR, ocr_reason)


def _plan_readable(marks: PageMarks, options: ReadOptions) -> PagePlan:
    """Plan a page that is blank or has a text layer."""
    garbled = find_garbled(marks.lines, marks.wrong_fonts)
    if not garbled.lines:
        return PagePlan(Route.FAST, "text-layer" if marks.lines or marks.unseen else "blank")
    is_page_garbled = garbled.share >= _GARBLED_PAGE
    plan = PagePlan(
        Route.OCR if is_page_garbled else Route.MIXED, GARBAGE_TEXT if is_page_garbled else GARBLED_FONT, garbled.lines
    )
    never = options.ocr is OcrMode.NEVER
    return replace(plan, route=Route.FAST, reason=f"{plan.reason}, ocr off") if never else plan


def _find_reason_for_ocr(marks: PageMarks) -> str | None:
    """Return why the page needs a recogniser, or None when its text layer suffices."""
    text = "".join(line.text for line in marks.lines)
    hidden = sum(len(line.text) for line in marks.unseen)
    covered = _picture_share(marks)
    if not marks.lines and not hidden:
        return NO_TEXT if covered > _SOME_SHARE or len(marks.shapes) > _MANY_SHAPES else None
    if marks.layer_ink or (covered > _SCAN_SHARE and len(text) < _LAYER_SHARE * (len(text) + hidden)):
        return HIDDEN_LAYER
    if (len(text) < _FEW_CHARS and covered > _SOME_SHARE) or (len(text) < _TITLE_CHARS and covered > _PICTURE_SHARE):
        return PICTURE_TEXT
    if len(text) < _OUTLINED_CHARS and _count_outlined(marks) > _LEAST_LETTERS:
        return OUTLINED_TEXT
    return GARBAGE_TEXT if is_garbage(text) and is_garbage(_without_signs(marks.lines)) else None


def _has_good_layer(marks: PageMarks) -> bool:
    """Return whether a scan's text layer is language, as far as its script has statistics, and covers the ink."""
    if marks.layer_ink is None or is_garbage("".join(line.text for line in marks.lines)):
        return False
    measured = measure_lines([line.text for line in marks.lines])
    if measured.nats.sum() > _LAYER_SURPRISE * measured.triples.sum():
        return False
    if measured.digit_joins.sum() > _LAYER_DIGITS * measured.letters.sum():
        return False
    return marks.layer_ink() >= _LAYER_INK


def _count_outlined(marks: PageMarks) -> int:
    """Count letter-sized shapes in rows; the shapes of plots and maps are scattered."""
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
    """Return the text in fonts of letters; unencoded symbols say nothing about the other characters."""
    return "".join(line.text for line in lines if symbol_font(line.font) is None)


def is_garbage(text: str) -> bool:
    """Return whether a text layer does not decode: replacement, private-use or control characters."""
    if len(text) < _FEW_CHARS:
        return False
    return len(_BAD.findall(text)) > _GARBAGE_SHARE * len(text)


def _picture_share(marks: PageMarks) -> float:
    page = max(1.0, marks.width * marks.height)
    return min(1.0, sum(bbox_area(box) for box in marks.pictures) / page)
