"""Frees the text of wrong tables: cards of paragraphs side by side, and notes that begin with letters.

Cards stand on shades, in frames or below photos of one size; a row of them is not a table if each holds a sentence
or a picture.
"""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.cdom.visible import is_wide
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.sentences import holds_sentence
from quire.models.extract.layout.tables.scoring.find import FoundTable


@dataclass(frozen=True, slots=True)
class PanelLimits:
    """Thresholds for the cells of a table to be panels of text, or notes."""

    least_notes: int = 4
    """Minimum rows of notes."""
    in_turn: float = 0.8
    """Minimum share of notes whose letter follows that of the note above."""
    note_chars: int = 24
    """Minimum mean characters of notes."""
    column_lines: int = 4
    """Minimum mean lines of a column of Chinese or Japanese text."""
    wide_chars: int = 5
    """Minimum characters of its lines; the last one of a paragraph may have fewer."""
    ragged: float = 1.6
    """Maximum distance of their ends from the column's right edge, in ems."""
    full_lines: float = 0.65
    """Minimum share of such lines; the cells of a table end anywhere."""
    least_width: float = 60.0
    """Minimum width of a card, in points."""
    least_height: float = 40.0
    """Its minimum height."""
    most_of_page: float = 0.5
    """Maximum share of the page that a card covers."""
    same_edge: float = 3.0
    """Maximum distance of the tops of cards in a row, and of their feet."""
    gap_between: float = 1.5
    """Gap between two cards; what is nearer is the shading of a table unless each holds a sentence and a picture."""
    most_cards: int = 200
    """Boxes of this size on a page; one with more is a drawing."""
    least_picture: float = 14.0
    """Minimum sides of a photo or icon in a card."""
    picture_height: float = 0.7
    """Maximum height of a photo or icon, as a share of the card."""
    photo: float = 30.0
    """Minimum sides of a photo above a card without a ground."""
    below: float = 45.0
    """Maximum distance of the text from that photo."""


LIMITS = PanelLimits()


Row = list[Bbox]
"""Cards beside each other, from left to right."""


def find_cards(upright: PageMarks, lines: list[Line]) -> list[Row]:
    """Return the rows of shades and frames of one height with blank space between them that are cards.

    Each with text holds a sentence or a picture; the shaded columns of a table hold values.
    """
    boxes = [(fill.x0, fill.y0, fill.x1, fill.y1) for fill in upright.fills] + upright.shapes
    most = LIMITS.most_of_page * upright.width * upright.height
    boxes = sorted({box for box in boxes if _is_card(box) and bbox_area(box) < most})
    rows = _join_rows(boxes) if len(boxes) <= LIMITS.most_cards else []
    return [row for row in (*rows, *_pair_verticals(upright)) if _are_cards(row, lines, upright)]


def free_panels(
    tables: list[FoundTable], lines: list[Line], upright: PageMarks, cards: list[Row]
) -> tuple[list[FoundTable], list[Line]]:
    """Return the tables without those that are panels, cards or notes, and the lines with theirs."""
    kept: list[FoundTable] = []
    for found in tables:
        rows = [*cards, _find_photo_cards(found, lines, upright)]
        is_text = _are_notes(found) or _are_columns(found)
        is_text = is_text or any(_stands_in(found, row) for row in rows)
        if is_text and not found.tagged:
            lines = lines + found.lines
        else:
            kept.append(found)
    return kept, lines


def _is_card(box: Bbox) -> bool:
    return box[2] - box[0] >= LIMITS.least_width and box[3] - box[1] >= LIMITS.least_height


def _join_rows(boxes: list[Bbox]) -> list[Row]:
    """Return the rows of boxes, given from left to right; of boxes over each other the first counts."""
    rows: dict[tuple[int, int], Row] = {}
    for box in boxes:
        row = rows.setdefault((round(box[1] / LIMITS.same_edge), round(box[3] / LIMITS.same_edge)), [])
        if not row or box[0] - row[-1][2] >= -1:
            row.append(box)
    return [row for row in rows.values() if len(row) > 1]


def _pair_verticals(upright: PageMarks) -> list[Row]:
    """Return the rows of frames: verticals of one height, of which every other gap is narrow."""
    rows: dict[tuple[int, int], list[float]] = {}
    for rule in upright.verticals:
        if rule.y1 - rule.y0 >= LIMITS.least_height:
            key = round(rule.y0 / LIMITS.same_edge), round(rule.y1 / LIMITS.same_edge)
            rows.setdefault(key, []).append(rule.x0)
    out: list[Row] = []
    for (top, foot), edges in rows.items():
        edges.sort()
        if len(edges) < 4 or len(edges) % 2 or len(edges) > LIMITS.most_cards:
            continue
        row = [
            (left, top * LIMITS.same_edge, right, foot * LIMITS.same_edge)
            for left, right in zip(edges[::2], edges[1::2], strict=True)
        ]
        gaps = [right[0] - left[2] for left, right in pairwise(row)]
        if min(gaps) >= LIMITS.gap_between and 2 * max(gaps) < min(x1 - x0 for x0, _, x1, _ in row):
            out.append(row)
    return out


