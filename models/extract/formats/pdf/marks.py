"""Marks of a PDF page, read in one MuPDF pass; boxes are in points after the page's rotation.

`pipeline.passes` says in which order these functions run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.contract import TAGS_IGNORED
from quire.models.extract.coverage.account import Painted
from quire.models.extract.formats.pdf.drawings import make_drawn_reader
from quire.models.extract.formats.pdf.engine import mupdf, print_structure, read_contents, turn_blocks, turn_box
from quire.models.extract.formats.pdf.glyphs import make_glyph_finder
from quire.models.extract.formats.pdf.structure.contents import may_paint
from quire.models.extract.formats.pdf.structure.tags import STRUCTURE_SCALE, find_marked_share, read_tagged_lines
from quire.models.extract.formats.pdf.text.rtl import order_tags
from quire.models.extract.formats.pdf.text.scripts import write_scripts_in_tags
from quire.models.extract.formats.pdf.text.symbols import Shown, ShownSymbols, show_symbols
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs, find_lines, group_words, make_pieces
from quire.models.extract.formats.pdf.text.undecoded import DecodedGlyphs, decode_by_shape
from quire.models.extract.formats.pdf.text.weights import strokes_text
from quire.models.extract.formats.pdf.visibility.clipped import EVERYWHERE
from quire.models.extract.formats.pdf.visibility.own_pixels import OwnPixels
from quire.models.extract.formats.pdf.visibility.scan_layer import measure_ink
from quire.models.extract.formats.pdf.visibility.see import DisplayList, Look, PageFrame, SeenPage, call_once, see_page
from quire.models.extract.formats.pdf.visibility.unseen import UnseenText
from quire.models.extract.formats.pdf.wrong_maps import find_wrong_maps
from quire.models.extract.layout.lines.marks import Line, PageMarks, Piece, split_evenly

_FLAGS = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_VECTORS | mupdf.FZ_STEXT_CLIP
_PICTURES = mupdf.FZ_STEXT_PRESERVE_IMAGES


@dataclass(frozen=True, slots=True)
class TagLayerLimits:
    """Facts by which tags and text layers are trusted."""

    marked: float = 0.95
    """Least share of the text (bytes shown) that must be part of an element; with less the tags are ignored."""
    layer_confidence: float = 0.8
    """Confidence of the text layer of a scan: an unknown recogniser wrote it."""


LIMITS = TagLayerLimits()
_IMAGE_BLOCK, _VECTOR_BLOCK = mupdf.FZ_STEXT_BLOCK_IMAGE, mupdf.FZ_STEXT_BLOCK_VECTOR


def open_text(page: Any) -> tuple[Any, dict[int, Any], dict[int, Bbox], Callable[[], Look], PageFrame]:
    """Return the engine's text page, its images and their boxes by order, the drawings on demand, and the frame."""
    rotation, bounds = page.rotation, page.rect
    has_pictures = _has_pictures(page)
    flags = _FLAGS | _PICTURES if has_pictures else _FLAGS
    text_page = page.get_textpage(flags=flags, clip=EVERYWHERE)
    if strokes_text(read_contents(page) or b""):
        text_page = page.get_textpage(flags=flags | mupdf.FZ_STEXT_COLLECT_STYLES, clip=EVERYWHERE)
    stored = _hide_pictures(text_page) if has_pictures else {}
    sides = (bounds.height, bounds.width) if rotation % 180 else (bounds.width, bounds.height)
    frame = PageFrame(*sides, page.rotation_matrix if rotation else None)
    images = {order: _box_of(block) for order, block in stored.items()}
    return text_page, stored, images, call_once(lambda: Look(DisplayList(page))), frame


def read_spans(text_page: Any) -> list[dict[str, Any]]:
    """Return the blocks of the text page with their lines and spans."""
    return list(text_page.extractDICT()["blocks"])


def show_picture_fonts(text_page: Any, spans: list[dict[str, Any]], draw: Callable[[], Look]) -> ShownSymbols:
    """Write the signs that picture fonts show into the text page."""
    return show_symbols(text_page, spans, mupdf.ll_fz_font_name, draw)


