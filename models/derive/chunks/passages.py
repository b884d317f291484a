"""Cuts blocks into passages, the smallest pieces of text of a chunk, none longer than the budget.

A short block is one passage. A long one is cut at sentence ends, a table at its rows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.chunk import PageBox
from quire.models.cdom.geometry import union_bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import Block, BlockType
from quire.models.cdom.visible import FlowingBlock, flow_blocks

SENTENCE_END = re.compile(r"[.!?…。！？\n](?:(?<=[.!?…])[\"'”»)\]]*\s+|(?<=[。！？])|(?<=\n)\n*)")
"""From the sign that ends a sentence to where the next may begin. The pattern begins with one class of characters, for
which the engine searches seven times faster."""
MAX_TOKEN_CHARS = 32
"""A token longer than this (one unknown token can hide a megabyte) is cut as if it were several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of text with its blocks and boxes.

    `glue` joins it to the passage before it; `bound` keeps both in one chunk if they fit. `header`, the header rows of
    its table, is repeated in front of it when it begins a chunk.
    """

    text: str
    tokens: int
    blocks: tuple[Block, ...]
    boxes: tuple[PageBox, ...]
    glue: str = "\n\n"
    bound: bool = False
    header: str = ""


def cut_passages(blocks: Sequence[Block], tokenizer: Tokenizer, budget: int) -> Iterator[Passage]:
    """Yield passages of at most `budget` tokens in reading order; captions are bound to their neighbour."""
    previous: Block | None = None
    unseen: tuple[Block, ...] = ()
    for flowing in flow_blocks(blocks):
        block = flowing.whole
        passages = _of_block(flowing, tokenizer, budget)
        if not passages:
            unseen = (*unseen, block)
        for number, passage in enumerate(passages):
            if number == 0:
                passage = replace(passage, glue=_glue(previous, block), bound=_belongs_together(previous, block))
                passage, unseen = _with_silent_figure(passage, unseen), ()
            yield passage
        previous = block


def _of_block(flowing: FlowingBlock, tokenizer: Tokenizer, budget: int) -> list[Passage]:
    block = flowing.whole
    if block.table is not None and block.table.cells:
        return list(_of_table(block, block.table, tokenizer, budget))
    if not block.text.strip():
        return []
    passages: list[Passage] = []
    offset, all_boxes = 0, _boxes(flowing.parts)
    for text, tokens, glue in cut_text(block.text, tokenizer, budget):
        start = block.text.index(text, offset)
        offset = start + len(text)
        parts = _parts_within(flowing, start, offset)
        boxes = all_boxes if parts is flowing.parts else _boxes(parts)
        passages.append(Passage(text=text, tokens=tokens, blocks=parts, boxes=boxes, glue=glue))
    return passages


def _parts_within(flowing: FlowingBlock, start: int, end: int) -> tuple[Block, ...]:
    """Return the parts of a paragraph that a range of its text comes from."""
    if len(flowing.parts) == 1:
        return flowing.parts
    ends = (*flowing.starts[1:], len(flowing.whole.text))
    return tuple(
        part
        for part, first, last in zip(flowing.parts, flowing.starts, ends, strict=True)
        if first < end and last > start
    )


def _boxes(blocks: Sequence[Block]) -> tuple[PageBox, ...]:
    return tuple(box for block in blocks for box in box_of(block))


def box_of(block: Block) -> tuple[PageBox, ...]:
    """Return the block's box, or nothing when it has none."""
    return () if block.bbox is None else (PageBox(page=block.page, bbox=block.bbox),)


def _glue(previous: Block | None, block: Block) -> str:
    if previous is not None and previous.type is block.type is BlockType.LIST_ITEM:
        return "\n"
    return "\n\n"


def _belongs_together(previous: Block | None, block: Block) -> bool:
    """Return True for a caption next to its figure or table, on either side."""
    if previous is None:
        return False
    figures = (BlockType.TABLE, BlockType.PICTURE)
    types = (previous.type, block.type)
    if BlockType.CAPTION not in types or not any(kind in figures for kind in types):
        return False
    caption, figure = (block, previous) if block.type is BlockType.CAPTION else (previous, block)
    return caption.parent in (None, figure.id) or block.type is BlockType.CAPTION


