"""Lines of scripts that run from right to left, put in logical order by the places of their glyphs.

The engine turns runs of letters around, but keeps the words of a line in the order in which the file draws them, and
takes ligatures apart the wrong way round. Pages without letters of such scripts are skipped.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from quire.models.extract.core.marks import Rule
from quire.models.extract.formats.pdf.text.bidi import BidiUnit, order_logically, runs_from_right
from quire.models.extract.formats.pdf.text.raw_lines import raw_spans
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs, font_look
from quire.models.extract.layout.lines.marks import Line, PageMarks, Piece, Run, TaggedLine
from quire.models.extract.layout.lines.pieces import join_pieces
from quire.models.extract.layout.lines.turned import RTL, runs_right_to_left

_PRESENTATION_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
_DIRECTION_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class RightToLeftLimits:
    """Limits for glyphs of lines that run from right to left. Gaps in ems, the others in points."""

    blank_gap: float = 0.13
    """Least gap that is a blank between words."""
    piece_gap: float = 0.6
    """Widest gap inside a printed line."""
    no_width: float = 0.01
    """A character narrower than this is part of another one's glyph, or a mark on it."""
    touching: float = 0.05
    """By which the edge of a glyph and the place of its further characters may differ."""


LIMITS = RightToLeftLimits()

Char = tuple[str, float, float, tuple[bool, bool, bool]]
"""Character, left and right edge, style (bold, italic, code)."""


def order_letters(marks: PageMarks, text_page: Any) -> None:
    """Put the lines with letters of scripts that run from right to left in logical order, in place."""
    if not any(_has_rtl(line.text) for line in marks.lines):
        return
    from_right = runs_right_to_left(marks.lines)
    marks.lines = _join_printed_lines(marks, from_right=from_right)
    selected = {
        part.key: line
        for line in marks.lines
        if line.upright and (from_right or _has_rtl(line.text))
        for part in line.parts or (line,)
    }
    chars: dict[int, list[Char]] = {}
    for key, spans in raw_spans(text_page, selected):
        chars.setdefault(id(selected[key]), []).extend(_read_chars(spans))
    left, right = min(line.x0 for line in marks.lines), max(line.x1 for line in marks.lines)
    pieces: dict[tuple[int, int], list[Piece]] = {}
    for line in marks.lines:
        if id(line) in chars and line.key != (-1, -1):
            line.parts = ()
            pieces[line.key] = _order_line(
                line,
                chars[id(line)],
                marks.verticals,
                page_runs_from_right=from_right,
                is_left_aligned=line.x0 - left < line.size < right - line.x1,
            )
    split = marks.split
    marks.split = lambda line: pieces.get(line.key) or split(line)


def _has_rtl(text: str) -> bool:
    return not text.isascii() and RTL.search(text) is not None


def _join_printed_lines(marks: PageMarks, *, from_right: bool) -> list[Line]:
    """Return the lines, with pieces joined that share a baseline without a wide gap or a rule between them."""
    upright = [line for line in marks.lines if line.upright and line.key != (-1, -1)]
    joined: dict[int, Line] = {}
    gone: set[int] = set()
    upright.sort(key=lambda line: (round(line.base), line.x0))
    for left, right in pairwise(upright):
        whole = joined.pop(id(left), left)
        if _are_one_line(whole, right, marks.verticals) and (from_right or _has_rtl(whole.text + right.text)):
            gone.add(id(left))
            whole = join_pieces(whole, right)
            whole.key = whole.parts[0].key
            joined[id(right)] = whole
        elif whole is not left:
            joined[id(left)] = whole
    return [joined.get(id(line), line) for line in marks.lines if id(line) not in gone]


def _are_one_line(left: Line, right: Line, verticals: list[Rule]) -> bool:
    if abs(left.base - right.base) > 0.1 * right.size or abs(left.size - right.size) > 0.3 * right.size:
        return False
    gap = right.x0 - left.x1
    return -0.3 * right.size < gap < LIMITS.piece_gap * right.size and not _is_ruled(
        left.x1, right.x0, left.base, verticals
    )


def _is_ruled(left: float, right: float, base: float, verticals: list[Rule]) -> bool:
    """Return whether a vertical rule is between two places on a baseline."""
    low, high = min(left, right) - 1, max(left, right) + 1
    return any(low <= rule.x0 <= high and rule.y0 < base < rule.y1 for rule in verticals)


