"""Elements of a formula: printed glyphs and bars, and the items built of them. Points, origin top-left."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class MathGlyph:
    """One printed character: `x0 y0 x1 y1` around its ink, `base` the baseline's y, `size` the font's.

    `font` is the font's name in lower case without its subset mark.
    """

    char: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    font: str = ""


@dataclass(frozen=True, slots=True)
class FractionBar:
    """A thin horizontal rule: of a fraction, a root, an overline."""

    x0: float
    x1: float
    y: float


class MathRole(StrEnum):
    """Role of an item for its neighbours."""

    PLAIN = "plain"
    LETTER = "letter"
    """An upright letter, which may be part of a name or a word."""
    NAMELESS = "nameless"
    """A letter of a font without a name: upright or not, it may be part of a known name."""
    OPERATOR = "operator"
    """A large operator or a name that takes limits."""
    DELIMITER = "delimiter"
    ACCENT = "accent"
    ROOT = "root"
    ATOM = "atom"
    """A finished part: fraction, root, matrix. It is placed by its middle, from which `base` is computed."""


@dataclass(slots=True)
class MathItem:
    """A glyph or finished part of a formula, with its LaTeX."""

    latex: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    role: MathRole = MathRole.PLAIN
    char: str = ""
    font: str = ""

    @property
    def middle_x(self) -> float:
        """Return the horizontal middle."""
        return (self.x0 + self.x1) / 2

    @property
    def middle_y(self) -> float:
        """Return the vertical middle."""
        return (self.y0 + self.y1) / 2


def around(items: list[MathItem]) -> tuple[float, float, float, float]:
    """Return the box around items."""
    return (
        min(item.x0 for item in items),
        min(item.y0 for item in items),
        max(item.x1 for item in items),
        max(item.y1 for item in items),
    )


MATH_FONT = re.compile(
    r"math|katex|cmmi|cmsy|cmex|stix.*ital|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|type3|lmm[is]"
)
"""Matches lower-case names. Fonts without a name (Type 3) may be of mathematics, and STIX's italics print words too."""
_ONLY_MATH = re.compile(
    r"math|katex|cmmi|cmsy|cmex|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|lmm[is]"
)


def sets_only_math(name: str) -> bool:
    """Return True for a font (lower-case name) that is never used for words."""
    return _ONLY_MATH.search(name) is not None


Parse = Callable[[list[MathItem], list[FractionBar]], tuple[str, float]]
"""Converts items and bars to LaTeX and the baseline of its first row."""

AXIS = 0.25
"""Height of fraction bars and operators' middles above the baseline, in ems."""
_FIRST_GAP, _NEXT_GAP = 0.8, 0.45
"""Blank (in ems) between a fraction's bar and its parts, and inside one of these."""
_TIGHT = 0.4
"""Maximum distance (in ems) of an overline from the items below it."""


def take_bars(items: list[MathItem], bars: list[FractionBar], parse: Parse) -> list[MathItem]:
    """Replace every bar and the items that it joins by one atom, widest bars first."""
    left = sorted(bars, key=lambda bar: (bar.x0 - bar.x1, bar.y, bar.x0))
    while left:
        bar = left.pop(0)
        root = _find_root(bar, items)
        made = _make_root(root, bar, items, left, parse) if root else _make_fraction(bar, items, left, parse)
        if made is None:
            continue
        atom, used, inner = made
        items = [item for item in items if not any(item is part for part in used)] + [atom]
        left = [part for part in left if not any(part is other for other in inner)]
    return items


def _find_root(bar: FractionBar, items: list[MathItem]) -> MathItem | None:
    """Return the root sign whose upper end the bar continues."""
    for item in items:
        reach = 0.15 * item.size + 1
        if item.role is MathRole.ROOT and abs(item.x1 - bar.x0) < reach and abs(item.y0 - bar.y) < 2 * reach:
            return item
    return None


