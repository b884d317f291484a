"""The cells of one worksheet part: XML bytes in, a filled sheet out. Reads a stream; takes values, not formulas."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BytesIO
from typing import Final

from lxml import etree

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.span import Span
from quire.models.extract.formats.common.xml import BrokenPart, Element, R, number
from quire.models.extract.formats.flow.blocks import PLAIN, InlineMarkup, StyledRun, join_runs, make_span
from quire.models.extract.formats.flow.counting import natural
from quire.models.extract.formats.flow.sheet import Area, Place, Sheet, Workbook, parse_area, parse_place
from quire.models.extract.formats.sheets.formats import BUILT_IN, as_iso, is_date, moment_of, show, show_text

S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
XDR: Final = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
THREADED: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


_POINTS_PER_CHAR: Final = 5.25
"""Points per unit of a column's width, which is a digit of the default font: 7 pixels at 96 per inch."""
_LONG_NUMBER: Final = re.compile(r"-?[1-9]\d{15,29}")
"""A whole number with more digits than a calculation keeps, which other programs than Excel write as identifiers."""
_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384
"""Rows and columns of a sheet: the limits of the format."""
UNCALCULATED: Final = "formula-without-value"
"""Warning: cells hold formulas whose values are not in the file."""
_LINK: Final = re.compile(r'\s*HYPERLINK\(\s*"([^"]{1,2000})"', re.IGNORECASE)
"""A formula that shows a link."""
_CELL: Final = S + "c"
_VALUE: Final = S + "v"
_DIGITS: Final = "0123456789"
_READ_TAGS: Final = (
    S + "row",
    _CELL,
    S + "col",
    S + "mergeCell",
    S + "autoFilter",
    S + "sheetFormatPr",
    S + "drawing",
    S + "headerFooter",
    S + "hyperlink",
)


@dataclass(frozen=True, slots=True)
class CellContext:
    """Data shared by all sheets of a workbook.

    Attributes:
        strings: Shared strings.
        codes: Format codes by cell style.
        epoch_1904: Whether dates count from 1904.
        spans: Styles inside shared strings, by index.
        fonts: Struck, raised or lowered fonts, by cell style.
    """

    strings: Sequence[str]
    codes: Sequence[str]
    epoch_1904: bool = False
    spans: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    fonts: Mapping[int, InlineMarkup] = field(default_factory=dict)


def read_cells(data: bytes, sheet: Sheet, workbook: Workbook, context: CellContext) -> None:
    """Fill `sheet` from a worksheet part.

    Raises:
        BrokenPart: The XML is not well-formed.
        ResourceLimit: A limit is exceeded.
    """
    reader = _CellReader(sheet, workbook, context)
    for event in stream(data, _READ_TAGS):
        reader.take(event)


_CODES: Final = re.compile(
    r'&(?:"[^"]*"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d{1,3}|[PN](?:[+-]\d+)?|[DTZFAGBIUESXYHO])', re.IGNORECASE
)
"""Codes of a printed header: fonts, colours, sizes, and fields that are only known in print."""


_PAGE_NUMBER: Final = re.compile(r"(?:[^&]{0,12}&[PN]){1,2}[^&]{0,3}", re.IGNORECASE)


def _printed(node: Element, *names: str) -> list[str]:
    """Return the texts of printed headers or footers: left, centre and right, without codes and fields."""
    texts = []
    for name in names:
        parts = re.split(r"&[LCR]", node.findtext(S + name) or "", flags=re.IGNORECASE)
        parts = [part for part in parts if not _PAGE_NUMBER.fullmatch(part.strip())]
        texts += [" ".join(_CODES.sub("", part.replace("&&", "\0")).replace("\0", "&").split()) for part in parts]
    return list(dict.fromkeys(text for text in texts if text.strip(" -/|:")))


