"""Text lines of a MuPDF page dictionary, built in one pass over its spans. Decides nothing about layout."""

import re
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import DOWNWARDS, Line, Piece, Run
from quire.models.extract.layout.text.hyphens import HYPHEN, SOFT
from quire.models.extract.math.glyphs import MATH_FONT

_SOFT_HYPHEN = "\u00ad"
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_LIGATURE = re.compile("[\ufb00-\ufb04]")
_FIRST_LIGATURE, _LETTERS = 0xFB00, ("ff", "fi", "fl", "ffi", "ffl")
_BOLD, _MONO, _ITALIC = 16, 8, 2
"""Bits of the engine's font flags."""
_BOLD_NAMES = ("bold", "black", "heavy", "semi", "demi")
_CODE_NAMES = ("courier", "mono", "consol", "menlo", "typewriter", "cmtt")
ASCENT, DESCENT = 0.75, 0.22
"""Share of the font size that ordinary letters reach above and below the baseline."""

_STRAIGHT = 0.98
"""Least component of a line's direction along one side of the page: allows a slant of 11 degrees."""
_LEAST_SIZE = 0.1
"""Points: replaces a font size of 0, because distances are measured in font sizes."""
_LETTER = re.compile(r"[^\W\d_]")
_MATH_SHARE = 0.2
"""Least share of a formula in a mathematics font: digits, brackets and relations often use a text font."""
_BLANK, _MONO_BLANK = 0.25, 0.6
"""Width of a blank in ems: the engine's boxes hold the blanks at both ends of a line."""

FontLook = tuple[bool, bool, bool, bool]
"""(bold, italic, code, mathematics)"""
StyledPiece = tuple[int, int, FontLook, int]
"""Start and end in the line's text, style, and 1 for a superscript, -1 for a subscript, 0 for other text."""

_font_looks: dict[tuple[str, int], FontLook] = {}


def font_look(name: str, flags: int) -> FontLook:
    """Return the style of a font from its descriptor's flags and its name."""
    key = (name, flags & (_BOLD | _MONO | _ITALIC))
    look = _font_looks.get(key)
    if look is None:
        low = name.lower()
        look = (
            bool(flags & _BOLD) or any(part in low for part in _BOLD_NAMES),
            bool(flags & _ITALIC) or "ital" in low or "obli" in low,
            bool(flags & _MONO) or any(part in low for part in _CODE_NAMES),
            bool(MATH_FONT.search(low)),
        )
        if len(_font_looks) < 4096:
            _font_looks[key] = look
    return look


def clean_glyphs(text: str) -> str:
    """Return text without zero-width characters; ligatures are taken apart, other than characters become U+FFFD."""
    if text.isascii() and text.isprintable():
        return text
    text = _LIGATURE.sub(lambda ligature: _LETTERS[ord(ligature[0]) - _FIRST_LIGATURE], text)
    return text if text.isprintable() else _CONTROL.sub("\ufffd", _INVISIBLE.sub("", text))


def _show_soft_hyphen(text: str) -> str:
    """Return the end of a line with its soft hyphen made visible, as the page shows it there."""
    ended = text.rstrip()
    if len(ended) < 2 or ended[-1] != _SOFT_HYPHEN:
        return text
    return ended[:-1] if ended[-2] in (HYPHEN, SOFT) else ended[:-1] + SOFT


def find_lines(blocks: list[dict[str, Any]]) -> list[Line]:
    """Return the lines of all text blocks in the file's order, without blank ones."""
    out: list[Line] = []
    number = -1
    for block in blocks:
        if block["type"] == 0:
            number += 1
            for index, stated in enumerate(block["lines"]):
                line = make_line(stated)
                if line is not None:
                    line.key = (-1, -1) if "torn" in stated else (number, index)
                    out.append(line)
    return out


def group_words(words: list[tuple[Any, ...]]) -> dict[tuple[int, int], list[tuple[Any, ...]]]:
    """Group the engine's words (x0, y0, x1, y1, text, block, line, number) by the keys of their lines."""
    groups: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
    key, own = (-1, -1), list[tuple[Any, ...]]()
    for word in words:
        if word[6] != key[1] or word[5] != key[0]:
            key = (word[5], word[6])
            own = groups.setdefault(key, [])
        own.append(word)
    return groups


def make_pieces(words: list[tuple[Any, ...]]) -> list[Piece]:
    """Return the engine's words as pieces of a line, without those that have no visible character."""
    pieces: list[Piece] = []
    for word in words:
        text = clean_glyphs(word[4])
        if text:
            pieces.append(Piece(word[0], word[2], text, word[1], word[3]))
    return pieces


def make_line(stated: dict[str, Any]) -> Line | None:
    """Return one line of the dictionary, or None when it holds no visible character."""
    spans = stated["spans"]
    if not spans:
        return None
    if len(spans) == 1:
        text = clean_glyphs(_show_soft_hyphen(spans[0]["text"])).rstrip()
        if not text or text.isspace():
            return None
        return _build_line(stated, spans[0], text, [(0, len(text), _look_of(spans[0]), _script_of(spans[0]))])
    return _make_mixed_line(stated, spans)


def _look_of(span: dict[str, Any]) -> FontLook:
    return font_look(span["font"], span["flags"])


def _script_of(span: dict[str, Any]) -> int:
    """Return 1 for a superscript, -1 for a subscript, 0 for other text."""
    return int(span.get("script", 0))


