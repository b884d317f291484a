"""Small trees made by hand, with text wherever personal data can hide."""

from models.cdom.table import Cell, Table
from models.cdom.tree import (
    Block,
    BlockId,
    BlockProvenance,
    BlockType,
    Metadata,
    Page,
    Source,
    Span,
    Tree,
    TreeProvenance,
)

PROVENANCE = BlockProvenance(engine="test")


def paragraph(number: int, text: str, *, spans: tuple[Span, ...] = (), flags: tuple[str, ...] = ()) -> Block:
    return Block(
        id=BlockId(f"b{number}"),
        type=BlockType.PARAGRAPH,
        page=1,
        order=number,
        bbox=(10.0, 20.0 * number, 200.0, 20.0 * number + 15),
        text=text,
        spans=spans,
        flags=flags,
        provenance=PROVENANCE,
    )


def table(number: int, *cells: str) -> Block:
    row = tuple(Cell(row=0, col=i, text=text, bbox=(10.0 * i, 0.0, 10.0 * i + 9, 9.0)) for i, text in enumerate(cells))
    return Block(
        id=BlockId(f"b{number}"),
        type=BlockType.TABLE,
        page=1,
        order=number,
        bbox=(0.0, 0.0, 100.0, 10.0),
        table=Table(rows=1, cols=len(cells), cells=row),
        provenance=PROVENANCE,
    )


def tree(*blocks: Block) -> Tree:
    return Tree(
        source=Source(format="pdf", sha256="0" * 64, bytes=1),
        metadata=Metadata(title="Letter to Ann", author="Ann Example", created="2026-01-01"),
        pages=(Page(number=1, width=595.0, height=842.0),),
        blocks=blocks,
        provenance=TreeProvenance(options_hash="0"),
    )
