"""Tables of a tree as CSV, XLSX, Parquet and Arrow files.

CSV and XLSX have one file or sheet per table. Parquet and Arrow have one row per cell of all tables.
"""

import csv
import io
import zipfile
from collections.abc import Iterable, Sequence
from enum import StrEnum

import pyarrow as pa
import pyarrow.parquet as pq

from quire.models.cdom.table import Table
from quire.models.cdom.tree import Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.export.tables.cells import CellRow, column_names, fill_grid, header_rows, list_cells
from quire.models.export.tables.numbers import find_decimal_mark, read_number
from quire.models.export.tables.workbook import WorkbookSheet, write_workbook


class TableFormat(StrEnum):
    """File formats of tables."""

    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"
    ARROW = "arrow"


MEDIA_TYPES = {
    TableFormat.CSV: "application/zip",
    TableFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    TableFormat.PARQUET: "application/vnd.apache.parquet",
    TableFormat.ARROW: "application/vnd.apache.arrow.file",
}
ENDINGS = {
    TableFormat.CSV: ".zip",
    TableFormat.XLSX: ".xlsx",
    TableFormat.PARQUET: ".parquet",
    TableFormat.ARROW: ".arrow",
}
SCHEMA = pa.schema(
    [
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("source_file", pa.string(), nullable=False),
        pa.field("table", pa.string(), nullable=False),
        pa.field("page", pa.int32(), nullable=False),
        pa.field("cell", pa.int32(), nullable=False),
        pa.field("row", pa.int32(), nullable=False),
        pa.field("col", pa.int32(), nullable=False),
        pa.field("row_span", pa.int32(), nullable=False),
        pa.field("col_span", pa.int32(), nullable=False),
        pa.field("header", pa.bool_(), nullable=False),
        pa.field("head", pa.string(), nullable=False),
        pa.field("label", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("number", pa.float64()),
        pa.field("date", pa.date32()),
        *(pa.field(name, pa.float64()) for name in ("x0", "y0", "x1", "y1")),
        pa.field("confidence", pa.float32(), nullable=False),
        pa.field("head_path", pa.list_(pa.string()), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("section", pa.string(), nullable=False),
        pa.field("unit", pa.string()),
        pa.field("scale", pa.float64(), nullable=False),
    ]
)
"""Columns of the Parquet and Arrow files. Boxes are points from the page's top left corner, null without pages."""


def write_tables(file_format: TableFormat, document_id: str, name: str, tree: Tree) -> bytes:
    """Return the file with all tables of a tree; a document without tables gives an empty file of that format."""
    visible = visible_blocks(tree, furniture=True)
    tables = [(block.id, block.page, block.table) for block in visible if block.table is not None]
    if file_format is TableFormat.CSV:
        return _zip_csv(tables)
    if file_format is TableFormat.XLSX:
        return write_workbook(_sheet(f"{block_id} page {page}", table) for block_id, page, table in tables)
    cells = cell_batch(document_id, name, list_cells(tree))
    out = io.BytesIO()
    if file_format is TableFormat.PARQUET:
        pq.write_table(pa.Table.from_batches([cells]), out, compression="zstd")
    else:
        with pa.ipc.new_file(out, SCHEMA) as writer:
            writer.write_batch(cells)
    return out.getvalue()


def cell_batch(document_id: str, name: str, cells: Iterable[CellRow]) -> pa.RecordBatch:
    """Return the cells of one document as an Arrow batch with `SCHEMA`."""
    return pa.RecordBatch.from_pylist([_record(document_id, name, cell) for cell in cells], SCHEMA)


def _record(document_id: str, name: str, cell: CellRow) -> dict[str, object]:
    box = dict(zip(("x0", "y0", "x1", "y1"), cell.bbox or (None,) * 4, strict=True))
    own = {field: getattr(cell, field) for field in CellRow.__slots__ if field != "bbox"}
    texts = {field: _utf8(value) for field, value in own.items() if isinstance(value, str)}
    path = [_utf8(head) for head in cell.head_path]
    return {"document_id": document_id, "source_file": _utf8(name), **own, **texts, **box, "head_path": path}


def _utf8(text: str) -> str:
    """Replace lone surrogates, which no file format can store."""
    return text.encode("utf-8", "replace").decode()


def _zip_csv(tables: Sequence[tuple[str, int, Table]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for block_id, page, table in tables:
            text = io.StringIO()
            csv.writer(text, lineterminator="\r\n").writerows(_texts(table))
            entry = zipfile.ZipInfo(f"{block_id}-page-{page}.csv")  # without a time: equal tables give equal bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.getvalue().encode("utf-8", "replace"))
    return out.getvalue()


def _texts(table: Table) -> list[list[str]]:
    grid = fill_grid(table)[header_rows(table) :]
    return [column_names(table), *([cell.text if cell else "" for cell in row] for row in grid)]


def _sheet(title: str, table: Table) -> WorkbookSheet:
    """Return a sheet with the header row, and numbers where a whole cell is a number."""
    mark = find_decimal_mark(cell.text for cell in table.cells)
    head, *body = _texts(table)
    return WorkbookSheet(title, head, [[_value(text, mark) for text in row] for row in body])


def _value(text: str, mark: str) -> str | float:
    """Return the number of a plain number. Texts with units, percent signs or leading zeros stay texts."""
    plain = text.strip()
    number = read_number(plain, mark) if plain.lstrip("-−+(")[:1].isdigit() and not plain.endswith("%") else None
    keeps_zeros = len(plain) > 1 and plain[0] == "0" and plain[1].isdigit()
    return text if number is None or keeps_zeros or any(letter.isalpha() for letter in plain) else number
