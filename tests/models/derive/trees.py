"""Trees for tests and benches: built from short descriptions, no file and no reader."""

import random
from dataclasses import replace
from typing import Any

from models.cdom.geometry import Bbox
from models.cdom.table import Cell, Table
from models.cdom.tree import (
    Block,
    BlockId,
    BlockProvenance,
    BlockType,
    Metadata,
    Page,
    Source,
    Tree,
    TreeProvenance,
)

PROVENANCE = BlockProvenance(engine="test")
WORDS = tuple(
    word
    for line in (
        "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they",
        "which one you were her all she there would their we him been has when who will more no if out so said what",
        "document table measure page section value result method report analysis pressure energy river market policy",
        "health engine temperature committee agreement procedure estimate observation parameter reference share",
    )
    for word in line.split()
)


def make_block(kind: BlockType, text: str = "", **facts: Any) -> Block:
    """A block without id and order; `make_tree` gives them."""
    return Block(
        id=BlockId(""), type=kind, page=facts.pop("page", 1), order=0, text=text, provenance=PROVENANCE, **facts
    )


def make_tree(*blocks: Block, title: str | None = None, language: str | None = None) -> Tree:
    """A tree of these blocks in this order; ids b0, b1, …"""
    placed = tuple(replace(block, id=BlockId(f"b{n}"), order=n) for n, block in enumerate(blocks))
    numbers = sorted({block.page for block in placed} | {1})
    return Tree(
        source=Source(format="pdf", sha256="0" * 64, bytes=1),
        metadata=Metadata(title=title, language=language),
        pages=tuple(Page(number=number, width=595.0, height=842.0) for number in numbers),
        blocks=placed,
        provenance=TreeProvenance(options_hash="0" * 64),
    )


def lines_tree(*lines: tuple[str, Bbox], page: int = 1) -> Tree:
    """One paragraph per (text, box), as an OCR page of single lines has."""
    return make_tree(*(make_block(BlockType.PARAGRAPH, text, bbox=bbox, page=page) for text, bbox in lines))


def make_table(rows: list[list[str]], *, header_rows: int = 1, header_col: bool = False) -> Table:
    """A table without spans."""
    cells = tuple(
        Cell(row=row, col=col, text=text, header=row < header_rows or (header_col and col == 0))
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    return Table(rows=len(rows), cols=len(rows[0]), cells=cells)


def table_block(rows: list[list[str]], *, header_rows: int = 1, **facts: Any) -> Block:
    return make_block(BlockType.TABLE, "", table=make_table(rows, header_rows=header_rows), **facts)


def long_tree(pages: int = 100, seed: int = 7) -> Tree:
    """A born-digital report: about 430 words, two headings, a list, and on every second page a table, per page."""
    chance = random.Random(seed)
    blocks: list[Block] = [make_block(BlockType.TITLE, "Annual report on rivers", bbox=(72, 40, 520, 64))]
    for page in range(1, pages + 1):
        blocks.extend(_report_page(page, chance))
    return make_tree(*blocks, title="Annual report on rivers", language="en")


def _report_page(page: int, chance: random.Random) -> list[Block]:
    y = 60.0
    blocks: list[Block] = []

    def add(kind: BlockType, text: str, height: float, **facts: Any) -> None:
        nonlocal y
        blocks.append(make_block(kind, text, page=page, bbox=(72.0, y, 520.0, y + height), **facts))
        y += height + 8

    add(BlockType.PAGE_HEADER, "Annual report on rivers", 12)
    for part in (1, 2):
        add(BlockType.HEADING, f"{page}.{part} {_words(4, chance).title()}", 18, level=part)
        for _ in range(3):
            add(BlockType.PARAGRAPH, _sentences(65, chance), 70)
    for _ in range(3):
        add(BlockType.LIST_ITEM, _words(9, chance), 12, level=1)
    if page % 2 == 0:
        rows = [["Station", "Level", "Flow", "Cost"]] + [
            [_words(2, chance), str(chance.randint(1, 999)), f"{chance.random():.2f}", f"€ {chance.randint(1, 99)}.50"]
            for _ in range(8)
        ]
        add(BlockType.CAPTION, f"Table {page}: levels and flows at the stations", 12)
        add(BlockType.TABLE, "", 120, table=make_table(rows))
    add(BlockType.PARAGRAPH, f"See Table {page - page % 2}. Contact: Office {page}, tel. 01 2345 67{page:02d}.", 12)
    add(BlockType.PAGE_FOOTER, f"Page {page} of 100", 12)
    return blocks


def _words(count: int, chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def _sentences(count: int, chance: random.Random) -> str:
    return ". ".join(_words(count // 5, chance).capitalize() for _ in range(5)) + "."
