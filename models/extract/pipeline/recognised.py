"""Recognised words as a page: the same layout rules on OCR lines as on a text layer. Pure; knows no recogniser."""

from dataclasses import dataclass, replace
from functools import partial

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import clamp_bbox, round_bbox
from quire.models.cdom.ports import RecognisedBlock, RecognisedPage, Word
from quire.models.cdom.tree import BlockType, PageWord, Route
from quire.models.extract.contract import PageBlock, PageContent, ReadArea
from quire.models.extract.coverage.account import account_recognised, block_text
from quire.models.extract.coverage.total import count_written
from quire.models.extract.layout.figures.charts import CHART_UNREAD
from quire.models.extract.layout.figures.frames import add_fields
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.lines.recognised import make_marks
from quire.models.extract.pipeline.ocr_regions import (
    AREAS_NOT_READ,
    agrees,
    apply_areas,
    brings_less,
    flag_garbled,
)
from quire.models.extract.pipeline.page import layout_page
from quire.models.extract.pipeline.plan import (
    ASKED_FOR,
    CONFIRMED_TEXT,
    FAST_MODE_OFF,
    GARBAGE_TEXT,
    OUTLINED_TEXT,
    PICTURE_TEXT,
)
from quire.models.extract.pipeline.scan_layers import as_scan_layer, choose_words
from quire.models.extract.pipeline.upright import ScannedMarks, Standing, find_fold, shift, take_side
from quire.models.extract.steps import Steps, read_in_steps


def apply_recognition(content: PageContent, words: RecognisedPage) -> PageContent:
    """Return `content` with blocks made from the recognised words, which replace its own text.

    A page of pictures or curves keeps the few words of its text layer and gains the other recognised words. Layout gets
    the page upright and level; the blocks' boxes are those of the page as shown. Blocks that the recogniser laid out
    itself are used unchanged (route `vlm`).
    """
    read, steps = read_in_steps(partial(_apply_recognition, content, words))
    return replace(read, warnings=(*read.warnings, *steps.warnings)) if steps.left_out else read


def _apply_recognition(content: PageContent, words: RecognisedPage, steps: Steps) -> PageContent:
    if words.blocks is not None:
        return _take_blocks(content, words, words.blocks)
    if content.areas:
        return apply_areas(content, words, steps)
    is_kept = content.reason in (PICTURE_TEXT, OUTLINED_TEXT)
    layer_blocks = content.blocks if is_kept else ()
    if not is_kept:
        layer = " ".join(block_text(block) for block in content.blocks if HIDDEN_TEXT not in block.flags)
        read = " ".join(word.text for word in words.words)
        if content.reason == GARBAGE_TEXT and agrees(read, layer):
            return replace(content, route=Route.FAST, reason=CONFIRMED_TEXT)
        if layer and content.reason not in (ASKED_FOR, FAST_MODE_OFF) and brings_less(read, layer):
            return _keep_layer(content, words)
    if content.layer:
        words = replace(words, words=tuple(choose_words(words.words, content.layer)))
    standing = Standing(
        width=content.width, height=content.height, turn=words.rotation, skew=words.skew_degrees, bend=words.bend
    )
    new_words = [word for word in words.words if not any(_is_in_block(word, block) for block in layer_blocks)]
    new_words = [word for word in new_words if not any(_is_printed_on(word, block) for block in layer_blocks)]
    levelled = [replace(word, bbox=standing.level(word.bbox)) for word in new_words]
    layout = _lay_out(ScannedMarks(levelled, words.rules, words.boxes), *standing.upright_size, steps)
    lines = layout.lines
    chars = sum(len(line.text) for line in lines)
    score = sum(line.confidence * len(line.text) for line in lines) / chars if chars else 0.0
    stated = [(line.text, line.bbox) for line in lines]
    coverage = account_recognised(
        content.coverage, stated, layout.blocks, number=content.number, kept=is_kept,
        scan=words.ink, of_scan=bool(content.layer),
    )  # fmt: skip
    blocks = (*layer_blocks, *(standing.show_block(_moved(block, len(layer_blocks))) for block in layout.blocks))
    return replace(
        content,
        route=Route.OCR,
        confidence=round(score, 3),
        body_size=layout.body_size,
        blocks=blocks,
        layer=(),
        words=(*content.words, *(PageWord(text=word.text, bbox=round_bbox(word.bbox)) for word in new_words)),
        coverage=coverage,
        written=count_written(blocks),
        warnings=(*content.warnings, *words.warnings),
        engine=words.engine,
        model=words.model,
        version=words.version,
    )


@dataclass(frozen=True, slots=True)
class _LaidOut:
    """Lines and blocks of a recognised page, in points of the upright, level page."""

    lines: list[Line]
    blocks: list[PageBlock]
    body_size: float


