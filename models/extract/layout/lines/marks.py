"""Printed content of a page before classification: text lines, rules, shaded areas, pictures.

Made from a PDF's text page or from recognised words; all boxes are points, origin top-left, after page rotation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import Fill, Rule, RuledRegion
from quire.models.extract.coverage.account import Painted
from quire.models.extract.layout.charts.marks import ChartMark, Drawn
from quire.models.extract.math.glyphs import MathGlyph


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


@dataclass(slots=True)
class Run:
    """A styled stretch of a line's text, `start` to `end` exclusive; `latex` of a formula inside running text."""

    start: int
    end: int
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str | None = None
    latex: str | None = None
    strike: bool = False
    superscript: bool = False
    subscript: bool = False
    underline: bool = False
    highlight: bool = False


@dataclass(slots=True, init=False)
class Piece:
    """A word of a line: its extent and text; `y0` and `y1` (equal where unknown) are its top and bottom."""

    x0: float
    x1: float
    text: str
    y0: float
    y1: float

    def __init__(self, x0: float, x1: float, text: str, y0: float = 0.0, y1: float = 0.0) -> None:
        self.x0, self.x1, self.text, self.y0, self.y1 = x0, x1, text, y0, y1


DOWNWARDS = 270
"""`turn` of lines that run from top to bottom: degrees clockwise by which the page is turned to read them."""


@dataclass(slots=True)
class Line:
    """Text on one baseline without a wide gap. `size` is the font size of most of it (for recognised text: box height).

    `x0 y0 x1 y1` hug the letters; `base` is the baseline's y. `runs` is empty when nothing is styled.
    A line that is not `upright` runs up, down or aslant; `turn` is the clockwise rotation of the page (90, 180, 270
    degrees) that makes it upright, 0 without one. `confidence` is 1.0 for a text layer. `key` names the line to
    `PageMarks.split`; `blank_before` and `blank_after` are True when white space was cut off its text.
    `recognised` lines are OCR's. `math` lines are set to a fifth or more in fonts of mathematics, `has_math` in
    letters of such fonts in part.
    `reach`: top and bottom of all its glyphs' boxes, raised and lowered ones too. `color` is that of most of
    its text; `tall` the size of its largest letters, where small capitals follow them. A line joined of several keeps
    them as `parts`. `bulleted` lines begin after a mark that is drawn.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    text: str
    font: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    upright: bool = True
    hidden: bool = False
    unseen: str | None = None
    runs: list[Run] = field(default_factory=list)
    confidence: float = 1.0
    key: tuple[int, int] = (-1, -1)
    blank_before: bool = False
    blank_after: bool = False
    recognised: bool = False
    math: bool = False
    has_math: bool = False
    reach: tuple[float, float] = (0.0, 0.0)
    color: int = 0
    tall: float = 0.0
    parts: tuple["Line", ...] = ()
    turn: int = 0
    bulleted: bool = False

    @property
    def all_bold(self) -> bool:
        """True when not a single character is light."""
        runs = self.runs
        return self.bold and bool(runs) and runs[0].start == 0 and runs[-1].end >= len(self.text.rstrip())

    @property
    def bbox(self) -> Bbox:
        """Return the line's box."""
        return (self.x0, self.y0, self.x1, self.y1)


@dataclass(slots=True)
class PrintedField:
    """A form field: its name, its value, and for a box to tick whether it is ticked (else null).

    `printed`: what the page shows in its place; `label`: the printed lines that say what it is. `chosen`: the options
    that are chosen in a list box, which shows the others too. `sign`: a drawn box to tick. `holds_label`: its first
    line says what it is. `is_free`: it is in no table, and neither is its label. `unit`: points of the page that are
    one where lines are 12 points high.
    """

    box: Bbox
    name: str
    value: str
    is_checked: bool | None = None
    printed: str = ""
    label: list[Line] = field(default_factory=list)
    chosen: tuple[str, ...] = ()
    sign: str = ""
    holds_label: bool = False
    unit: float = 1.0
    is_free: bool = False


def split_evenly(line: Line) -> list[Piece]:
    """Words of a line when nothing better is known: every character as wide as the others."""
    step = (line.x1 - line.x0) / max(1, len(line.text))
    pieces: list[Piece] = []
    offset = 0
    for word in line.text.split():
        offset = line.text.index(word, offset)
        pieces.append(Piece(line.x0 + offset * step, line.x0 + (offset + len(word)) * step, word))
        offset += len(word)
    return pieces


