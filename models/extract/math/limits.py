"""Names of functions, words, accents, and the limits above and below large operators."""

import re

from quire.models.extract.math.glyphs import MathItem, MathRole, Parse, around
from quire.models.extract.math.letters import ACCENTS
from quire.models.extract.math.symbols import FUNCTIONS

_LIMIT_NAMES = frozenset(
    {"lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin", "Pr", "det", "gcd"}
)
_WORDS = re.compile(
    r"if|is|or|and|for|all|where|with|otherwise|else|when|then|such|that|on|in|as|to|of|by|at|the|a|an|some|any"
)
_WIDE = frozenset("\u0302\u0303")
_LETTERS = frozenset({MathRole.LETTER, MathRole.NAMELESS})
_LONG = 4
"""Letters without a gap that form a word in any font."""
_STROKE = "\u0338"
_NEGATED = {"=": "\\neq", "\\in": "\\notin", "\\exists": "\\nexists"}
_SMALL = 0.85
"""Limits and scripts are smaller than this share of the item they belong to."""


def take_names(items: list[MathItem]) -> list[MathItem]:
    """Join runs of upright letters on one baseline to names and words."""
    out: list[MathItem] = []
    run: list[MathItem] = []
    for item in sorted(items, key=lambda entry: (round(entry.base), entry.x0)):
        if run and not _continues(run[-1], item):
            out += _join_run(run)
            run = []
        if item.role in _LETTERS:
            run.append(item)
        else:
            out.append(item)
    return out + _join_run(run)


def _continues(last: MathItem, item: MathItem) -> bool:
    if (
        item.role not in _LETTERS
        or item.font != last.font
        or abs(item.base - last.base) > 0.5
        or abs(item.size - last.size) > 0.3
    ):
        return False
    return -0.1 * item.size < item.x0 - last.x1 < 0.14 * item.size


def _join_run(run: list[MathItem]) -> list[MathItem]:
    """Return one item for the letters of a word; a single letter stays unchanged."""
    if not run:
        return []
    word = "".join(item.char for item in run)
    is_known = word in FUNCTIONS or word in _LIMIT_NAMES or bool(_WORDS.fullmatch(word)) or len(word) >= _LONG
    if len(run) == 1 or (run[0].role is MathRole.NAMELESS and not is_known):
        for item in run:
            item.role = MathRole.PLAIN
        return run
    role = MathRole.OPERATOR if word in _LIMIT_NAMES else MathRole.PLAIN
    if word in FUNCTIONS:
        latex = FUNCTIONS[word]
    elif role is MathRole.OPERATOR:
        latex = f"\\operatorname*{{{word}}}"
    else:
        latex = f"\\text{{ {word} }}" if _WORDS.fullmatch(word) else f"\\mathrm{{{word}}}"
    return [MathItem(latex, *around(run), run[0].base, run[0].size, role, word)]


def take_accents(items: list[MathItem]) -> list[MathItem]:
    """Attach accents to the letters below them."""
    accents = [
        item for item in items if item.role is MathRole.ACCENT or (item.char in ACCENTS and item.role is MathRole.PLAIN)
    ]
    for accent in accents:
        below = [item for item in items if item is not accent and _is_under(accent, item)]
        if not below:
            continue
        if accent.char in _WIDE and len(below) > 1:
            items = _cover(accent, below, items)
            continue
        letter = min(below, key=lambda item: (item.y0, abs(item.middle_x - accent.middle_x)))
        command = ACCENTS[accent.char]
        if accent.x1 - accent.x0 > 1.2 * accent.size and command in ("\\hat", "\\tilde"):
            command = "\\wide" + command[1:]
        letter.latex, letter.y0, letter.char = f"{command}{{{letter.latex}}}", accent.y0, ""
        items = [item for item in items if item is not accent]
    return items


def _cover(accent: MathItem, below: list[MathItem], items: list[MathItem]) -> list[MathItem]:
    """Attach a wide accent to several letters."""
    below.sort(key=lambda item: item.x0)
    x0, _, x1, y1 = around(below)
    latex = f"\\wide{ACCENTS[accent.char][1:]}{{{''.join(item.latex for item in below)}}}"
    joined = MathItem(latex, x0, accent.y0, x1, y1, below[0].base, below[0].size)
    return [item for item in items if item is not accent and not any(item is covered for covered in below)] + [joined]


