"""Word files, slide decks and workbooks: the text elements of their parts."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from lxml import etree

from quire.models.cdom.coverage import Unseen
from quire.models.extract.coverage.stated.text import NOT_SHOWN, REPEATED, StatedText
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.xml import MC, A, C, Element, M, V, W
from quire.models.extract.formats.word.docx.fields import SILENT, field_name

_PART: Final = re.compile(
    r"(?P<story>document|footnotes|endnotes|comments)\d*\.xml$|(?P<running>header|footer)\d*\.xml$"
    r"|(?P<chart>chart)[^/]*\.xml$|(?P<diagram>data)\d*\.xml$"
)
"""Kind of a part, by the last word of its name."""
_MAIN: Final = "officeDocument"
"""Kind of the relationship to the main part, whose name is free."""
_SLIDES: Final = "ppt/slides/"
_NOTES: Final = ("ppt/notesslides/", "ppt/comments/")
_NAMESPACES: Final = {"w": W[1:-1], "a": A[1:-1], "m": M[1:-1], "c": C[1:-1]}
_SYMBOLS: Final = re.compile("[\ue000-\uf8ff]")
"""Letters of symbol fonts: the tree has the characters that they show."""
_LEFT_OUT: Final = (W + "moveFrom", W + "del")


def _text_in(tag: str) -> etree.XPath:
    """Return a query for the text of elements of that name inside an element."""
    return etree.XPath(f"descendant::{tag}/text()", namespaces=_NAMESPACES, smart_strings=False)


_WORDS, _DRAWN, _MATH, _DELETED, _VALUES = map(_text_in, ("w:t", "a:t", "m:t", "w:delText", "c:v"))


def state_docx(data: bytes) -> StatedText:
    """Return the text of a Word file.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = Package(data), StatedText()
    running: set[str] = set()
    main = _find_main(package)
    for name in _names_of(package):
        match "story" if name == main else _kind_of(name):
            case "story":
                _state_story(package.xml_again(name), stated)
            case "running":
                text = "".join(_find(package.xml_again(name), _WORDS))
                stated.allow(REPEATED if text in running else NOT_SHOWN, text)
                running.add(text)
            case kind:
                _state_drawn(package, name, kind, stated)
    return stated


def _kind_of(name: str) -> str | None:
    """Return the kind of a part; glossary parts are skipped, charts and diagrams must be in their own folders."""
    folder, _, base = name.rpartition("/")
    match = _PART.match(base)
    if match is None or "/glossary" in folder:
        return None
    kind = match.lastgroup
    return None if (kind == "chart" and not folder.endswith("/charts")) or (
        kind == "diagram" and not folder.endswith("/diagrams")) else kind  # fmt: skip


def _state_story(root: Element | None, stated: StatedText) -> None:
    if root is None:
        return
    _leave_out_fallbacks(root, stated, _WORDS, _DRAWN)
    _leave_out_instructions(root, stated)
    for node in root.iter(*_LEFT_OUT):
        stated.exclude(Unseen.DELETED.value, "".join(_find(node, _WORDS, _DELETED)))
    etree.strip_elements(root, *_LEFT_OUT, with_tail=False)
    stated.text += [node.get("string", "") for node in root.iter(V + "textpath")]
    for node in root.iter(W + "showingPlcHdr"):
        control = next(node.iterancestors(W + "sdt"), None)
        if control is not None:
            stated.allow(NOT_SHOWN, "".join(_find(control, _WORDS)))
            etree.strip_elements(control, W + "t", with_tail=False)
    _add_words(root, _WORDS, stated)


def _leave_out_instructions(root: Element, stated: StatedText) -> None:
    """Exclude field results inside the instruction of another field, which are not shown."""
    waiting: list[bool] = []
    instructions: list[str] = []
    inside: list[Element] = []
    for node in root.iter(W + "fldChar", W + "t", W + "instrText"):
        kind = node.get(W + "fldCharType")
        if node.tag == W + "t":
            inside += [node] if any(waiting) else []
        elif node.tag == W + "instrText":
            instructions[-1:] = ["".join((*instructions[-1:], node.text or ""))]
        elif kind == "begin":
            waiting.append(True)
            instructions.append("")
        elif not waiting:
            return
        elif kind == "separate":
            waiting[-1] = field_name(instructions[-1]) in SILENT
        else:
            waiting.pop()
            instructions.pop()
    if waiting:
        return
    stated.allow(NOT_SHOWN, "".join(node.text or "" for node in inside))
    for node in inside:
        node.text = None


