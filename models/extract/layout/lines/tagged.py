"""Text as its author tagged it: which element of the document's structure each printed line belongs to."""

from dataclasses import dataclass

from models.cdom.geometry import Bbox


@dataclass(frozen=True, slots=True)
class TaggedLine:
    """`element` counts the page's elements in the author's order; `role` is the standard name of its type (P, H1, LI).

    `depth` counts the lists around it. In a table: `table` counts tables from 1 (0 = in none), `row` its rows as they
    come, `column` is the number that the author gave the cell.
    """

    box: Bbox
    text: str
    element: int
    role: str
    depth: int = 0
    table: int = 0
    row: int = 0
    column: int = 0