def _is_under(accent: MathItem, item: MathItem) -> bool:
    if item.role in (MathRole.ACCENT, MathRole.OPERATOR, MathRole.DELIMITER) or not re.search(r"\w$|\}", item.latex):
        return False
    across = min(accent.x1, item.x1) - max(accent.x0, item.x0)
    if across < 0.3 * min(accent.x1 - accent.x0, item.x1 - item.x0):
        return False
    return -0.5 * item.size < accent.y1 - item.y0 < 0.2 * item.size


def join_negations(items: list[MathItem]) -> list[MathItem]:
    """Join a stroke through a relation with it. TeX prints the stroke before it, without width."""
    for stroke in [item for item in items if item.char == _STROKE]:
        after = [
            item
            for item in items
            if item is not stroke
            and -1 < item.x0 - stroke.x0 < stroke.size
            and abs(item.base - stroke.base) < 1.3 * item.size
        ]
        if after:
            relation = min(after, key=lambda item: item.x0)
            relation.latex = _NEGATED.get(relation.latex, f"\\not{relation.latex}")
        items = [item for item in items if item is not stroke]
    return items


def join_integrals(items: list[MathItem]) -> list[MathItem]:
    """Join adjacent integral signs to one sign."""
    signs = sorted((item for item in items if item.latex == "\\int"), key=lambda item: (round(item.base), item.x0))
    for sign in reversed(signs[:-1]):
        for other in signs:
            if other is not sign and other.latex in ("\\int", "\\iint") and _touches(sign, other):
                sign.latex, sign.x1 = "\\i" + other.latex[1:], other.x1
                other.latex = ""
                items = [item for item in items if item is not other]
    return items


def _touches(sign: MathItem, other: MathItem) -> bool:
    return abs(sign.base - other.base) < 1 and 0 < other.x0 - sign.x0 < 0.75 * sign.size


def take_limits(items: list[MathItem], parse: Parse) -> list[MathItem]:
    """Attach small items above and below to large operators and limit names."""
    for operator in sorted((item for item in items if item.role is MathRole.OPERATOR), key=lambda item: item.x0):
        small = [item for item in items if item.size < _SMALL * operator.size and item.role is not MathRole.OPERATOR]
        low = _find_limit(operator, small, below=True)
        high = _find_limit(operator, small, below=False)
        for sign, limit in (("_", low), ("^", high)):
            if limit:
                operator.latex += f"{sign}{{{parse(limit, [])[0]}}}"
                items = [item for item in items if not any(item is part for part in limit)]
        if low or high:
            x0, _, x1, _ = around([operator, *low, *high])
            operator.x0, operator.x1 = x0, x1
    return items


def _find_limit(operator: MathItem, small: list[MathItem], *, below: bool) -> list[MathItem]:
    """Return the row of small items under (or over) the middle of an operator."""
    size = operator.size
    if below:
        band = [item for item in small if -0.1 * size <= item.y0 - operator.y1 <= 0.75 * size]
    else:
        band = [item for item in small if -0.1 * size <= operator.y0 - item.y1 <= 0.75 * size]
    groups: list[list[MathItem]] = []
    for item in sorted(band, key=lambda entry: entry.x0):
        if groups and item.x0 - max(entry.x1 for entry in groups[-1]) < 0.3 * size:
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        x0, _, x1, _ = around(group)
        if abs((x0 + x1) / 2 - operator.middle_x) < 0.55 * size and x0 < operator.middle_x < x1 + 0.3 * size:
            return group + _rest_of(group, small, below=below, size=size)
    return []


def _rest_of(group: list[MathItem], small: list[MathItem], *, below: bool, size: float) -> list[MathItem]:
    """Return further rows of a limit, and its scripts."""
    x0, y0, x1, y1 = around(group)
    near = (y0 - 0.1 * size, y1 + 0.9 * size) if below else (y0 - 0.9 * size, y1 + 0.1 * size)
    return [
        item
        for item in small
        if not any(item is part for part in group)
        and x0 - 0.2 * size <= item.middle_x <= x1 + 0.2 * size
        and near[0] <= item.middle_y <= near[1]
    ]
