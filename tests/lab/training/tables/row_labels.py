"""Labels printed rows that continue the table row above: printed rows matched with rows of the truth."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from quire.models.extract.core.words import TextRow
from quire.models.extract.layout.tables.continuation import Matrix, describe_steps
from quire.models.extract.layout.tables.grid import make_table
from quire.models.extract.layout.tables.regions.propose import propose_regions
from quire.models.extract.layout.tables.regions.view import PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate, build_candidates
from quire.models.extract.layout.text.hyphens import may_divide
from tests.lab.training.tables.quality import TableContent, judge, likeness
from tests.lab.training.tables.truth import TruthCell, clean_text, count_words

_WORD = re.compile(r"\w+")
_LEAST_ALIKE = 0.85
"""Words that a region shares with a table, and its rows with theirs: with fewer the labels are not sure."""
_MOST_GRIDS = 3
"""Column sets of a table that are learned from."""
_LEAST_CELLS, _LEAST_ROWS = 4, 3
_SKIP_COST, _MOST_SKIPPED = 0.3, 4
"""A truth row that nothing is matched with costs so many words; no more than so many are skipped at once."""


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Features of the printed rows (but the first) of a region, and 1 for those that go on with the row above."""

    features: Matrix
    labels: npt.NDArray[np.float32]


def label_page(view: PageView, truths: list[tuple[TruthCell, ...]]) -> list[LabelledRows]:
    """Labelled rows of every table of the page's truth for which a region with its words is proposed."""
    found: list[LabelledRows] = []
    regions = [
        (
            proposal.indices,
            count_words(tuple(TruthCell(0, 0, 1, 1, clean_text(view.lines[at].text)) for at in proposal.indices)),
        )
        for proposal in propose_regions(view)
    ]
    for cells in truths:
        if len(cells) < _LEAST_CELLS:
            continue
        content = TableContent(cells)
        alike = [indices for indices, words in regions if likeness(words, content.words) >= _LEAST_ALIKE]
        grids = [candidate for indices in alike for candidate in build_candidates(view, indices)]
        found += _label_table(grids, cells, content)
    return found


def _label_table(grids: list[Candidate], cells: tuple[TruthCell, ...], content: TableContent) -> list[LabelledRows]:
    qualities = [judge(TableContent(cells_of(one)), [content], 1).quality for one in grids]
    order = sorted(range(len(grids)), key=lambda at: (-qualities[at], at))
    width = max(cell.col + cell.col_span for cell in cells)
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    found: list[LabelledRows] = []
    for at in order:
        grid = grids[at]
        key = (grid.indices, tuple(round(edge / 6) for edge in grid.grid.columns))
        if key in seen or len(grid.rows) < _LEAST_ROWS or abs(grid.grid.width - width) > 1:
            continue
        seen.add(key)
        places = match_rows(grid.rows, cells)
        if places:
            same = np.array([one == other for one, other in pairwise(places)], np.float32)
            found.append(LabelledRows(describe_steps(grid.rows, grid.grid.columns, grid.region), same))
        if len(found) == _MOST_GRIDS:
            break
    return found


def cells_of(candidate: Candidate) -> tuple[TruthCell, ...]:
    """The candidate's cells as the truth states them."""
    return tuple(
        TruthCell(cell.row, cell.col, cell.row_span, cell.col_span, clean_text(cell.text))
        for cell in make_table(candidate.grid, may_divide).cells
    )


def match_rows(rows: list[TextRow], cells: tuple[TruthCell, ...]) -> list[int]:
    """For each printed row its row of the truth, never falling, with most words in common; none where few are."""
    count = max(cell.row + cell.row_span for cell in cells)
    truth: list[Counter[str]] = [Counter() for _ in range(count)]
    for cell in cells:
        truth[cell.row].update(_WORD.findall(cell.text.lower()))
    printed = [[word for one in row.words for word in _WORD.findall(clean_text(one.text).lower())] for row in rows]
    shared = np.array([[sum(word in own for word in words) for own in truth] for words in printed], np.float64)
    best = shared[0] - 0.001 * np.arange(count)
    steps: list[npt.NDArray[np.int64]] = []
    for own in shared[1:]:
        reached = np.full((_MOST_SKIPPED + 1, count), -np.inf)
        for step in range(min(_MOST_SKIPPED + 1, count)):
            reached[step, step:] = best[: count - step] - _SKIP_COST * max(0, step - 1) - 1e-6 * step
        steps.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + own
    places = [int(best.argmax())]
    for skipped in reversed(steps):
        places.append(places[-1] - int(skipped[places[-1]]))
    places.reverse()
    hits = sum(shared[at, place] for at, place in enumerate(places))
    return places if hits >= _LEAST_ALIKE * max(1, sum(map(len, printed))) else []
