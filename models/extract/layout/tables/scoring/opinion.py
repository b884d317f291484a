"""A second opinion on the tables of a page: when one is wanted, and what it changes.

A layout detector's boxes are proposals like any other; a candidate of the same lines is expected to be better for it,
one that the detector did not see to be a little worse. The choice is the same.
"""

from dataclasses import dataclass

from models.cdom.geometry import Bbox
from models.extract.layout.tables.regions.view import PageView
from models.extract.layout.tables.scoring.candidates import Candidate, build_candidates
from models.extract.layout.tables.words import lines_within

MAKER = "seen"


@dataclass(frozen=True, slots=True)
class OpinionLimits:
    """Scores (0..1) that call for a second opinion, and what it is worth.

    A page is doubted with a chosen table under `sure`, or with a candidate from `free` on whose lines are in no table.
    What shares `alike` (0..1, lines in common over lines in either) of its lines with a box rises by that share of
    `raised`; what shares none with any box falls by `lowered`.
    """

    sure: float = 0.75
    free: float = 0.2
    alike: float = 0.5
    raised: float = 0.3
    lowered: float = 0.05
    least_lines: int = 4
    """Lines of text in a box: with fewer there is no table of two rows and two columns."""
    most_boxes: int = 24
    """Boxes of a page that are heeded, the surest first."""


LIMITS = OpinionLimits()


def find_doubts(candidates: list[Candidate], scores: list[float], chosen: list[tuple[Candidate, float]]) -> list[str]:
    """Why somebody else should look at the page; empty where all is well."""
    doubts = ["low-score"] if any(score < LIMITS.sure for _, score in chosen) else []
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    left = (
        score >= LIMITS.free and taken.isdisjoint(candidate.indices)
        for candidate, score in zip(candidates, scores, strict=True)
    )
    return [*doubts, "aligned-outside"] if any(left) else doubts


def propose_seen(view: PageView, boxes: list[Bbox], known: set[tuple[int, ...]]) -> list[Candidate]:
    """Candidates of the lines in the detector's boxes; `known` lines have theirs."""
    out: list[Candidate] = []
    for lines in _lines_of(view, boxes):
        indices = tuple(sorted(lines))
        if len(indices) >= LIMITS.least_lines and indices not in known:
            known.add(indices)
            built = build_candidates(view, indices)
            for candidate in built:
                candidate.makers = {MAKER}
            out += built
    return out


def weigh_opinion(view: PageView, boxes: list[Bbox], candidates: list[Candidate], scores: list[float]) -> list[float]:
    """The scores with the detector's opinion."""
    seen = _lines_of(view, boxes)
    return [min(1.0, score + _worth(one.indices, seen)) for one, score in zip(candidates, scores, strict=True)]


def _worth(indices: tuple[int, ...], seen: list[frozenset[int]]) -> float:
    own = frozenset(indices)
    if all(own.isdisjoint(lines) for lines in seen):
        return -LIMITS.lowered
    best = max(len(own & lines) / len(own | lines) for lines in seen)
    return LIMITS.raised * best if best >= LIMITS.alike else 0.0


def _lines_of(view: PageView, boxes: list[Bbox]) -> list[frozenset[int]]:
    number = {id(line): index for index, line in enumerate(view.lines)}
    return [frozenset(number[id(line)] for line in lines_within(view.lines, box)) for box in boxes[: LIMITS.most_boxes]]
