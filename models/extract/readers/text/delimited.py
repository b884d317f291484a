"""CSV and TSV: one table, its delimiter found by which one gives records of the same length."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.original import Format, ReadOptions
from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.readers.flow.blocks import FlowBlock, FlowPage
from models.extract.readers.flow.characters import clean
from models.extract.readers.flow.document import FlowDocument, FlowFile, open_flow
from models.extract.readers.sheets.sheet import MAX_CELLS
from models.extract.readers.text.charset import decode_text

ENGINE: Final = "csv"
DELIMITERS: Final = ",;\t|"
MAX_COLUMNS: Final = 20_000
SAMPLE_RECORDS: Final = 50
_LEAST_AGREEING: Final = 0.6
"""Share of the records that must have the usual number of fields."""
_FIELD_BYTES: Final = 10_000_000


def open_csv(data: bytes, options: ReadOptions) -> FlowDocument:
    """The table in `data`. Raises `ResourceLimit`."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    text, name = decode_text(data)
    delimiter = find_delimiter(text) or ","
    page = FlowPage()
    table = _read_table(text, delimiter)
    if table is not None:
        lines = text.count("\n") + (not text.endswith("\n"))
        page.blocks.append(FlowBlock(BlockType.TABLE, table=table, path=f"lines 1-{lines}"))
    return FlowFile(format=Format.CSV, pages=[page], engine=ENGINE, version=name, reason="delimited-text")


def find_delimiter(text: str) -> str | None:
    """The delimiter of a text's records; None when none of the usual ones makes a table."""
    sample = text[: SAMPLE_RECORDS * 2000]
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        records = _records(sample, delimiter, SAMPLE_RECORDS)
        if len(sample) < len(text) and len(records) > 1:
            records = records[:-1]
        widths = Counter(len(record) for record in records)
        if len(records) < 2 or not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]))
        agreeing = count / len(records)
        if width > 1 and agreeing >= _LEAST_AGREEING and (best is None or (agreeing, width) > best[:2]):
            best = (agreeing, width, delimiter)
    return best[2] if best else None


def looks_delimited(text: str) -> bool:
    """True for a text that is a table of records, not prose that happens to have commas."""
    delimiter = find_delimiter(text)
    if delimiter is None:
        return False
    records = _records(text[: SAMPLE_RECORDS * 2000], delimiter, SAMPLE_RECORDS)
    fields = [field for record in records for field in record]
    if delimiter == "|" and sum(not record[0].strip() for record in records) > len(records) / 2:
        return False
    if delimiter in "\t|":
        return True
    after = sum(field.startswith(" ") for record in records for field in record[1:])
    spaced = after > 0.5 * max(1, sum(len(record) - 1 for record in records))
    ends = sum(record[-1].rstrip().endswith((".", ":", "{", "}", ";", ",")) for record in records)
    long = sum(len(field) > 80 for field in fields) > 0.2 * len(fields)
    return not (long or (spaced and len(records) < 4) or ends > 0.4 * len(records))


def _records(text: str, delimiter: str, most: int) -> list[list[str]]:
    records: list[list[str]] = []
    try:
        for record in _reader(text, delimiter):
            if any(field.strip() for field in record):
                records.append(record)
            if len(records) >= most:
                break
    except csv.Error:
        return records
    return records


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_FIELD_BYTES)
    return csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter, skipinitialspace=False)


def _read_table(text: str, delimiter: str) -> Table | None:
    rows: list[list[str]] = []
    count = 0
    try:
        for record in _reader(text, delimiter):
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
    header = _has_header(rows)
    cells = tuple(
        Cell(row=at, col=col, header=header and at == 0, text=clean(row[col]).strip() if col < len(row) else "")
        for at, row in enumerate(rows)
        for col in range(width)
    )
    return Table(rows=len(rows), cols=width, cells=cells)


def _has_header(rows: list[list[str]]) -> bool:
    """The first record names the columns: no numbers in it, nothing twice."""
    first = [field.strip() for field in rows[0]]
    return len(rows) > 1 and all(first) and len(set(first)) == len(first) and not any(map(_is_number, first))


def _is_number(text: str) -> bool:
    return text.strip("+-$€£% ").replace(",", "").replace(".", "").isdigit()
