"""Choose the best set of candidates without common lines."""

from collections.abc import Set
from dataclasses import dataclass

from quire.models.extract.layout.tables.scoring.candidates import Candidate
from quire.models.extract.layout.tables.scoring.features import FEATURE_NAMES


@dataclass(frozen=True, slots=True)
class ChoiceLimits:
    """Limits of the choice.

    `bar`: minimum expected quality (0..1) of a table; `lattice` suffices for a full lattice with every cell framed.
    `gated` is added for a candidate that passed the strict gates, because it may be of a kind missing in the training.
    `size`: power of the number of words by which large tables precede small ones.

    `closed` is subtracted where a box ends and the next begins. `chart` is subtracted for labels of a chart and for
    scattered figures: less than `chart_filled` of the cells have text, and more than `chart_numeric` of those a number.

    A whole replaces its chosen parts if its score is at most `whole` lower than theirs and its number of columns
    differs by at most `columns`; it also needs `whole_bar`. The difference may be `longer` for a single part, and
    `below` for one in a full lattice without merged cells that continues below it. Parts with different columns, at
    least one of them framed, replace a whole if they contain `part_words` of its words, each has `part_bar`, and their
    mean is at most `part` lower.
    """

    bar: float = 0.42
    gated: float = 0.04
    size: float = 0.0
    closed: float = 0.5
    chart: float = 0.25
    chart_filled: float = 0.55
    chart_numeric: float = 0.7
    sparse: float = 0.25
    """Deduction if less than `sparse_filled` of the cells have text and more than `sparse_rows` of the printed rows
    are single pieces: labels around a drawing."""
    sparse_filled: float = 0.55
    """Share (0..1) of cells; 99 of 100 tables have .6 or more."""
    sparse_rows: float = 0.5
    """Share (0..1) of rows; of 95 of 100 tables fewer are one piece."""
    drawn: float = 0.25
    """Deduction for a chart with its labels: `shapes` among texts that are scattered or struck through."""
    shapes: int = 3
    """Curves, slices of a pie: 99 of 100 tables have none."""
    drawn_filled: float = 0.75
    """Share (0..1) of filled cells under which texts are scattered."""
    drawn_struck: float = 0.2
    """Share (0..1) of rows with a rule through them; 99 of 100 tables have less than .14."""
    contents: float = 0.25
    """Deduction for a list of titles with page numbers that never decrease; none of 532 true tables is one."""
    contents_share: float = 0.8
    """Share of the lines of a candidate that a list of contents holds: the others are heads above or below it."""
    repeated: float = 0.2
    """Deduction for a table that repeats its header: stacked tables of one form."""
    lattice: float = 0.12
    whole: float = 0.15
    whole_bar: float = 0.6
    columns: int = 1
    longer: float = 0.0
    tail: float = 0.08
    """Room (of the score) for a whole that only has further lines of the last row."""
    below: float = 0.06
    top: float = 1.0
    """Points by which the tops of two candidates that begin with the same row may differ."""
    part: float = 0.1
    part_bar: float = 0.6
    part_words: float = 0.95
    last_resort: float = 0.05
    """Maximum score of a stack of boxes above the bar, so that each of its boxes precedes it."""
    floor: float = 0.1
    """Minimum score of a full lattice above the bar."""


LIMITS = ChoiceLimits()
_CLOSED, _FILLED, _NUMERIC, _HELD, _LEVELS, _BOXED, _SHAPES, _SINGLE, _STRUCK, _CONTENTS, _SPANS, _REPEATED = (
    FEATURE_NAMES.index(name)
    for name in (
        "closed_gaps",
        "filled",
        "numeric",
        "columns_held",
        "levels_per_row",
        "boxed",
        "shapes",
        "single_rows",
        "struck",
        "contents",
        "spans",
        "repeated_heads",
    )
)

Chosen = tuple[Candidate, float]


