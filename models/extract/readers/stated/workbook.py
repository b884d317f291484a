"""Workbooks: strings that cells refer to, strings in cells, and values, which are shown by their number format."""

import re
from typing import Final

from models.extract.readers.docx.package.opc import Package
from models.extract.readers.docx.package.xml import A, C
from models.extract.readers.stated.text import NOT_SHOWN, StatedText

_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VALUE: Final = _S + "v"
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
    root = package.xml_again(name)
    for cell in root.iter(_S + "c") if root is not None else ():
        kind, text = cell.get("t"), ""
        for node in cell:
            if node.tag == _VALUE:
                text = node.text or ""
                break
        if kind == "s":
            known = text.isascii() and text.isdigit() and int(text) < len(shared)
            text = shared[int(text)] if known else ""
        elif kind == "inlineStr":
            text = "".join(node.text or "" for node in cell.iter(_S + "t"))
        elif kind != "str":
            stated.formed.append(text)
            continue
        if cell.get("s") in forms:
            stated.formed.append(text)
        elif "_x" in text:
            stated.text.append(_ESCAPED.sub("", text))
            stated.formed += _ESCAPED.findall(text)
        else:
            stated.text.append(text)


def _read_forms(package: Package) -> frozenset[str]:
    """Cell styles by number whose format says how text is shown."""
    root = package.xml_again("xl/styles.xml")
    if root is None:
        return frozenset()
    codes = {node.get("numFmtId"): node.get("formatCode", "") for node in root.iter(_S + "numFmt")}
    styles = root.iterfind(f"{_S}cellXfs/{_S}xf")
    return frozenset(str(at) for at, style in enumerate(styles) if codes.get(style.get("numFmtId"), "").count(";") > 2)
