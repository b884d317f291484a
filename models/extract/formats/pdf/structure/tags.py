"""Tagged lines of a page, read from the structure tree that the engine prints if the tree is sound."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from quire.models.extract.formats.pdf.engine import BROKEN, mupdf
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs
from quire.models.extract.layout.lines.marks import TaggedLine

STRUCTURE_SCALE = 100.0
"""Scale of printed boxes: the engine prints whole numbers, and hundredths of a point are precise enough."""
_ELEMENTS = frozenset(
    {"P", "LI", "Caption", "Note", "FENote", "Code", "BlockQuote", "TOCI", "Figure", "Form", "Formula", "TD", "TH"}
)
_HEADINGS = frozenset({"H", "H1", "H2", "H3", "H4", "H5", "H6", "Title"})
_CELLS = frozenset({"TD", "TH"})
_CLOSED = frozenset({"TOCI", "Figure", "Form", "Formula", "Code", "TD", "TH"})
"""Elements that stay one element even if elements inside them are tagged."""
_HOLDS_PARAGRAPHS = frozenset({"Caption", "Note", "FENote", "LI"})
"""Elements that contain their text in paragraphs."""


@dataclass(frozen=True, slots=True)
class _TagPosition:
    """Position of the walk: the element around it and the list, table, row and column that contain it."""

    element: int = 0
    role: str = ""
    depth: int = 0
    table: int = 0
    row: int = 0
    column: int = 0


def read_tagged_lines(printed: bytes) -> list[TaggedLine]:
    """Return the tagged lines of a page from the engine's JSON; empty when the JSON is unusable."""
    try:
        blocks = json.loads(printed.decode("utf-8", "replace"), strict=False)["blocks"]
        return list(_TagWalk().lines(blocks))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []


class _TagWalk:
    """A walk down the tree without recursion that counts elements, tables and rows."""

    def __init__(self) -> None:
        self._elements = self._tables = self._rows = 0

    def lines(self, blocks: list[dict[str, Any]]) -> Iterator[TaggedLine]:
        """Yield the tagged lines in the tree's order."""
        stack: list[tuple[dict[str, Any], _TagPosition]] = [(block, _TagPosition()) for block in reversed(blocks)]
        while stack:
            block, position = stack.pop()
            if block["type"] == "structure":
                inside = self._enter(block, position)
                stack += [(child, inside) for child in reversed(block["contents"])]
            elif block["type"] == "text" and position.role:
                yield from (_tagged_line(line, position) for line in block["lines"])

    def _enter(self, block: dict[str, Any], position: _TagPosition) -> _TagPosition:
        role = str(block["std"])
        if position.role in _CLOSED and not (position.role in _CELLS and role == "Table"):
            return position
        if role in _HEADINGS or (role in _ELEMENTS and not (role == "P" and position.role in _HOLDS_PARAGRAPHS)):
            self._elements += 1
            column = int(block["index"]) if role in _CELLS else position.column
            return replace(position, element=self._elements, role=role, column=column)
        if role == "Table":
            self._tables += 1
            return replace(position, table=self._tables)
        if role == "TR":
            self._rows += 1
            return replace(position, row=self._rows)
        return replace(position, depth=position.depth + 1) if role == "L" else position


def _tagged_line(line: dict[str, Any], position: _TagPosition) -> TaggedLine:
    box = line["bbox"]
    x0, y0 = box["x"] / STRUCTURE_SCALE, box["y"] / STRUCTURE_SCALE
    return TaggedLine(
        box=(x0, y0, x0 + box["w"] / STRUCTURE_SCALE, y0 + box["h"] / STRUCTURE_SCALE),
        text=clean_glyphs(line["text"]),
        element=position.element,
        role=position.role,
        depth=position.depth,
        table=position.table,
        row=position.row,
        column=position.column,
    )


_TOKEN = re.compile(
    rb"\((?:[^\\()]|\\.)*+\)|<[0-9A-Fa-f\s]*+>|/[^\s/<>\[\]()]*+|\b(?:BDC|BMC|EMC|TJ|Tj)\b|(?<![\w])['\"](?![\w])",
    re.DOTALL,
)
_SHOWS = frozenset({b"Tj", b"TJ", b"'", b'"'})