def _add_words(root: Element, words: etree.XPath, stated: StatedText) -> None:
    text = "".join(_find(root, words))
    symbols = _SYMBOLS.findall(text)
    stated.text.append(_SYMBOLS.sub("", text) if symbols else text)
    stated.formed += [*symbols, *_find(root, _MATH)]


def _leave_out_fallbacks(root: Element, stated: StatedText, *kinds: etree.XPath) -> None:
    """Exclude alternatives for programs that do not know the preferred content."""
    for node in root.iter(MC + "Fallback"):
        stated.exclude(REPEATED, "".join(_find(node, *kinds)))
    etree.strip_elements(root, MC + "Fallback", with_tail=False)


def state_pptx(data: bytes) -> StatedText:
    """Return the text of a slide deck.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = Package(data), StatedText()
    slides = _targets_of_main(package, "slide")
    for name in _names_of(package):
        if not name.endswith(".xml"):
            continue
        if name in slides or (name.startswith(_SLIDES) and "/" not in name[len(_SLIDES) :]):
            if (root := package.xml_again(name)) is not None:
                _leave_out_fallbacks(root, stated, _DRAWN)
                _add_words(root, _DRAWN, stated)
        elif name.startswith(_NOTES) and name.count("/") == 2:
            root = package.xml_again(name)
            stated.allow(NOT_SHOWN, "".join(root.itertext("{*}t", "{*}text")) if root is not None else "")
        else:
            _state_drawn(package, name, _kind_of(name), stated)
    return stated


def _names_of(package: Package) -> list[str]:
    """Return the names of a package's parts in lower case, because their case does not matter."""
    return [name.casefold() for name in package.names()]


def _find_main(package: Package) -> str | None:
    """Return the name of the main part in lower case."""
    targets = (relation.target for relation in package.relations("").values() if relation.kind == _MAIN)
    return next((target.casefold() for target in targets), None)


def _targets_of_main(package: Package, kind: str) -> set[str]:
    """Return the parts that the main part names by relationships of that kind, in any folder."""
    main = _find_main(package)
    relations = package.relations(main).values() if main is not None else ()
    return {relation.target.casefold() for relation in relations if relation.kind == kind and not relation.external}


def _state_drawn(package: Package, name: str, kind: str | None, stated: StatedText) -> None:
    """Add charts, whose figures may be formatted, and diagrams, whose words may be missing."""
    if kind == "chart":
        stated.formed += _find(package.xml_again(name), _DRAWN, _VALUES)
    elif kind == "diagram":
        stated.allow(NOT_SHOWN, "".join(_find(package.xml_again(name), _DRAWN)))


def _find(root: Element | None, *kinds: etree.XPath) -> list[str]:
    return [text for kind in kinds for text in kind(root)] if root is not None else []


