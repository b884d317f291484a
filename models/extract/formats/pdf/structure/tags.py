"""Tagged lines of a page, read from the structure tree that the engine prints."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

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