def find_no_glyphs(boxes: list[Bbox]) -> list[list[MathGlyph]]:
    """Glyphs of a page that has none to look at, as one of recognised words."""
    return [[] for _ in boxes]


def find_no_drawings(boxes: list[Bbox], may_hold: Callable[[list[ChartMark]], bool]) -> Drawn:
    """Return nothing drawn, for a page of recognised words."""
    return Drawn()


def find_no_pixels(area: Bbox, dpi: int) -> npt.NDArray[np.uint8] | None:
    """Return no pixels, for a page whose images cannot be unpacked."""
    return None


def divides_nothing(text: str, following: str) -> bool:
    """Keep every hyphen; used for a page without hyphen statistics."""
    return not (text or following)


def is_blank() -> bool:
    """Return that nothing is known to be drawn on the page."""
    return False


@dataclass(slots=True)
class Network:
    """A fully drawn table: its lines, its rules and its grid."""

    lines: list[Line]
    region: RuledRegion
    grid: Grid


@dataclass(slots=True)
class PageMarks:
    """Everything on one page. Boxes: `pictures` images, `shapes` other drawings, `fills` shaded areas.

    `glyph_shapes` are the filled shapes of the size of letters: text that is drawn as curves has one for each.

    `unseen` are invisible lines (they are not in `lines`), `painted` all characters, for the statement.
    `dashes` are horizontals too short for a table; `glyphs` gives the single glyphs whose origins are in some boxes.
    `tags`: the lines as the author tagged them, if tagged. `orders`: reading orders already found.
    `pixels` gives an image's own grey levels in a box of the page, at some dots an inch, where they decide visibility.
    `seen`: boxes of the tables that a layout detector found, null without one; `doubts`: reasons for a second opinion
    on the page's tables, null when not requested. `rotation`: the page's own, in degrees. `divides`: returns True when
    the hyphen at the end of a text divides its last word. `layer_ink`: returns the share (0..1) of a scan's ink that
    its text layer covers; null for a page whose text is printed. `ligatures`: boxes of glyphs that the file does not
    decode and that were read as ligatures by their shape. `wrong_fonts`: fonts whose map states other characters than
    they draw. `is_inked`: returns whether the drawn page is not of one
    colour. `stamps` and `attached`: boxes of stamps, and of pinned files with their names. `engine`: name and version
    of the second engine that read the words; null for the reader's own. `drawn` reads drawings, and the text
    objects that begin in some boxes, for charts. `parts`: framed rows that may belong to a table of another page.
    """

    width: float
    height: float
    lines: list[Line]
    horizontals: list[Rule] = field(default_factory=list)
    verticals: list[Rule] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    shapes: list[Bbox] = field(default_factory=list)
    glyph_shapes: list[Bbox] = field(default_factory=list)
    pictures: list[Bbox] = field(default_factory=list)
    number: int = 1
    rotation: int = 0
    fields: list[PrintedField] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    comments: list[tuple[Bbox, str]] = field(default_factory=list)
    stamps: list[Bbox] = field(default_factory=list)
    attached: list[tuple[Bbox, str]] = field(default_factory=list)
    ligatures: list[Bbox] = field(default_factory=list)
    wrong_fonts: frozenset[str] = frozenset()
    split: Callable[[Line], list[Piece]] = split_evenly
    dashes: list[Rule] = field(default_factory=list)
    glyphs: Callable[[list[Bbox]], list[list[MathGlyph]]] = find_no_glyphs
    pixels: Callable[[Bbox, int], npt.NDArray[np.uint8] | None] = find_no_pixels
    unseen: list[Line] = field(default_factory=list)
    painted: Painted = field(default_factory=Painted)
    tags: list[TaggedLine] = field(default_factory=list)
    divides: Callable[[str, str], bool] = divides_nothing
    orders: dict[tuple[tuple[float, ...], ...], list[int]] = field(default_factory=dict)
    seen: list[Bbox] | None = None
    doubts: list[str] | None = None
    parts: list[Network] = field(default_factory=list)
    layer_ink: Callable[[], float] | None = None
    is_inked: Callable[[], bool] = is_blank
    engine: tuple[str, str] | None = None
    drawn: Callable[[list[Bbox], Callable[[list[ChartMark]], bool]], Drawn] = find_no_drawings

    def words_of(self, line: Line) -> list[Piece]:
        """Return the words of a line; for a line joined of several, the words of each."""
        return [piece for part in line.parts or (line,) for piece in self.split(part)]
