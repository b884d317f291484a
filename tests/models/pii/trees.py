"""Small trees made by hand, with text wherever personal data can hide."""

from dataclasses import replace

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockId, BlockType, Metadata, PiiScan, Span, Tree
from tests.builders import make_block, make_table, make_tree


def paragraph(number: int, text: str, *, spans: tuple[Span, ...] = (), flags: tuple[str, ...] = ()) -> Block:
    box = (10.0, 20.0 * number, 200.0, 20.0 * number + 15)
    block = make_block(BlockType.PARAGRAPH, text, bbox=box, spans=spans, flags=flags)
    return replace(block, id=BlockId(f"b{number}"), order=number)


def table(number: int, *cells: str) -> Block:
    row = tuple(Cell(row=0, col=i, text=text, bbox=(10.0 * i, 0.0, 10.0 * i + 9, 9.0)) for i, text in enumerate(cells))
    block = make_block(BlockType.TABLE, bbox=(0.0, 0.0, 100.0, 10.0), table=Table(rows=1, cols=len(cells), cells=row))
    return replace(block, id=BlockId(f"b{number}"), order=number)


def grid(number: int, *rows: list[str]) -> Block:
    return replace(table(number), table=make_table(rows, header_rows=0))


def tree(*blocks: Block) -> Tree:
    letter = Metadata(title="Letter to Ann", author="Ann Example", created="2026-01-01")
    return replace(make_tree(metadata=letter), blocks=blocks)


def flagged_tree(*blocks: Block) -> Tree:
    """As a scan that is complete left it: the flags are those of the blocks."""
    return replace(tree(*blocks), pii=PiiScan(engine="regex", version="1", complete=True))
