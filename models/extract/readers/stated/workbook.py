"""Workbooks: strings that cells refer to, strings in cells, and values, which are shown by their number format."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from models.extract.readers.docx.package.opc import Package
from models.extract.readers.docx.package.xml import A, C
from models.extract.readers.stated.text import NOT_SHOWN, StatedText

_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VALUED: Final = re.compile(rb"<c((?: [^<>]*)?)>(?:<f[^<>]*>(?:[^<]*</f>)?)?<v[^<>]*>([^<]*)</v>")
_TYPE: Final = re.compile(rb' t="([^"]*)"')
_STYLE: Final = re.compile(rb' s="([^"]*)"')
_UNUSUAL: Final = (b"<!", b":v>", b":c>", b"<is", b"encoding='", b'encoding="u', b'encoding="I', b'encoding="i')
"""Bytes of worksheets whose cells only a parser tells: prefixes, inline strings, comments, other encodings."""
_STARTS: Final = (b"<?xml", b"<worksheet", b"\xef\xbb\xbf<")
_Cell = tuple[str | None, str | None, str]
"""(type, style, value) as the file states them."""
_ESCAPED: Final = re.compile("_x[0-9A-Fa-f]{4}_")
"""Characters that XML cannot hold."""
_SHEET: Final = re.compile(r"^xl/worksheets/[^/]+\.xml$")
_BESIDE: Final = re.compile(r"^xl/(?:comments\d*|threadedComments/[^/]+|drawings/[^/]+)\.xml$")
_CHART: Final = re.compile(r"^xl/charts/chart[^/]*\.xml$")


def state_xlsx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    shared, forms = _read_shared(package), _read_forms(package)
    for name in package.names():
        if _SHEET.search(name):
            _state_sheet(package, name, shared, forms, stated)
        elif _BESIDE.search(name) or _CHART.search(name):
            root = package.xml_again(name)
            if root is not None:
                stated.allow(NOT_SHOWN, "".join(root.itertext(_S + "t", A + "t", C + "v", "{*}text")))
    return stated


def _read_shared(package: Package) -> list[str]:
    """The table of strings; readings of characters (phonetic runs) are none of them."""
    root = package.xml_again("xl/sharedStrings.xml")
    if root is None:
        return []
    return [
        "".join([node.text or "" for path in (_S + "t", f"{_S}r/{_S}t") for node in item.iterfind(path)])
        for item in root.iterfind(_S + "si")
    ]


def _state_sheet(package: Package, name: str, shared: list[str], forms: frozenset[str], stated: StatedText) -> None:
    for kind, style, text in _scan_cells(package.read(name)) or _walk_cells(package, name):
        if kind == "s":
            known = text.isascii() and text.isdigit() and int(text) < len(shared)
            text = shared[int(text)] if known else ""
        elif kind not in ("str", "inlineStr"):
            stated.formed.append(text)
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
    return [
        (_stated(_TYPE, looks), _stated(_STYLE, looks), unescape(value.decode("utf-8", "replace")))
        for looks, value in found
    ]


def _stated(pattern: re.Pattern[bytes], looks: bytes) -> str | None:
    found = pattern.search(looks)
    return found[1].decode("ascii", "replace") if found is not None else None


def _walk_cells(package: Package, name: str) -> Iterator[_Cell]:
    root = package.xml_again(name)
    for cell in root.iter(_S + "c") if root is not None else ():
        kind, value = cell.get("t"), cell.find(_S + "v")
        text = (value.text or "") if value is not None else ""
        if kind == "inlineStr":
            text = "".join(node.text or "" for node in cell.iter(_S + "t"))
        yield kind, cell.get("s"), text


def _read_forms(package: Package) -> frozenset[str]:
    """Cell styles by number whose format says how text is shown."""
    root = package.xml_again("xl/styles.xml")
    if root is None:
        return frozenset()
    codes = {node.get("numFmtId"): node.get("formatCode", "") for node in root.iter(_S + "numFmt")}
    styles = root.iterfind(f"{_S}cellXfs/{_S}xf")
    return frozenset(str(at) for at, style in enumerate(styles) if codes.get(style.get("numFmtId"), "").count(";") > 2)
