"""Pages of scripts that run from right to left: laid out in a mirror, so that every rule holds for them as well.

Columns, rows, indents, list depths and table columns then follow from the right edge; boxes are turned back afterwards.
"""

import re
from dataclasses import replace

from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.extract.contract import PageBlock
from quire.models.extract.core.marks import Fill, Rule
from quire.models.extract.layout.lines.marks import Line, PageMarks, Piece, find_no_glyphs, split_evenly

RTL = re.compile("[\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters of Hebrew, Arabic and related scripts, without digits."""
_LETTER = re.compile(r"[^\W\d_]")


def runs_right_to_left(lines: list[Line]) -> bool:
    """Return True when most letters of the lines belong to a script that runs from right to left."""
    text = "".join([line.text for line in lines])
    if text.isascii() or RTL.search(text) is None:
        return False
    return 2 * len(RTL.findall(text)) > len(_LETTER.findall(text))


def mirror_marks(marks: PageMarks) -> PageMarks:
    """Return the page mirrored; its lines keep their text. Glyphs are dropped, because formulas do not turn around."""
    width = marks.width
    split = marks.split

    def split_mirrored(line: Line) -> list[Piece]:
        if split is split_evenly:
            return split(line)
        pieces = split(mirror_line(line, width))
        return [Piece(width - piece.x1, width - piece.x0, piece.text) for piece in pieces]

    return replace(
        marks,
        lines=[mirror_line(line, width) for line in marks.lines],
        horizontals=[mirror_rule(rule, width) for rule in marks.horizontals],
        verticals=[mirror_rule(rule, width) for rule in marks.verticals],
        dashes=[mirror_rule(rule, width) for rule in marks.dashes],
        fills=[Fill(width - fill.x1, fill.y0, width - fill.x0, fill.y1, fill.color) for fill in marks.fills],
        shapes=[mirror_box(box, width) for box in marks.shapes],
        pictures=[mirror_box(box, width) for box in marks.pictures],
        fields=[replace(form_field, box=mirror_box(form_field.box, width)) for form_field in marks.fields],
        tags=[replace(tag, box=mirror_box(tag.box, width)) for tag in marks.tags],
        seen=None if marks.seen is None else [mirror_box(box, width) for box in marks.seen],
        split=split_mirrored,
        glyphs=find_no_glyphs,
    )


def mirror_box(box: Bbox, width: float) -> Bbox:
    """Return the box mirrored on a page of this width."""
    return (width - box[2], box[1], width - box[0], box[3])


def mirror_line(line: Line, width: float) -> Line:
    """Return the line mirrored on a page of this width."""
    parts = tuple(mirror_line(part, width) for part in line.parts)
    return replace(line, x0=width - line.x1, x1=width - line.x0, runs=list(line.runs), parts=parts)


def mirror_rule(rule: Rule, width: float) -> Rule:
    """Return the rule mirrored on a page of this width."""
    return Rule(width - rule.x1, rule.y0, width - rule.x0, rule.y1)


def mirror_block(block: PageBlock, marks: PageMarks) -> PageBlock:
    """Return the block at its place on the page itself, with its picture named after that place."""
    if block.bbox is None:
        return block
    box = round_bbox(mirror_box(block.bbox, marks.width))
    table = block.table
    if table is not None:
        cells = tuple(
            replace(cell, bbox=None if cell.bbox is None else round_bbox(mirror_box(cell.bbox, marks.width)))
            for cell in table.cells
        )
        table = replace(table, cells=cells)
    reference = block.asset_ref
    if reference is not None:
        reference = f"p{marks.number}-" + "-".join(str(round(value)) for value in box)
    return replace(block, bbox=box, table=table, asset_ref=reference)
