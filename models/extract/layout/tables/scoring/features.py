"""Feature row of a candidate table: its cells, its place, its stacked heads, its generators, candidates that agree."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.extract.core import cells, places
from quire.models.extract.core.bands import spans_columns
from quire.models.extract.core.cells import CELL_NAMES
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.places import FAR
from quire.models.extract.core.signs import is_figure
from quire.models.extract.layout.tables.grid import join_words
from quire.models.extract.layout.tables.regions.propose import MAKERS
from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.ruled import is_contents
from quire.models.extract.layout.tables.scoring.candidates import MODES, Candidate
from quire.models.extract.layout.tables.scoring.wholeness import WHOLE_NAMES, KnownWholes, whole_features
from quire.models.extract.layout.text.captions import TABLE_CAPTION, is_caption

_AGREEMENT_NAMES = ("agree_lines", "agree_columns", "agree_rows", "agree_grid", "rivals", "is_gated", "gated_lines")
_ROW_NAMES = ("rows_agree", "rows_sure", "rows_by_forest")
PLACE_NAMES = (
    *places.PLACE_NAMES, "above", "below", "beside",
    "beside_gap", "caption_out", "caption_in", "figure_near", "contents", "area", "width", "height", "lines",
    "strangers", "above_wide", "below_wide", "above_like", "below_like", "segments_per_row", "size",
    "size_spread", "code", "math", "pictures", "shapes", "single_rows", "page_multi",
)  # fmt: skip
STACK_NAMES = ("repeated_heads", "crossing_rows", "larger_rows")
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


_MARKER: Final = re.compile(r"(?:[•●○◦▪■□–—\-*·►]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d+\])(?:\s|$)")
_GLUED: Final = re.compile(r"\d[.,]*%?\s+[$€£]?\d[\d.,]*%?(?:\s|$)")
_LEADERS: Final = re.compile(r"\.\s?\.\s?\.\s?\.")

KnownKinds = dict[str, int]
"""Cache of the kinds of a page's cell texts, because its candidates share most of their cells."""


def cell_features(grid: Grid, known: KnownKinds) -> list[float]:
    """Return the features `CELL_NAMES`; `known` caches results by text."""
    return cells.cell_features(grid, known, _kinds_of, join_words)


def _kinds_of(text: str) -> int:
    """Return the kinds `cells.KIND_NAMES` of a cell's text as bits."""
    last = text[-1]
    kinds = (
        is_figure(text),
        last in ".;,!?" and len(text) > 12,
        last in "-‐",
        last == ":",
        text[0].islower(),
        _GLUED.search(text) is not None,
        _LEADERS.search(text) is not None,
        _MARKER.match(text) is not None,
    )
    return sum([holds << bit for bit, holds in enumerate(kinds)])


KnownRepeats = dict[tuple[int, ...], int]
"""Cache of header repetitions by the lines of a candidate."""


