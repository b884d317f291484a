"""What an engine put on a page, for the statement: plain values, filled by readers."""

from collections.abc import Callable
from dataclasses import dataclass, field

from models.cdom.coverage import ExcludedPlace
from models.cdom.geometry import Bbox

PaintedLine = tuple[str, Bbox]
"""Characters of a line without blanks, and its box."""


def no_lines() -> list[PaintedLine]:
    return []


@dataclass(slots=True)
class Painted:
    """`text`: all visible characters without blanks, in the engine's order; `lines` gives them line by line when asked.

    `excluded` is what nobody sees. `judged` is false when the engine could not tell all that it painted.
    """

    text: str = ""
    lines: Callable[[], list[PaintedLine]] = no_lines
    excluded: list[ExcludedPlace] = field(default_factory=list)
    judged: bool = True


def strip_blanks(text: str) -> str:
    """Most blanks are plain ones, which are gone a third as slowly as words are parted and joined."""
    return "".join(text.replace(" ", "").split())