def _read_chars(spans: list[dict[str, Any]]) -> Iterator[Char]:
    """Yield the characters of the file with the edges of their boxes, without blanks that the engine added."""
    for span in spans:
        style = font_look(span["font"], span["flags"])[:3]
        for char in span["chars"]:
            if not char.get("synthetic"):
                yield char["c"], char["bbox"][0], char["bbox"][2], style


def _order_line(
    line: Line, chars: list[Char], verticals: list[Rule], *, page_runs_from_right: bool, is_left_aligned: bool
) -> list[Piece]:
    """Set the text of a line to its glyphs in logical order; the words with their extents."""
    units = sorted(_make_units(chars), key=lambda unit: unit.x0 + unit.x1)
    words: list[list[BidiUnit]] = []
    parts = _split_at_rules(units, line.base, verticals)
    is_reversed = page_runs_from_right or runs_from_right(units, page_runs_from_right=False)
    for part in reversed(parts) if is_reversed else parts:
        blanked = _add_blanks(part, line.size)
        if not blanked:
            continue
        from_right = runs_from_right(blanked, page_runs_from_right=is_reversed and not is_left_aligned)
        words.append([])
        for unit in order_logically(blanked, from_right=from_right):
            if unit.text.isspace():
                words.append([])
            else:
                words[-1].append(unit)
    words = [word for word in words if word]
    text = " ".join(_text_of(word) for word in words)
    if text and text != line.text:
        line.text = text
        line.runs = _make_runs(words)
    return _place_words(words, from_right=is_reversed)


def _text_of(word: list[BidiUnit]) -> str:
    return "".join(unit.text for unit in word)


def _place_words(words: list[list[BidiUnit]], *, from_right: bool) -> list[Piece]:
    """Return the words as consecutive pieces in the line's direction.

    Words of a run of the other direction exchange places, because columns and cells sort words by place.
    """
    groups: list[tuple[float, float, list[list[BidiUnit]]]] = []
    for word in words:
        x0, x1, own = min(unit.x0 for unit in word), max(unit.x1 for unit in word), [word]
        while groups and (groups[-1][0] < x1 if from_right else groups[-1][1] > x0):
            last = groups.pop()
            x0, x1, own = min(x0, last[0]), max(x1, last[1]), [*last[2], *own]
        groups.append((x0, x1, own))
    pieces: list[Piece] = []
    for x0, x1, own in groups:
        widths = [sum(unit.x1 - unit.x0 for unit in word) for word in own]
        gap = (x1 - x0 - sum(widths)) / max(1, len(own) - 1)
        left = x0
        placed = list(zip(own, widths, strict=True))
        row: list[Piece] = []
        for word, width in placed[::-1] if from_right else placed:
            right = x1 if len(own) == 1 else left + width
            row.append(Piece(left, right, _text_of(word)))
            left = right + gap
        pieces += row[::-1] if from_right else row
    return pieces


def order_tags(marks: PageMarks) -> None:
    """Put the tagged text of a page with such letters in the order of the words in its boxes, in place."""
    if not any(_has_rtl(tag.text) for tag in marks.tags):
        return
    words = [(piece, line) for line in marks.lines if line.upright for piece in marks.words_of(line)]
    for index, tag in enumerate(marks.tags):
        own = [piece.text for piece, line in words if _lies_in(piece, line, tag)]
        if own and sorted("".join(own)) == sorted("".join(tag.text.split())):
            marks.tags[index] = replace(tag, text=" ".join(own))


def _lies_in(piece: Piece, line: Line, tag: TaggedLine) -> bool:
    x0, y0, x1, y1 = tag.box
    return x0 <= (piece.x0 + piece.x1) / 2 <= x1 and y0 <= (line.y0 + line.y1) / 2 <= y1


def _make_runs(words: list[list[BidiUnit]]) -> list[Run]:
    runs: list[Run] = []
    position = 0
    for word in words:
        for unit in word:
            end = position + len(unit.text)
            last = runs[-1] if runs else None
            if any(unit.style):
                if last is not None and last.end >= position - 1 and (last.bold, last.italic, last.code) == unit.style:
                    last.end = end
                else:
                    runs.append(Run(position, end, *unit.style))
            position = end
        position += 1
    return runs


