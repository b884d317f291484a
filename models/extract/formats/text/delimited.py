"""CSV and TSV: one table, whose delimiter is the one that yields records of equal length."""

import csv
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.sheet import LEFT_OUT, TableSize
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
        ResourceLimit: A record has too many fields, or a field is too long.
    """
    return open_flow(lambda: _read(data, options.max_cells), options)


def _read(data: bytes, most: int) -> FlowFile:
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
    rows, lines = _read_rows(text, delimiter, most)
    if rows:
        last = decoded.text.count("\n") + (not decoded.text.endswith("\n"))
        if lines is not None:
            page.warnings.append(LEFT_OUT)
            last = first + lines - 1
        page.blocks.append(FlowBlock(BlockType.TABLE, table=_make_table(rows), path=f"lines {first}-{last}"))
    return FlowFile(format=Format.CSV, pages=[page], engine=ENGINE, version=decoded.encoding, reason="delimited-text")


def _read_rows(text: str, delimiter: str, most: int) -> tuple[list[list[str]], int | None]:
    """Return the records that are not empty, and after how many lines further records are left out, if any are."""
    rows: list[list[str]] = []
    size, width, lines = TableSize(most), 0, 0
    try:
        for record in read_records(text, delimiter):
            if len(record) > MAX_COLUMNS:
                raise ResourceLimit(f"a record of more than {MAX_COLUMNS} fields")
            if any(map(str.strip, record)):
                shown = "".join(record)
                padded = max(0, len(record) - width) * len(rows) + max(width, len(record))
                if not size.takes(shown, padded) and rows:
                    return rows, lines
                width = max(width, len(record))
                rows.append(record)
                lines += shown.count("\n")
            lines += 1
    except csv.Error:
        raise ResourceLimit("a field is too long") from None
    return rows, None


def _make_table(rows: list[list[str]]) -> Table:
    """Return the table of the records, each filled up to the longest."""
    width = max(map(len, rows))
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
