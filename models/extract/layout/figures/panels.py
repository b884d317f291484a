"""Frees the text of wrong tables: cards of paragraphs side by side, and notes that begin with letters."""

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.scoring.find import FoundTable


@dataclass(frozen=True, slots=True)
class PanelLimits:
    """Thresholds for the cells of a table to be panels of text, or notes."""

    most_rows: int = 3
    """Maximum rows of cards."""
    card_lines: int = 6
    """Minimum lines of the fullest card of each row."""
    gap: float = 1.45
    """Minimum ratio of the distance of two paragraphs to the usual one of lines."""
    gapped: float = 0.7
    """Minimum share of the full cards that hold several paragraphs."""
    least_notes: int = 4
    """Minimum rows of notes."""
    in_turn: float = 0.8
    """Minimum share of notes whose letter follows that of the note above."""
    note_chars: int = 24
    """Minimum mean characters of notes."""


LIMITS = PanelLimits()


def free_panels(tables: list[FoundTable], lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
    """Return the tables without those that are panels or notes, and the lines with theirs."""
    kept: list[FoundTable] = []
    for found in tables:
        if not found.tagged and (_are_cards(found) or _are_notes(found)):
            lines = lines + found.lines
        else:
            kept.append(found)
    return kept, lines


def _are_cards(found: FoundTable) -> bool:
    """Return True for a few large cells side by side, each row with several paragraphs in most of its cells."""
    table = found.table
    if table.rows > LIMITS.most_rows or table.cols < 2:
        return False
    if len(found.lines) < LIMITS.card_lines * table.rows:
        return False
    cells: dict[int, list[list[Line]]] = {row: [] for row in range(table.rows)}
    for cell in table.cells:
        if cell.bbox is not None and cell.text:
            x0, y0, x1, y1 = cell.bbox
            own = [
                line
                for line in found.lines
                if x0 - 1 <= (line.x0 + line.x1) / 2 <= x1 + 1 and y0 - 1 <= (line.y0 + line.y1) / 2 <= y1 + 1
            ]
            cells[cell.row].append(own)
    for row in cells.values():
        full = [own for own in row if len(own) >= LIMITS.card_lines]
        if len(full) < 2 or len(full) <= len(row) / 2:
            return False
        if sum(_has_paragraphs(own) for own in full) < LIMITS.gapped * len(full):
            return False
    return True


def _has_paragraphs(lines: list[Line]) -> bool:
    """Return True for lines that blank space parts at least twice."""
    bases = sorted({round(line.base, 1) for line in lines})
    steps = [below - above for above, below in pairwise(bases) if below - above > 1]
    return bool(steps) and sum(step > LIMITS.gap * median(steps) for step in steps) > 1


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
