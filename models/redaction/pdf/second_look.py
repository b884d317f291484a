"""Finds values that a second engine sees on a page: pdfium orders characters differently.

A file may draw the figures of a number in any order, and only one of the engines may see them as a row. A value that
the patterns find in either engine's text is removed.
"""

from types import TracebackType
from typing import Any, Self

import pypdfium2
import pypdfium2.raw as pdfium

from quire.models.cdom.geometry import Bbox
from quire.models.redaction.planning.folded import ValueFinder, fold_text


class SecondLook:
    """The pages of a file as pdfium reads them; none where it cannot open the file: the proof will say so."""

    def __init__(self, data: bytes, password: str | None = None) -> None:
        self._document: Any = None
        try:
            self._document = pypdfium2.PdfDocument(data, password=password)
        except pypdfium2.PdfiumError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._document is not None:
            self._document.close()

    def find_masked(self, number: int, finder: ValueFinder) -> list[Bbox]:
        """Boxes of the masked characters of page `number` (1-based), in points from the page's lower left corner."""
        if self._document is None or number > len(self._document):
            return []
        try:
            page = self._document[number - 1]
        except pypdfium2.PdfiumError:
            return []
        seen = page.get_textpage()
        try:
            masked = finder.find(fold_text(_text_of(seen)))
            return [seen.get_charbox(index, loose=True) for index in sorted(masked)]
        finally:
            seen.close()
            page.close()


def _text_of(seen: Any) -> str:
    """Return one character for each that pdfium counts."""
    text: str = seen.get_text_range()
    count = seen.count_chars()
    if len(text) == count:
        return text
    return "".join(chr(pdfium.FPDFText_GetUnicode(seen, index)) for index in range(count))