def _find_photo_cards(found: FoundTable, lines: list[Line], upright: PageMarks) -> Row:
    """Return the cards without a ground that photos of one size in a row just above the table head."""
    top = found.box[1]
    photos = sorted(
        box
        for box in set(upright.pictures)
        if min(box[2] - box[0], box[3] - box[1]) >= LIMITS.photo and -2 <= top - box[3] <= LIMITS.below
    )
    rows = _join_rows(photos)
    if len(rows) != 1 or found.edges:
        return []
    row = rows[0]
    cuts = [(left[0] + left[2] + right[0] + right[2]) / 4 for left, right in pairwise(row)]
    edges = [0.0, *cuts, upright.width]
    cards = [
        (left, box[1], right, found.box[3] + 1) for box, left, right in zip(row, edges[:-1], edges[1:], strict=True)
    ]
    text = [*found.lines, *lines]
    return cards if all(holds_sentence([line for line in text if _is_inside(line, card)]) for card in cards) else []


def _stands_in(found: FoundTable, row: Row) -> bool:
    """Return whether all lines of the table are in the cards of a row, in two or more."""
    used: set[int] = set()
    for line in found.lines:
        card = next((index for index, box in enumerate(row) if _is_inside(line, box)), None)
        if card is None:
            return False
        used.add(card)
    return len(used) > 1


def _are_cards(row: Row, lines: list[Line], upright: PageMarks) -> bool:
    band = [line for line in lines if row[0][1] - 1 <= (line.y0 + line.y1) / 2 <= row[0][3] + LIMITS.same_edge]
    held = [(card, [line for line in band if card[0] - 1 <= (line.x0 + line.x1) / 2 <= card[2] + 1]) for card in row]
    full = [(card, own) for card, own in held if own]
    are_apart = all(right[0] - left[2] >= LIMITS.gap_between for left, right in pairwise(row))
    enough = any if are_apart else all
    return len(full) > 1 and all(
        enough((holds_sentence(own), _holds_picture(card, row, own, upright))) for card, own in full
    )


def _holds_picture(card: Bbox, row: Row, lines: list[Line], upright: PageMarks) -> bool:
    """Return whether a photo or an icon is in the card, or over its upper edge, above several lines."""
    for box in (*upright.pictures, *upright.shapes):
        width, height = box[2] - box[0], box[3] - box[1]
        if (
            min(width, height) >= LIMITS.least_picture
            and box not in row
            and height < LIMITS.picture_height * (card[3] - card[1])
        ):
            is_within = 2 * intersection_area(box, card) >= bbox_area(box) and width < card[2] - card[0]
            if is_within and sum(line.y0 >= box[3] - 2 for line in lines) > 1:
                return True
    return False


def _is_inside(line: Line, box: Bbox) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _are_columns(found: FoundTable) -> bool:
    """Return True for columns of Chinese or Japanese text: nearly all lines of each are full."""
    lines = found.lines
    if found.edges or len(lines) < LIMITS.column_lines * found.table.cols:
        return False
    wide = sum([is_wide(line.text) and len(line.text) >= LIMITS.wide_chars for line in lines])
    if wide < LIMITS.full_lines * len(lines):
        return False
    ends: dict[int, float] = {}
    for line in lines:
        column = round(line.x0 / (2 * line.size))
        ends[column] = max(ends.get(column, 0.0), line.x1)
    full = sum(line.x1 > ends[round(line.x0 / (2 * line.size))] - LIMITS.ragged * line.size for line in lines)
    return full >= LIMITS.full_lines * len(lines)


def _are_notes(found: FoundTable) -> bool:
    """Return True for two columns of which the first has the letters of the alphabet in turn, the second sentences."""
    table = found.table
    if table.cols != 2:
        return False
    letters = [cell.text.strip() for cell in table.cells if cell.col == 0 and cell.text.strip()]
    texts = [cell.text for cell in table.cells if cell.col == 1 and cell.text]
    marks = [text for text in letters if len(text) == 1 and text.islower()]
    if len(marks) < LIMITS.least_notes or len(marks) < len(letters) - 1 or len(texts) < len(marks):
        return False
    in_turn = sum(ord(below) - ord(above) == 1 for above, below in pairwise(marks))
    is_prose = sum(map(len, texts)) >= LIMITS.note_chars * len(texts)
    return is_prose and in_turn >= LIMITS.in_turn * (len(marks) - 1)
