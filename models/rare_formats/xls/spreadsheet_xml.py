"""XML Spreadsheet 2003, the `.xls` that many programs export: an XML text in, a flow file out."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.opc import MAX_TAGS, MAX_XML_BYTES
from quire.models.extract.formats.common.xml import Element, parse_xml
from quire.models.extract.formats.flow.counting import natural
from quire.models.extract.formats.flow.document import FlowFile
from quire.models.extract.formats.flow.sheet import MAX_CELLS, Sheet, Workbook
from quire.models.extract.formats.flow.sheet_pages import make_pages
from quire.models.extract.formats.sheets.formats import as_iso, show, show_text

ENGINE: Final = "spreadsheet-xml"
SS: Final = "{urn:schemas-microsoft-com:office:spreadsheet}"
_EXCEL: Final = "{urn:schemas-microsoft-com:office:excel}"
_OFFICE: Final = "{urn:schemas-microsoft-com:office:office}"
_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384
"""Rows and columns of a sheet: the limits of Excel."""
_NAMED: Final = {
    "General Number": "General", "General Date": "yyyy-mm-dd hh:mm", "Long Date": "yyyy-mm-dd",
    "Medium Date": "dd-mmm-yy", "Short Date": "yyyy-mm-dd", "Long Time": "hh:mm:ss", "Medium Time": "hh:mm AM/PM",
    "Short Time": "hh:mm", "Currency": "#,##0.00", "Euro Currency": "#,##0.00", "Fixed": "0.00",
    "Standard": "#,##0.00", "Percent": "0.00%", "Scientific": "0.00E+00",
}  # fmt: skip
"""Formats that files name in words, as codes."""


def parse_workbook(data: bytes) -> Element:
    """Return the root element.

    Raises:
        ResourceLimit: The workbook is too large.
        Malformed: The XML is broken.
    """
    if len(data) > MAX_XML_BYTES or data.count(b"<") > MAX_TAGS:
        raise ResourceLimit("the workbook is too large")
    return parse_xml(data.strip())


def read_spreadsheet_xml(data: bytes, most: int) -> FlowFile:
    """Return a flow file with a page per worksheet.

    Raises:
        ExtractError: The XML is broken or a limit is exceeded.
    """
    root = parse_workbook(data)
    codes = _read_codes(root)
    workbook = Workbook(most)
    for node in root.iterfind(SS + "Worksheet"):
        state = node.findtext(f"{_EXCEL}WorksheetOptions/{_EXCEL}Visible") or ""
        sheet = Sheet(node.get(SS + "Name") or "", visible=not state.startswith("SheetHidden"))
        workbook.sheets.append(sheet)
        for table in node.iterfind(SS + "Table"):
            _read_columns(table, sheet)
            _read_rows(table, sheet, workbook, codes)
    title = root.findtext(f"{_OFFICE}DocumentProperties/{_OFFICE}Title")
    author = root.findtext(f"{_OFFICE}DocumentProperties/{_OFFICE}Author")
    return FlowFile(
        format=Format.XLS,
        pages=make_pages(workbook),
        engine=ENGINE,
        reason="workbook",
        metadata=Metadata(title=(title or "")[:1000] or None, author=(author or "")[:1000] or None),
    )


def _read_codes(root: Element) -> dict[str, str]:
    """Return format codes by the id of their style."""
    codes: dict[str, str] = {}
    for style in root.iterfind(f"{SS}Styles/{SS}Style"):
        number_format = style.find(SS + "NumberFormat")
        code = number_format.get(SS + "Format", "General") if number_format is not None else "General"
        codes[style.get(SS + "ID", "")] = _NAMED.get(code, code)
    return codes


def _read_columns(table: Element, sheet: Sheet) -> None:
    index = 0
    for column in table.iterfind(SS + "Column"):
        index = natural(column.get(SS + "Index"), index + 1) - 1
        last = min(index + natural(column.get(SS + "Span"), 0), _MAX_COLUMNS - 1)
        if _is_hidden(column, "Width"):
            sheet.hidden_columns.append((index, last))
        index = last + 1


def _read_rows(table: Element, sheet: Sheet, workbook: Workbook, codes: dict[str, str]) -> None:
    index = 0
    for row in table.iterfind(SS + "Row"):
        index = natural(row.get(SS + "Index"), index + 1) - 1
        last = index + natural(row.get(SS + "Span"), 0)
        if last >= _MAX_ROWS:
            raise ResourceLimit("the sheet has too many rows")
        if _is_hidden(row, "Height"):
            sheet.hidden_rows.update(range(index, last + 1))
        for column, cell in _cells_of(row):
            style = cell.get(SS + "StyleID") or row.get(SS + "StyleID") or "Default"
            _put(cell, (index, column), sheet, workbook, codes.get(style, "General"))
        index = last + 1


def _cells_of(row: Element) -> Iterator[tuple[int, Element]]:
    index = 0
    for cell in row.iterfind(SS + "Cell"):
        index = natural(cell.get(SS + "Index"), index + 1) - 1
        if index >= _MAX_COLUMNS:
            return
        yield index, cell
        index += 1 + natural(cell.get(SS + "MergeAcross"), 0)


def _put(cell: Element, place: tuple[int, int], sheet: Sheet, workbook: Workbook, code: str) -> None:
    data = cell.find(SS + "Data")
    if data is not None:
        stated, kind = "".join(data.itertext()), data.get(SS + "Type", "String")
        text, is_number = _show(stated, kind, code)
        moment = as_iso(stated) if kind == "DateTime" else ""
        workbook.put(sheet, place, text, number=is_number, moment=moment)
    across, down = (natural(cell.get(SS + name), 0) for name in ("MergeAcross", "MergeDown"))
    if across or down:
        if (across + 1) * (down + 1) > MAX_CELLS:
            raise ResourceLimit("a merged area is too large")
        sheet.add_merge((*place, place[0] + down, place[1] + across))
    comment = cell.find(SS + "Comment")
    if comment is not None and (words := "".join(comment.itertext()).strip()):
        sheet.comments.append((place, words))


def _show(text: str, kind: str, code: str) -> tuple[str, bool]:
    """Return a value as its format shows it, and whether it is a number."""
    try:
        match kind:
            case "Number":
                return show(float(text), code), True
            case "DateTime":
                moment = datetime.fromisoformat(text.strip())
                serial = (moment - datetime(1899, 12, 30)).total_seconds() / 86400
                return show(serial, code if code != "General" else "yyyy-mm-dd"), True
            case "Boolean":
                return ("TRUE" if text.strip() == "1" else "FALSE"), False
            case _:
                return show_text(text, code), False
    except (ValueError, OverflowError):
        return text, False


def _is_hidden(node: Element, size: str) -> bool:
    return node.get(SS + "Hidden") == "1" or node.get(SS + size) in ("0", "0.0")