@dataclass(slots=True)
class _Rated:
    candidate: Candidate
    score: float
    words: int
    lines: frozenset[int]
    is_closed: bool
    is_framed: bool
    is_plain: bool
    """A full lattice without merged cells: all text in its frame is one table."""

    @property
    def value(self) -> float:
        return float((self.score - LIMITS.bar) * max(1, self.words) ** LIMITS.size)


def choose_candidates(
    candidates: list[Candidate],
    features: list[list[float]],
    scores: list[float],
    chart_lines: Set[int] = frozenset(),
) -> list[Chosen]:
    """Choose the tables of a page.

    Args:
        candidates: Finished tables that may be one.
        features: The features of each.
        scores: The expected quality of each, 0 to 1.
        chart_lines: Indices of lines that stand between the gridlines of charts.

    Returns:
        Candidates with their scores, the best first, none sharing a line with another.
    """
    contents = [
        frozenset(candidate.indices)
        for candidate, values in zip(candidates, features, strict=True)
        if values[_CONTENTS]
    ]
    rated = [
        _rate(candidate, values, score - _unlikely(frozenset(candidate.indices), contents, chart_lines))
        for candidate, values, score in zip(candidates, features, scores, strict=True)
    ]
    order = sorted(range(len(rated)), key=lambda index: (-rated[index].value, index))
    ranked = [rated[index] for index in order if rated[index].value > 0]
    taken: set[int] = set()
    chosen: list[_Rated] = []
    for rated_candidate in ranked:
        if taken.isdisjoint(rated_candidate.lines):
            taken |= rated_candidate.lines
            chosen.append(rated_candidate)
    chosen = [part for rated_candidate in _join_parts(ranked, chosen) for part in _split_whole(ranked, rated_candidate)]
    return [(rated_candidate.candidate, rated_candidate.score) for rated_candidate in chosen]


def _unlikely(lines: frozenset[int], contents: list[frozenset[int]], chart_lines: Set[int]) -> float:
    """Return the deduction for a list of contents, a part of one, one with a few more lines, and labels of a chart."""
    is_contents = any(len(lines & other) >= LIMITS.contents_share * len(lines) for other in contents)
    off = LIMITS.contents if is_contents else 0.0
    return off if chart_lines.isdisjoint(lines) else off + LIMITS.chart


def _rate(candidate: Candidate, features: list[float], score: float) -> _Rated:
    is_closed = features[_CLOSED] > 0
    if candidate.mode == "gates":
        score += LIMITS.gated
    if is_closed:
        score = min(score - LIMITS.closed, LIMITS.bar + LIMITS.last_resort)
    score -= 0.0 if _is_ruled_off(features) else _scattered(features)
    if features[_REPEATED]:
        score -= LIMITS.repeated
    if _is_drawing(features):
        score -= LIMITS.drawn
    is_lattice = not is_closed and _is_lattice(features)
    is_plain = is_lattice and features[_SPANS] == 0
    if score >= LIMITS.lattice and is_lattice:
        score = max(score, LIMITS.bar + LIMITS.floor)
    words = sum(len(row.words) for row in candidate.rows)
    return _Rated(candidate, score, words, frozenset(candidate.indices), is_closed, _is_framed(features), is_plain)


def _scattered(features: list[float]) -> float:
    """Return the deduction for scattered texts, such as figures and labels of a chart."""
    off = 0.0
    if features[_FILLED] < LIMITS.chart_filled and features[_NUMERIC] > LIMITS.chart_numeric:
        off += LIMITS.chart
    if features[_FILLED] < LIMITS.sparse_filled and features[_SINGLE] > LIMITS.sparse_rows:
        off += LIMITS.sparse
    return off


def _is_drawing(features: list[float]) -> bool:
    """Return True for curves among scattered or struck-through texts: a chart with its labels."""
    scattered = features[_FILLED] < LIMITS.drawn_filled or features[_STRUCK] > LIMITS.drawn_struck
    return features[_SHAPES] >= LIMITS.shapes and scattered


