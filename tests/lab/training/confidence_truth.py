"""Judges the blocks and cells of a tree against a document's truth, as Markdown, HTML or tables alone."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from unicodedata import normalize

from lxml import html
from rapidfuzz import fuzz

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Table
from quire.models.cdom.tree import FURNITURE, Block, BlockType, Tree
from tests.lab.training.tables.truth import TruthTable, read_stated_tables

Grid = dict[tuple[int, int], str]
Relation = tuple[str, str, tuple[int, int]]
_ALIKE = 97.0  # partial ratio from which a block's text stands in the truth
_SHORT = 30  # characters up to which every one must be right
_LONGEST = 4000  # characters of a block that are compared
_TABLE_RIGHT = 0.9  # F1 of neighbouring cells from which a table counts as right
_HEADINGS = (BlockType.HEADING, BlockType.TITLE)
_NUMBER = re.compile(r"^\s*(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s", re.IGNORECASE)
"""What a list item begins with; HTML does not state it."""
_HTML_HEAD = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class KnownContent:
    """Known content of a document: letters and digits (null for a truth of tables alone), headings and tables."""

    text: str | None
    heads: frozenset[str]
    tables: list[Grid]


def read_content(home: Path, stem: str) -> KnownContent:
    """The truth of one document, from every file of it that there is."""
    markdown = next((path.read_text("utf-8") for path in _find_texts(home, stem) if path.exists()), None)
    stated = [_grid_of_truth(one) for one in read_stated_tables(home, stem)]
    return KnownContent(None, frozenset(), stated) if markdown is None else read_known(markdown, stated)


def _find_texts(home: Path, stem: str) -> tuple[Path, ...]:
    return home / "gt" / f"{stem}.md", home / "gt" / f"{stem}.html"


def read_known(markdown: str, stated: list[Grid] | None = None) -> KnownContent:
    heads = {plain_markdown(line) for line in markdown.split("\n") if line.lstrip().startswith("#")}
    heads |= {plain_markdown(found) for found in _HTML_HEAD.findall(markdown)}
    return KnownContent(plain_markdown(markdown), frozenset(heads), read_tables(markdown) + (stated or []))


def _grid_of_truth(table: TruthTable) -> Grid:
    return {
        (cell.row + down, cell.col + along): plain(cell.text)
        for cell in table.cells
        for down in range(cell.row_span)
        for along in range(cell.col_span)
    }


def plain(text: str) -> str:
    """Letters and digits alone, raised ones as others."""
    return "".join(char for char in normalize("NFKC", text).casefold() if char.isalnum())


def plain_markdown(markdown: str) -> str:
    markdown = re.sub(r"<[^>]+>", " ", markdown)
    return plain(unescape(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)))


def read_tables(markdown: str) -> list[Grid]:
    """The HTML tables and pipe tables of a Markdown file."""
    found = [_read_html(one) for one in re.findall(r"<table.*?</table>", markdown, re.S | re.I)]
    rows: list[str] = []
    for line in [*markdown.split("\n"), ""]:
        if line.strip().startswith("|"):
            rows.append(line.strip().strip("|"))
        elif rows:
            cells = [re.split(r"(?<!\\)\|", row) for row in rows if not re.fullmatch(r"[\s|:\-]+", row)]
            found.append({(r, c): plain_markdown(text) for r, row in enumerate(cells) for c, text in enumerate(row)})
            rows = []
    return found


def _read_html(table: str) -> Grid:
    grid: Grid = {}
    for row, line in enumerate(html.fromstring(table).iter("tr")):
        col = 0
        for cell in line:
            while (row, col) in grid:
                col += 1
            wide = int(cell.get("colspan", 1))
            for down in range(int(cell.get("rowspan", 1))):
                for along in range(wide):
                    grid[row + down, col + along] = plain(cell.text_content())
            col += wide
    return grid


def grid_of(table: Table) -> Grid:
    return {
        (cell.row + down, cell.col + along): plain(cell.text)
        for cell in table.cells
        for down in range(cell.row_span)
        for along in range(cell.col_span)
    }


def find_relations(grid: Grid) -> list[Relation]:
    """Find pairs of texts next to or above each other, skipping blank cells."""
    found: list[Relation] = []
    for (row, col), text in grid.items():
        for down, along in ((0, 1), (1, 0)) if text else ():
            at = (row + down, col + along)
            while at in grid and not grid[at]:
                at = (at[0] + down, at[1] + along)
            if at in grid:
                found.append((text, grid[at], (down, along)))
    return found


def judge_table(table: Table, truth: list[Grid]) -> tuple[bool, list[bool | None]]:
    """Whether the table is right, and each of its cells; an empty cell is neither."""
    own = find_relations(grid_of(table))
    known = [Counter(find_relations(grid)) for grid in truth]
    mine = Counter(own)
    scores = [2 * (mine & one).total() / max(1, mine.total() + one.total()) for one in known]
    pool, texts = set().union(*known), {text for grid in truth for text in grid.values()}
    cells: list[bool | None] = []
    for cell in table.cells:
        text = plain(cell.text)
        beside = [one for one in own if text in one[:2]]
        found = sum(one in pool for one in beside)
        cells.append(text in texts and (not beside or 2 * found >= len(beside)) if text else None)
    return max(scores, default=0.0) >= _TABLE_RIGHT, cells


def stands_in(text: str, truth: str) -> bool:
    if len(text) > _LONGEST:
        text = text[: _LONGEST // 2]
    return text in truth or (len(text) > _SHORT and fuzz.partial_ratio(text, truth) >= _ALIKE)


def judge_blocks(tree: Tree, known: KnownContent) -> Iterator[tuple[Block, bool | None, list[bool | None]]]:
    """Yield each block, its correctness (null when unknown), and its cells."""
    for block in tree.blocks:
        text = plain(block.text)
        if HIDDEN_TEXT in block.flags or (block.table is None and not text):
            yield block, None, []
        elif block.table is not None:
            right, cells = judge_table(block.table, known.tables)
            yield block, right, cells
        elif known.text is None:
            yield block, None, []
        else:
            bare = plain(_NUMBER.sub("", block.text, count=1)) if block.type is BlockType.LIST_ITEM else text
            found = stands_in(text, known.text) or (bool(bare) and stands_in(bare, known.text))
            yield block, found and _has_its_type(block, text, known.heads), []


def _has_its_type(block: Block, text: str, heads: frozenset[str]) -> bool:
    if not heads:
        return True
    if block.type in _HEADINGS:
        return any(text == head or (len(text) > 5 and text in head) for head in heads)  # five: a number is in many
    return text not in heads or block.type in FURNITURE
