"""Rows of a formula: items on one baseline with sub- and superscripts, and brackets around several rows."""

import re

from quire.models.extract.math.glyphs import AXIS, FractionBar, MathGlyph, MathItem, MathRole, Parse, around, take_bars
from quire.models.extract.math.letters import make_item
from quire.models.extract.math.limits import join_integrals, join_negations, take_accents, take_limits, take_names

_SMALL = 0.85
"""Relative to the size of the row: smaller signs are raised or lowered, not on the row."""
_SAME_ROW = 0.36
"""Baselines closer than this (in ems) are one row."""
_QUAD = 1.1
"""A blank wider than this (in ems) is kept."""
_RELATION_GAP = 0.35
"""Blank (in ems) before a bar that means "such that"; a closer one is a fence."""
_CELL_GAP = 0.9
"""Blank (in ems) between the columns of a matrix."""
_CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "∥": "∥", "∣": "∣", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}
_ARROWS = {"\\mapsto": "\\mapsto", "-": "\\longrightarrow"}


def split_rows(items: list[MathItem]) -> list[list[MathItem]]:
    """Group items into rows, top to bottom; small ones belong to the nearest row."""
    size = find_size(items)
    main = [item for item in items if is_main(item, size)] or items
    rows: list[tuple[float, list[MathItem]]] = []
    for item in sorted(main, key=lambda entry: anchor_of(entry, size)):
        anchor = anchor_of(item, size)
        if rows and anchor - rows[-1][0] < _SAME_ROW * size:
            rows[-1][1].append(item)
        else:
            rows.append((anchor, [item]))
    rows = _settle(rows, size)
    for item in items:
        if not any(item is entry for entry in main):
            min(rows, key=lambda row: _row_distance(item, row[0], row[1], size))[1].append(item)
    return [row for _, row in rows]


def _settle(rows: list[tuple[float, list[MathItem]]], size: float) -> list[tuple[float, list[MathItem]]]:
    """Join rows without a letter on their baseline (brackets, operators, fractions) to the row that they overlap."""
    firm = [row for row in rows if any(_is_firm(item) for item in row[1])]
    if not firm:
        return rows
    for anchor, held in rows:
        if not any(_is_firm(item) for item in held):
            nearest = min(firm, key=lambda row: abs(row[0] - anchor))
            if abs(nearest[0] - anchor) < 1.1 * size:
                nearest[1].extend(held)
            else:
                firm.append((anchor, held))
    return sorted(firm, key=lambda row: row[0])


def _is_firm(item: MathItem) -> bool:
    return item.role in (MathRole.PLAIN, MathRole.LETTER, MathRole.NAMELESS)


def _row_distance(item: MathItem, anchor: float, row: list[MathItem], size: float) -> float:
    x0, _, x1, _ = around(row)
    outside = max(x0 - item.x1 - size, item.x0 - x1 - size, 0.0)
    return abs(item.base - anchor) + outside


def find_size(items: list[MathItem]) -> float:
    """Return the type size on the baseline; large operators and brackets may come from a larger font."""
    firm = [item.size for item in items if _is_firm(item) or item.role is MathRole.ATOM]
    return max(firm or [item.size for item in items])


def anchor_of(item: MathItem, size: float) -> float:
    """Return the baseline an item belongs to, computed from the middle for items that are centred."""
    if item.role in (MathRole.OPERATOR, MathRole.DELIMITER) and item.latex[1:4] not in (
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "ope",
    ):
        return item.middle_y + AXIS * size
    return item.base


def is_main(item: MathItem, size: float) -> bool:
    """Return True for items of full size."""
    return item.size >= _SMALL * size


