"""The tables that a document's truth states: cells with places, spans and texts."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from quire.models.cdom.geometry import Bbox

_TABLE = re.compile(r"<table\b[^>]*>.*?</table>", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"[*_`\\]|<[^>]+>|\s+")


@dataclass(frozen=True, slots=True)
class TruthCell:
    """One cell of a table as it should be read."""

    row: int
    col: int
    row_span: int
    col_span: int
    text: str


@dataclass(frozen=True, slots=True)
class TruthTable:
    """A table with the page on which it stands, null where the truth does not say.

    `boxes`: of a table that runs over pages its place on each of them.
    """

    cells: tuple[TruthCell, ...]
    page: int | None = None
    boxes: dict[int, Bbox] = field(default_factory=dict)


def read_truth(home: Path, stem: str) -> list[TruthTable]:
    """The tables of a document: gt_tables/<id>.json where there is such a folder, else those in gt/<id>.md."""
    if (home / "gt_tables").is_dir():
        return read_stated_tables(home, stem)
    text = (home / "gt" / f"{stem}.md").read_text("utf-8")
    tables = [read_html_cells(source) for source in _TABLE.findall(text)]
    pages = _find_pages(home, stem, len(tables))
    return [TruthTable(cells, page) for cells, page in zip(tables, pages, strict=True) if any(c.text for c in cells)]


def read_stated_tables(home: Path, stem: str) -> list[TruthTable]:
    """The tables of gt_tables/<id>.json, none without that file."""
    path = home / "gt_tables" / f"{stem}.json"
    stated = json.loads(path.read_text()) if path.exists() else []
    return [TruthTable(_cells_of(one["cells"]), one.get("page"), _boxes_of(one)) for one in stated]


def _boxes_of(stated: dict[str, Any]) -> dict[int, Bbox]:
    pages = stated.get("pages") or {}
    return {int(page): (box[0], box[1], box[2], box[3]) for page, box in pages.items()} if len(pages) > 1 else {}


def _cells_of(stated: list[dict[str, int | str]]) -> tuple[TruthCell, ...]:
    return tuple(
        TruthCell(
            int(one["row"]), int(one["col"]), int(one["rowspan"]), int(one["colspan"]), clean_text(str(one["text"]))
        )
        for one in stated
    )


def clean_text(text: str) -> str:
    """Text without marks of emphasis and tags, blanks as one."""
    return _TAGS.sub(lambda found: " " if found.group().isspace() else "", text).strip()


def _find_pages(home: Path, stem: str, count: int) -> list[int | None]:
    path = home / "gt_layout" / f"{stem}.json"
    if path.exists():
        elements = [one for one in json.loads(path.read_text())["elements"] if one["type"] == "table"]
        if len(elements) == count:
            return [one.get("page") for one in elements]
    return [None] * count


class _TableParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[TruthCell] = []
        self._row, self._open = -1, False
        self._used: set[tuple[int, int]] = set()
        self._place = (0, 0, 1, 1)
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._finish()
            self._row += 1
        elif tag in ("td", "th"):
            self._finish()
            stated = dict(attrs)
            rows, cols = int(stated.get("rowspan") or 1), int(stated.get("colspan") or 1)
            col = 0
            while (self._row, col) in self._used:
                col += 1
            self._used |= {(self._row + down, col + on) for down in range(rows) for on in range(cols)}
            self._place, self._text, self._open = (self._row, col, rows, cols), [], True
        elif tag == "br":
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._finish()

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def _finish(self) -> None:
        if self._open:
            self.cells.append(TruthCell(*self._place, clean_text("".join(self._text))))
        self._open = False


def read_html_cells(source: str) -> tuple[TruthCell, ...]:
    """Cells of one HTML table, placed in its grid."""
    parser = _TableParser()
    parser.feed(source)
    parser.close()
    return tuple(parser.cells)


def count_words(cells: tuple[TruthCell, ...]) -> Counter[str]:
    """Words of all cells, in small letters."""
    return Counter(word for cell in cells for word in re.findall(r"\w+", cell.text.lower()))
