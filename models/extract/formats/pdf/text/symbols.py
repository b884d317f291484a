"""Letters of symbol fonts become what they show, in the text page itself, so that everybody reads the same."""

from collections.abc import Callable
from typing import Any, Final

from models.extract.text_quality.symbol_fonts import shown_symbol, symbol_font

Shown = dict[int, int]
"""Code points of the text layer → those of what the page shows."""
_TEXT: Final = 0
"""The engine's type of blocks of text."""


def show_symbols(text_page: Any, blocks: list[dict[str, Any]], font_name: Callable[[Any], str]) -> Shown:
    """Rewrites the characters of symbol fonts; what was rewritten, empty when `blocks` are still those of the page."""
    if not any(
        symbol_font(span["font"]) is not None
        for block in blocks
        if block["type"] == _TEXT
        for line in block["lines"]
        for span in line["spans"]
    ):
        return {}
    shown: Shown = {}
    for block in text_page.this:
        for line in block if block.m_internal.type == _TEXT else ():
            for char in line:
                _show(char.m_internal, font_name, shown)
    return shown


def _show(char: Any, font_name: Callable[[Any], str], shown: Shown) -> None:
    point = shown_symbol(font_name(char.font), char.c)
    if point != char.c:
        shown[char.c] = point
        char.c = point
