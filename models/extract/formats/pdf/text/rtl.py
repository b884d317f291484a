"""Lines of scripts that run from right to left, put in reading order by the places of their letters.

The engine turns runs of letters around, but keeps the words of a line in the order in which the file draws them, and
takes the ligature of lam and alef apart the wrong way round. Pages of other scripts are not looked at.
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
"""Gaps (in ems) that are a blank between words, and between pieces of one number."""


@dataclass(slots=True)
class BidiToken:
    """Letters or a sign of a line with their extent."""

    text: str
    x0: float
    x1: float

    @property
    def runs_left(self) -> bool:
        return not (_LTR.search(self.text) and not RTL.search(self.text))

    @property
    def is_number(self) -> bool:
        return bool(_NUMBER.fullmatch(self.text))


def order_letters(marks: PageMarks, text_page: Any) -> None:
    """Put the lines of a page that runs from right to left in order, in place."""
    if not runs_right_to_left(marks.lines):
        return
    marks.lines = _join_numbers(marks.lines)
    wanted = {line.key: line for line in marks.lines if line.upright and not line.parts and RTL.search(line.text)}
    pieces = {line.key: _order_line(line, chars) for line, chars in raw_lines(text_page, wanted)}
    split = marks.split
    marks.split = lambda line: pieces.get(line.key) or split(line)


def _join_numbers(lines: list[Line]) -> list[Line]:
    """Neighbouring pieces of digits and their signs (parts of a date) joined from left to right."""
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
    """Set the line's text to its tokens from right to left; the words with their extents."""
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
    """True for a gap between two tokens, or a blank where they meet (slanted letters reach over it)."""
    if max(last.x0 - token.x1, token.x0 - last.x1) >= _BLANK_GAP * size:
        return True
    low, high = sorted((last.x0, token.x1) if token.x0 < last.x0 else (last.x1, token.x0))
    return any(low - _BLANK_GAP * size <= blank <= high + _BLANK_GAP * size for blank in blanks)


def _make_tokens(chars: list[dict[str, Any]]) -> list[BidiToken]:
    """Runs of letters, digits and single signs, ligatures mended."""
    text = "".join(char["c"] for char in chars)
    tokens: list[BidiToken] = []
    for found in _TOKEN.finditer(text):
        own = _mend_ligatures(chars[found.start() : found.end()])
        cleaned = clean_glyphs("".join(char["c"] for char in own))
        if cleaned:
            x0, x1 = min(char["bbox"][0] for char in own), max(char["bbox"][2] for char in own)
            tokens.append(BidiToken(cleaned, x0, x1))
    return tokens


def _mend_ligatures(chars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Alef before lam that has no place of its own: the two are one glyph, which reads lam first."""
    out = list(chars)
    for at in range(len(out) - 1):
        alef, lam = out[at], out[at + 1]
        if alef["c"] in _ALEFS and lam["c"] == _LAM:
            width = alef["bbox"][2] - alef["bbox"][0]
            shared = min(alef["bbox"][2], lam["bbox"][2]) - max(alef["bbox"][0], lam["bbox"][0])
            if width < 0.01 or shared > 0.5 * width:
                out[at], out[at + 1] = lam, alef
    return out


def _turn_numbers(tokens: list[BidiToken], size: float) -> list[BidiToken]:
    """Runs of Latin words, and parts of one number, turned back to their order from left to right."""
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
