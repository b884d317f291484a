"""Marks of a PDF page, read in one MuPDF pass; boxes are in points after the page's rotation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.contract import TAGS_IGNORED
from quire.models.extract.coverage.painted import Painted
from quire.models.extract.formats.pdf.annotations import add_annotations
from quire.models.extract.formats.pdf.engine import mupdf, print_structure
from quire.models.extract.formats.pdf.engine.rotation import turn_blocks, turn_box
from quire.models.extract.formats.pdf.glyphs import make_glyph_finder
from quire.models.extract.formats.pdf.structure.contents import may_paint
from quire.models.extract.formats.pdf.structure.tags import STRUCTURE_SCALE, find_marked_share, read_tagged_lines
from quire.models.extract.formats.pdf.text.fractions import write_fractions
from quire.models.extract.formats.pdf.text.raw_lines import add_missing_blanks
from quire.models.extract.formats.pdf.text.rtl import order_letters, order_tags
from quire.models.extract.formats.pdf.text.scripts import mark_scripts, write_scripts_in_tags
from quire.models.extract.formats.pdf.text.signs import take_signs
from quire.models.extract.formats.pdf.text.spaced import join_spaced_letters
from quire.models.extract.formats.pdf.text.strikes import strike_out_words
from quire.models.extract.formats.pdf.text.symbols import Shown, ShownSymbols, show_symbols
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs, find_lines
from quire.models.extract.formats.pdf.text.typewriter import settle_typewriter
from quire.models.extract.formats.pdf.text.undecoded import DecodedGlyphs, decode_by_shape
from quire.models.extract.formats.pdf.text.vertical import join_vertical
from quire.models.extract.formats.pdf.vectors import add_vectors
from quire.models.extract.formats.pdf.visibility.clipped import EVERYWHERE
from quire.models.extract.formats.pdf.visibility.own_pixels import OwnPixels
from quire.models.extract.formats.pdf.visibility.scan_layer import measure_ink
from quire.models.extract.formats.pdf.visibility.see import DisplayList, Look, PageFrame, SeenPage, call_once, see_page
from quire.models.extract.formats.pdf.visibility.type3 import (
    DroppedChar,
    add_dropped,
    correct_sizes,
    find_dropped,
    part_lines,
)
from quire.models.extract.formats.pdf.visibility.unseen import UnseenText
from quire.models.extract.layout.lines.marks import Line, PageMarks, Piece, split_evenly
from quire.models.extract.steps import Steps

_FLAGS = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_VECTORS | mupdf.FZ_STEXT_CLIP
_PICTURES = mupdf.FZ_STEXT_PRESERVE_IMAGES
_MARKED = 0.95
"""Least share of the text (bytes shown) that must be marked as part of an element; with less the tags are ignored."""
LAYER_CONFIDENCE = 0.8
"""Confidence of the text layer of a scan: an unknown recogniser wrote it."""
_IMAGE_BLOCK, _VECTOR_BLOCK = mupdf.FZ_STEXT_BLOCK_IMAGE, mupdf.FZ_STEXT_BLOCK_VECTOR


def find_marks(
    page: Any, layers: tuple[int, ...] = (), *, tagged: bool = False, steps: Steps | None = None
) -> PageMarks:
    """Return everything printed on the page, in points after rotation.

    Args:
        page: The engine's page.
        layers: Layers of the file that are off.
        tagged: Whether the file has a structure tree.
        steps: The optional steps of the reading.
    """
    steps = steps or Steps()
    rotation, bounds = page.rotation, page.rect
    turn = page.rotation_matrix if rotation else None
    has_pictures = _has_pictures(page)
    text_page = page.get_textpage(flags=_FLAGS | _PICTURES if has_pictures else _FLAGS, clip=EVERYWHERE)
    stored = _hide_pictures(text_page) if has_pictures else {}
    images = {order: _box_of(block) for order, block in stored.items()}
    draw = call_once(lambda: Look(DisplayList(page)))
    glyphs = _read_glyphs(page, text_page, draw, steps)
    blocks = glyphs.blocks
    sides = (bounds.height, bounds.width) if rotation % 180 else (bounds.width, bounds.height)
    frame = PageFrame(*sides, turn)
    unknown, opaque = SeenPage([], Painted(judged=False)), dict.fromkeys(images, False)
    seen = steps.run("visibility", unknown, see_page, page, text_page, blocks, opaque, layers, frame, draw)
    if glyphs.has_new_sizes:
        steps.run("type-sizes", None, part_lines, blocks)
    pictures = list(images.values())
    if turn is not None:
        turn_blocks(blocks, turn)
        pictures = [turn_box(box, turn) for box in pictures]
    lines = find_lines(blocks)
    marks = PageMarks(
        width=bounds.width, height=bounds.height, pictures=pictures, steps=steps,
        lines=steps.run("vertical-lines", lines, join_vertical, lines),
    )  # fmt: skip
    steps.run("typewriter", None, settle_typewriter, marks.lines)
    marks.rotation = rotation % 360
    steps.run("blanks", None, add_missing_blanks, marks.lines, text_page)
    steps.run("spaced-letters", None, join_spaced_letters, marks.lines, text_page)
    marks.split = _make_splitter(text_page, turn)
    marks.glyphs = make_glyph_finder(page, turned=turn is not None)
    if turn is None:
        marks.pixels = OwnPixels(text_page, stored, images)
    steps.run("vectors", None, add_vectors, marks, blocks)
    steps.run("strikes", None, strike_out_words, marks)
    if turn is None:
        steps.run("signs", None, take_signs, page, marks, blocks, draw)
        steps.run("right-to-left", None, order_letters, marks, text_page)
    steps.run("fractions", None, write_fractions, marks, blocks)
    add_annotations(page, marks)
    marks.unseen = [_make_unseen(unseen) for unseen in seen.unseen]
    marks.painted = seen.painted
    marks.is_inked = lambda: may_paint(page) and draw().is_inked()
    marks.ligatures = glyphs.ligatures if turn is None else [turn_box(box, turn) for box in glyphs.ligatures]
    if seen.has_layer:
        _mark_layer(page, marks)
    if tagged:
        steps.run("tags", None, _add_tags, page, marks, glyphs.shown)
    return marks


def _mark_layer(page: Any, marks: PageMarks) -> None:
    """Treat the lines as the text layer of a scan."""
    for line in marks.lines:
        line.confidence = LAYER_CONFIDENCE
        line.code, line.runs = False, [run for run in line.runs if not run.code]
    boxes = list(marks.lines)
    marks.layer_ink = lambda: measure_ink(page, boxes)


@dataclass(frozen=True, slots=True)
class _Glyphs:
    """The engine's blocks with their characters as the page shows them.

    `shown`: codes of picture fonts and the signs that they show. `ligatures`: boxes of glyphs read by their shape.
    `has_new_sizes`: sizes of Type 3 fonts were corrected.
    """

    blocks: list[dict[str, Any]]
    shown: Shown
    ligatures: list[Bbox]
    has_new_sizes: bool


def _read_glyphs(page: Any, text_page: Any, draw: Callable[[], Look], steps: Steps) -> _Glyphs:
    """Correct the characters and sizes of the text page and return its blocks."""
    blocks = text_page.extractDICT()["blocks"]
    none: list[DroppedChar] = []
    dropped = steps.run("dropped-letters", none, find_dropped, page, text_page, blocks)
    has_new_sizes = steps.run("type-sizes", False, correct_sizes, page, text_page, blocks)
    if has_new_sizes:
        blocks = text_page.extractDICT()["blocks"]
    font_name = mupdf.ll_fz_font_name
    shown = steps.run("symbols", ShownSymbols(), show_symbols, text_page, blocks, font_name, draw)
    decoded = steps.run("undecoded", DecodedGlyphs(), decode_by_shape, page, text_page, blocks, font_name, draw)
    if shown.is_changed or decoded.is_changed:
        blocks = text_page.extractDICT()["blocks"]
    steps.run("dropped-letters", None, add_dropped, blocks, dropped)
    steps.run("scripts", None, mark_scripts, text_page, blocks)
    return _Glyphs(blocks, shown.codes, decoded.ligatures, has_new_sizes)


def _add_tags(page: Any, marks: PageMarks, shown: Shown) -> None:
    """Add the author's tags unless they leave out much of the text."""
    tags = read_tagged_lines(print_structure(page, STRUCTURE_SCALE))
    marks.tags = [replace(tag, text=tag.text.translate(shown)) for tag in tags] if shown else tags
    if marks.tags and find_marked_share(page.read_contents()) < _MARKED:
        marks.tags = []
        marks.warnings.append(TAGS_IGNORED)
    order_tags(marks)
    write_scripts_in_tags(marks)