def _is_lattice(features: list[float]) -> bool:
    """Return True for a full grid of rules with text in at least half of its cells."""
    return _is_ruled_off(features) and features[_FILLED] >= 0.5


def _is_ruled_off(features: list[float]) -> bool:
    """Return True if rules form every column edge, every row boundary and both sides; empty cells belong to a form."""
    return _is_framed(features) and features[_LEVELS] >= 1


def _is_framed(features: list[float]) -> bool:
    """Return True if rules form every column edge and both sides."""
    return features[_HELD] >= 1 and features[_BOXED] > 1


def _join_parts(ranked: list[_Rated], chosen: list[_Rated]) -> list[_Rated]:
    """Return the chosen candidates, with parts replaced by a whole that is nearly as good and has their columns.

    A whole is compared with the best score chosen first in its place, so that several replacements cannot end far below
    it.
    """
    standard = {id(part): part.score for part in chosen}
    for whole in ranked:
        if whole.score < LIMITS.whole_bar or whole.is_closed or id(whole) in standard:
            continue
        parts = [part for part in chosen if not whole.lines.isdisjoint(part.lines)]
        if not parts or not all(_is_part(part, whole) for part in parts):
            continue
        mean = sum(standard[id(part)] * part.words for part in parts) / sum(part.words for part in parts)
        if whole.score >= mean - _room_of(whole, parts):
            standard[id(whole)] = max(mean, whole.score)
            chosen = [part for part in chosen if whole.lines.isdisjoint(part.lines)] + [whole]
    return chosen


def _room_of(whole: _Rated, parts: list[_Rated]) -> float:
    """Return how much lower than its parts a whole may be scored."""
    if len(parts) > 1:
        return LIMITS.whole
    if _ends_the_last_row(whole.candidate, parts[0].candidate):
        return LIMITS.tail
    return LIMITS.below if _adds_rows_below(whole, parts[0]) else LIMITS.longer


def _ends_the_last_row(whole: Candidate, part: Candidate) -> bool:
    """Return True if the whole has the same rows and columns as the part, and only further lines of the last row."""
    is_same = len(whole.grid.rows) == len(part.grid.rows) and whole.grid.width == part.grid.width
    return is_same and abs(whole.rows[0].base - part.rows[0].base) < LIMITS.top


def _adds_rows_below(whole: _Rated, part: _Rated) -> bool:
    """Return True if the whole's frame adds rows below the part, none above, and is closed below them."""
    region, rows = whole.candidate.region, whole.candidate.rows
    low = max((rule.y0 for rule in region.horizontals), default=0.0)
    is_closed = low >= rows[-1].base - 1
    return whole.is_plain and is_closed and region.box[1] > part.candidate.region.box[1] - LIMITS.top


def _split_whole(ranked: list[_Rated], whole: _Rated) -> list[_Rated]:
    """Return the whole, or parts of it that are as good, differ in their columns, and include a framed one."""
    parts: list[_Rated] = []
    taken: set[int] = set()
    for part in ranked:
        if part.lines < whole.lines and part.score >= LIMITS.part_bar and taken.isdisjoint(part.lines):
            parts.append(part)
            taken |= part.lines
    widths = {part.candidate.grid.width for part in parts}
    if len(parts) < 2 or len(widths) < 2 or not any(part.is_framed for part in parts):
        return [whole]
    words = sum(part.words for part in parts)
    mean = sum(part.score * part.words for part in parts) / words
    is_better = words >= LIMITS.part_words * whole.words and mean >= whole.score - LIMITS.part
    return parts if is_better else [whole]


def _is_part(part: _Rated, whole: _Rated) -> bool:
    apart = abs(part.candidate.grid.width - whole.candidate.grid.width)
    return part.lines < whole.lines and apart <= LIMITS.columns
