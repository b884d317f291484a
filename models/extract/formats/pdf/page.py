"""One PDF page: a single MuPDF pass into marks, then triage and layout into a `PageContent`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import DetectedPage, PixelPage
from quire.models.cdom.tree import DAMAGED, BlockType, Route
from quire.models.extract.contract import SECOND_ENGINE, PageBlock, PageContent, PageRead, ReadArea
from quire.models.extract.coverage.account import account_page
from quire.models.extract.coverage.total import count_written
from quire.models.extract.document.table_checks import check_block
from quire.models.extract.formats.pdf.engine import ENGINE, VERSION, read_contents, take_messages
from quire.models.extract.formats.pdf.marks import find_marks
from quire.models.extract.formats.pdf.notes import make_attached, make_comments, type_stamps
from quire.models.extract.formats.pdf.render import draw_doubted, draw_grey, render_area, render_only
from quire.models.extract.formats.pdf.structure.contents import find_content_errors, has_loss, lacks_content
from quire.models.extract.formats.pdf.structure.referee import Referee
from quire.models.extract.formats.pdf.visibility.picture_text import Grey, find_text_pictures
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.page import layout_page
from quire.models.extract.layout.text.blocks import confidence_of, make_unseen_blocks
from quire.models.extract.pipeline.areas import garbled_areas, picture_areas
from quire.models.extract.pipeline.ocr_regions import flag_garbled
from quire.models.extract.pipeline.plan import (
    NO_TEXT,
    OUTLINED_TEXT,
    PICTURE_TEXT,
    TEXT_IN_PICTURES,
    PagePlan,
    plan_page,
)
from quire.models.extract.pipeline.scan_layers import as_scan_layer, layer_words
from quire.models.extract.steps import Steps
from quire.models.extract.text_quality.ligatures import flag_undecoded
from quire.models.extract.text_quality.miscoded import flag_miscoded


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
    steps: Steps | None = None,
    referee: Referee | None = None,
) -> PageRead:
    """Return the content of a page, with its pixels when the plan sends it to a recogniser.

    Args:
        page: The engine's page.
        number: Page number, 1-based.
        options: Options of the request.
        layers: Layers of the file that are off.
        tagged: Whether the file has a structure tree.
        seen: Result of a layout detector for this page.
        steps: The optional steps of the reading.
        referee: The file in the second engine.
    """
    take_messages()
    marks = find_marks(page, layers, tagged=tagged, steps=steps)
    marks.number = number
    marks.steps.run("second-engine", None, _check_content, page, marks, referee)
    if options.second_opinion:
        invite_opinion(marks, seen)
    read = _read_marks(page, marks, options)
    if seen is not None:
        return replace(read, content=replace(read.content, model=seen.model))
    if read.content.route is Route.OCR:
        return read
    return replace(read, doubted=marks.steps.run("second-opinion", None, _draw_if_doubted, page, marks, read, options))


def _draw_if_doubted(page: Any, marks: PageMarks, read: PageRead, options: ReadOptions) -> PixelPage | None:
    return draw_doubted(page, read.content, options) if is_doubted(marks, read.content.blocks) else None


def read_words(referee: Referee, number: int, options: ReadOptions, steps: Steps) -> PageRead | None:
    """Return the content of a page of which only the second engine knows the words, None where it refuses the page."""
    marks = referee.read_page(number)
    if marks is None:
        return None
    marks.number, marks.steps = number, steps
    marks.warnings.append(SECOND_ENGINE)
    if not marks.lines:
        _doubt_content(marks)
    return _read_marks(None, marks, replace(options, ocr=OcrMode.NEVER))


_MORE_SHARE, _MORE_CHARS = 1.02, 3
"""The second engine is believed where it sees more characters than this share and number beyond those of the first."""


def _check_content(page: Any, marks: PageMarks, referee: Referee | None) -> None:
    """Ask the second engine about a page without text or with errors, and take its words where it has more.

    Without more words, a page of which content is missing is not complete.
    """
    is_empty = not marks.lines and not marks.unseen
    errors = find_content_errors(page, take_messages())
    contents = read_contents(page) if is_empty or errors else b""
    if referee is not None and (errors or contents is None or (is_empty and contents.strip())):
        second = referee.read_page(marks.number)
        known = len(marks.painted.text) + sum(place.characters for place in marks.painted.excluded)
        if second is not None and len(second.painted.text) > _MORE_SHARE * known + _MORE_CHARS:
            marks.lines, marks.painted, marks.engine = second.lines, second.painted, second.engine
            marks.tags, marks.unseen = [], []
            marks.warnings.append(SECOND_ENGINE)
    if contents is None or has_loss(page, errors) or lacks_content(page):
        _doubt_content(marks)


def _doubt_content(marks: PageMarks) -> None:
    marks.painted.judged = False
    marks.warnings.append(DAMAGED)


def _read_marks(page: Any, marks: PageMarks, options: ReadOptions) -> PageRead:
    number, steps = marks.number, marks.steps
    if "drawing" in steps.left_out:
        options = replace(options, ocr=OcrMode.NEVER)
    plan = steps.run("plan", PagePlan(Route.FAST, "text-layer"), plan_page, marks, options)
    lines = list(marks.lines)
    layout = layout_page(marks)
    blocks = steps.run("stamps", layout.blocks, type_stamps, layout.blocks, marks.stamps)
    blocks = [*blocks, *steps.run("unseen-text", [], make_unseen_blocks, marks, layout.body_size)]
    blocks = steps.run("undecoded-flags", blocks, flag_undecoded, blocks, marks.ligatures)
    blocks = steps.run("miscoded-flags", blocks, flag_miscoded, blocks)
    areas: tuple[ReadArea, ...] = ()
    if plan.garbled and plan.route is not Route.OCR:
        size = (marks.width, marks.height)
        areas = steps.run("garbled-text", (), garbled_areas, blocks, lines, plan.garbled, size, marks.words_of)
        if plan.route is not Route.MIXED:
            blocks, areas = steps.run("garbled-text", blocks, flag_garbled, blocks, areas), ()
    is_layer = marks.layer_ink is not None and plan.route is not Route.OCR
    pictures: tuple[ReadArea, ...] = ()
    if not is_layer and page is not None:
        pictures = steps.run("text-in-pictures", (), _find_pictures, page, plan, blocks, options, marks)
    areas = (*areas, *pictures)
    comments = [*make_comments(marks), *make_attached(marks)]
    engine, version = marks.engine or (ENGINE, VERSION)
    unjudged = PageCoverage(number=number, judged=False)
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
        engine=engine,
        version=version,
        layer=layer_words(marks) if marks.layer_ink is not None and plan.route is Route.OCR else (),
        coverage=steps.run("coverage", unjudged, _account, marks, plan, blocks),
        written=count_written([*blocks, *comments]),
    )
    if is_layer:
        content = as_scan_layer(content)
    image = steps.run("drawing", None, _draw_for_recogniser, page, content, options)
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
