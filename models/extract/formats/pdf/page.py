"""One PDF page: a single MuPDF pass into marks, then triage and layout into a `PageContent`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from models.cdom.coverage import PageCoverage
from models.cdom.geometry import Bbox
from models.cdom.original import OcrMode, ReadOptions
from models.cdom.ports import DetectedPage, PixelPage
from models.cdom.tree import BlockType, Route
from models.extract.contract import PageBlock, PageContent, PageRead, ReadArea
from models.extract.coverage.account import account_page
from models.extract.coverage.total import count_written
from models.extract.document.table_checks import check_block
from models.extract.formats.pdf.engine import ENGINE, VERSION
from models.extract.formats.pdf.marks import find_marks
from models.extract.formats.pdf.notes import make_attached, make_comments, type_stamps
from models.extract.formats.pdf.render import draw_doubted, draw_grey, render_area, render_only
from models.extract.formats.pdf.visibility.picture_text import Grey, find_text_pictures
from models.extract.layout.lines.marks import PageMarks
from models.extract.layout.page import layout_page
from models.extract.layout.text.blocks import confidence_of, make_unseen_blocks
from models.extract.pipeline.areas import garbled_areas, picture_areas
from models.extract.pipeline.ocr_regions import flag_garbled
from models.extract.pipeline.plan import NO_TEXT, OUTLINED_TEXT, PICTURE_TEXT, TEXT_IN_PICTURES, PagePlan, plan_page
from models.extract.pipeline.scan_layers import as_scan_layer, layer_words
from models.extract.text_quality.ligatures import flag_undecoded
from models.extract.text_quality.miscoded import flag_miscoded


def invite_opinion(marks: PageMarks, seen: DetectedPage | None) -> None:
    """Ask the layout to report doubtful tables, or give it the detector's tables when there are some."""
    if seen is None:
        marks.doubts = []
    else:
        marks.seen = [element.bbox for element in seen.elements if element.type is BlockType.TABLE]


def is_doubted(marks: PageMarks, blocks: Sequence[PageBlock]) -> bool:
    """Return whether a detector should check the page's tables; False when a second opinion was not asked for."""
    if marks.doubts is None:
        return False
    return bool(marks.doubts) or any(_contradicts_itself(block) for block in blocks)


def _contradicts_itself(block: PageBlock) -> bool:
    table = check_block(block).table
    return table is not None and any(not check.holds for check in table.checks)


OCR_DPI = 150
"""Dots per inch of a page drawn for recognition: body text is then 20 pixels high, as in the models' training data."""


def read_pdf_page(
    page: Any,
    number: int,
    options: ReadOptions,
    layers: tuple[int, ...] = (),
    *,
    tagged: bool = False,
    seen: DetectedPage | None = None,
) -> PageRead:
    """Return the content of a page, with its pixels when the plan sends it to a recogniser.

    Args:
        page: The engine's page.
        number: Page number, 1-based.
        options: Options of the request.
        layers: Layers of the file that are off.
        tagged: Whether the file has a structure tree.
        seen: Result of a layout detector for this page.
    """
    marks = find_marks(page, layers, tagged=tagged)
    marks.number = number
    if options.second_opinion:
        invite_opinion(marks, seen)
    read = _read_marks(page, marks, options)
    if seen is not None:
        return replace(read, content=replace(read.content, model=seen.model))
    if read.content.route is Route.OCR or not is_doubted(marks, read.content.blocks):
        return read
    return replace(read, doubted=draw_doubted(page, read.content, options))


