"""The texts of a tree joined in reading order, so that a value broken over cells, blocks or pages is one match.

Two joins: `loose` puts a line break between texts (numbers may continue over it), `tight` puts nothing and drops a
hyphen at the seam (an address or link torn in two becomes whole again). Offsets map back to (block, cell) pieces.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from models.cdom.tree import Block


@dataclass(frozen=True, slots=True)
class Field:
    """One text of a tree: of block number `block`, or of its table's cell number `cell`."""

    block: int
    cell: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` of one field."""

    field: Field
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Joined:
    """`starts[i]` is where `fields[i]` begins in `text`; `kept[i]` how many of its characters stand there."""

    text: str
    fields: tuple[Field, ...]
    starts: tuple[int, ...]
    kept: tuple[int, ...]

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """The parts of fields under `text[start:end]`, in order; separators belong to nobody."""
        at = max(0, bisect_right(self.starts, start) - 1)
        while at < len(self.fields) and self.starts[at] < end:
            begin, length = self.starts[at], self.kept[at]
            first, last = max(start, begin) - begin, min(end, begin + length) - begin
            if first < last:
                yield Piece(self.fields[at], first, last)
            at += 1


def fields_of(blocks: tuple[Block, ...]) -> list[Field]:
    """Every text a block shows: its own and its table's cells."""
    found = []
    for number, block in enumerate(blocks):
        if block.text:
            found.append(Field(number, None, block.text))
        if block.table is not None:
            found += [Field(number, index, cell.text) for index, cell in enumerate(block.table.cells) if cell.text]
    return found


def join_loose(fields: list[Field]) -> Joined:
    """Texts with a line break between them."""
    return _join(fields, "\n", tight=False)


def join_tight(fields: list[Field]) -> Joined:
    """Texts without anything between them; a hyphen at the end of one is left out."""
    return _join(fields, "", tight=True)


def _join(fields: list[Field], separator: str, *, tight: bool) -> Joined:
    parts, starts, kept, at = [], [], [], 0
    for field in fields:
        text = field.text[:-1] if tight and field.text.endswith(("-", "\u00ad", "\u2010")) else field.text
        parts.append(text)
        starts.append(at)
        kept.append(len(text))
        at += len(text) + len(separator)
    return Joined(separator.join(parts), tuple(fields), tuple(starts), tuple(kept))