Made = tuple[MathItem, list[MathItem], list[FractionBar]]
"""A new atom, the items it is made of, the bars inside it."""


def _make_root(
    root: MathItem, bar: FractionBar, items: list[MathItem], bars: list[FractionBar], parse: Parse
) -> Made | None:
    low = max(root.y1, root.y0 + 0.8 * root.size) + 0.3 * root.size
    covered = [
        item
        for item in items
        if item is not root and bar.x0 - 1 <= item.middle_x <= bar.x1 + 1 and bar.y - 1 <= item.middle_y <= low
    ]
    if not covered:
        return None
    inner = [other for other in bars if _is_inside(other, bar) and bar.y < other.y < low]
    latex, base = parse(covered, inner)
    degree = [
        item
        for item in items
        if item.size < 0.8 * root.size
        and root.x0 - 0.6 * root.size < item.middle_x < root.x0 + 0.7 * (root.x1 - root.x0)
        and bar.y - 0.5 * root.size < item.middle_y < root.middle_y
    ]
    index = f"[{parse(degree, [])[0]}]" if degree else ""
    box = around([root, *covered, *degree])
    size = max(item.size for item in covered)
    atom = MathItem(f"\\sqrt{index}{{{latex}}}", box[0], min(box[1], bar.y), max(box[2], bar.x1), box[3], base, size)
    return atom, [root, *covered, *degree], inner


def _is_inside(inner: FractionBar, outer: FractionBar) -> bool:
    return outer.x0 - 1 <= inner.x0 and inner.x1 <= outer.x1 + 1


def _make_fraction(bar: FractionBar, items: list[MathItem], bars: list[FractionBar], parse: Parse) -> Made | None:
    """Return a fraction if items are on both sides, else an over- or underline; None without items."""
    near = [item for item in items if bar.x0 - 1 <= item.middle_x <= bar.x1 + 1]
    above = _chain([item for item in near if item.middle_y < bar.y], bar.y, up=True)
    below = _chain([item for item in near if item.middle_y > bar.y], bar.y, up=False)
    if above and below:
        return _join_fraction(bar, above, below, bars, parse)
    covered = below or above
    if not covered:
        return None
    box, size = around(covered), max(item.size for item in covered)
    if min(abs(box[1] - bar.y), abs(box[3] - bar.y)) > _TIGHT * size:
        return None
    inner = [other for other in bars if _is_inside(other, bar) and box[1] - 1 < other.y < box[3] + 1]
    latex, base = parse(covered, inner)
    command = "\\overline" if below else "\\underline"
    atom = MathItem(f"{command}{{{latex}}}", *box, base, size)
    return atom, covered, inner


def _join_fraction(
    bar: FractionBar, above: list[MathItem], below: list[MathItem], bars: list[FractionBar], parse: Parse
) -> Made:
    high, low = around(above)[1], around(below)[3]
    inner = [other for other in bars if _is_inside(other, bar) and high - 2 < other.y < low + 2]
    top, _ = parse(above, [other for other in inner if other.y < bar.y])
    bottom, _ = parse(below, [other for other in inner if other.y > bar.y])
    size = max(item.size for item in (*above, *below))
    atom = MathItem(
        f"\\frac{{{top}}}{{{bottom}}}", bar.x0, high, bar.x1, low, bar.y + AXIS * size, size, MathRole.ATOM
    )  # fmt: skip
    return atom, [*above, *below], inner


def _chain(items: list[MathItem], start: float, *, up: bool) -> list[MathItem]:
    """Return consecutive items away from a bar, up to the first wide blank."""
    taken: list[MathItem] = []
    reach = start
    for item in sorted(items, key=lambda entry: -entry.y1 if up else entry.y0):
        gap = reach - item.y1 if up else item.y0 - reach
        if gap > (_NEXT_GAP if taken else _FIRST_GAP) * item.size:
            break
        taken.append(item)
        reach = min(reach, item.y0) if up else max(reach, item.y1)
    return taken
