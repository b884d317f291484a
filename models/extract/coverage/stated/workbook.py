"""Workbooks: strings that cells refer to, strings in cells, and values, which are shown by their number format."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from models.extract.coverage.stated.text import NOT_SHOWN, StatedText
from models.extract.formats.common.opc import Package
from models.extract.formats.common.xml import A, C, Element

_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VALUED: Final = re.compile(
    rb'<c(?: r="[A-Z]{1,3}\d{1,7}")?(?: s="([^"<>]*)")?(?: t="([^"<>]*)")?(?: (?:cm|vm|ph)="\d*")*>'
    rb"(?:<f[^<>]*>(?:[^<]*</f>)?)?<v[^<>]*>([^<]*)</v>"
)
"""A cell with a value as Excel and most programs write it: place, style, type."""
_UNUSUAL: Final = (b"<!", b":v>", b":c>", b"<is", b"encoding='", b'encoding="u', b'encoding="I', b'encoding="i')
"""Bytes of worksheets whose cells only a parser tells: prefixes, inline strings, comments, other encodings."""
_SHEET_NAME: Final = re.compile(rb'<(?:[a-z]{1,9}:)?sheet [^<>]{0,500}?\bname="([^"<>]{0,500})"')
"""The name of a sheet, with which its page begins."""
_STRING: Final = re.compile(rb'<si><t(?: xml:space="preserve")?>([^<]*)</t></si>')
_UNUSUAL_STRINGS: Final = (b"<!", b"&#", b"\0", b"encoding='", b'encoding="u', b'encoding="I', b'encoding="i')
"""Bytes of a table of strings that only a parser reads."""
_STARTS: Final = (b"<?xml", b"<worksheet", b"<sst", b"\xef\xbb\xbf<")
_Cell = tuple[str, bytes, str]
"""(type, style, value) as the file states them; empty where it does not."""
_STRINGS: Final = ("s", "str", "inlineStr")
"""Types of cells that hold text."""
_PLAIN: Final = _S + "t"
_ESCAPED: Final = re.compile("_x[0-9A-Fa-f]{4}_")
"""Characters that XML cannot hold."""
_SHEET: Final = re.compile(r"^xl/worksheets/[^/]+\.xml$")
_BESIDE: Final = re.compile(r"^xl/(?:comments\d*|threadedComments/[^/]+|drawings/[^/]+)\.xml$")
_CHART: Final = re.compile(r"^xl/charts/chart[^/]*\.xml$")


def state_xlsx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    shared, forms = _read_shared(package), _read_forms(package)
    names = b"\0".join(_SHEET_NAME.findall(package.read("xl/workbook.xml"))).decode("utf-8", "replace")
    stated.text += unescape(names).split("\0")
    for name in package.names():
        if not name.startswith("xl/") or not name.endswith(".xml"):
            continue
        if _SHEET.search(name):
            _state_sheet(package, name, shared, forms, stated)
        elif _BESIDE.search(name) or _CHART.search(name):
            root = package.xml_again(name)
            if root is not None:
                stated.allow(NOT_SHOWN, "".join(root.itertext(_S + "t", A + "t", C + "v", "{*}text")))
    return stated


def _read_shared(package: Package) -> list[str]:
    """The table of strings; readings of characters (phonetic runs) are none of them."""
    part = package.read("xl/sharedStrings.xml")
    if not any(sign in part for sign in _UNUSUAL_STRINGS) and part.startswith(_STARTS):
        found = _STRING.findall(part)
        if len(found) == part.count(b"<si>") == part.count(b"<t"):
            texts = b"\0".join(found).decode("utf-8", "replace")
            return (unescape(texts) if "&" in texts else texts).split("\0") if found else []
    root = package.xml_again("xl/sharedStrings.xml")
    if root is None:
        return []
    items = root.iterfind(_S + "si")
    return [item[0].text or "" if len(item) == 1 and item[0].tag == _PLAIN else _spoken(item) for item in items]


def _spoken(item: Element) -> str:
    """The runs of a string without its readings."""
    return "".join([node.text or "" for path in (_PLAIN, f"{_S}r/{_PLAIN}") for node in item.iterfind(path)])


def _state_sheet(package: Package, name: str, shared: list[str], forms: frozenset[bytes], stated: StatedText) -> None:
    cells = _scan_cells(package.read(name)) or list(_walk_cells(package, name))
    stated.formed += [text for kind, _, text in cells if kind not in _STRINGS]
    for kind, style, text in cells:
        if kind == "s":
            known = text.isascii() and text.isdigit() and int(text) < len(shared)
            text = shared[int(text)] if known else ""
        elif kind not in _STRINGS:
            continue
        if style in forms:
            stated.formed.append(text)
        elif "_x" in text:
            stated.text.append(_ESCAPED.sub("", text))
            stated.formed += _ESCAPED.findall(text)
        else:
            stated.text.append(text)


def _scan_cells(part: bytes) -> list[_Cell] | None:
    """The cells with a value, from the bytes; null where the part is not written as Excel writes it."""
    if any(sign in part for sign in _UNUSUAL) or not part.startswith(_STARTS):
        return None
    found = _VALUED.findall(part)
    if len(found) != part.count(b"<v>") + part.count(b"<v "):
        return None
    cells = [(kind.decode("ascii", "replace"), style, value.decode("utf-8", "replace")) for style, kind, value in found]
    return [(kind, style, unescape(value) if "&" in value else value) for kind, style, value in cells]


def _walk_cells(package: Package, name: str) -> Iterator[_Cell]:
    root = package.xml_again(name)
    for cell in root.iter(_S + "c") if root is not None else ():
        kind, value = cell.get("t", ""), cell.find(_S + "v")
        text = (value.text or "") if value is not None else ""
        if kind == "inlineStr":
            text = "".join(node.text or "" for node in cell.iter(_S + "t"))
        yield kind, cell.get("s", "").encode(), text


def _read_forms(package: Package) -> frozenset[bytes]:
    """Cell styles by number whose format says how text is shown."""
    root = package.xml_again("xl/styles.xml")
    if root is None:
        return frozenset()
    codes = {node.get("numFmtId"): node.get("formatCode", "") for node in root.iter(_S + "numFmt")}
    styles = root.iterfind(f"{_S}cellXfs/{_S}xf")
    return frozenset(
        b"%d" % at for at, style in enumerate(styles) if codes.get(style.get("numFmtId"), "").count(";") > 2
    )
