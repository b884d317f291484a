"""Scans of documents with truth: pages drawn as pictures, slightly turned, with a sensor's noise, as JPEG in a PDF.

The document's name determines rotation and noise, so that the same documents give the same scans.
"""

import io
import zlib
from functools import cache

import numpy as np
from PIL import Image

from quire.models.cdom.ports import RecognisedPage
from quire.models.extract.contract import PageRead
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.neural.ocr import LocalPageRecogniser, make_recogniser

_DPI = 150  # dots per inch: an office scanner's ordinary setting
_MOST_PAGES = 2  # pages of a document that are scanned: recognising one takes seconds
_MOST_TURN = 0.6  # degrees: what a sheet fed by hand is askew
_NOISE = (2.0, 10.0)  # standard deviation of a pixel's grey, of 256: a good scanner's and a poor one's
_QUALITY = (60, 90)  # of the JPEG
_TIMEOUT_S = 600.0  # seconds for a page: a machine that does other things too


def scan_document(data: bytes, name: str) -> bytes:
    """The first pages as a PDF of pictures."""
    chance = np.random.default_rng(zlib.crc32(name.encode()))
    with pymupdf.open(stream=data, filetype="pdf") as document, pymupdf.open() as scans:
        for page in list(document)[:_MOST_PAGES]:
            sheet = scans.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=_photograph(page.get_pixmap(dpi=_DPI).tobytes("png"), chance))
        return bytes(scans.tobytes())


def _photograph(picture: bytes, chance: np.random.Generator) -> bytes:
    grey = Image.open(io.BytesIO(picture)).convert("L")
    turned = grey.rotate(chance.uniform(-_MOST_TURN, _MOST_TURN), Image.Resampling.BICUBIC, fillcolor=255)
    noise = chance.normal(0, chance.uniform(*_NOISE), (turned.height, turned.width))
    speckled = np.clip(np.asarray(turned, np.float64) + noise, 0, 255).astype(np.uint8)
    written = io.BytesIO()
    Image.fromarray(speckled).save(written, "JPEG", quality=int(chance.integers(*_QUALITY)))
    return written.getvalue()


@cache
def _recogniser() -> LocalPageRecogniser:
    return make_recogniser()


def recognise(read: PageRead) -> RecognisedPage:
    """Recognise a page of pixels with the built-in recogniser."""
    assert read.pixels is not None
    return _recogniser().recognise_pages([read.pixels], ("en",), _TIMEOUT_S)[0]