def decode_glyphs(page: Any, text_page: Any, spans: list[dict[str, Any]], draw: Callable[[], Look]) -> DecodedGlyphs:
    """Write glyphs that the file does not decode into the text page, read by their shape."""
    return decode_by_shape(page, text_page, spans, mupdf.ll_fz_font_name, draw)


def find_doubtful_fonts(text_page: Any, spans: list[dict[str, Any]]) -> frozenset[str]:
    """Return the fonts whose letters are drawn as other letters."""
    return find_wrong_maps(text_page, spans, mupdf.ll_fz_font_name)


def read_changed_spans(
    text_page: Any, spans: list[dict[str, Any]], shown: ShownSymbols, decoded: DecodedGlyphs
) -> list[dict[str, Any]]:
    """Return the blocks again if characters of the text page were corrected."""
    return read_spans(text_page) if shown.is_changed or decoded.is_changed else spans


def judge_visibility(
    page: Any,
    text_page: Any,
    spans: list[dict[str, Any]],
    images: dict[int, Bbox],
    layers: tuple[int, ...],
    frame: PageFrame,
    draw: Callable[[], Look],
) -> SeenPage:
    """Move unseen text out of the blocks and count all characters; see `see_page`."""
    return see_page(page, text_page, spans, dict.fromkeys(images, False), layers, frame, draw)


def leave_unjudged(*unused: Any) -> SeenPage:
    """Return a page of which nothing is known about visibility."""
    return SeenPage([], Painted(judged=False))


def make_marks(
    page: Any,
    number: int,
    text_page: Any,
    spans: list[dict[str, Any]],
    stored: dict[int, Any],
    images: dict[int, Bbox],
    frame: PageFrame,
) -> PageMarks:
    """Return the lines and pictures of the page, in points after its rotation, which the blocks get too."""
    pictures, bounds, turn = list(images.values()), page.rect, frame.turn
    if turn is not None:
        turn_blocks(spans, turn)
        pictures = [turn_box(box, turn) for box in pictures]
    marks = PageMarks(bounds.width, bounds.height, find_lines(spans), pictures=pictures, number=number)
    marks.rotation = page.rotation % 360
    marks.split = _make_splitter(text_page, turn)
    marks.glyphs = make_glyph_finder(page, turned=turn is not None)
    marks.drawn = make_drawn_reader(page, turn)
    if turn is None:
        marks.pixels = OwnPixels(text_page, stored, images)
    return marks


def take_sight(
    page: Any,
    marks: PageMarks,
    sight: SeenPage,
    decoded: DecodedGlyphs,
    wrong_fonts: frozenset[str],
    draw: Callable[[], Look],
    turn: Any,
) -> None:
    """Record what is invisible, what is painted, which glyphs were read by their shape, and fonts with a wrong map."""
    marks.wrong_fonts = wrong_fonts
    marks.unseen = [_make_unseen(unseen) for unseen in sight.unseen]
    marks.painted = sight.painted
    marks.is_inked = lambda: may_paint(page) and draw().is_inked()
    marks.ligatures = decoded.ligatures if turn is None else [turn_box(box, turn) for box in decoded.ligatures]


def mark_layer(page: Any, marks: PageMarks) -> None:
    """Treat the lines as the text layer of a scan."""
    for line in marks.lines:
        line.confidence = LIMITS.layer_confidence
        line.code, line.runs = False, [run for run in line.runs if not run.code]
    boxes = list(marks.lines)
    marks.layer_ink = lambda: measure_ink(page, boxes)


def add_tags(page: Any, marks: PageMarks, shown: Shown) -> None:
    """Add the author's tags unless they leave out much of the text."""
    tags = read_tagged_lines(print_structure(page, STRUCTURE_SCALE))
    marks.tags = [replace(tag, text=tag.text.translate(shown)) for tag in tags] if shown else tags
    if marks.tags and find_marked_share(page.read_contents()) < LIMITS.marked:
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
    words = call_once(lambda: group_words(text_page.extractWORDS()))

    def split(line: Line) -> list[Piece]:
        pieces = make_pieces(words().get(line.key, []))
        for piece in pieces if turn is not None else ():
            piece.x0, piece.y0, piece.x1, piece.y1 = turn_box((piece.x0, piece.y0, piece.x1, piece.y1), turn)
        return pieces or split_evenly(line)

    return split