_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VALUED: Final = re.compile(
    rb'<c(?: r="[A-Z]{1,3}\d{1,7}")?(?: s="([^"<>]*)")?(?: t="([^"<>]*)")?(?: (?:cm|vm|ph)="\d*")*>'
    rb"(?:<f[^<>]*>(?:[^<]*</f>)?)?<v[^<>]*>([^<]*)</v>"
)
"""A cell with a value as Excel and most programs write it: reference, style, type."""
_UNUSUAL: Final = (b"<!", b":v>", b":c>", b"<is", b"encoding='", b'encoding="u', b'encoding="I', b'encoding="i')
"""Bytes of worksheets that need a parser: prefixes, inline strings, comments, other encodings."""
_SHEET_NAME: Final = re.compile(rb'<(?:[a-z]{1,9}:)?sheet [^<>]{0,500}?\bname="([^"<>]{0,500})"')
"""The name of a sheet, with which its page begins."""
_STRING: Final = re.compile(rb'<si><t(?: xml:space="preserve")?>([^<]*)</t></si>')
_UNUSUAL_STRINGS: Final = (b"<!", b"&#", b"\0", b"encoding='", b'encoding="u', b'encoding="I', b'encoding="i')
"""Bytes of a string table that needs a parser."""
_STARTS: Final = (b"<?xml", b"<worksheet", b"<sst", b"\xef\xbb\xbf<")
_Cell = tuple[str, bytes, str]
"""(type, style, value) as the file states them; empty where it does not."""
_STRINGS: Final = ("s", "str", "inlineStr")
"""Types of cells that hold text."""
_PLAIN: Final = _S + "t"
_ESCAPED: Final = re.compile("_x[0-9A-Fa-f]{4}_")
"""Characters that XML cannot hold."""
_SHEET: Final = re.compile(r"^xl/worksheets/[^/]+\.xml$")
_BESIDE: Final = re.compile(r"^xl/(?:comments\d*|threadedcomments/[^/]+|drawings/[^/]+)\.xml$")
_CHART: Final = re.compile(r"^xl/charts/chart[^/]*\.xml$")


def state_xlsx(data: bytes) -> StatedText:
    """Return the text of a workbook.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = Package(data), StatedText()
    shared, forms = _read_shared(package), _read_forms(package)
    names = b"\0".join(_SHEET_NAME.findall(package.read(_find_main(package) or "xl/workbook.xml"))).decode(
        "utf-8", "replace"
    )
    stated.text += unescape(names).split("\0")
    sheets = _targets_of_main(package, "worksheet")
    for name in _names_of(package):
        if name not in sheets and not (name.startswith("xl/") and name.endswith(".xml")):
            continue
        if name in sheets or _SHEET.search(name):
            _state_sheet(package, name, shared, forms, stated)
        elif _BESIDE.search(name) or _CHART.search(name):
            root = package.xml_again(name)
            if root is not None:
                stated.allow(NOT_SHOWN, "".join(root.itertext(_S + "t", A + "t", C + "v", "{*}text")))
    return stated


def _read_shared(package: Package) -> list[str]:
    """Return the string table without pronunciation guides (phonetic runs)."""
    name = next(iter(_targets_of_main(package, "sharedStrings")), "xl/sharedstrings.xml")
    part = package.read(name)
    if not any(sign in part for sign in _UNUSUAL_STRINGS) and part.startswith(_STARTS):
        items_found = _STRING.findall(part)
        if len(items_found) == part.count(b"<si>") == part.count(b"<t"):
            texts = b"\0".join(items_found).decode("utf-8", "replace")
            return (unescape(texts) if "&" in texts else texts).split("\0") if items_found else []
    root = package.xml_again(name)
    if root is None:
        return []
    items = root.iterfind(_S + "si")
    return [item[0].text or "" if len(item) == 1 and item[0].tag == _PLAIN else _join_runs(item) for item in items]


def _join_runs(item: Element) -> str:
    """Return the runs of a string without its pronunciation guides."""
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
    """Return the cells with a value from the bytes; None when the part is not written as Excel writes it."""
    if any(sign in part for sign in _UNUSUAL) or not part.startswith(_STARTS):
        return None
    matches = _VALUED.findall(part)
    if len(matches) != part.count(b"<v>") + part.count(b"<v "):
        return None
    cells = [
        (kind.decode("ascii", "replace"), style, value.decode("utf-8", "replace")) for style, kind, value in matches
    ]
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
    """Return the numbers of cell styles whose format changes how text is shown."""
    root = package.xml_again(next(iter(_targets_of_main(package, "styles")), "xl/styles.xml"))
    if root is None:
        return frozenset()
    codes = {node.get("numFmtId"): node.get("formatCode", "") for node in root.iter(_S + "numFmt")}
    styles = root.iterfind(f"{_S}cellXfs/{_S}xf")
    return frozenset(
        b"%d" % number for number, style in enumerate(styles) if codes.get(style.get("numFmtId"), "").count(";") > 2
    )
