"""Sheets of OpenDocument: tables with repeats in, filled sheets out. Repeated empty cells cost nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import Flat, FlowBlock, flatten
from quire.models.extract.formats.flow.sheet import MAX_CELLS, Sheet, SheetObject, Workbook
from quire.models.extract.formats.opendocument.inline import read_inline, read_object
from quire.models.extract.formats.opendocument.styles import (
    DRAW,
    OFFICE,
    STYLE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    OdfStyles,
    count,
    points,
)
from quire.models.extract.formats.opendocument.text import OdfReader
from quire.models.extract.formats.sheets.formats import as_iso

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""Rows and columns of a sheet: the limits of spreadsheet programs; a repeat count may state any number."""
_NUMBERS: Final = frozenset(("float", "percentage", "currency", "date", "time"))
_GROUPS: Final = frozenset(TABLE + name for name in ("table-header-rows", "table-rows", "table-row-group"))


@dataclass(frozen=True, slots=True)
class _OdsCell:
    """A cell with content: its column, the number of its repetitions side by side, and its text."""

    element: Element
    column: int
    times: int
    text: Flat


class SheetReader:
    """Reads one `table:table`."""

    def __init__(self, workbook: Workbook, styles: OdfStyles) -> None:
        self._workbook, self._styles = workbook, styles
        self._sheet = Sheet("")
        self._row = 0

    def read(self, node: Element) -> Sheet:
        """Return the filled sheet.

        Raises:
            ResourceLimit: A repeated row has more than `MAX_CELLS` filled cells.
        """
        visible = self._styles.shows_table(node.get(TABLE + "style-name"))
        self._sheet = Sheet(node.get(TABLE + "name") or "", visible=visible)
        self._read_columns(node)
        self._read_rows(node)
        for frame in node.iterfind(f"{TABLE}shapes/{DRAW}frame"):
            self._read_frame(frame, (0, 0))
        return self._sheet

    def _read_columns(self, node: Element) -> None:
        index = 0
        for column in node.iter(TABLE + "table-column"):
            times = count(column.get(TABLE + "number-columns-repeated"), MAX_COLUMNS)
            if column.get(TABLE + "visibility") == "collapse":
                self._sheet.hidden_columns.append((index, index + times - 1))
            width = self._measure(column, "table-column-properties", "column-width")
            if width is not None and times < 1000:
                self._sheet.columns.stated.update(dict.fromkeys(range(index, index + times), width))
            index += times
            if index >= MAX_COLUMNS:
                break

    def _read_rows(self, node: Element) -> None:
        for child in node:
            if child.tag in _GROUPS:
                self._read_rows(child)
            elif child.tag == TABLE + "table-row" and self._row < MAX_ROWS:
                self._read_row(child)

    def _read_row(self, row: Element) -> None:
        times = count(row.get(TABLE + "number-rows-repeated"), MAX_ROWS)
        is_filled = any(len(cell) for cell in row)
        visibility = row.get(TABLE + "visibility")
        height = self._measure(row, "table-row-properties", "row-height")
        if height is not None and times < 1000:
            self._sheet.rows.stated.update(dict.fromkeys(range(self._row, self._row + times), height))
        if not is_filled:
            self._row += times
            return
        cells = list(self._read_cells(row))
        times = min(times, MAX_ROWS - self._row)
        if times * sum(cell.times for cell in cells) > MAX_CELLS:
            raise ResourceLimit(f"a repeated row of more than {MAX_CELLS} filled cells")
        for _ in range(times):
            if self._workbook.full:
                self._workbook.leave_out(self._sheet, self._row)
                break
            if visibility == "collapse":
                self._sheet.hidden_rows.add(self._row)
            for cell in cells:
                self._put_repeated(cell)
            self._row += 1

    def _read_cells(self, row: Element) -> Iterator["_OdsCell"]:
        """Yield the cells of a row that have content, each once for all its repetitions."""
        index = 0
        for cell in row:
            if cell.tag not in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                continue
            times = count(cell.get(TABLE + "number-columns-repeated"), MAX_COLUMNS)
            if len(cell) and index < MAX_COLUMNS:
                yield _OdsCell(cell, index, min(times, MAX_COLUMNS - index), self._text_of(cell))
            index += times

    def _text_of(self, cell: Element) -> Flat:
        lines = (OdfReader(self._styles, depth=1).read([line]) for line in cell.findall(TEXT + "p"))
        return flatten([FlowBlock(block.type, block.text, block.spans) for blocks in lines for block in blocks])

    def _put_repeated(self, cell: "_OdsCell") -> None:
        for step in range(cell.times):
            self._put_at((self._row, cell.column + step), cell.element, cell.text)

    def _put_at(self, position: tuple[int, int], cell: Element, flat: Flat) -> None:
        is_number = cell.get(OFFICE + "value-type") in _NUMBERS
        moment = as_iso(cell.get(OFFICE + "date-value") or "")
        self._workbook.put(self._sheet, position, flat.text, number=is_number, moment=moment)
        if flat.spans:
            self._sheet.spans[position] = flat.spans
        across = count(cell.get(TABLE + "number-columns-spanned"), MAX_COLUMNS)
        down = count(cell.get(TABLE + "number-rows-spanned"), MAX_ROWS)
        if across > 1 or down > 1:
            self._sheet.add_merge((*position, position[0] + down - 1, position[1] + across - 1))
        for note in cell.iterfind(OFFICE + "annotation"):
            lines = (read_inline(line, self._styles, str).runs for line in note.iterfind(f".//{TEXT}p"))
            words = "\n".join("".join(run.text for run in runs) for runs in lines)
            if words.strip():
                self._sheet.comments.append((position, words))
        for frame in cell.iterfind(DRAW + "frame"):
            self._read_frame(frame, position)

    def _read_frame(self, frame: Element, position: tuple[int, int]) -> None:
        image = frame.find(DRAW + "image")
        alt = (frame.findtext(SVG + "title") or frame.findtext(SVG + "desc") or "").strip()
        href = (image.get(XLINK + "href") or "").removeprefix("./") if image is not None else ""
        node = frame.find(DRAW + "object")
        folder = (node.get(XLINK + "href") or "").removeprefix("./").strip("/") if node is not None else ""
        content = self._styles.find_object(folder) if folder and "://" not in folder and ".." not in folder else None
        chart = read_object(content, alt)
        if chart is not None and chart.picture is not None:
            self._sheet.objects.append(
                SheetObject(position, table=chart.table, picture=chart.picture, text=chart.text, drawn=True)
            )
        elif href and "://" not in href and node is None:
            self._sheet.objects.append(SheetObject(position, asset=href, text=alt, drawn=True))

    def _measure(self, node: Element, kind: str, name: str) -> float | None:
        for style in self._styles.chain(node.get(TABLE + "style-name")):
            properties = style.find(STYLE + kind)
            if properties is not None and (measure := points(properties.get(STYLE + name))) is not None:
                return measure
        return None
