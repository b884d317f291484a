"""CSV and TSV: one table, whose delimiter is the one that yields records of equal length."""

import csv
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.sheet import MAX_CELLS
from quire.models.extract.formats.sniffing.charset import decode_file
from quire.models.extract.formats.sniffing.records import (
    find_delimiter,
    read_records,
    split_instruction,
    split_preamble,
)

ENGINE: Final = "csv"
MAX_COLUMNS: Final = 20_000
"""Fields of one record; spreadsheets stop at 16,384."""


def open_csv(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the table in `data`.

    Raises:
        ResourceLimit: The file has too many cells or a field is too long.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    decoded = decode_file(data)
    delimiter = find_delimiter(decoded.text) or ","
    _, text = split_instruction(decoded.text)
    first = 1 + decoded.text[: len(decoded.text) - len(text)].count("\n")
    page = FlowPage(warnings=list(decoded.warnings))
    above, text = split_preamble(text)
    for number, line in enumerate(above.splitlines(), start=first):
        if shown := ": ".join(field.strip() for field in next(read_records(line, delimiter), []) if field.strip()):
            page.blocks.append(FlowBlock(BlockType.PARAGRAPH, clean(shown), path=f"lines {number}-{number}"))
    first += above.count("\n")
    table = _read_table(text, delimiter)
    if table is not None:
        last = decoded.text.count("\n") + (not decoded.text.endswith("\n"))
        page.blocks.append(FlowBlock(BlockType.TABLE, table=table, path=f"lines {first}-{last}"))
    return FlowFile(format=Format.CSV, pages=[page], engine=ENGINE, version=decoded.encoding, reason="delimited-text")


def _read_table(text: str, delimiter: str) -> Table | None:
    rows: list[list[str]] = []
    count = 0
    try:
        for record in read_records(text, delimiter):
            count += len(record)
            if count > MAX_CELLS or len(record) > MAX_COLUMNS:
                raise ResourceLimit("the file has too many cells")
            if any(field.strip() for field in record):
                rows.append(record)
    except csv.Error:
        raise ResourceLimit("a field is too long") from None
    width = max((len(row) for row in rows), default=0)
    if not width or width * len(rows) > 2 * MAX_CELLS:
        if width:
            raise ResourceLimit("the file has too many cells")
        return None
    has_header = _has_header(rows)
    cells = tuple(
        Cell(
            row=index, col=col, header=has_header and index == 0, text=clean(row[col]).strip() if col < len(row) else ""
        )
        for index, row in enumerate(rows)
        for col in range(width)
    )
    return Table(rows=len(rows), cols=width, cells=cells)


def _has_header(rows: list[list[str]]) -> bool:
    """Return whether the first record names the columns: it has no numbers and no repetition."""
    first = [field.strip() for field in rows[0]]
    return len(rows) > 1 and all(first) and len(set(first)) == len(first) and not any(map(_is_number, first))


def _is_number(text: str) -> bool:
    return text.strip("+-$€£% ").replace(",", "").replace(".", "").isdigit()