def _make_unseen(unseen: UnseenText) -> Line:
    x0, y0, x1, y1 = unseen.bbox
    text = clean_glyphs(unseen.text).strip()
    return Line(x0, y0, x1, y1, y1, max(unseen.size, 0.1), text, hidden=True, unseen=unseen.reason.value)


def _has_pictures(page: Any) -> bool:
    """Return whether the page or a form on it names an image, without describing every image as PyMuPDF does."""
    resources = mupdf.pdf_dict_get_inheritable(page._pdf_page().obj(), mupdf.PDF_ENUM_NAME_Resources)
    return bool(resources.m_internal) and _names_image(resources, set())


def _names_image(resources: Any, seen: set[int]) -> bool:
    """Search the resources and the forms in them; `seen` holds the numbers of forms already searched."""
    named = mupdf.pdf_dict_get(resources, mupdf.PDF_ENUM_NAME_XObject)
    inner: list[Any] = []
    for i in range(mupdf.pdf_dict_len(named)):
        entry = mupdf.pdf_dict_get_val(named, i)
        if mupdf.pdf_name_eq(mupdf.pdf_dict_get(entry, mupdf.PDF_ENUM_NAME_Subtype), mupdf.PDF_ENUM_NAME_Image):
            return True
        own = mupdf.pdf_dict_get(entry, mupdf.PDF_ENUM_NAME_Resources)
        number = mupdf.pdf_to_num(entry)
        if own.m_internal and number not in seen:
            seen.add(number)
            inner.append(own)
    return any(_names_image(own, seen) for own in inner)


