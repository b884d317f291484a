"""Text that runs up, down, upside down or from right to left: the page turned or mirrored, and boxes turned back.

A page most of whose text is turned is laid out turned as a whole; on any other, tables of turned text are looked for
among it alone. `turn`: degrees clockwise by which the page is turned. A page of a script that runs from right to left
is laid out in a mirror: columns, rows, indents, list depths and table columns then follow from the right edge.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.table import Table
from quire.models.cdom.visible import is_wide
from quire.models.extract.contract import PageBlock
from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.layout.lines.marks import (
    DOWNWARDS,
    Line,
    PageMarks,
    Piece,
    TaggedLine,
    find_no_glyphs,
    split_evenly,
)


@dataclass(frozen=True, slots=True)
class TurnedLimits:
    """From when on text counts as turned."""

    share: float = 0.6
    """Minimum share of turned characters on a page that is laid out turned."""
    least_chars: int = 40
    """Minimum characters of such a page; fewer are a label."""
    least_vertical: int = 10
    """Minimum characters of such a page in vertical Chinese or Japanese."""
    least_lines: int = 8
    """Minimum turned lines in which a table is searched; the axes of a figure have fewer."""
    descent: float = 0.22
    """Share of the size by which a line's box reaches below its baseline."""


LIMITS = TurnedLimits()
RTL = re.compile("[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters of Hebrew, Arabic and related scripts, without digits."""
_LETTER = re.compile(r"[^\W\d_]")


def runs_right_to_left(lines: list[Line]) -> bool:
    """Return True when most letters of the lines belong to a script that runs from right to left."""
    text = "".join([line.text for line in lines])
    if text.isascii() or RTL.search(text) is None:
        return False
    return 2 * len(RTL.findall(text)) > len(_LETTER.findall(text))


def find_turn(lines: list[Line]) -> int:
    """By how much the page is to be turned so that most of its text is upright; 0 where it is."""
    if all(line.upright for line in lines):
        return 0
    chars: Counter[int] = Counter()
    for line in lines:
        chars[line.turn if line.turn else 0 if line.upright else -1] += len(line.text)
    turn, most = max(chars.items(), key=lambda item: (item[1], -item[0]))
    least = (
        LIMITS.least_vertical if any(line.turn == turn and is_wide(line.text) for line in lines) else LIMITS.least_chars
    )
    is_turned = turn > 0 and most >= max(least, LIMITS.share * chars.total())
    return turn if is_turned else 0


def take_outer_lines(lines: list[Line], turn: int) -> tuple[list[Line], list[Line], list[Line]]:
    """Part the lines of a page with vertical Chinese or Japanese.

    Returns:
        The upright lines above all columns, the lines between them, and the upright lines below all columns, each from
        top to bottom. On any other page all lines are between.
    """
    columns = [line for line in lines if turn == DOWNWARDS and line.turn == turn]
    if 2 * sum(is_wide(line.text) for line in columns) <= len(columns):
        return [], lines, []
    top, bottom = min(line.y0 for line in columns), max(line.y1 for line in columns)
    above = [line for line in lines if line.upright and line.y1 <= top]
    below = [line for line in lines if line.upright and line.y0 >= bottom]
    outer = {id(line) for line in (*above, *below)}

    def place(line: Line) -> tuple[float, float]:
        return (line.base, line.x0)

    return sorted(above, key=place), [line for line in lines if id(line) not in outer], sorted(below, key=place)


def find_turns(lines: list[Line]) -> list[int]:
    """Return the turns with enough lines for a table."""
    if all(line.upright for line in lines):
        return []
    counts = Counter(line.turn for line in lines if line.turn)
    return sorted(turn for turn, count in counts.items() if count >= LIMITS.least_lines)


@dataclass(frozen=True, slots=True)
class PageTurn:
    """A page of `width` by `height` points, turned clockwise by `degrees` (90, 180, 270), or mirrored (0)."""

    width: float
    height: float
    degrees: int

    def turn(self, box: Bbox) -> Bbox:
        """Return a box of the page on the turned page."""
        x0, y0, x1, y1 = box
        match self.degrees:
            case 0:
                return (self.width - x1, y0, self.width - x0, y1)
            case 90:
                return (self.height - y1, x0, self.height - y0, x1)
            case 180:
                return (self.width - x1, self.height - y1, self.width - x0, self.height - y0)
            case _:
                return (y0, self.width - x1, y1, self.width - x0)

    def turn_back(self, box: Bbox) -> Bbox:
        """Return a box of the turned page on the page."""
        back = self if self.degrees in (0, 180) else PageTurn(self.height, self.width, 360 - self.degrees)
        return round_bbox(back.turn(box))

    def turn_marks(self, marks: PageMarks) -> PageMarks:
        """Return the page turned, with lines of this turn upright. Glyphs are dropped: formulas stay as text."""
        split = marks.split
        keeps_sides = self.degrees in (0, 180)
        sides = (marks.width, marks.height) if keeps_sides else (marks.height, marks.width)
        flat, upright = [self._rule(rule) for rule in marks.horizontals], [self._rule(rule) for rule in marks.verticals]
        return replace(
            marks,
            width=sides[0],
            height=sides[1],
            lines=[self._line(line) for line in marks.lines],
            horizontals=flat if keeps_sides else upright,
            verticals=upright if keeps_sides else flat,
            dashes=[self._rule(rule) for rule in marks.dashes] if keeps_sides else [],
            fills=[Fill(*self.turn((fill.x0, fill.y0, fill.x1, fill.y1)), fill.color) for fill in marks.fills],
            shapes=[self.turn(box) for box in marks.shapes],
            pictures=[self.turn(box) for box in marks.pictures],
            fields=[replace(form_field, box=self.turn(form_field.box)) for form_field in marks.fields],
            tags=[self._tag(tag) for tag in marks.tags],
            seen=None if marks.seen is None else [self.turn(box) for box in marks.seen],
            split=self._mirror_split(split) if self.degrees == 0 else self._turn_split(split),
            glyphs=find_no_glyphs,
            orders={},
        )

    def turn_block_back(self, block: PageBlock, number: int) -> PageBlock:
        """Return the block at its place on the page itself (`number`), with its picture named after that place."""
        if block.bbox is None:
            return block
        box = self.turn_back(block.bbox)
        reference = block.asset_ref
        if reference is not None:
            reference = f"p{number}-" + "-".join(str(round(value)) for value in box)
        table = None if block.table is None else self.turn_table_back(block.table)
        return replace(block, bbox=box, table=table, asset_ref=reference)

    def turn_table_back(self, table: Table) -> Table:
        """Return the table with its cells at their places on the page."""
        cells = tuple(
            replace(cell, bbox=None if cell.bbox is None else self.turn_back(cell.bbox)) for cell in table.cells
        )
        return replace(table, cells=cells)

    def _turn_split(self, split: Callable[[Line], list[Piece]]) -> Callable[[Line], list[Piece]]:
        return lambda line: [self._piece(piece) for piece in split(line)]

    def _mirror_split(self, split: Callable[[Line], list[Piece]]) -> Callable[[Line], list[Piece]]:
        if split is split_evenly:
            return split
        width = self.width
        return lambda line: [Piece(width - piece.x1, width - piece.x0, piece.text) for piece in split(self._line(line))]

    def _line(self, line: Line) -> Line:
        x0, y0, x1, y1 = self.turn(line.bbox)
        if self.degrees == 0:
            parts = tuple(self._line(part) for part in line.parts)
            return replace(line, x0=x0, x1=x1, runs=list(line.runs), parts=parts)
        upright = line.turn == self.degrees
        turn = 0 if upright else (line.turn - self.degrees) % 360 if line.upright or line.turn else 0
        base = y1 - LIMITS.descent * line.size if upright else y1
        parts = tuple(self._line(part) for part in line.parts)
        return replace(
            line, x0=x0, y0=y0, x1=x1, y1=y1, base=base, upright=upright, turn=turn, reach=(y0, y1), parts=parts,
            runs=list(line.runs),
        )  # fmt: skip

    def _rule(self, rule: Rule) -> Rule:
        return Rule(*self.turn((rule.x0, rule.y0, rule.x1, rule.y1)))

    def _tag(self, tag: TaggedLine) -> TaggedLine:
        return replace(tag, box=self.turn(tag.box))

    def _piece(self, piece: Piece) -> Piece:
        """Turn a word whose whole place is known; a word placed by its line is turned already."""
        if piece.y1 <= piece.y0:
            return piece
        x0, y0, x1, y1 = self.turn((piece.x0, piece.y0, piece.x1, piece.y1))
        return Piece(x0, x1, piece.text, y0, y1)