def _with_silent_figure(passage: Passage, unseen: tuple[Block, ...]) -> Passage:
    """Add a figure without text to the passage of the caption that follows it."""
    figures = tuple(block for block in unseen if block.type is BlockType.PICTURE)[-1:]
    if passage.blocks[0].type is not BlockType.CAPTION or not figures:
        return passage
    return replace(passage, blocks=(*figures, *passage.blocks), boxes=(*box_of(figures[0]), *passage.boxes))


def weigh(text: str, tokenizer: Tokenizer) -> int:
    """Return the tokens of `text`, at least one for every `MAX_TOKEN_CHARS` characters."""
    return max(tokenizer.count(text), len(text) // MAX_TOKEN_CHARS)


def cut_text(text: str, tokenizer: Tokenizer, budget: int) -> Iterator[tuple[str, int, str]]:
    """Yield (text, tokens, glue) of parts of at most `budget` tokens that cover `text` except for white space."""
    tokens = weigh(text, tokenizer)
    if tokens <= budget:
        yield text.strip(), tokens, ""
        return
    start, glue = 0, ""
    for end in [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        if sentence.strip():
            yield from _cut_sentence(sentence, tokenizer, budget, glue)
            glue = "\n" if sentence.endswith("\n") else " " if sentence[-1].isspace() else ""
        start = end


def _cut_sentence(text: str, tokenizer: Tokenizer, budget: int, glue: str) -> Iterator[tuple[str, int, str]]:
    tokens = weigh(text, tokenizer)
    if tokens <= budget:
        yield text.strip(), tokens, glue
        return
    for start, end in _cut_places(text, tokenizer, budget):
        part = text[start:end].strip()
        if part:
            yield part, weigh(part, tokenizer), glue
            glue = " " if text[end - 1].isspace() or text[end : end + 1].isspace() else ""


def _cut_places(text: str, tokenizer: Tokenizer, budget: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most `budget` tokens, cut at white space where possible."""
    begin = 0
    ends: list[int] = []
    for start, end in tokenizer.offsets(text):
        for place in [*range(start + MAX_TOKEN_CHARS, end, MAX_TOKEN_CHARS), end]:
            if len(ends) == budget:
                last = budget - 1
                while last > budget // 2 and not text[ends[last] : ends[last] + 1].isspace():
                    last -= 1
                if not text[ends[last] : ends[last] + 1].isspace():
                    last = budget - 1
                yield begin, ends[last]
                begin, ends = ends[last], ends[last + 1 :]
            ends.append(place)
    yield begin, len(text)


def _of_table(block: Block, table: Table, tokenizer: Tokenizer, budget: int) -> Iterator[Passage]:
    rows = table_rows(table)
    head = [row for row in rows if all(cell.header for cell in row)]
    head = head if len(head) < len(rows) and rows[: len(head)] == head else []
    header = "\n".join(map(row_text, head))
    if weigh(header, tokenizer) > budget // 2:
        header = ""
    places = BlockPlaces(block)
    for number, row in enumerate(rows):
        boxes = _row_box(places.of_row(row[0].row), row)
        for text, tokens, glue in cut_text(row_text(row), tokenizer, budget):
            yield Passage(
                text=text,
                tokens=tokens,
                blocks=(block,),
                boxes=boxes,
                glue=glue or "\n",
                bound=0 < number <= len(head),
                header="" if number < len(head) else header,
            )


def table_rows(table: Table) -> list[list[Cell]]:
    """Return the cells row by row, without empty rows."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    return [rows[number] for number in sorted(rows)]


def row_text(row: Sequence[Cell]) -> str:
    """Return the row's cells joined by bars."""
    return " | ".join(" ".join(cell.text.split()) for cell in row)


def _row_box(part: TablePart, row: Sequence[Cell]) -> tuple[PageBox, ...]:
    boxes = [cell.bbox for cell in row if cell.bbox is not None]
    box = union_bbox(boxes) if boxes else part.bbox
    return () if box is None else (PageBox(page=part.page, bbox=box),)