def _split_at_rules(units: list[BidiUnit], base: float, verticals: list[Rule]) -> list[list[BidiUnit]]:
    """Split the units of a printed line at vertical rules, because cells do not share a direction."""
    near = [rule for rule in verticals if rule.y0 < base < rule.y1]
    parts: list[list[BidiUnit]] = [[]]
    for unit in units:
        last = parts[-1][-1] if parts[-1] else None
        if last is not None and near and _is_ruled(last.x1, unit.x0, base, near):
            parts.append([])
        parts[-1].append(unit)
    return parts


def _add_blanks(units: list[BidiUnit], size: float) -> list[BidiUnit]:
    """Return the units with a blank for each gap between words, but none at the ends."""
    out: list[BidiUnit] = []
    for unit in units:
        last = out[-1] if out else None
        if (
            last is not None
            and unit.x0 - last.x1 >= LIMITS.blank_gap * size
            and unit.x1 > unit.x0
            and last.x1 > last.x0
        ):
            out.append(BidiUnit(" ", last.x1, unit.x0))
        out.append(unit)
    while out and out[-1].text.isspace():
        out.pop()
    start = next((index for index, unit in enumerate(out) if not unit.text.isspace()), 0)
    return out[start:]


def _make_units(chars: list[Char]) -> list[BidiUnit]:
    """Return the glyphs with their characters in logical order; marks belong to their letter."""
    units: list[BidiUnit] = []
    groups = _group_glyphs(chars)
    marks: list[Char] = []
    for group in groups:
        text = _read_text("".join(char[0] for char in group))
        if not text:
            continue
        if len(group) == 1 and unicodedata.bidirectional(text[0]) in ("NSM", "BN"):
            marks.append((text, *group[0][1:]))
        else:
            x0, x1 = min(char[1] for char in group), max(char[2] for char in group)
            units.append(BidiUnit(text, x0, x1, group[0][3]))
    for mark in marks:
        _attach_mark(units, mark)
    return units


def _read_text(text: str) -> str:
    """Return the characters of a glyph without direction marks, with presentation forms as letters."""
    text = _DIRECTION_MARKS.sub("", text)
    return clean_glyphs(_PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form.group()).strip(), text))


def _attach_mark(units: list[BidiUnit], mark: Char) -> None:
    """Append the mark to the glyph around its place; of two at their common edge to the right one."""
    middle = (mark[1] + mark[2]) / 2
    near = [
        (abs(unit.x0 + unit.x1 - 2 * middle), -unit.x0, index)
        for index, unit in enumerate(units)
        if unit.x0 - LIMITS.touching <= middle <= unit.x1 + LIMITS.touching and not unit.text.isspace()
    ]
    if near:
        index = min(near)[2]
        units[index] = replace(units[index], text=units[index].text + mark[0])


def _group_glyphs(chars: list[Char]) -> list[list[Char]]:
    """Group the characters of each glyph, in logical order.

    The first has the glyph's width. The others have no width and are at its right edge, before or after it as the
    engine ordered them. The characters of a glyph with ActualText have no width.
    """
    groups: list[list[Char]] = []
    waiting: list[Char] = []
    for char in chars:
        has_width = char[2] - char[1] >= LIMITS.no_width
        if not has_width:
            last = groups[-1] if groups and not waiting else None
            if (
                last is not None
                and not _is_mark(char)
                and abs(last[0][2] - char[1]) < LIMITS.touching
                and _has_width(last)
            ):
                last.append(char)
            elif waiting and abs(waiting[-1][1] - char[1]) >= LIMITS.touching:
                groups += _end_without_width(waiting)
                waiting = [char]
            else:
                waiting.append(char)
            continue
        if waiting and not _is_mark(waiting[-1]) and abs(char[2] - waiting[-1][1]) < LIMITS.touching:
            groups.append([char, *waiting[::-1]])
        else:
            groups += [*_end_without_width(waiting), [char]]
        waiting = []
    return groups + _end_without_width(waiting)


def _has_width(group: list[Char]) -> bool:
    return group[0][2] - group[0][1] >= LIMITS.no_width


def _is_mark(char: Char) -> bool:
    return unicodedata.bidirectional(char[0]) in ("NSM", "BN")


def _end_without_width(waiting: list[Char]) -> list[list[Char]]:
    """Characters at one place without a glyph's width: marks by themselves, or a letter with its marks behind it."""
    if all(_is_mark(char) for char in waiting):
        return [[char] for char in waiting]
    return [waiting[::-1] if _is_mark(waiting[0]) else waiting]
