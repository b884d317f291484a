"""Restricts tiles (tiling patterns) of a document to lines and areas: the repeated content of tiles is not read."""

import re
from io import BytesIO
from typing import Any

import pikepdf
import pymupdf
from pikepdf import Pdf, Stream

from quire.models.redaction.pdf.content import ContentCleaner

_TILING = 1
"""`/PatternType` of a tile (PDF 32000, 8.7.3)."""
_SHOWS = re.compile(rb"\b(?:Tj|TJ|Do|BI)\b|['\"]")


def without_tiles(document: Any) -> Any:
    """Return a copy without text in tiles, or None if no tile has any. The caller closes it."""
    data = BytesIO(document.tobytes(garbage=0, encryption=pymupdf.PDF_ENCRYPT_NONE))
    with Pdf.open(data) as pdf:
        tiles = [pdf_object for pdf_object in pdf.objects if _shows_more(pdf_object)]
        if not tiles:
            return None
        for tile in tiles:
            tile.write(ContentCleaner(None, lambda _: False, text=False).clean(tile))
        made = BytesIO()
        pdf.save(made, compress_streams=False, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return pymupdf.open(stream=made.getvalue(), filetype="pdf")


def _shows_more(pdf_object: Any) -> bool:
    return (
        isinstance(pdf_object, Stream)
        and pdf_object.get("/PatternType") == _TILING
        and _SHOWS.search(pdf_object.read_bytes()) is not None
    )  # fmt: skip