def stack_features(candidate: Candidate, known: KnownRepeats) -> list[float]:
    """Return the features `STACK_NAMES`; `known` caches values that all grids of the same lines share."""
    repeats = known.get(candidate.indices)
    if repeats is None:
        repeats = known[candidate.indices] = _count_repeats(candidate)
    rows, columns = candidate.rows, candidate.grid.columns
    alone = [row for row in rows if len(row.segments) == 1]
    crossing = sum([spans_columns(row.segments[0].x0, row.segments[0].x1, columns) for row in alone])
    sizes = sorted([row.size for row in rows])
    usual = sizes[len(sizes) // 2]
    larger = sum([row.size > 1.1 * usual for row in alone])
    return [float(repeats), crossing / len(rows), float(larger)]


def _count_repeats(candidate: Candidate) -> int:
    """Return the number of rows with the text of the first row of several segments, or the second (below a title)."""
    texts = [" ".join([word.text for word in row.words]) for row in candidate.rows if len(row.segments) > 1]
    for text in texts[:2]:
        repeats = texts.count(text) - 1
        has_figures = text[0].isdigit() if text is texts[0] else any(map(str.isdigit, text))
        if repeats and not has_figures and len(text) >= LIMITS.least_chars:
            return repeats
    return 0


@dataclass(frozen=True, slots=True)
class PlaceLimits:
    """Bounds of the features of the place of a table."""

    most_fills: int = 120
    """Maximum pictures and shaded areas that are compared with a region."""
    least_chars: int = 4
    """Characters of a head that may repeat; rows of marks and figures repeat by nature."""


LIMITS = PlaceLimits()


def place_features(candidate: Candidate, view: PageView, known: dict[tuple[int, ...], list[float]]) -> list[float]:
    """Return the features `PLACE_NAMES`; `known` caches values that all grids of the same lines share."""
    around = known.get(candidate.indices)
    if around is None:
        around = [*_surroundings(candidate, view), *_page_share(candidate, view)]
        known[candidate.indices] = around
    own = places.place_features(candidate.rows, candidate.region, candidate.grid, view.fills)
    return [*own, *around]


def _surroundings(candidate: Candidate, view: PageView) -> list[float]:
    x0, y0, x1, y1 = _text_box(candidate)
    size = candidate.rows[0].size
    own = set(candidate.indices)
    above = below = beside_gap = FAR
    above_wide = below_wide = above_like = below_like = 0.0
    beside: set[int] = set()
    caption_out = figure_near = strangers = 0
    height = 0
    for number, row in _rows_within(view, y0 - FAR * size, y1 + FAR * size):
        middle = row.base - 0.3 * row.size
        is_beside = y0 <= middle <= y1
        height += is_beside
        for index in row.indices:
            if index in own:
                continue
            line = view.lines[index]
            if is_beside:
                if line.x1 <= x0 + 1 or line.x0 >= x1 - 1:
                    beside.add(number)
                    beside_gap = min(beside_gap, max(x0 - line.x1, line.x0 - x1) / size)
                else:
                    strangers += 1
            elif line.x0 < x1 and line.x1 > x0:
                up, down = y0 - line.y1, line.y0 - y1
                if middle < y0 and up / size < above:
                    share = min(1.5, (line.x1 - line.x0) / max(1.0, x1 - x0))
                    above, above_wide, above_like = max(-1.0, up / size), share, float(row.segments)
                elif middle > y1 and down / size < below:
                    share = min(1.5, (line.x1 - line.x0) / max(1.0, x1 - x0))
                    below, below_wide, below_like = max(-1.0, down / size), share, float(row.segments)
                if min(abs(up), abs(down)) < 4 * size:
                    caption_out += TABLE_CAPTION.match(line.text) is not None
                    figure_near += line.text[:3].lower() in ("fig", "cha") and is_caption(line.text)
    caption_in = sum([TABLE_CAPTION.match(view.lines[index].text) is not None for index in candidate.indices])
    return [
        above, below, len(beside) / max(1, height), beside_gap, min(caption_out, 3), min(caption_in, 3),
        min(figure_near, 3), is_contents(candidate.rows), *_relative_box(candidate, view), min(strangers, 20),
        above_wide, below_wide, above_like, below_like,
    ]  # fmt: skip


def _rows_within(view: PageView, top: float, bottom: float) -> list[tuple[int, LineRow]]:
    """Return rows with their numbers that may reach between two heights. Two ems allow for a line's height."""
    return [
        (number, row)
        for number, row in enumerate(view.rows)
        if row.base + 2 * row.size >= top and row.base - 2 * row.size <= bottom
    ]


def _text_box(candidate: Candidate) -> Bbox:
    return (
        min([row.words[0].x0 for row in candidate.rows]),
        candidate.rows[0].top,
        max([row.words[-1].x1 for row in candidate.rows]),
        candidate.rows[-1].bottom,
    )


def _relative_box(candidate: Candidate, view: PageView) -> list[float]:
    x0, y0, x1, y1 = candidate.region.box
    page = max(1.0, view.marks.width * view.marks.height)
    return [
        (x1 - x0) * (y1 - y0) / page, (x1 - x0) / max(1.0, view.marks.width), (y1 - y0) / max(1.0, view.marks.height),
        len(candidate.indices) / max(1, len(view.lines)),
    ]  # fmt: skip


def _page_share(candidate: Candidate, view: PageView) -> list[float]:
    lines = [view.lines[index] for index in candidate.indices]
    sizes = sorted(line.size for line in lines)
    rows, box = candidate.rows, candidate.region.box
    covered = sum(intersection_area(box, picture) for picture in view.marks.pictures[: LIMITS.most_fills])
    shapes = sum(
        box[0] <= (shape[0] + shape[2]) / 2 <= box[2] and box[1] <= (shape[1] + shape[3]) / 2 <= box[3]
        for shape in view.marks.shapes[:400]
    )
    return [
        sum([len(row.segments) for row in rows]) / len(rows), sizes[len(sizes) // 2],
        (sizes[-1] - sizes[0]) / max(1.0, sizes[0]), sum([line.code for line in lines]) / len(lines),
        sum([line.math for line in lines]) / len(lines), covered / max(1.0, bbox_area(box)), min(shapes, 50),
        sum([len(row.segments) < 2 for row in rows]) / len(rows),
        sum([row.segments > 1 for row in view.rows]) / max(1, len(view.rows)),
    ]  # fmt: skip