def find_marked_share(content: bytes) -> float:
    """Return the share (0..1) of shown bytes marked as part of an element, artifacts apart; 1.0 without text."""
    tagged = loose = shown = 0
    marks: list[str] = []
    names: list[bytes] = []
    for match in _TOKEN.finditer(content):
        token = match.group()
        first = token[:1]
        if first == b"(":
            shown += len(token) - 2
        elif first == b"<":
            shown += (len(token) - 2) // 2
        elif first == b"/":
            names.append(token)
        else:
            if token in _SHOWS:
                tagged += shown if marks and marks[-1] == "tagged" else 0
                loose += 0 if marks and marks[-1] else shown
            elif token == b"EMC":
                del marks[-1:]
            else:
                marks.append(_classify_mark(token, names, marks[-1] if marks else ""))
            names.clear()
            shown = 0
    return tagged / (tagged + loose) if tagged + loose else 1.0


def _classify_mark(operator: bytes, names: list[bytes], around: str) -> str:
    """Return the kind of text under this mark: "tagged", "artifact" or the kind of the mark around it."""
    if b"/Artifact" in names[:1] or around == "artifact":
        return "artifact"
    if operator == b"BDC" and (b"/MCID" in names or (len(names) > 1 and names[0] != b"/OC")):
        return "tagged"
    return around


_UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, OverflowError)
_MOST_OBJECTS = 200_000
"""Objects of the tree that are checked: a tagged book of a thousand pages has about 100,000."""
_MOST_LEVELS = 100
"""Levels of elements: the engine compares each level with all above it, and real files have at most 30."""


def is_sound(document: Any) -> bool:
    """Return whether each element of the page contents leads over its parents to the root of the structure tree.

    MuPDF loops for ever when parents go round, or end elsewhere than at the root. It reaches elements only through
    the number tree `ParentTree`.
    """
    try:
        pdf = mupdf.pdf_document_from_fz_document(document.this)
        root = mupdf.ll_pdf_dict_getp(mupdf.pdf_trailer(pdf).m_internal, "Root/StructTreeRoot")
        return _Climb(mupdf.ll_pdf_to_num(root)).reaches_root(_find_elements(root))
    except _UNREADABLE:
        return False


class _Climb:
    """Climbs from elements to the root; remembers the objects from which the root was reached."""

    def __init__(self, root: int) -> None:
        self._levels = {root: 0}
        """Object number → levels below the root."""

    def reaches_root(self, elements: Iterator[Any]) -> bool:
        """Return whether all these elements lead to the root, within the bounds."""
        return all(self._reaches_root(element) for element in elements)

    def _reaches_root(self, element: Any) -> bool:
        path: list[int] = []
        while (number := mupdf.ll_pdf_to_num(element)) not in self._levels:
            path.append(number)
            if not number or len(path) > _MOST_LEVELS or not mupdf.ll_pdf_is_dict(element):
                return False
            element = mupdf.ll_pdf_dict_gets(element, "P")
        level = self._levels[number]
        for above, passed in enumerate(reversed(path), start=1):
            self._levels[passed] = level + above
        return level + len(path) <= _MOST_LEVELS and len(self._levels) <= _MOST_OBJECTS


def _find_elements(root: Any) -> Iterator[Any]:
    """Yield the elements that the leaves of the number tree name; each node once."""
    stack, seen = [mupdf.ll_pdf_dict_gets(root, "ParentTree")], set()
    while stack:
        node = stack.pop()
        number = mupdf.ll_pdf_to_num(node)
        if number in seen:
            continue
        seen |= {number} - {0}
        stack += _list_items(mupdf.ll_pdf_dict_gets(node, "Kids"))
        for value in _list_items(mupdf.ll_pdf_dict_gets(node, "Nums"))[1::2]:
            elements = _list_items(value) if mupdf.ll_pdf_is_array(value) else [value]
            yield from (element for element in elements if mupdf.ll_pdf_is_dict(element))


def _list_items(array: Any) -> list[Any]:
    return [mupdf.ll_pdf_array_get(array, index) for index in range(mupdf.ll_pdf_array_len(array))]