def _make_mixed_line(stated: dict[str, Any], spans: list[dict[str, Any]]) -> Line | None:
    parts: list[str] = []
    pieces: list[StyledPiece] = []
    offset, main, most = 0, spans[0], (False, -1)
    for span in spans:
        text = clean_glyphs(_show_soft_hyphen(span["text"]) if span is spans[-1] else span["text"])
        count = len(text)
        if not count:
            continue
        weight = (not _script_of(span), count)
        if weight > most and not text.isspace():
            main, most = span, weight
        pieces.append((offset, offset + count, _look_of(span), _script_of(span)))
        parts.append(text)
        offset += count
    text = "".join(parts).rstrip()
    if not text or text.isspace():
        return None
    return _build_line(stated, main, text, pieces)


def _build_line(stated: dict[str, Any], main: dict[str, Any], text: str, pieces: list[StyledPiece]) -> Line:
    lead = len(text) - len(text.lstrip())
    text = text[lead:]
    x0, top, x1, bottom = stated["bbox"]
    y0, y1 = top, bottom
    size = max(main["size"], _LEAST_SIZE)
    base = main["origin"][1]
    upright = stated["dir"][0] > _STRAIGHT
    spans = stated["spans"]
    trail = spans[-1]["text"]
    turn = 0
    if upright:
        y0, y1 = base - ASCENT * size, base + DESCENT * size
        blank = (_MONO_BLANK if pieces[0][2][2] else _BLANK) * size
        x0 = min(x0 + lead * blank, x1) if lead else min(x0, x1)
        x1 = max(x1 - (len(trail) - len(trail.rstrip())) * blank, x0)
    elif turn := _find_turn(stated, main):
        x0, y0, x1, y1 = box_turned_line(stated["bbox"], main["origin"], size, turn)
    line = Line(x0, y0, x1, y1, base, size, text, main["font"], upright=upright, turn=turn)
    line.color = main["color"]
    line.tall = _find_tall(spans, size) if len(spans) > 1 else size
    line.blank_before, line.blank_after = lead > 0, trail[-1:].isspace()
    _set_looks(line, pieces, lead)
    line.reach = (top, bottom)
    return line


def _find_turn(stated: dict[str, Any], main: dict[str, Any]) -> int:
    """Return the clockwise page rotation in degrees that makes the line upright; 0 for slanted lines.

    A line that runs to the left is upside down where its letters hang from the baseline. Otherwise it is mirrored.
    """
    across, down = stated["dir"]
    if abs(down) > _STRAIGHT:
        return 90 if down < 0 else DOWNWARDS
    middle = (stated["bbox"][1] + stated["bbox"][3]) / 2
    return 180 if across < -_STRAIGHT and main["origin"][1] < middle else 0


def box_turned_line(box: Bbox, origin: tuple[float, float], size: float, turn: int) -> Bbox:
    """Return the box of a turned line, as high as letters are on its baseline."""
    x0, y0, x1, y1 = box
    above, below = ASCENT * size, DESCENT * size
    if turn == 90:
        return (origin[0] - above, y0, origin[0] + below, y1)
    if turn == DOWNWARDS:
        return (origin[0] - below, y0, origin[0] + above, y1)
    return (x0, origin[1] - below, x1, origin[1] + above)


def _find_tall(spans: list[dict[str, Any]], size: float) -> float:
    """Return the size of the largest span with a letter, at least `size`."""
    return max((span["size"] for span in spans if span["size"] > size and _LETTER.search(span["text"])), default=size)


def _is_sign(text: str) -> bool:
    """Return whether the text is one private character, as a bullet in a font of symbols is."""
    return len(text.strip()) == 1 and "\ue000" <= text.strip() <= "\uf8ff"


def _set_looks(line: Line, pieces: list[StyledPiece], lead: int) -> None:
    """Set the styles of the whole line (over 80 % of its characters) and, if anything is styled, its runs."""
    length = len(line.text)
    if len(pieces) == 1:
        line.bold, line.italic, line.code, line.math = pieces[0][2]
        line.has_math = line.math and _LETTER.search(line.text) is not None
        script = pieces[0][3]
        if line.bold or line.italic or line.code or script:
            own = Run(0, length, line.bold, line.italic, line.code, superscript=script > 0, subscript=script < 0)
            line.runs = [own]
        return
    bold = italic = code = math = 0
    has_math = False
    runs: list[Run] = []
    last_look = (False, False, False, 0)
    for start, end, (is_bold, is_italic, is_code, is_math), script in pieces:
        start, end = max(start - lead, 0), min(end - lead, length)
        if is_math and not _is_sign(line.text[start:end]):
            math += end - start
            has_math = has_math or _LETTER.search(line.text, start, end) is not None
        if end <= start or not (is_bold or is_italic or is_code or script):
            continue
        bold += (end - start) * is_bold
        italic += (end - start) * is_italic
        code += (end - start) * is_code
        look = (is_bold, is_italic, is_code, script)
        if runs and look == last_look and runs[-1].end == start:
            runs[-1].end = end
        else:
            runs.append(Run(start, end, is_bold, is_italic, is_code, superscript=script > 0, subscript=script < 0))
        last_look = look
    line.runs = runs
    line.bold, line.italic, line.code = bold > 0.8 * length, italic > 0.8 * length, code > 0.8 * length
    line.math, line.has_math = math >= _MATH_SHARE * length, has_math
