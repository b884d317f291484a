"""Blocks, tables and trees for every test: built from short descriptions, no file and no reader."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import (
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
PDF = Source(format="pdf", sha256="0" * 64, bytes=1)
A4 = (595.0, 842.0)
"""Width and height of a page in points."""


def make_block(kind: BlockType, text: str = "", **facts: Any) -> Block:
    """A block without id and order; `make_tree` gives them."""
    return Block(
        id=BlockId(""), type=kind, page=facts.pop("page", 1), order=0, text=text, provenance=PROVENANCE, **facts
    )


def make_tree(
    *blocks: Block,
    title: str | None = None,
    language: str | None = None,
    metadata: Metadata | None = None,
    source: Source = PDF,
    size: tuple[float, float] = A4,
    pages: int = 1,
    options_hash: str = "0" * 64,
) -> Tree:
    """A tree of these blocks in this order, with ids b0, b1, … and at least `pages` pages of `size` points."""
    placed = tuple(replace(block, id=BlockId(f"b{n}"), order=n) for n, block in enumerate(blocks))
    numbers = sorted({block.page for block in placed} | set(range(1, pages + 1)))
    return Tree(
        source=source,
        metadata=metadata or Metadata(title=title, language=language),
        pages=tuple(Page(number=number, width=size[0], height=size[1]) for number in numbers),
        blocks=placed,
        provenance=TreeProvenance(options_hash=options_hash),
    )


def lines_tree(*lines: tuple[str, Bbox], page: int = 1) -> Tree:
    """One paragraph per (text, box), as an OCR page of single lines has."""
    return make_tree(*(make_block(BlockType.PARAGRAPH, text, bbox=bbox, page=page) for text, bbox in lines))


def make_table(rows: Sequence[Sequence[str]], *, header_rows: int = 1, header_col: bool = False) -> Table:
    """A table without spans."""
    cells = tuple(
        Cell(row=row, col=col, text=text, header=row < header_rows or (header_col and col == 0))
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    return Table(rows=len(rows), cols=len(rows[0]), cells=cells)


def table_block(rows: Sequence[Sequence[str]], *, header_rows: int = 1, **facts: Any) -> Block:
    return make_block(BlockType.TABLE, "", table=make_table(rows, header_rows=header_rows), **facts)
