"""Decide which printed rows continue the table row above them, with a small forest for each pair of neighbours.

Regions without rules give no other evidence, and distances do not suffice if a cell's lines are as far apart as rows.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quire.models.extract.layout.learned.forest import Forest, load_forest
from quire.models.extract.layout.tables.bands import column_at, row_middle, spans_columns
from quire.models.extract.layout.tables.data_rows import FIGURE
from quire.models.extract.layout.tables.rules import RuledRegion
from quire.models.extract.layout.tables.words import Segment, TextRow

_weights = Path(__file__).parent / "weights" / "rows.npz"


@dataclass(frozen=True, slots=True)
class ContinuationLimits:
    """Bounds of the features."""

    far: float = 9.0
    """Upper limit of distances (ems) and ratios."""
    least_step: float = 0.8
    """Smaller steps (ems) are overlapping rows and are not used as a measure."""
    least_jump: float = 0.12
    """Ems between the small and the large steps of a region, where they are of two kinds."""
    wide_rule: float = 0.5
    """Share of the region's width from which a rule parts rows."""
    most_rows: int = 40
    """Upper limit of the number of rows as a feature."""
    figure_chars: int = 40
    """Maximum characters of a figure."""
    parted: float = 0.5
    """Maximum probability of continuation at which a printed row starts a table row."""


LIMITS = ContinuationLimits()
_STOPS, _OPEN = frozenset(".;!?"), frozenset(",-–(:")

STEP_NAMES = (
    "gap", "gap_least", "gap_low", "gap_median", "gap_most", "gap_before", "gap_after", "jump",
    "filled", "filled_above", "filled_after", "shared", "new", "key", "key_above", "key_after", "key_share",
    "lower", "stop_above", "open_above", "room", "room_least", "ruled", "ruled_above", "ruled_share",
    "figures", "figures_above", "bold", "bold_above", "first", "last", "rows", "columns", "offset", "spans", "size",
    "long", "long_above", "multi_share", "left", "key_alike", "key_lone",
)  # fmt: skip
"""Features of two neighbouring printed rows of a region over some columns."""

Cells = dict[int, "_Cell"]
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RowGroups:
    """Printed rows grouped into table rows; `sure` (0..1) is the mean certainty."""

    groups: list[list[TextRow]]
    sure: float


def group_rows(rows: list[TextRow], columns: list[float], region: RuledRegion) -> RowGroups:
    """Group the printed rows of a region into table rows over the given columns."""
    if len(rows) < 2:
        return RowGroups([list(rows)], 1.0)
    chances = _load(_weights).sums(describe_steps(rows, columns, region)).tolist()
    groups = [[rows[0]]]
    for row, chance in zip(rows[1:], chances, strict=True):
        if chance > LIMITS.parted:
            groups[-1].append(row)
        else:
            groups.append([row])
    sure = sum([min(1.0, 2 * abs(chance - 0.5)) for chance in chances]) / len(chances)
    return RowGroups(groups, sure)


def describe_steps(rows: list[TextRow], columns: list[float], region: RuledRegion) -> Matrix:
    """Return the features `STEP_NAMES` of every printed row except the first."""
    described = _RegionRows(rows, columns, region)
    features = [described.describe(number) for number in range(1, len(rows))]
    return np.array(features, dtype=np.float32).reshape(-1, len(STEP_NAMES))


@dataclass(slots=True, init=False)
class _Cell:
    """Content of a printed row in one column."""

    segments: list[Segment]
    length: int
    is_figure: bool

    def __init__(self, segments: list[Segment]) -> None:
        self.segments = segments
        texts = [word.text for segment in segments for word in segment.words]
        self.length = sum(map(len, texts))
        self.is_figure = (
            not texts[0][:1].isalpha()
            and self.length <= LIMITS.figure_chars
            and FIGURE.fullmatch(" ".join(texts)) is not None
        )


class _PrintedRow:
    """A printed row over some columns, measured once and compared with the rows above and below."""

    __slots__ = ("base", "bold", "cells", "figures", "key", "left", "length", "longest", "size", "spans")

    def __init__(self, row: TextRow, columns: list[float]) -> None:
        parts: dict[int, list[Segment]] = {}
        for segment in row.segments:
            parts.setdefault(column_at(segment.x0 + 0.5, columns), []).append(segment)
        self.cells = {column: _Cell(segments) for column, segments in parts.items()}
        self.base, self.size, self.left = row.base, row.size, row.words[0].x0
        self.bold = all([word.bold for word in row.words])
        self.longest = max(self.cells, key=lambda column: self.cells[column].length)
        self.length = sum([cell.length for cell in self.cells.values()])
        self.figures = sum([cell.is_figure for cell in self.cells.values()])
        self.key = _kind_of(parts[0][0].words[0].text) if 0 in parts else ""
        self.spans = any([spans_columns(segment.x0, segment.x1, columns) for segment in row.segments])


