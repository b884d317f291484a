"""Cell values of binary workbooks: stored numbers, booleans and errors in, displayed texts of a sheet out."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quire.models.extract.formats.flow.sheet import Sheet, Workbook
from quire.models.extract.formats.sheets.formats import moment_of, show, show_text

ERRORS: Final = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A",
                 43: "#GETTING_DATA"}  # fmt: skip
POINTS_PER_CHAR: Final = 5.25
"""Points per unit of a column's width, which is a digit of the default font: 7 pixels at 96 per inch."""


@dataclass(slots=True)
class ValueWriter:
    """Writes values into a sheet as their format displays them; `codes` are format codes by cell style."""

    workbook: Workbook
    sheet: Sheet
    codes: Sequence[str]
    epoch_1904: bool = False

    def number(self, row: int, column: int, style: int, value: float) -> None:
        """Write a number, unless it is infinite or NaN."""
        if value != value or value in (float("inf"), float("-inf")):
            return
        code = self._code(style)
        text = show(value, code, epoch_1904=self.epoch_1904)
        moment = moment_of(value, code, epoch_1904=self.epoch_1904)
        self.workbook.put(self.sheet, (row, column), text, number=True, moment=moment)

    def text(self, row: int, column: int, style: int, value: str) -> None:
        """Write a text."""
        self.workbook.put(self.sheet, (row, column), show_text(value, self._code(style)))

    def truth(self, row: int, column: int, value: int) -> None:
        """Write a boolean."""
        self.workbook.put(self.sheet, (row, column), "TRUE" if value else "FALSE")

    def error(self, row: int, column: int, value: int) -> None:
        """Write an error value."""
        self.workbook.put(self.sheet, (row, column), ERRORS.get(value, "#ERROR!"))

    def _code(self, style: int) -> str:
        return self.codes[style] if 0 <= style < len(self.codes) else "General"


def decode_rk(raw: int) -> float:
    """Decode a packed number: 30 bits of an integer or of a double, perhaps in hundredths."""
    if raw & 2:
        whole = raw >> 2
        value = float(whole - (1 << 30) if whole >= 1 << 29 else whole)
    else:
        value = float(struct.unpack("<d", struct.pack("<Q", (raw & 0xFFFFFFFC) << 32))[0])
    return value / 100 if raw & 1 else value
