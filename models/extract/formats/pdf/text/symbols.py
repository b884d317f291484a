"""Characters of fonts of pictures: from tables of the common fonts, in other fonts by the shape of the drawn glyph.

A sign of currency that is drawn as a euro is one: old encodings have both at the same code.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from quire.models.extract.formats.pdf.text.raw_lines import iter_lines_of_glyphs, iter_spans, select_lines
from quire.models.extract.formats.pdf.text.signs import read_sign
from quire.models.extract.formats.pdf.text.undecoded import DrawnGlyphs, draw_ink, is_level
from quire.models.extract.text_quality.symbol_fonts import is_picture_font, shown_symbol, symbol_font

Shown = dict[int, int]
"""Code points of the text layer → code points that the page shows."""


@dataclass(frozen=True, slots=True)
class SymbolLimits:
    """Limits for glyphs of fonts of pictures to be read by their shape."""

    em: float = 48.0
    """Pixels of one em of a drawn glyph."""
    first_sign: int = 0x2190
    """Code points from here on are arrows and signs, so that the file itself says what the glyph is."""
    strokes: int = 4
    """Strokes of a euro above each other in its middle: two arms and two bars."""
    middle: tuple[float, float] = (0.4, 0.6)
    """Its middle, as shares of its width."""
    most_drawn: int = 60
    """Glyphs of different codes that are drawn on a page."""


LIMITS: Final = SymbolLimits()
_CURRENCY, _EURO = "¤", "€"


@dataclass(slots=True)
class ShownSymbols:
    """Whether glyphs were rewritten, and the replacements of codes that no font of letters has on the page."""

    is_changed: bool = False
    codes: Shown = field(default_factory=dict)


def show_symbols(
    text_page: Any, blocks: list[dict[str, Any]], font_name: Callable[[Any], str], draw: Callable[[], DrawnGlyphs]
) -> ShownSymbols:
    """Rewrite the characters of fonts of pictures in `text_page` and return what was rewritten.

    Args:
        text_page: The engine's text page.
        blocks: Its dictionary.
        font_name: Returns the name of an engine's font.
        draw: Returns the drawings of the page, made on demand.
    """
    symbols = ShownSymbols()
    selected = select_lines(blocks, lambda span: is_picture_font(span["font"]) or _CURRENCY in span["text"])
    if not selected:
        return symbols
    drawn: dict[tuple[str, int], int] = {}
    for glyphs in iter_lines_of_glyphs(text_page, selected):
        for glyph in glyphs:
            point = _find_symbol(glyph, font_name(glyph.font), drawn, draw)
            if point != glyph.c:
                symbols.is_changed = True
                symbols.codes[glyph.c] = point
                glyph.c = point
    if symbols.codes:
        letters = {
            ord(char) for span in iter_spans(blocks) if not is_picture_font(span["font"]) for char in span["text"]
        }
        symbols.codes = {code: point for code, point in symbols.codes.items() if code not in letters}
    return symbols


def _find_symbol(glyph: Any, font: str, drawn: dict[tuple[str, int], int], draw: Callable[[], DrawnGlyphs]) -> int:
    """Return the code point that a glyph shows; `drawn` holds those that were read by their shape."""
    point = shown_symbol(font, glyph.c)
    is_currency = point == ord(_CURRENCY)
    if point != glyph.c or not (is_currency or (is_picture_font(font) and not _is_known(font, point))):
        return point
    key = (font, point)
    if key not in drawn and len(drawn) < LIMITS.most_drawn:
        drawn[key] = _read_currency(glyph, draw()) if is_currency else _read_shape(glyph, draw())
    return drawn.get(key, point)


def _read_currency(glyph: Any, drawn: DrawnGlyphs) -> int:
    """Return the code point of the euro for a glyph with two bars between two arms, else its own."""
    ink = draw_ink(glyph, drawn) if is_level(glyph) else None
    if ink is None or not ink.any():
        return int(glyph.c)
    columns = np.flatnonzero(ink.any(axis=0))
    left, wide = int(columns[0]), int(columns[-1] - columns[0] + 1)
    first, last = (left + round(share * wide) for share in LIMITS.middle)
    strokes = (np.diff(np.pad(ink[:, first:last], ((1, 0), (0, 0))).astype(np.int8), axis=0) == 1).sum(axis=0)
    return ord(_EURO) if len(strokes) and np.median(strokes) == LIMITS.strokes else int(glyph.c)


def _is_known(font: str, point: int) -> bool:
    """Return whether the character of a font of pictures needs no look at its glyph."""
    is_greek = symbol_font(font) == "symbol"
    return (
        is_greek
        or chr(point).isspace()
        or (point >= LIMITS.first_sign and not 0xE000 <= point <= 0xF8FF and point != 0xFFFD)
    )


def _read_shape(glyph: Any, drawn: DrawnGlyphs) -> int:
    """Return the code point of the sign that a glyph shows; its own code for any other shape."""
    quad = glyph.quad
    xs, ys = (quad.ul.x, quad.ur.x, quad.ll.x, quad.lr.x), (quad.ul.y, quad.ur.y, quad.ll.y, quad.lr.y)
    sign = read_sign(drawn.pixels_of_text((min(xs), min(ys), max(xs), max(ys)), LIMITS.em / max(glyph.size, 1.0)))
    return ord(sign) if sign else int(glyph.c)