def _read_marks(page: Any, marks: PageMarks, options: ReadOptions) -> PageRead:
    number = marks.number
    plan = plan_page(marks, options)
    lines = list(marks.lines)
    layout = layout_page(marks)
    blocks = [*type_stamps(layout.blocks, marks.stamps), *make_unseen_blocks(marks, layout.body_size)]
    blocks = flag_miscoded(flag_undecoded(blocks, marks.ligatures))
    areas: tuple[ReadArea, ...] = ()
    if plan.garbled and plan.route is not Route.OCR:
        areas = garbled_areas(blocks, lines, plan.garbled, (marks.width, marks.height), marks.words_of)
        if plan.route is not Route.MIXED:
            blocks, areas = flag_garbled(blocks, areas), ()
    is_layer = marks.layer_ink is not None and plan.route is not Route.OCR
    pictures = () if is_layer else _find_pictures(page, plan, blocks, options, marks)
    areas = (*areas, *pictures)
    comments = [*make_comments(marks), *make_attached(marks)]
    content = PageContent(
        number=number,
        width=round(marks.width, 3),
        height=round(marks.height, 3),
        rotation=marks.rotation,
        route=Route.MIXED if is_layer else _settle_route(plan, areas),
        reason=TEXT_IN_PICTURES if pictures and plan.route is Route.FAST else plan.reason,
        confidence=confidence_of(marks.lines),
        body_size=layout.body_size,
        blocks=(*blocks, *comments),
        areas=areas,
        warnings=(*marks.warnings, *_find_unread(plan)),
        engine=ENGINE,
        version=VERSION,
        layer=layer_words(marks) if marks.layer_ink is not None and plan.route is Route.OCR else (),
        coverage=_account(marks, plan, blocks),
        written=count_written([*blocks, *comments]),
    )
    if is_layer:
        content = as_scan_layer(content)
    image = _draw_for_recogniser(page, content, options)
    if image is None:
        return PageRead(content=content)
    return PageRead(
        content=content,
        pixels=PixelPage(number=number, image=image, width=content.width, height=content.height),
    )


def _account(marks: PageMarks, plan: PagePlan, blocks: list[PageBlock]) -> PageCoverage:
    """Return the coverage statement; it judges no page whose ink gave no text, or on which text was left to read."""
    stated = account_page(marks.number, marks.painted, blocks)
    is_left_out = plan.reason in _LEFT_OUT or not any(block.text or block.table for block in blocks if not block.unseen)
    return replace(stated, judged=False) if is_left_out and stated.judged and marks.is_inked() else stated


_LEFT_OUT = frozenset(f"{reason}, ocr off" for reason in (NO_TEXT, PICTURE_TEXT, OUTLINED_TEXT))
"""Reasons of pages with text in pictures or curves that no recogniser reads."""


def _find_unread(plan: PagePlan) -> tuple[str, ...]:
    """Return the warning of a page whose text is drawn as curves and therefore not in its text layer."""
    return (OUTLINED_TEXT,) if plan.reason.startswith(OUTLINED_TEXT) and plan.route is Route.FAST else ()


def _find_pictures(
    page: Any, plan: PagePlan, blocks: list[PageBlock], options: ReadOptions, marks: PageMarks
) -> tuple[ReadArea, ...]:
    """Return the areas of pictures that show text, on a page that is read by its text layer."""
    if plan.route not in (Route.FAST, Route.MIXED) or options.ocr is OcrMode.NEVER:
        return ()

    def read_grey(area: Bbox, dpi: int) -> Grey | None:
        stored = marks.pixels(area, dpi)
        return draw_grey(page, area, dpi) if stored is None else stored

    return picture_areas(blocks, find_text_pictures(blocks, marks.width, marks.height, read_grey))


def _settle_route(plan: PagePlan, areas: tuple[ReadArea, ...]) -> Route:
    if plan.route in (Route.FAST, Route.MIXED):
        return Route.MIXED if areas else Route.FAST
    return plan.route


def _draw_for_recogniser(page: Any, content: PageContent, options: ReadOptions) -> bytes | None:
    """Return the pixels for the recogniser: the whole page, the areas in question, or None."""
    if content.route is Route.OCR:
        return render_area(page, None, OCR_DPI, options.max_image_pixels)
    if content.areas:
        return render_only(page, [area.bbox for area in content.areas], OCR_DPI, options.max_image_pixels)
    return None
