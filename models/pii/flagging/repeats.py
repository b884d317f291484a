"""Table cells that repeat a flagged value without its heading, such as formulas and the data of charts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from quire.models.cdom.table import Cell
from quire.models.cdom.tree import Block, FlagSpan
from quire.models.pii.letters import letters

LEAST_FIGURES = 5
"""Fewest figures of a value that is searched in other cells."""
_EPOCHS = (date(1899, 12, 30), date(1904, 1, 1))
"""Days from which workbooks count: of Windows, and of early Macs."""
_DATE = re.compile(r"([0-9]{1,4})[./-]([0-9]{1,2})[./-]([0-9]{1,4})(?![0-9])")
_FIGURE = re.compile(r"[0-9]")
_LEAST_YEAR = 1000  # years are written with four figures


def find_repeats(blocks: Sequence[Block], spans: Mapping[int, Sequence[FlagSpan]]) -> Iterator[tuple[int, FlagSpan]]:
    """Yield a number of a block and a flag for each cell whose whole text is a value flagged elsewhere.

    Dates are equal in any spelling, also as the number of days that a workbook stores.
    """
    known: dict[str, str] = {}
    flagged = set[tuple[int, int]]()
    for number, found in spans.items():
        table = blocks[number].table
        for span in found if table is not None else ():
            if table is not None and span.cell is not None:
                flagged.add((number, span.cell))
                cell = table.cells[span.cell]
                known |= dict.fromkeys(_spell(cell.text[span.start : span.end], cell, has_days=True), span.flag)
    for number, block in enumerate(blocks) if known else ():
        for index, cell in enumerate(block.table.cells if block.table is not None else ()):
            if (number, index) in flagged:
                continue
            flag = next((known[form] for form in _spell(cell.text, cell) if form in known), None)
            if flag is not None:
                yield number, FlagSpan(flag=flag, start=0, end=len(cell.text), cell=index)


def _spell(text: str, cell: Cell, *, has_days: bool = False) -> Iterator[str]:
    """Yield the forms by which a value is compared; `has_days`: also those of a date as a number."""
    if len(_FIGURE.findall(text)) >= LEAST_FIGURES:
        yield letters(text)
    typed = cell.value if isinstance(cell.value, str) else ""
    for day in {*read_dates(text.strip()), *read_dates(typed)}:
        yield day.isoformat()
        if has_days:
            yield from (days for epoch in _EPOCHS if len(days := str((day - epoch).days)) >= LEAST_FIGURES)


def read_dates(text: str) -> Iterator[date]:
    """Yield the days that a text in figures may mean."""
    match = _DATE.match(text)
    first, second, third = map(int, match.groups()) if match is not None else (0, 0, 0)
    for year, month, day in ((first, second, third), (third, second, first), (third, first, second)):
        if year >= _LEAST_YEAR:
            try:
                yield date(year, month, day)
            except ValueError:
                continue