def _lay_out(scan: ScannedMarks, width: float, height: float, steps: Steps) -> _LaidOut:
    """Lay out the page; for a scan of two pages, the left one and then the right one."""
    fold = steps.run("double-pages", None, find_fold, scan.words, scan.rules, width, height)
    if fold is None:
        return _lay_out_words(scan, width, height, steps)
    left = _lay_out_words(take_side(scan, fold, right=False), fold, height, steps)
    right = _lay_out_words(take_side(scan, fold, right=True), width - fold, height, steps)
    for line in right.lines:
        line.x0, line.x1 = line.x0 + fold, line.x1 + fold
    moved = [_moved(_shifted(block, fold), len(left.blocks)) for block in right.blocks]
    return _LaidOut([*left.lines, *right.lines], [*left.blocks, *moved], left.body_size)


def _lay_out_words(scan: ScannedMarks, width: float, height: float, steps: Steps) -> _LaidOut:
    marks = make_marks(scan.words, scan.rules, width, height, scan.boxes)
    steps.run("scanned-fields", None, add_fields, marks, scan.boxes)
    page = layout_page(marks, steps)
    return _LaidOut(list(page.marks.lines), page.blocks, page.body)


def _shifted(block: PageBlock, by: float) -> PageBlock:
    """Return the block and its cells moved to the right by `by` points."""
    table = block.table
    if table is not None:
        cells = tuple(replace(cell, bbox=cell.bbox and shift(cell.bbox, by)) for cell in table.cells)
        table = replace(table, cells=cells)
    return replace(block, bbox=block.bbox and shift(block.bbox, by), table=table)


def _keep_layer(content: PageContent, words: RecognisedPage) -> PageContent:
    """Keep the text layer because the recogniser read too little of it to replace it; flag it where it is garbled."""
    is_scan = bool(content.layer)
    content = replace(
        content,
        route=Route.FAST,
        reason=f"{content.reason}, layer kept",
        warnings=(*content.warnings, *words.warnings),
    )
    if is_scan:
        return as_scan_layer(content)
    return _flag_layer(content) if content.reason.startswith(GARBAGE_TEXT) else content


def leave_layer(content: PageContent) -> PageContent:
    """Return a scan without recognition: its text layer."""
    warnings = (*content.warnings, AREAS_NOT_READ)
    return as_scan_layer(replace(content, reason=f"{content.reason}, layer kept", warnings=warnings))


def _flag_layer(content: PageContent) -> PageContent:
    areas = [
        ReadArea(bbox=block.bbox, block=index)
        for index, block in enumerate(content.blocks)
        if block.bbox is not None and HIDDEN_TEXT not in block.flags and block_text(block)
    ]
    return replace(content, blocks=tuple(flag_garbled(content.blocks, areas)))


def _is_in_block(word: Word, block: PageBlock) -> bool:
    """Return whether a text block of the layer already covers the word."""
    if block.bbox is None or block.type is BlockType.PICTURE:
        return False
    x, y = (word.bbox[0] + word.bbox[2]) / 2, (word.bbox[1] + word.bbox[3]) / 2
    return block.bbox[0] <= x <= block.bbox[2] and block.bbox[1] <= y <= block.bbox[3]


def _is_printed_on(word: Word, block: PageBlock) -> bool:
    """Return whether a picture covers the word and its text layer contains it."""
    if block.bbox is None or block.type is not BlockType.PICTURE or not block.text:
        return False
    x, y = (word.bbox[0] + word.bbox[2]) / 2, (word.bbox[1] + word.bbox[3]) / 2
    letters = _letters(word.text)
    inside = block.bbox[0] <= x <= block.bbox[2] and block.bbox[1] <= y <= block.bbox[3]
    return inside and len(letters) > 1 and letters in _letters(block.text)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _moved(block: PageBlock, by: int) -> PageBlock:
    """Return the block with its references to blocks of the page increased by `by`."""
    if not by or (block.parent is None and block.continues is None):
        return block
    parent = None if block.parent is None else block.parent + by
    return replace(block, parent=parent, continues=None if block.continues is None else block.continues + by)


def _take_blocks(content: PageContent, page: RecognisedPage, blocks: tuple[RecognisedBlock, ...]) -> PageContent:
    chars = sum(len(block.text) for block in blocks)
    score = sum(block.confidence * len(block.text) for block in blocks) / chars if chars else 0.0
    is_unread = any(block.picture is not None and block.table is None for block in blocks)
    return replace(
        content,
        route=Route.VLM,
        confidence=round(score, 3),
        coverage=None,
        written=None,
        blocks=tuple(_make_block(block, content) for block in blocks),
        warnings=(*content.warnings, *page.warnings, *((CHART_UNREAD,) if is_unread else ())),
        engine=page.engine,
        model=page.model,
        version=page.version,
    )


def _make_block(block: RecognisedBlock, content: PageContent) -> PageBlock:
    """Return the block with its box cut at the page. A picture has no asset, because none was drawn."""
    box = None if block.bbox is None else round_bbox(clamp_bbox(block.bbox, content.width, content.height))
    return PageBlock(
        type=block.type,
        bbox=box,
        text=block.text,
        level=block.level,
        spans=block.spans,
        table=block.table,
        picture=block.picture,
        confidence=round(block.confidence, 3),
    )
