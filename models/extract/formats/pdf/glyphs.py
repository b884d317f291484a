"""Glyphs of formulas with the boxes of their ink, read in a second pass only where a page has formulas.

TeX's extension font names its glyphs in a way that no Unicode table knows ("summationdisplay"). They are identified by
their codes (Knuth, The TeXbook, appendix F). Brackets built of pieces become one glyph.
"""

import re
from collections.abc import Callable
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.engine import mupdf
from quire.models.extract.math.glyphs import MathGlyph

_FLAGS = (
    mupdf.FZ_STEXT_PRESERVE_WHITESPACE
    | mupdf.FZ_STEXT_CLIP
    | mupdf.FZ_STEXT_USE_CID_FOR_UNKNOWN_UNICODE
    | mupdf.FZ_STEXT_ACCURATE_BBOXES
)
_BLANK, _LAST_CODE = 0x20, 0xFF
"""Code points: the space, and the last code of a font with one byte a glyph."""
_CODE_IS_CHAR = mupdf.FZ_STEXT_UNICODE_IS_CID
_EXTENSION = re.compile(r"cmex|mathextension|lmex|esint|euex|ptmex|mtex")
_BRACKETS = "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\"
_CODES = (
    {code: char for start in (0x00, 0x12) for code, char in enumerate(_BRACKETS[:12], start)}
    | dict(enumerate(_BRACKETS[:12], 0x20))
    | {0x0E: "/", 0x0F: "\\", 0x10: "(", 0x11: ")", 0x1E: "/", 0x1F: "\\", 0x2C: "/", 0x2D: "\\"}
    | {0x44: "⟨", 0x45: "⟩", 0x46: "⊔", 0x47: "⊔", 0x48: "∮", 0x49: "∮", 0x4A: "⊙", 0x4B: "⊙"}
    | {0x4C: "⨁", 0x4D: "⨁", 0x4E: "⨂", 0x4F: "⨂", 0x60: "∐", 0x61: "∐"}
    | {start + i: char for start in (0x50, 0x58) for i, char in enumerate("∑∏∫⋃⋂⊎⋀⋁")}
    | dict.fromkeys((0x62, 0x63, 0x64), "\u0302")
    | dict.fromkeys((0x65, 0x66, 0x67), "\u0303")
    | dict(enumerate("[]⌊⌋⌈⌉{}", 0x68))
    | dict.fromkeys((0x70, 0x71, 0x72, 0x73), "√")
)
_PIECES = dict.fromkeys((0x30, 0x40, 0x42), "(") | dict.fromkeys((0x31, 0x41, 0x43), ")")
_PIECES |= dict.fromkeys((0x32, 0x34, 0x36), "[") | dict.fromkeys((0x33, 0x35, 0x37), "]")
_PIECES |= dict.fromkeys((0x38, 0x3A, 0x3C), "{") | dict.fromkeys((0x39, 0x3B, 0x3D), "}")
_PIECES |= {0x3E: "", 0x3F: "|", 0x77: "‖", 0x0C: "|", 0x0D: "‖"}
"""Pieces of tall brackets; "" is a piece of any bracket above or below it."""
_NAMED_PIECES = {
    first + i: char
    for first, char in (
        (0xF8EB, "("), (0xF8EE, "["), (0xF8F1, "{"), (0xF8F6, ")"), (0xF8F9, "]"), (0xF8FC, "}"),
        (0x239B, "("), (0x239E, ")"), (0x23A1, "["), (0x23A4, "]"), (0x23A7, "{"), (0x23AB, "}"),
    )
    for i in range(3)
} | {0xF8F4: "", 0xF8E6: "|", 0x23AA: ""}  # fmt: skip
_CODED = {0x37: "↦", 0x7E: "⃗"}
"""Glyphs of TeX's other fonts with unknown names: mapsto, vector."""


def make_glyph_finder(page: Any, turned: bool) -> Callable[[list[Bbox]], list[list[MathGlyph]]]:
    """Return a function that lists the glyphs in each of several boxes; it finds none on rotated pages.

    The boxes are in points of the unrotated page.
    """

    def find(boxes: list[Bbox]) -> list[list[MathGlyph]]:
        by_box: list[list[MathGlyph]] = [[] for _ in boxes]
        if turned or not boxes:
            return by_box
        text_page = page.get_textpage(flags=_FLAGS)  # must outlive its blocks, which only point into it
        for block in text_page.this:
            if block.m_internal.type == mupdf.FZ_STEXT_BLOCK_TEXT:
                for line in block:
                    box = line.m_internal.bbox
                    line_box = (box.x0, box.y0, box.x1, box.y1)
                    near = [i for i, target in enumerate(boxes) if _touch(target, line_box)]
                    if near:
                        _sort_glyphs(line, [(boxes[i], by_box[i]) for i in near])
        return [_join_pieces(glyphs) for glyphs in by_box]

    return find


def _touch(a: Bbox, b: Bbox) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def _sort_glyphs(line: Any, targets: list[tuple[Bbox, list[MathGlyph]]]) -> None:
    """Add each glyph of the line to the box that contains its origin."""
    for wrapped in line:
        char = wrapped.m_internal
        x, y = char.origin.x, char.origin.y
        for box, glyphs in targets:
            if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
                glyphs.append(_read_glyph(char))
                break


def _read_glyph(char: Any) -> MathGlyph:
    font = mupdf.ll_fz_font_name(char.font).rpartition("+")[2].lower()
    quad = char.quad
    is_blank = char.c == _BLANK and quad.lr.y - quad.ul.y < char.size
    text = " " if is_blank else _decode(char.c, font, is_code=bool(char.flags & _CODE_IS_CHAR))
    return MathGlyph(text, quad.ul.x, quad.ul.y, quad.lr.x, quad.lr.y, char.origin.y, char.size, font)


def _decode(code: int, font: str, *, is_code: bool) -> str:
    """Return the character; a leading U+0001 marks pieces of brackets."""
    if code in _NAMED_PIECES:
        return "\x01" + _NAMED_PIECES[code]
    if not is_code or code > _LAST_CODE:  # the flag stays set for the following characters of a word
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    if _EXTENSION.search(font):
        return "\x01" + _PIECES[code] if code in _PIECES else _CODES.get(code, "\ufffd")
    return _CODED.get(code, "\ufffd")


def _join_pieces(glyphs: list[MathGlyph]) -> list[MathGlyph]:
    """Join pieces above each other into one tall bracket each."""
    pieces = sorted(
        (glyph for glyph in glyphs if glyph.char[0] == "\x01"), key=lambda piece: (round(piece.x0), piece.y0)
    )
    joined: list[list[MathGlyph]] = []
    for piece in pieces:
        last = joined[-1][-1] if joined else None
        if last is not None and abs(last.x0 - piece.x0) < 0.4 * piece.size and piece.y0 - last.y1 < 0.5 * piece.size:
            joined[-1].append(piece)
        else:
            joined.append([piece])
    return [glyph for glyph in glyphs if glyph.char[0] != "\x01"] + [_make_bracket(group) for group in joined]


def _make_bracket(pieces: list[MathGlyph]) -> MathGlyph:
    char = next((piece.char[1:] for piece in pieces if len(piece.char) > 1), "|")
    first = pieces[0]
    return MathGlyph(
        char,
        min(piece.x0 for piece in pieces),
        min(piece.y0 for piece in pieces),
        max(piece.x1 for piece in pieces),
        max(piece.y1 for piece in pieces),
        first.base,
        first.size,
        first.font,
    )
