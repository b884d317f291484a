"""Lines of right-to-left scripts, put in reading order by the positions of their letters.

The engine reverses runs of letters, but keeps the words of a line in the order in which the file draws them. It also
takes the ligature of lam and alef apart the wrong way round. Pages of other scripts are not touched.
"""

import re
from dataclasses import dataclass
from typing import Any

from models.extract.formats.pdf.text.raw_lines import raw_lines
from models.extract.formats.pdf.text.text_lines import clean_glyphs
from models.extract.layout.lines.marks import Line, PageMarks, Piece
from models.extract.layout.lines.mirror import RTL, runs_right_to_left
from models.extract.layout.lines.pieces import join_pieces

_ALEFS, _LAM = frozenset("اأإآٱ"), "ل"
_LTR = re.compile(r"[0-9A-Za-z\u0660-\u0669\u06f0-\u06f9\u00c0-\u024f]")
_NUMBER = re.compile(r"[\d/.,:\-–%+]+")
_TOKEN = re.compile(r"[^\s،؛؟:()\[\]«»]+|[،؛؟:()\[\]«»]")
_BLANK_GAP, _PIECE_GAP = 0.13, 0.35
"""Gaps (in ems) that are a blank between words, and a break between pieces of one number."""


@dataclass(slots=True)
class BidiToken:
    """Letters or a sign of a line with their horizontal extent (points)."""

    text: str
    x0: float
    x1: float

    @property
    def runs_left(self) -> bool:
        """Whether the token runs from right to left."""
        return not (_LTR.search(self.text) and not RTL.search(self.text))

    @property
    def is_number(self) -> bool:
        """Whether the token consists of digits and the signs of numbers."""
        return bool(_NUMBER.fullmatch(self.text))


def order_letters(marks: PageMarks, text_page: Any) -> None:
    """Put the lines of a right-to-left page in reading order, in place."""
    if not runs_right_to_left(marks.lines):
        return
    marks.lines = _join_numbers(marks.lines)
    selected = {line.key: line for line in marks.lines if line.upright and not line.parts and RTL.search(line.text)}
    pieces = {line.key: _order_line(line, chars) for line, chars in raw_lines(text_page, selected)}
    split = marks.split
    marks.split = lambda line: pieces.get(line.key) or split(line)


def _join_numbers(lines: list[Line]) -> list[Line]:
    """Join neighbouring pieces of digits and their signs (parts of a date) from left to right."""
    out: list[Line] = []
    for line in lines:
        last = out[-1] if out else None
        if last is not None and _is_one_number(last, line):
            left, right = (last, line) if last.x0 < line.x0 else (line, last)
            out[-1] = join_pieces(left, right)
        else:
            out.append(line)
    return out


def _is_one_number(last: Line, line: Line) -> bool:
    if (
        not (_NUMBER.fullmatch(last.text) and _NUMBER.fullmatch(line.text))
        or abs(last.base - line.base) > 0.1 * line.size
    ):
        return False
    gap = max(line.x0 - last.x1, last.x0 - line.x1)
    return -0.3 * line.size < gap < _PIECE_GAP * line.size


def _order_line(line: Line, chars: list[dict[str, Any]]) -> list[Piece]:
    """Set the line's text to its tokens from right to left; return the words with their extents."""
    tokens = _turn_numbers(sorted(_make_tokens(chars), key=lambda token: -(token.x0 + token.x1)), line.size)
    blanks = [(char["bbox"][0] + char["bbox"][2]) / 2 for char in chars if char["c"].isspace()]
    words: list[BidiToken] = []
    for token in tokens:
        last = words[-1] if words else None
        if last is not None and not _are_apart(last, token, blanks, line.size):
            words[-1] = BidiToken(last.text + token.text, min(last.x0, token.x0), max(last.x1, token.x1))
        else:
            words.append(token)
    if words:
        text = " ".join(word.text for word in words)
        if text != line.text:
            line.text = text
            line.runs = []
    return [Piece(word.x0, word.x1, word.text) for word in words]


def _are_apart(last: BidiToken, token: BidiToken, blanks: list[float], size: float) -> bool:
    """Return whether two tokens have a gap or a blank between them (slanted letters reach over it)."""
    if max(last.x0 - token.x1, token.x0 - last.x1) >= _BLANK_GAP * size:
        return True
    low, high = sorted((last.x0, token.x1) if token.x0 < last.x0 else (last.x1, token.x0))
    return any(low - _BLANK_GAP * size <= blank <= high + _BLANK_GAP * size for blank in blanks)


def _make_tokens(chars: list[dict[str, Any]]) -> list[BidiToken]:
    """Return runs of letters, digits and single signs, with ligatures in reading order."""
    text = "".join(char["c"] for char in chars)
    tokens: list[BidiToken] = []
    for match in _TOKEN.finditer(text):
        own = _order_ligatures(chars[match.start() : match.end()])
        cleaned = clean_glyphs("".join(char["c"] for char in own))
        if cleaned:
            x0, x1 = min(char["bbox"][0] for char in own), max(char["bbox"][2] for char in own)
            tokens.append(BidiToken(cleaned, x0, x1))
    return tokens


def _order_ligatures(chars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Swap alef and lam where alef comes first without an extent: they are one glyph, which reads lam first."""
    out = list(chars)
    for i in range(len(out) - 1):
        alef, lam = out[i], out[i + 1]
        if alef["c"] in _ALEFS and lam["c"] == _LAM:
            width = alef["bbox"][2] - alef["bbox"][0]
            shared = min(alef["bbox"][2], lam["bbox"][2]) - max(alef["bbox"][0], lam["bbox"][0])
            if width < 0.01 or shared > 0.5 * width:
                out[i], out[i + 1] = lam, alef
    return out


def _turn_numbers(tokens: list[BidiToken], size: float) -> list[BidiToken]:
    """Restore the left-to-right order of runs of Latin words and of the parts of one number."""
    out: list[BidiToken] = []
    run: list[BidiToken] = []
    for token in tokens:
        if token.runs_left:
            out += [*run[::-1], token]
            run = []
        elif run and run[-1].is_number and token.is_number and run[-1].x0 - token.x1 > _PIECE_GAP * size:
            out += run[::-1]
            run = [token]
        else:
            run.append(token)
    return out + run[::-1]
