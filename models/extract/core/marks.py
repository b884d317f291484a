"""Straight lines, shaded areas, and the region of a possible table."""

from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in points."""


# Pages have hundreds of each. In compiled code an explicit constructor takes a fifth of a dataclass's time.
@dataclass(slots=True, init=False)
class Rule:
    """A straight line: from (x0, y0) to (x1, y1), horizontal or vertical; a filled bar counts by its edges."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __init__(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.x0, self.y0, self.x1, self.y1 = x0, y0, x1, y1


@dataclass(slots=True, init=False)
class Fill:
    """A filled rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float
    color: int

    def __init__(self, x0: float, y0: float, x1: float, y1: float, color: int) -> None:
        self.x0, self.y0, self.x1, self.y1, self.color = x0, y0, x1, y1, color


@dataclass(slots=True, init=False)
class RuledRegion:
    """A possible table: its box and the rules in it, sorted by position."""

    box: Box
    horizontals: list[Rule]
    verticals: list[Rule]

    def __init__(self, box: Box, horizontals: list[Rule] | None = None, verticals: list[Rule] | None = None) -> None:
        self.box, self.horizontals, self.verticals = box, horizontals or [], verticals or []

    @property
    def levels(self) -> int:
        """Return the number of distinct heights of its horizontals."""
        return len({round(rule.y0) for rule in self.horizontals})