class _RegionRows:
    """Common measures of the printed rows of a region, computed once."""

    def __init__(self, rows: list[TextRow], columns: list[float], region: RuledRegion) -> None:
        self._rows = [_PrintedRow(row, columns) for row in rows]
        self._width = len(columns) + 1
        self._right = _find_right_ends(self._rows, columns)
        self._left = min([row.left for row in self._rows])
        self._gaps = [(below.base - above.base) / max(above.size, below.size, 1.0) for above, below in pairwise(rows)]
        ordered = sorted([gap for gap in self._gaps if gap >= LIMITS.least_step]) or [1.0]
        self._low, self._median = ordered[len(ordered) // 5], ordered[len(ordered) // 2]
        self._least, self._most = ordered[0], ordered[-1]
        self._jump = _find_jump(ordered)
        self._ruled = _find_ruled(rows, region)
        count = len(rows)
        self._ruled_share = sum(self._ruled) / len(self._ruled)
        self._multi_share = sum([len(row.cells) > 1 for row in self._rows]) / count
        keys = [row.key for row in self._rows if row.key]
        self._key_share = len(keys) / count
        self._key_kinds = {kind: keys.count(kind) / len(keys) for kind in set(keys)}

    def describe(self, number: int) -> tuple[float, ...]:
        """Return the features `STEP_NAMES` of a row and the one above."""
        previous, gaps, width = number - 1, self._gaps, self._width
        above, row = self._rows[previous], self._rows[number]
        after = self._rows[number + 1].cells if number + 1 < len(self._rows) else {}
        before, own = above.cells, row.cells
        shared = own.keys() & before.keys()
        rooms = [self._room(column, before, own, row.size) for column in shared] or [-LIMITS.far]
        offsets = [abs(own[column].segments[0].x0 - before[column].segments[0].x0) / row.size for column in shared]
        longest = row.longest
        ending = before[longest].segments[-1].words[-1].text[-1:] if longest in before else ""
        gap = gaps[previous]
        return (
            gap, gap / self._least, gap / self._low, gap / self._median, gap / self._most,
            min(LIMITS.far, gap / max(gaps[previous - 1], 0.3)) if previous else LIMITS.far,
            min(LIMITS.far, gap / max(gaps[number], 0.3)) if number < len(gaps) else LIMITS.far,
            gap - self._jump if self._jump else -LIMITS.far,
            len(own) / width, len(before) / width, len(after) / width, len(shared), len(own) - len(shared),
            0 in own, 0 in before, 0 in after, self._key_share,
            own[longest].segments[0].words[0].text[:1].islower(), ending in _STOPS, ending in _OPEN,
            max(rooms), min(rooms), self._ruled[previous], self._ruled[previous - 1] if previous else False,
            self._ruled_share,
            row.figures / width, above.figures / width, row.bold, above.bold,
            previous == 0, number == len(gaps), min(len(self._rows), LIMITS.most_rows), width,
            min(offsets, default=LIMITS.far), row.spans, row.size / max(above.size, 1.0),
            own[longest].length, above.length, self._multi_share, (row.left - self._left) / row.size,
            self._key_kinds[row.key] if row.key else -1.0, bool(row.key) and len(own) == 1,
        )  # fmt: skip

    def _room(self, column: int, before: Cells, own: Cells, size: float) -> float:
        """Return the room (ems) that the column's line above left for the first word of this one."""
        first = own[column].segments[0].words[0]
        return (self._right[column] - before[column].segments[-1].x1 - (first.x1 - first.x0)) / size


def _find_right_ends(rows: list[_PrintedRow], columns: list[float]) -> list[float]:
    """Return the right end of the text in each column, without segments that cross its edge."""
    right = [0.0] * (len(columns) + 1)
    for row in rows:
        for column, cell in row.cells.items():
            end = cell.segments[-1].x1
            if column == len(columns) or end <= columns[column]:
                right[column] = max(right[column], end)
    return right


def _find_jump(steps: list[float]) -> float:
    """Return the middle of the widest gap between neighbouring step lengths (ascending); 0 if all are similar."""
    widest, middle = LIMITS.least_jump, 0.0
    for shorter, longer in pairwise(steps):
        if longer - shorter > widest:
            widest, middle = longer - shorter, (shorter + longer) / 2
    return middle


def _find_ruled(rows: list[TextRow], region: RuledRegion) -> list[bool]:
    """Return for each pair of neighbours whether a wide rule or the edge of a shade runs between them."""
    least = LIMITS.wide_rule * (region.box[2] - region.box[0])
    levels = sorted([rule.y0 for rule in region.horizontals if rule.x1 - rule.x0 > least])
    ruled = []
    for above, below in pairwise(rows):
        index = bisect_right(levels, row_middle(above))
        ruled.append(index < len(levels) and levels[index] < row_middle(below) + 0.1 * below.size)
    return ruled


def _kind_of(text: str) -> str:
    """Return the kind of a key's first letter."""
    first = text[:1]
    return "digit" if first.isdigit() else "lower" if first.islower() else "upper" if first.isupper() else "other"


def load_continuation() -> None:
    """Read the weights now."""
    _load(_weights)


def use_weights(path: Path) -> None:
    """Take other weights from now on: training asks the forest that it has just grown."""
    global _weights
    _weights = path


@lru_cache(maxsize=2)
def _load(path: Path) -> Forest:
    return load_forest(path)
