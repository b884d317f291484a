"""Small passes that make the content of a PDF page from its blocks. `pipeline.passes` says in which order they run."""

from dataclasses import replace
from typing import Any

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import DetectedPage, PixelPage
from quire.models.cdom.tree import PageWord, Route
from quire.models.extract.contract import PageBlock, PageContent, ReadArea
from quire.models.extract.coverage.account import account_page
from quire.models.extract.coverage.total import count_written
from quire.models.extract.formats.pdf.annotations import make_attached, make_comments
from quire.models.extract.formats.pdf.engine import ENGINE, VERSION
from quire.models.extract.formats.pdf.render import GreyDrawer, render_area, render_only
from quire.models.extract.formats.pdf.visibility.picture_text import Grey, find_text_pictures
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.text.blocks import confidence_of, make_unseen_blocks
from quire.models.extract.pipeline.areas import garbled_areas, picture_areas
from quire.models.extract.pipeline.ocr_regions import flag_garbled
from quire.models.extract.pipeline.plan import NO_TEXT, OUTLINED_TEXT, PICTURE_TEXT, TEXT_IN_PICTURES, PagePlan
from quire.models.extract.pipeline.scan_layers import as_scan_layer, layer_words

OCR_DPI = 150
"""Dots per inch of a page drawn for recognition: body text is then 20 pixels high, as in the models' training data."""


def add_unseen(blocks: list[PageBlock], marks: PageMarks, body: float) -> list[PageBlock]:
    """Return the blocks with those of invisible text after them."""
    return [*blocks, *make_unseen_blocks(marks, body)]


def find_garbled_parts(
    blocks: list[PageBlock], plan: PagePlan, marks: PageMarks
) -> tuple[list[PageBlock], tuple[ReadArea, ...]]:
    """Return the blocks and the garbled areas to be recognised; without recognition, the areas are flagged."""
    if plan.route is Route.OCR:
        return blocks, ()
    areas = garbled_areas(blocks, marks.lines, plan.garbled, (marks.width, marks.height), marks.words_of)
    return (blocks, areas) if plan.route is Route.MIXED else (flag_garbled(blocks, areas), ())


def add_comments(blocks: list[PageBlock], marks: PageMarks) -> list[PageBlock]:
    """Return the blocks with those of comments and pinned files after them, which the page does not print."""
    return [*blocks, *make_comments(marks), *make_attached(marks)]


def make_content(
    number: int,
    marks: PageMarks,
    plan: PagePlan,
    body: float,
    blocks: list[PageBlock],
    areas: tuple[ReadArea, ...],
    pictures: tuple[ReadArea, ...],
    coverage: PageCoverage,
    detected: DetectedPage | None,
    parts: tuple[PageBlock, ...],
) -> PageContent:
    """Return the content of the page."""
    is_layer = _is_scan_layer(marks, plan)
    areas = (*areas, *pictures)
    engine, version = marks.engine or (ENGINE, VERSION)
    content = PageContent(
        number=number,
        width=round(marks.width, 3),
        height=round(marks.height, 3),
        rotation=marks.rotation,
        route=Route.MIXED if is_layer else _settle_route(plan, areas),
        reason=TEXT_IN_PICTURES if pictures and plan.route is Route.FAST else plan.reason,
        confidence=confidence_of(marks.lines),
        body_size=body,
        blocks=tuple(blocks),
        areas=areas,
        warnings=(*marks.warnings, *_find_unread(plan)),
        engine=engine,
        model=None if detected is None else detected.model,
        version=version,
        layer=layer_words(marks) if marks.layer_ink is not None and plan.route is Route.OCR else (),
        coverage=coverage,
        written=count_written(blocks),
        parts=parts,
    )
    return as_scan_layer(content) if is_layer else content


def keep_words(content: PageContent, marks: PageMarks) -> PageContent:
    """Return the content with the printed words and their boxes."""
    words = [
        PageWord(text=word.text, bbox=round_bbox((word.x0, word.y0, word.x1, word.y1) if word.y1 > word.y0 else
                                                 (word.x0, line.y0, word.x1, line.y1)))
        for line in marks.lines
        if not line.hidden
        for word in marks.words_of(line)
    ]  # fmt: skip
    return replace(content, words=tuple(words))


def _is_scan_layer(marks: PageMarks, plan: PagePlan) -> bool:
    return marks.layer_ink is not None and plan.route is not Route.OCR


def account(marks: PageMarks, plan: PagePlan, blocks: list[PageBlock]) -> PageCoverage:
    """Return the coverage statement; it judges no page whose ink gave no text, or on which text was left to read."""
    stated = account_page(marks.number, marks.painted, blocks)
    is_left_out = plan.reason in _LEFT_OUT or not any(block.text or block.table for block in blocks if not block.unseen)
    return replace(stated, judged=False) if is_left_out and stated.judged and marks.is_inked() else stated


_LEFT_OUT = frozenset(f"{reason}, ocr off" for reason in (NO_TEXT, PICTURE_TEXT, OUTLINED_TEXT))
"""Reasons of pages with text in pictures or curves that no recogniser reads."""


def _find_unread(plan: PagePlan) -> tuple[str, ...]:
    """Return the warning of a page whose text is drawn as curves and therefore not in its text layer."""
    return (OUTLINED_TEXT,) if plan.reason.startswith(OUTLINED_TEXT) and plan.route is Route.FAST else ()


def find_read_pictures(
    page: Any, plan: PagePlan, blocks: list[PageBlock], options: ReadOptions, marks: PageMarks
) -> tuple[ReadArea, ...]:
    """Return the areas of pictures that show text, on a page that is read by its printed text."""
    if plan.route not in (Route.FAST, Route.MIXED) or options.ocr is OcrMode.NEVER or _is_scan_layer(marks, plan):
        return ()

    drawer = GreyDrawer(page)

    def read_grey(area: Bbox, dpi: int) -> Grey | None:
        stored = marks.pixels(area, dpi)
        return drawer.draw(area, dpi) if stored is None else stored

    return picture_areas(blocks, find_text_pictures(blocks, marks.width, marks.height, read_grey, marks.pictures))


def _settle_route(plan: PagePlan, areas: tuple[ReadArea, ...]) -> Route:
    if plan.route in (Route.FAST, Route.MIXED):
        return Route.MIXED if areas else Route.FAST
    return plan.route


def draw_for_recogniser(page: Any, content: PageContent, options: ReadOptions) -> PixelPage | None:
    """Return the pixels for the recogniser: the whole page, the areas in question, or None."""
    if content.route is Route.OCR:
        image = render_area(page, None, OCR_DPI, options.max_image_pixels)
    elif content.areas:
        image = render_only(page, [area.bbox for area in content.areas], OCR_DPI, options.max_image_pixels)
    else:
        return None
    return PixelPage(number=content.number, image=image, width=content.width, height=content.height)
