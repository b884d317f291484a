"""Feature row of a candidate table: its cells, its place, its generators, and the number of agreeing candidates."""

from collections import Counter

from quire.models.extract.core.cells import CELL_NAMES
from quire.models.extract.layout.tables.regions.propose import MAKERS
from quire.models.extract.layout.tables.regions.view import PageView
from quire.models.extract.layout.tables.scoring.candidates import MODES, Candidate
from quire.models.extract.layout.tables.scoring.cells import KnownKinds, cell_features
from quire.models.extract.layout.tables.scoring.places import PLACE_NAMES, place_features
from quire.models.extract.layout.tables.scoring.stacks import STACK_NAMES, KnownRepeats, stack_features
from quire.models.extract.layout.tables.scoring.wholeness import WHOLE_NAMES, KnownWholes, whole_features

_AGREEMENT_NAMES = ("agree_lines", "agree_columns", "agree_rows", "agree_grid", "rivals", "is_gated", "gated_lines")
_ROW_NAMES = ("rows_agree", "rows_sure", "rows_by_forest")
FEATURE_NAMES = (
    *CELL_NAMES,
    *PLACE_NAMES,
    *WHOLE_NAMES,
    *_AGREEMENT_NAMES,
    *_ROW_NAMES,
    *STACK_NAMES,
    *(f"maker_{name}" for name in MAKERS),
    *(f"mode_{name}" for name in MODES),
)


def describe_candidates(candidates: list[Candidate], view: PageView) -> list[list[float]]:
    """Return the features `FEATURE_NAMES` of every candidate of a page."""
    columns = Counter(_column_key(item) for item in candidates)
    heights = Counter(_row_key(item) for item in candidates)
    shapes = Counter((item.indices, len(item.grid.rows), item.grid.width) for item in candidates)
    gated = {index for item in candidates if item.mode == "gates" for index in item.indices}
    rivals: Counter[int] = Counter(index for item in candidates for index in item.indices[:1] + item.indices[-1:])
    around: dict[tuple[int, ...], list[float]] = {}
    known: KnownKinds = {}
    wholes: KnownWholes = {}
    stacks: KnownRepeats = {}
    out: list[list[float]] = []
    for candidate in candidates:
        shared = len(gated.intersection(candidate.indices)) if gated else 0
        row = [
            *cell_features(candidate.grid, known),
            *place_features(candidate, view, around),
            *whole_features(candidate, view, wholes),
            len(candidate.makers),
            columns[_column_key(candidate)],
            heights[_row_key(candidate)],
            shapes[candidate.indices, len(candidate.grid.rows), candidate.grid.width],
            rivals[candidate.indices[0]],
            candidate.mode == "gates",
            shared / len(candidate.indices),
            candidate.agrees,
            candidate.sure,
            candidate.by_forest,
            *stack_features(candidate, stacks),
            *(name in candidate.makers for name in MAKERS),
            *(candidate.mode == name for name in MODES),
        ]
        out.append([float(value) for value in row])
    return out


def _column_key(candidate: Candidate) -> tuple[int, ...]:
    return tuple(round(edge / 8) for edge in candidate.grid.columns)


def _row_key(candidate: Candidate) -> tuple[int, int, int]:
    rows = candidate.rows
    return (round(rows[0].base), round(rows[-1].base), len(candidate.grid.rows))
