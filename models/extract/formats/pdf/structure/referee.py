"""A second engine, pdfium: reads the words of pages that MuPDF refuses, finds empty or reports errors on."""

import ctypes
import io
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import Word
from quire.models.extract.coverage.account import Painted, strip_blanks
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs
from quire.models.extract.layout.lines.marks import PageMarks
from quire.models.extract.layout.lines.recognised import make_marks

ENGINE: Final = "pdfium"
VERSION: Final = str(pypdfium2.version.PDFIUM_INFO.build)
_CONFIDENCE: Final = 0.9
"""Confidence of words whose look and visibility are known less well than those of the first engine."""
_MOST_CHARS: Final = 200_000
"""Characters of a page that are read; a page of a newspaper has thirty thousand."""
_FINE: Final = 100
"""Device units per point: pdfium places points on whole units."""
_NO_FONTS: Final = pdfium.FPDF_SYSFONTINFO(version=1)
pdfium.FPDF_SetSystemFontInfo(_NO_FONTS)  # the fonts of a machine would move the boxes of fonts that a file lacks


class Referee:
    """The file in the second engine, opened when it is first asked. Not thread-safe."""

    def __init__(self, data: bytes, password: str | None) -> None:
        self._data, self._password = data, password
        self._file: Any = None
        self._is_refused = False

    def read_page(self, number: int) -> PageMarks | None:
        """Return the visible words of page `number` (1-based) as marks; None when pdfium refuses the page."""
        if self._file is None and not self._is_refused:
            self._file = _open(self._data, self._password)
            self._is_refused = self._file is None
        if self._file is None or not 1 <= number <= len(self._file):
            return None
        try:
            page = self._file[number - 1]
        except pypdfium2.PdfiumError:
            return None
        try:
            return _read(page)
        except pypdfium2.PdfiumError:
            return None
        finally:
            page.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        self._file = None


def save_copy(data: bytes, password: str | None) -> bytes | None:
    """Return a file with the objects that pdfium finds in a file, None where it opens none or finds no page."""
    file = _open(data, password)
    if file is None:
        return None
    try:
        written = io.BytesIO()
        if len(file):
            file.save(written)
        return written.getvalue() or None
    except pypdfium2.PdfiumError:
        return None
    finally:
        file.close()


def _open(data: bytes, password: str | None) -> Any:
    try:
        return pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError:
        return None


def _read(page: Any) -> PageMarks:
    rotation = page.get_rotation()
    shown = page.get_size()
    width, height = shown[::-1] if rotation % 180 else shown
    text_page = page.get_textpage()
    try:
        words = _Words(page, text_page, width, height, rotation).read()
    finally:
        text_page.close()
    marks = make_marks(words, (), width, height)
    for line in marks.lines:
        line.recognised = False
        if rotation:
            line.x0, line.y0, line.x1, line.y1 = _turn_box(line.bbox, width, height, rotation)
            line.base, line.upright, line.turn = line.y1, False, 360 - rotation
    marks.width, marks.height = shown
    lines = [(strip_blanks(line.text), line.bbox) for line in marks.lines]
    marks.painted = Painted(text="".join(text for text, _ in lines), lines=lambda: lines)
    marks.rotation, marks.engine = rotation, (ENGINE, VERSION)
    return marks


def _turn_box(box: Bbox, width: float, height: float, rotation: int) -> Bbox:
    """Return a box of the page before its rotation at its place on the page as shown."""
    x0, y0, x1, y1 = box
    if rotation == 90:
        return (height - y1, x0, height - y0, x1)
    return (width - x1, height - y1, width - x0, height - y0) if rotation == 180 else (y0, width - x1, y1, width - x0)


class _Words:
    """Words of a page before its rotation; blanks and line ends are those that pdfium finds."""

    def __init__(self, page: Any, text_page: Any, width: float, height: float, rotation: int) -> None:
        self._page, self._text, self._width, self._height = page, text_page, width, height
        self._turn_back = -rotation // 90 % 4
        self._words: list[Word] = []
        self._letters: list[int] = []
        self._line = 0

    def read(self) -> list[Word]:
        """Return the words that are on the page and not written in invisible ink."""
        for index in range(min(self._text.count_chars(), _MOST_CHARS)):
            char = chr(pdfium.FPDFText_GetUnicode(self._text, index) or 0xFFFD)
            if char.isspace():
                self._end_word()
                self._line += char == "\n"
            elif not self._is_invisible(index):
                self._letters.append(index)
        self._end_word()
        return self._words

    def _end_word(self) -> None:
        text = clean_glyphs("".join([chr(pdfium.FPDFText_GetUnicode(self._text, i) or 0xFFFD) for i in self._letters]))
        corners = [corner for index in self._letters for corner in self._corners_of(index)]
        self._letters = []
        if not text:
            return
        xs, ys = zip(*corners, strict=True)
        box = (min(xs), min(ys), max(xs), max(ys))
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if 0 <= x <= self._width and 0 <= y <= self._height:
            self._words.append(Word(text=text, bbox=box, confidence=_CONFIDENCE, line=self._line))

    def _is_invisible(self, index: int) -> bool:
        drawn = pdfium.FPDFText_GetTextObject(self._text, index)
        return bool(drawn) and pdfium.FPDFTextObj_GetTextRenderMode(drawn) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE

    def _corners_of(self, index: int) -> list[tuple[float, float]]:
        """Return two corners of a glyph in points."""
        left, bottom, right, top = self._text.get_charbox(index, loose=True)
        return [self._place(left, bottom), self._place(right, top)]

    def _place(self, x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        sides = round(self._width * _FINE), round(self._height * _FINE)
        pdfium.FPDF_PageToDevice(self._page, 0, 0, *sides, self._turn_back, x, y, across, down)
        return across.value / _FINE, down.value / _FINE
