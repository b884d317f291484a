"""Second opinion on the tables of a page: when a layout detector is asked, and how it changes the scores.

The detector's boxes are additional proposals. A candidate of the same lines gains score, and one that the detector did
not see loses a little. The choice is the same.
"""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.tables.regions.view import PageView, lines_within
from quire.models.extract.layout.tables.scoring.candidates import Candidate, build_candidates

MAKER = "seen"


@dataclass(frozen=True, slots=True)
class OpinionLimits:
    """Score limits (0..1) for asking the detector, and the weight of its opinion.

    A page is doubted with a chosen table under `sure`, or with a candidate of at least `free` whose lines are in no
    table. A candidate that shares `alike` (0..1, common lines over lines in either) of its lines with a box gains that
    share of `raised`; one that shares none with any box loses `lowered`.
    """

    sure: float = 0.75
    free: float = 0.2
    alike: float = 0.5
    raised: float = 0.3
    lowered: float = 0.05
    least_lines: int = 4
    """Minimum lines of text in a box with a table of two rows and two columns."""
    most_boxes: int = 24
    """Maximum boxes of a page that are used, most certain first."""


LIMITS = OpinionLimits()


def find_doubts(candidates: list[Candidate], scores: list[float], chosen: list[tuple[Candidate, float]]) -> list[str]:
    """Return the reasons to ask for a second opinion about the page; empty without doubts."""
    doubts = ["low-score"] if any(score < LIMITS.sure for _, score in chosen) else []
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    left = (
        score >= LIMITS.free and taken.isdisjoint(candidate.indices)
        for candidate, score in zip(candidates, scores, strict=True)
    )
    return [*doubts, "aligned-outside"] if any(left) else doubts


def propose_seen(view: PageView, boxes: list[Bbox], known: set[tuple[int, ...]]) -> list[Candidate]:
    """Return candidates of the lines in the detector's boxes; `known` lines have theirs already."""
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
    """Return the scores after the detector's opinion."""
    seen = _lines_of(view, boxes)
    return [
        min(1.0, score + _weigh(candidate.indices, seen)) for candidate, score in zip(candidates, scores, strict=True)
    ]


def _weigh(indices: tuple[int, ...], seen: list[frozenset[int]]) -> float:
    own = frozenset(indices)
    if all(own.isdisjoint(lines) for lines in seen):
        return -LIMITS.lowered
    best = max(len(own & lines) / len(own | lines) for lines in seen)
    return LIMITS.raised * best if best >= LIMITS.alike else 0.0


def _lines_of(view: PageView, boxes: list[Bbox]) -> list[frozenset[int]]:
    number = {id(line): index for index, line in enumerate(view.lines)}
    return [frozenset(number[id(line)] for line in lines_within(view.lines, box)) for box in boxes[: LIMITS.most_boxes]]
