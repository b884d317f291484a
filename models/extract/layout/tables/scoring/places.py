"""Features of a finished table's place: edges of its columns, pitch of its rows, rules, shades, surroundings."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area
from quire.models.extract.core.bands import find_levels, spans_columns
from quire.models.extract.core.words import Segment
from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.ruled import is_contents
from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.text.captions import TABLE_CAPTION, is_caption


@dataclass(frozen=True, slots=True)
class PlaceLimits:
    """Bounds of the features of the place of a table."""

    shared_edge: float = 2.0
    """Edges this close (points) are one."""
    far: float = 20.0
    """Upper limit of distances (ems)."""
    most_fills: int = 120
    """Maximum pictures and shaded areas that are compared with a region."""


LIMITS = PlaceLimits()


PLACE_NAMES = (
    "aligned", "aligned_least", "left_first", "gap_least", "gap_mean", "pitch", "pitch_spread", "pitch_most",
    "rows_per_row", "levels_per_row", "ruled_top", "ruled_bottom", "ruled_head", "verticals_per_column",
    "boxed", "struck", "fills_per_row", "fill_area", "fill_colors", "cut", "above", "below", "beside",
    "beside_gap", "caption_out", "caption_in", "figure_near", "contents", "area", "width", "height", "lines",
    "strangers", "above_wide", "below_wide", "above_like", "below_like", "segments_per_row", "size",
    "size_spread", "code", "math", "pictures", "shapes", "single_rows", "page_multi",
)  # fmt: skip


def place_features(candidate: Candidate, view: PageView, known: dict[tuple[int, ...], list[float]]) -> list[float]:
    """Return the features `PLACE_NAMES`; `known` caches values that all grids of the same lines share."""
    around = known.get(candidate.indices)
    if around is None:
        around = [*_surroundings(candidate, view), *_page_share(candidate, view)]
        known[candidate.indices] = around
    return [*_alignment(candidate), *_pitch(candidate), *_rules(candidate), *_shades(candidate, view), *around]


def _by_column(candidate: Candidate) -> list[list[Segment]]:
    columns = candidate.grid.columns
    segments: list[list[Segment]] = [[] for _ in range(len(columns) + 1)]
    for row in candidate.rows:
        if len(row.segments) > 1:
            for segment in row.segments:
                segments[bisect_left(columns, (segment.x0 + segment.x1) / 2)].append(segment)
    return segments


def _alignment(candidate: Candidate) -> list[float]:
    shares: list[float] = []
    extents: list[tuple[float, float]] = []
    first_left = 0.0
    for column, segments in enumerate(_by_column(candidate)):
        if not segments:
            continue
        lefts, rights = sorted([segment.x0 for segment in segments]), sorted([segment.x1 for segment in segments])
        extents.append((lefts[0], rights[-1]))
        left = _share(lefts)
        best = max(left, _share(rights))
        shares.append(
            best if best == 1 else max(best, _share(sorted([(segment.x0 + segment.x1) / 2 for segment in segments])))
        )
        if column == 0:
            first_left = left
    size = candidate.rows[0].size
    gaps = [max(-2.0, min(LIMITS.far, (right[0] - left[1]) / size)) for left, right in pairwise(extents)] or [0.0]
    shares = shares or [0.0]
    return [sum(shares) / len(shares), min(shares), first_left, min(gaps), sum(gaps) / len(gaps)]


def _share(edges: list[float]) -> float:
    """Return the share of edges (ascending) that coincide."""
    if edges[-1] - edges[0] < LIMITS.shared_edge:
        return 1.0
    best = run = 1
    for edge, other in pairwise(edges):
        if other - edge >= LIMITS.shared_edge:
            run = 1
            continue
        run += 1
        if run > best:
            best = run
    return best / len(edges)


def _pitch(candidate: Candidate) -> list[float]:
    rows = candidate.rows
    steps = [min(LIMITS.far, (below.base - above.base) / max(above.size, 1.0)) for above, below in pairwise(rows)] or [
        0.0
    ]
    mean = sum(steps) / len(steps)
    spread = (sum([(step - mean) ** 2 for step in steps]) / len(steps)) ** 0.5
    return [mean, spread / max(mean, 0.1), max(steps), len(rows) / max(1, len(candidate.grid.rows))]


def _rules(candidate: Candidate) -> list[float]:
    region, rows = candidate.region, candidate.rows
    x0, y0, x1, y1 = region.box
    levels = [(y, sum([rule.x1 - rule.x0 for rule in rules])) for y, rules in find_levels(region.horizontals)]
    wide = [y for y, length in levels if length > 0.7 * (x1 - x0)]
    first, last = rows[0], rows[-1]
    head = any(first.base - 1 < y < rows[min(3, len(rows) - 1)].base for y in wide)
    verticals = len({round(rule.x0 / 3) for rule in region.verticals if rule.y1 - rule.y0 > 0.4 * (y1 - y0)})
    sides = [rule.x0 for rule in region.verticals]
    boxed = any([abs(x - x0) < 3 for x in sides]) + any([abs(x - x1) < 3 for x in sides])
    struck = 0
    for row in rows if wide else ():
        index = bisect_right(wide, row.top + 2)
        struck += index < len(wide) and wide[index] < row.base - 2
    return [
        len(wide) / max(1, len(candidate.grid.rows)), any(y < first.base - 0.5 * first.size for y in wide),
        any(y > last.base for y in wide), head, verticals / max(1, len(candidate.grid.columns)), boxed,
        struck / len(rows),
    ]  # fmt: skip


def _shades(candidate: Candidate, view: PageView) -> list[float]:
    box = candidate.region.box
    x0, y0, x1, y1 = box[0] - 8, box[1] - 8, box[2] + 8, box[3] + 8
    inside = [fill for fill in view.fills if fill.x0 >= x0 and fill.x1 <= x1 and fill.y0 >= y0 and fill.y1 <= y1]
    area = sum([(fill.x1 - fill.x0) * (fill.y1 - fill.y0) for fill in inside])
    heights = {round(fill.y0 / 3) for fill in inside}
    colors = len({fill.color for fill in inside})
    columns = candidate.grid.columns
    cut = [spans_columns(segment.x0, segment.x1, columns) for row in candidate.rows for segment in row.segments]
    return [
        len(heights) / max(1, len(candidate.grid.rows)), area / max(1.0, bbox_area(box)), colors, sum(cut) / len(cut),
    ]  # fmt: skip


def _surroundings(candidate: Candidate, view: PageView) -> list[float]:
    x0, y0, x1, y1 = _text_box(candidate)
    size = candidate.rows[0].size
    own = set(candidate.indices)
    above = below = beside_gap = LIMITS.far
    above_wide = below_wide = above_like = below_like = 0.0
    beside: set[int] = set()
    caption_out = figure_near = strangers = 0
    height = 0
    for number, row in _rows_within(view, y0 - LIMITS.far * size, y1 + LIMITS.far * size):
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