def write_row(items: list[MathItem], parse: Parse) -> tuple[str, float]:
    """Return the LaTeX of one row and its baseline."""
    size = find_size(items)
    firm = [item for item in items if is_main(item, size)]
    plain = [item for item in firm if _is_firm(item)] or firm
    anchor = sorted(anchor_of(item, size) for item in plain)[len(plain) // 2]
    _stretch(items)
    parts: list[str] = []
    low: list[MathItem] = []
    high: list[MathItem] = []
    last: MathItem | None = None
    right = 0.0
    for item in sorted(items, key=lambda entry: entry.x0):
        if is_main(item, size) or _is_small_fraction(item, anchor, size):
            parts.append(_write_scripts(low, high, parse))
            low, high = [], []
            parts.append("\\quad" if last is not None and item.x0 - right > _QUAD * size else "")
            parts.append(_write_bar(item, last, size))
            last = item
        elif _is_high(item, last, anchor, size, high):
            high.append(item)
        else:
            low.append(item)
        right = max(right, item.x1)
    parts.append(_write_scripts(low, high, parse))
    return join_tokens([part for part in parts if part]), anchor


def _stretch(items: list[MathItem]) -> None:
    """Mark paired tall brackets as growing with their content."""
    tall = [item for item in sorted(items, key=lambda entry: entry.x0) if item.role is MathRole.DELIMITER]
    open_ones: list[MathItem] = []
    pairs: list[tuple[MathItem, MathItem]] = []
    for item in tall:
        if open_ones and item.char == _CLOSING[open_ones[-1].char]:
            pairs.append((open_ones.pop(), item))
        elif item.char in _CLOSING:
            open_ones.append(item)
    for left, right in pairs if 2 * len(pairs) == len(tall) else ():
        left.latex, right.latex = f"\\left{left.latex}", f"\\right{right.latex}"


def _is_small_fraction(item: MathItem, anchor: float, size: float) -> bool:
    """Return True for a fraction of small type on the row, which is not a script."""
    return item.role is MathRole.ATOM and abs((item.base - AXIS * item.size) - (anchor - AXIS * size)) < 0.15 * size


def _is_high(item: MathItem, last: MathItem | None, anchor: float, size: float, high: list[MathItem]) -> bool:
    """Return True for a superscript; small print next to one has the same level."""
    if high and item.size < _SMALL * high[-1].size and item.x0 < high[-1].x1 + 0.3 * item.size and item.base < anchor:
        return True
    middle = item.base - 0.22 * item.size if item.role is not MathRole.ATOM else item.middle_y
    axis = anchor - AXIS * size
    if (
        last is not None
        and last.role in (MathRole.OPERATOR, MathRole.DELIMITER, MathRole.ATOM)
        and last.y1 - last.y0 > size
    ):
        axis = last.middle_y
    return middle < axis


def _write_bar(item: MathItem, last: MathItem | None, size: float) -> str:
    """Return the item's LaTeX; a bar separated from the preceding item is a relation."""
    spaced = item.latex == "|" and last is not None and item.x0 - last.x1 > _RELATION_GAP * size
    return "\\mid" if spaced else item.latex


def _write_scripts(low: list[MathItem], high: list[MathItem], parse: Parse) -> str:
    out = ""
    primes = 0
    high = sorted(high, key=lambda item: item.x0)
    while primes < len(high) and high[primes].latex == "\\prime":
        primes += 1
    out += "'" * primes
    if low:
        out += f"_{{{parse(low, [])[0]}}}"
    if high[primes:]:
        out += f"^{{{parse(high[primes:], [])[0]}}}"
    return out


def join_tokens(parts: list[str]) -> str:
    """Join LaTeX pieces of a row: merge dots, compose negations and long arrows, separate commands by blanks."""
    parts = _compose(parts)
    out = ""
    for part in parts:
        if re.search(r"\\[a-zA-Z]+$", out) and (part[:1].isalpha()):
            out += " "
        out += part
    return out


def _compose(parts: list[str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if part == "\\rightarrow" and out and out[-1] in _ARROWS:
            out[-1] = _ARROWS[out[-1]]
        elif out[-2:] == [part, part] and part in ("\\cdot", "."):
            out[-2:] = ["\\cdots" if part == "\\cdot" else "\\ldots"]
        elif out and out[-1] == ":" and part == "=":
            out[-1] = ":="
        else:
            out.append(part)
    return out


def take_brackets(items: list[MathItem], parse: Parse) -> list[MathItem]:
    """Replace tall brackets around several rows, with these rows, by one atom: matrices, cases, binomials."""
    for left in sorted((item for item in items if item.role is MathRole.DELIMITER), key=lambda item: item.x0):
        if left.char not in _CLOSING or not any(item is left for item in items):
            continue
        right = _find_closing(left, items)
        if right is None and left.char != "{":
            continue
        end = right.x0 if right is not None else max(item.x1 for item in items) + 1
        inner = [
            item
            for item in items
            if left.x1 - 1 <= item.middle_x <= end and left.y0 - 2 <= item.middle_y <= left.y1 + 2 and item is not right
            and item is not left
        ]  # fmt: skip
        rows = split_rows(inner) if inner else []
        if len(rows) < 2:
            continue
        used = [left, *inner, *([right] if right is not None else [])]
        latex = _write_matrix(left, right, rows, parse)
        size = find_size(inner)
        base = left.middle_y + AXIS * size
        atom = MathItem(latex, *around(used), base, size, MathRole.ATOM)
        items = [item for item in items if not any(item is part for part in used)] + [atom]
    return items


def _find_closing(left: MathItem, items: list[MathItem]) -> MathItem | None:
    """Return the nearest bracket on the right of the same kind and height that closes this one."""
    candidates = [
        item
        for item in items
        if item.role is MathRole.DELIMITER
        and item.x0 > left.x1
        and abs(item.y0 - left.y0) < 0.3 * left.size
        and item.char in (_CLOSING[left.char], ")", "]", "}", "|")
    ]
    return min(candidates, key=lambda item: item.x0, default=None)


def _write_matrix(left: MathItem, right: MathItem | None, rows: list[list[MathItem]], parse: Parse) -> str:
    cells = [_split_cells(row) for row in rows]
    if right is not None and left.char == "(" and len(cells) == 2 and all(len(row) == 1 for row in cells):
        top, bottom = (parse(row[0], [])[0] for row in cells)
        return f"\\binom{{{top}}}{{{bottom}}}"
    body = " \\\\ ".join(" & ".join(parse(cell, [])[0] for cell in row) for row in cells)
    if right is None:
        return f"\\begin{{cases}}{body}\\end{{cases}}"
    name = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "{": "Bmatrix"}.get(left.char)
    if name is not None and right.char == _CLOSING[left.char]:
        return f"\\begin{{{name}}}{body}\\end{{{name}}}"
    return f"\\left{left.latex}\\begin{{matrix}}{body}\\end{{matrix}}\\right{right.latex}"


def _split_cells(row: list[MathItem]) -> list[list[MathItem]]:
    """Split items of a matrix row at wide blanks."""
    size = find_size(row)
    cells: list[list[MathItem]] = []
    right = 0.0
    for item in sorted(row, key=lambda entry: entry.x0):
        if cells and item.x0 - right < _CELL_GAP * size:
            cells[-1].append(item)
        else:
            cells.append([item])
        right = max(right, item.x1) if len(cells[-1]) > 1 else item.x1
    return cells


_NUMBER = re.compile(r"\((?:[A-Z]\.?)?\d+(?:[.\-–]\d+)*[a-z]?\)")
_NUMBER_GAP = 0.9
"""Minimum distance (in ems) of an equation's number from it."""
_MOST_GLYPHS = 600
"""Glyphs of one formula: rows and scripts are found by comparing them with each other."""
_ROW_END = " \\\\ "


def write_latex(glyphs: list[MathGlyph], bars: list[FractionBar]) -> str | None:
    """Return the LaTeX of a formula without delimiters: several rows as `aligned`, its number as a tag.

    None if uncertain.
    """
    seen = [
        glyph for glyph in glyphs if not glyph.char.isspace() and glyph.char not in "\u200b\u2061\u2062\u2063\ufeff"
    ]
    if not seen or len(seen) > _MOST_GLYPHS:
        return None
    numbers, seen = take_numbers(seen)
    items = [make_item(glyph) for glyph in seen]
    if not items or any(item is None for item in items):
        return None
    latex, _ = parse([item for item in items if item is not None], bars)
    if _ROW_END in _outside_environments(latex):
        latex = f"\\begin{{aligned}}{latex}\\end{{aligned}}"
    return latex + (f"\\tag{{{', '.join(numbers)}}}" if numbers else "")


def _outside_environments(latex: str) -> str:
    """Return the LaTeX without matrices and cases, which contain separate rows."""
    return re.sub(r"\\begin\{.*\\end\{\w+\}", "", latex)


def parse(items: list[MathItem], bars: list[FractionBar]) -> tuple[str, float]:
    """Return the LaTeX of items and the baseline of their first row."""
    items = join_integrals(take_bars(join_negations(items), bars, parse))
    items = take_accents(items)
    items = take_names(items)
    items = take_limits(items, parse)
    items = take_brackets(items, parse)
    if not items:
        return "", 0.0
    rows = [write_row(row, parse) for row in split_rows(items)]
    return _ROW_END.join(latex for latex, _ in rows), rows[0][1]


def take_numbers(glyphs: list[MathGlyph]) -> tuple[list[str], list[MathGlyph]]:
    """Return the numbers in brackets at the right end of rows, and the other glyphs."""
    numbers: list[str] = []
    kept = glyphs
    for last in sorted((glyph for glyph in glyphs if glyph.char == ")"), key=lambda glyph: glyph.base):
        row = sorted((glyph for glyph in kept if abs(glyph.base - last.base) < 1), key=lambda glyph: glyph.x0)
        if not row or row[-1] is not last:
            continue
        start = max((index for index, glyph in enumerate(row) if glyph.char == "("), default=-1)
        text = "".join(glyph.char for glyph in row[start:])
        if start < 0 or not _NUMBER.fullmatch(text):
            continue
        others = [glyph for glyph in kept if not any(glyph is part for part in row[start:])]
        beside = [glyph.x1 for glyph in others if glyph.y0 < last.y1 and glyph.y1 > last.y0]
        if others and row[start].x0 - max(beside, default=0.0) > _NUMBER_GAP * last.size:
            numbers.append(text[1:-1])
            kept = others
    return numbers, kept