def stream(data: bytes, tags: Sequence[str]) -> Iterator[Element]:
    """Yield elements with those tags at their end and empty each after use; no DOCTYPE, entities or network."""
    try:
        events = etree.iterparse(
            BytesIO(data), events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False,
            remove_comments=True, remove_pis=True, huge_tree=False,
        )  # fmt: skip
        for _, element in events:
            yield element
            if element.tag != _CELL:
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
    except etree.XMLSyntaxError as error:
        if "Excessive depth" in str(error) or "too long" in str(error) or "Resource limit" in str(error):
            raise ResourceLimit("a part passes the limits of its XML") from None
        raise BrokenPart("a part is not well-formed XML") from None


class _CellReader:
    """Reads the elements of one worksheet into its sheet."""

    def __init__(self, sheet: Sheet, workbook: Workbook, context: CellContext) -> None:
        self._sheet, self._workbook, self._context = sheet, workbook, context
        self._next: Place = (0, 0)
        self._columns: dict[str, int] = {}

    def take(self, element: Element) -> None:
        """Take an element: a cell, row, column, merge, filter or the default sizes."""
        match element.tag:
            case t if t == _CELL:
                self._take_cell(element)
            case t if t == S + "row":
                self._take_row(element)
            case t if t == S + "col":
                self._take_column(element)
            case t if t in (S + "mergeCell", S + "autoFilter", S + "hyperlink"):
                if (area := parse_area(element.get("ref", ""))) is not None:
                    self._take_area(element, area)
            case t if t == S + "headerFooter":
                self._sheet.printed_heads = _printed(element, "oddHeader", "firstHeader", "evenHeader")
                self._sheet.printed_feet = _printed(element, "oddFooter", "firstFooter", "evenFooter")
            case t if t == S + "sheetFormatPr":
                self._sheet.rows.default = _points(element.get("defaultRowHeight"), self._sheet.rows.default)
                width = element.get("defaultColWidth")
                self._sheet.columns.default = (
                    _points(width, 0) * _POINTS_PER_CHAR if width else self._sheet.columns.default
                )

    def _take_area(self, element: Element, area: Area) -> None:
        if element.tag == S + "hyperlink":
            self._sheet.links.append((area, element.get(R + "id") or ""))
        elif element.tag == S + "autoFilter":
            self._sheet.filters.append(area)
            self._sheet.headers.append(area)
        elif area[:2] != area[2:]:
            self._sheet.add_merge(area)

    def _take_row(self, row: Element) -> None:
        index = natural(row.get("r"), self._next[0] + 1) - 1
        height = row.get("ht")
        if _on(row.get("hidden")) or (height is not None and _points(height, 1) == 0):
            self._sheet.hidden_rows.add(index)
        if height is not None:
            self._sheet.rows.stated[index] = _points(height, self._sheet.rows.default)
        self._next = (index + 1, 0)

    def _take_column(self, column: Element) -> None:
        first, last = (int(_points(column.get(name), 0)) - 1 for name in ("min", "max"))
        last = min(last, _MAX_COLUMNS - 1)
        if not 0 <= first <= last:
            return
        width = column.get("width")
        if _on(column.get("hidden")) or (width is not None and _points(width, 1) == 0):
            self._sheet.hidden_columns.append((first, last))
        if width is not None and last - first < 1000:
            points = _points(width, 0) * _POINTS_PER_CHAR
            self._sheet.columns.stated.update(dict.fromkeys(range(first, last + 1), points))

    def _take_cell(self, cell: Element) -> None:
        name = cell.get("r")
        place = self._parse_place(name) if name else self._next
        if place is None or place[0] >= _MAX_ROWS or place[1] >= _MAX_COLUMNS:
            return
        self._next = (place[0], place[1] + 1)
        if len(cell) == 1 and cell[0].tag == _VALUE and cell.get("t") is None and not self._context.fonts:
            self._take_number(cell, cell[0].text or "", place)
            return
        text, is_number = self._show(cell)
        moment = self._moment_of(cell) if is_number else ""
        text, spans = self._style(cell, text, is_number=is_number)
        self._workbook.put(self._sheet, place, text, number=is_number, moment=moment)
        if spans and text:
            self._sheet.spans[place] = spans

    def _parse_place(self, name: str) -> Place | None:
        """Return the place that a cell's reference names; `parse_place` for names whose columns are known."""
        letters = name.rstrip(_DIGITS)
        column = self._columns.get(letters)
        if column is not None and 0 < len(name) - len(letters) <= 7 and name[len(letters)] != "0":
            return int(name[len(letters) :]) - 1, column
        place = parse_place(name)
        if place is not None:
            self._columns[letters] = place[1]
        return place

    def _take_number(self, cell: Element, value: str, place: Place) -> None:
        """Take a cell that has nothing but a number."""
        if not value:
            return
        code = self._code(cell)
        moment = self._moment_of(cell) if code != "General" else ""
        self._workbook.put(self._sheet, place, self._show_number(value, code), number=True, moment=moment)

    def _style(self, cell: Element, text: str, *, is_number: bool) -> tuple[str, tuple[Span, ...]]:
        """Return the text and spans of a cell: from its runs, else from its font and its formula if that links."""
        spans: tuple[Span, ...] = ()
        if cell.get("t") == "s":
            spans = self._context.spans.get(natural(cell.findtext(S + "v"), -1), ())
        elif (inline := cell.find(S + "is")) is not None:
            rich, spans = read_rich(inline)
            text = rich if spans else text
        style = self._context.fonts.get(natural(cell.get("s"), -1), PLAIN)
        link = _LINK.match(cell.findtext(S + "f") or "")
        if spans or (style == PLAIN and link is None):
            return text, spans if all(span.end <= len(text) for span in spans) else ()
        style = replace(style, href=link.group(1) if link is not None else None)
        if is_number:
            return text, (make_span(0, len(text), replace(style, superscript=False, subscript=False)),)
        return join_runs([StyledRun(text, style)])

    def _show(self, cell: Element) -> tuple[str, bool]:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = cell.find(S + "is")
            return (show_text(read_string(inline), self._code(cell)) if inline is not None else ""), False
        value = cell.findtext(S + "v") or ""
        if not value:
            return self._show_formula(cell), False
        match kind:
            case "s":
                index = natural(value, -1)
                text = self._context.strings[index] if 0 <= index < len(self._context.strings) else ""
                return show_text(text, self._code(cell)), False
            case "str":
                return show_text(unescape(value), self._code(cell)), False
            case "b":
                return ("TRUE" if value.strip() in ("1", "true") else "FALSE"), False
            case "e":
                return value, False
            case "d":
                return self._show_iso(value, cell), True
            case _:
                return self._show_number(value, self._code(cell)), True

    def _moment_of(self, cell: Element) -> str:
        """Return the ISO date or time of a cell with a date format."""
        value = cell.findtext(S + "v") or ""
        if cell.get("t") == "d":
            return as_iso(value)
        code = self._code(cell)
        if not is_date(code):
            return ""
        try:
            return moment_of(float(value), code, epoch_1904=self._context.epoch_1904)
        except ValueError:
            return ""

    def _show_formula(self, cell: Element) -> str:
        """Return the formula of a cell whose value is missing, as programs without calculation write it."""
        formula = cell.find(S + "f")
        if formula is None or cell.get("t") == "str":
            return ""
        if UNCALCULATED not in self._sheet.warnings:
            self._sheet.warnings.append(UNCALCULATED)
        text = (formula.text or "").strip()
        return f"={text}" if text else ""

    def _show_number(self, value: str, code: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        if number != number or number in (float("inf"), float("-inf")):
            return value
        if code == "General" and _LONG_NUMBER.fullmatch(value):
            return value
        return show(number, code, epoch_1904=self._context.epoch_1904)

    def _show_iso(self, value: str, cell: Element) -> str:
        """Return a date stated as ISO text, formatted by the cell's format when it has one."""
        code = self._code(cell)
        try:
            moment = datetime.fromisoformat(value.replace("Z", ""))
        except ValueError:
            return value
        serial = (moment - datetime(1899, 12, 30)).total_seconds() / 86400
        return show(serial, code) if code != "General" else value

    def _code(self, cell: Element) -> str:
        style = cell.get("s")
        if style is None:
            return "General"
        index = natural(style, -1)
        return self._context.codes[index] if 0 <= index < len(self._context.codes) else "General"


def read_string(item: Element) -> str:
    """Return the text of a shared or inline string, without pronunciation guides for East Asian text."""
    parts: list[str] = []
    for node in item:
        if node.tag == S + "t":
            parts.append(node.text or "")
        elif node.tag == S + "r":
            parts += [text.text or "" for text in node.iterfind(S + "t")]
    return unescape("".join(parts))


def read_rich(item: Element) -> tuple[str, tuple[Span, ...]]:
    """Return the text and the spans of a shared or inline string; one whose runs all look alike has no spans."""
    runs = [
        StyledRun(unescape(node.findtext(S + "t") or ""), read_font(node.find(S + "rPr")))
        for node in item.iterfind(S + "r")
    ]
    if len({run.style for run in runs if run.text.strip()} | {PLAIN}) < 2:
        return read_string(item), ()
    return join_runs(runs)


def read_font(font: Element | None) -> InlineMarkup:
    """Return how a font marks its text."""
    if font is None:
        return PLAIN
    bold, italic, strike, underline = (
        (node := font.find(S + tag)) is not None and node.get("val") not in ("0", "false", "none")
        for tag in ("b", "i", "strike", "u")
    )
    raised = font.find(S + "vertAlign")
    kind = raised.get("val") if raised is not None else None
    return InlineMarkup(
        bold=bold, italic=italic, strike=strike, underline=underline,
        superscript=kind == "superscript", subscript=kind == "subscript",
    )  # fmt: skip


def read_fonts(styles: Element | None) -> dict[int, InlineMarkup]:
    """Return struck, raised and lowered fonts by the index of the cell style; bold and such mark heads, not words."""
    if styles is None:
        return {}
    fonts = [
        replace(read_font(node), bold=False, italic=False, underline=False)
        for node in styles.iterfind(f"{S}fonts/{S}font")
    ]
    stated = {index: number(node.get("fontId")) for index, node in enumerate(styles.iterfind(f"{S}cellXfs/{S}xf"))}
    return {index: fonts[at] for index, at in stated.items() if at < len(fonts) and fonts[at] != PLAIN}


def unescape(text: str) -> str:
    """Decode escapes such as `_x000D_` to the characters that they represent."""
    if "_x" not in text:
        return text
    parts = text.split("_x")
    out = [parts[0]]
    for part in parts[1:]:
        digits = part[:4]
        if len(part) > 4 and part[4] == "_" and all(char in "0123456789abcdefABCDEF" for char in digits):
            out.append(chr(int(digits, 16)) + part[5:])
        else:
            out.append("_x" + part)
    return "".join(out)


def _on(value: str | None) -> bool:
    return value in ("1", "true")


def _points(text: str | None, default: float) -> float:
    try:
        value = float(text or "")
    except ValueError:
        return default
    return value if 0 <= value < 1e5 else default


def read_codes(styles: Element | None) -> list[str]:
    """Return format codes by the index of the cell style."""
    if styles is None:
        return ["General"]
    own = {
        number(node.get("numFmtId")): node.get("formatCode") or "General"
        for node in styles.iterfind(f"{S}numFmts/{S}numFmt")
    }
    codes = BUILT_IN | own
    return [codes.get(number(node.get("numFmtId")), "General") for node in styles.iterfind(f"{S}cellXfs/{S}xf")]
