"""Marks of a PDF page: one MuPDF interpretation, boxes turned by the page's rotation."""

from typing import Any

from models.cdom.geometry import Bbox
from models.extract.layout.marks import PageMarks
from models.extract.readers.pdf.engine import mupdf
from models.extract.readers.pdf.text import find_lines

_FLAGS = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_VECTORS | mupdf.FZ_STEXT_CLIP
_PICTURES = mupdf.FZ_STEXT_PRESERVE_IMAGES
_IMAGE_BLOCK, _VECTOR_BLOCK = mupdf.FZ_STEXT_BLOCK_IMAGE, mupdf.FZ_STEXT_BLOCK_VECTOR


def find_marks(page: Any) -> PageMarks:
    """Everything printed on the page, in points after rotation."""
    has_pictures = bool(page.get_images(full=True))
    text_page = page.get_textpage(flags=_FLAGS | _PICTURES if has_pictures else _FLAGS)
    pictures = _take_pictures(text_page) if has_pictures else []
    blocks = text_page.extractDICT()["blocks"]
    return PageMarks(
        width=page.rect.width,
        height=page.rect.height,
        lines=find_lines(blocks),
        pictures=pictures,
    )


def _take_pictures(text_page: Any) -> list[Bbox]:
    """Boxes of images, whose blocks are renamed to vectors: the dictionary would copy their bytes (8.9 ms a page)."""
    boxes: list[Bbox] = []
    block = text_page.this.m_internal.first_block
    while block:
        if block.type == _IMAGE_BLOCK:
            box = block.bbox
            boxes.append((box.x0, box.y0, box.x1, box.y1))
            block.type = _VECTOR_BLOCK
        block = block.next
    return boxes