def _hide_pictures(text_page: Any) -> dict[int, Any]:
    """Return the image blocks by their order among all blocks, and rename them to vectors.

    As images, the engine's dictionary would copy their bytes (8.9 ms a page).
    """
    images: dict[int, Any] = {}
    order = 0
    block = text_page.this.m_internal.first_block
    while block:
        if block.type == _IMAGE_BLOCK:
            images[order] = block
            block.type = _VECTOR_BLOCK
        block, order = block.next, order + 1
    return images


def _box_of(block: Any) -> Bbox:
    box = block.bbox
    return (box.x0, box.y0, box.x1, box.y1)


def _make_splitter(text_page: Any, turn: Any) -> Callable[[Line], list[Piece]]:
    """Return a function that splits a line into words; the first call reads all words of the page."""
    words: dict[tuple[int, int], list[tuple[Any, ...]]] = {}

    def split(line: Line) -> list[Piece]:
        if not words:
            for word in text_page.extractWORDS():
                words.setdefault((word[5], word[6]), []).append(word)
        return [*_make_pieces(words.get(line.key, ()), turn)] or split_evenly(line)

    return split


def _make_pieces(words: Iterable[tuple[Any, ...]], turn: Any) -> Iterator[Piece]:
    """Yield the engine's words (x0, y0, x1, y1, text, ...) with boxes after the page's rotation."""
    for x0, y0, x1, y1, stated, *_ in words:
        text = clean_glyphs(stated)
        if text and turn is not None:
            x0, y0, x1, y1 = turn_box((x0, y0, x1, y1), turn)
        if text:
            yield Piece(x0, x1, text, y0, y1)
