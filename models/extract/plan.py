"""Triage: which way a page is read, and why. Looks at its marks only, never at pixels.

Users complain equally of recognition that fires wrongly and of recognition that does not, so the reason is recorded.
"""

import re
from dataclasses import dataclass

from models.cdom.geometry import bbox_area
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.tree import Route
from models.extract.layout.lines.marks import PageMarks

PICTURE_TEXT = "picture-text"
"""The reason for pages whose few words of text are good, but whose picture holds more."""
_SCAN_SHARE = 0.65
"""A page covered by pictures beyond this share is a scan when its text is missing or hidden."""
_FEW_CHARS, _SOME_SHARE = 10, 0.05  # characters of a page number; share of the page's area a small logo covers
_TITLE_CHARS, _PICTURE_SHARE = 60, 0.5
"""With fewer characters of text beside a picture that fills half the page, the picture is likely to hold the text."""
_LAYER_SHARE = 0.2  # visible share of all characters below which the rest is a scan's text layer
_MANY_SHAPES = 40
"""A page without text but with so many shapes may be text drawn as outlines."""
_GARBAGE_SHARE = 0.15  # share of undecodable characters from which a page is recognised instead
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class PagePlan:
    """`reason` is a stable word."""

    route: Route
    reason: str


def plan_page(marks: PageMarks, options: ReadOptions) -> PagePlan:
    """The route of one page under the options' OCR mode."""
    if options.ocr is OcrMode.ALWAYS:
        return PagePlan(Route.OCR, "asked-for")
    if not options.fast_mode and options.ocr is not OcrMode.NEVER:
        return PagePlan(Route.OCR, "fast-mode-off")
    wish = _find_reason_for_ocr(marks)
    if wish is None:
        return PagePlan(Route.FAST, "text-layer" if marks.lines or marks.unseen else "blank")
    if options.ocr is OcrMode.NEVER:
        return PagePlan(Route.FAST if marks.lines or marks.unseen else Route.NONE, f"{wish}, ocr off")
    return PagePlan(Route.OCR, wish)


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
    return "garbage-text" if is_garbage(text) else None


def is_garbage(text: str) -> bool:
    """True when a text layer does not decode: replacement, private-use or control characters."""
    if len(text) < _FEW_CHARS:
        return False
    return len(_BAD.findall(text)) > _GARBAGE_SHARE * len(text)


def _picture_share(marks: PageMarks) -> float:
    page = max(1.0, marks.width * marks.height)
    return min(1.0, sum(bbox_area(box) for box in marks.pictures) / page)
