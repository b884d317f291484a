"""A minimal XLSX workbook: sheets with a frozen bold header row, texts and numbers. Formulas are never written."""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf fontId="1" applyFont="1"/></cellXfs>'
    "</styleSheet>"
)


@dataclass(frozen=True, slots=True)
class WorkbookSheet:
    """One sheet. `title` has at most 31 characters, none of them a bracket, colon, asterisk or slash."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | float]]


def write_workbook(sheets: Iterable[WorkbookSheet]) -> bytes:
    """Return the XLSX file. Excel opens no workbook without sheets, so none gives one empty sheet."""
    listed = list(sheets) or [WorkbookSheet("No tables", [], [])]
    numbers = range(1, len(listed) + 1)
    parts = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": _workbook(listed),
        "xl/_rels/workbook.xml.rels": _relations(
            {"rId0": ("styles", "styles.xml")}
            | {f"rId{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in numbers}
        ),
        "xl/styles.xml": _STYLES,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            _add(archive, name, text)
        for number, sheet in enumerate(listed, 1):
            _add(archive, f"xl/worksheets/sheet{number}.xml", _worksheet(sheet))
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name)  # without a time: equal tables give equal bytes
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, (_XML + text).encode())


def _content_types(numbers: range) -> str:
    overrides = {"xl/workbook.xml": "sheet.main", "xl/styles.xml": "styles"}
    overrides |= {f"xl/worksheets/sheet{number}.xml": "worksheet" for number in numbers}
    parts = "".join(
        f'<Override PartName="/{name}" ContentType="{_SHEET_TYPE}.{kind}+xml"/>' for name, kind in overrides.items()
    )
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="{relations}"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{parts}</Types>'
    )


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    lines = (
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'


def _workbook(sheets: list[WorkbookSheet]) -> str:
    lines = (
        f'<sheet name={quoteattr(sheet.title)} sheetId="{number}" r:id="rId{number}"/>'
        for number, sheet in enumerate(sheets, 1)
    )
    return f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{"".join(lines)}</sheets></workbook>'


def _worksheet(sheet: WorkbookSheet) -> str:
    pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' if sheet.head else ""
    rows = [_row(1, sheet.head, ' s="1"'), *(_row(number, row, "") for number, row in enumerate(sheet.rows, 2))]
    return (
        f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">{pane}</sheetView></sheetViews>'
        f"<sheetData>{''.join(rows)}</sheetData></worksheet>"
    )


def _row(number: int, values: Sequence[str | float], style: str) -> str:
    cells = (f"{_cell(f'{_letters(col)}{number}', value, style)}" for col, value in enumerate(values) if value != "")
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, value: str | float, style: str) -> str:
    if isinstance(value, str):
        text = escape(_NOT_XML.sub("\ufffd", value))
        return f'<c r="{place}" t="inlineStr"{style}><is><t xml:space="preserve">{text}</t></is></c>'
    return f'<c r="{place}"{style}><v>{value!r}</v></c>'


def _letters(col: int) -> str:
    """Return the letters of a column that counts from 0: A, Z, AA."""
    letters = ""
    col += 1
    while col:
        col, rest = divmod(col - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
