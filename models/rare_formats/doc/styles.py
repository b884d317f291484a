"""Styles of a Word file: the style sheet in, heading levels, titles and the properties of each style out."""

import re
import struct
from dataclasses import dataclass, field
from typing import Final

MAX_STYLES: Final = 4_096
"""The format counts styles in twelve bits."""
_HEADING: Final = re.compile(r"(?:heading|überschrift|titre|título|заголовок)\s*(\d)$", re.IGNORECASE)
_TITLE: Final = 62
"""Number of the built-in title style."""
_PARAGRAPH: Final = 1
"""The kind of paragraph styles."""
_NO_BASE: Final = 0xFFF
"""Base number of a style without a base."""


@dataclass(frozen=True, slots=True)
class WordStyle:
    """A style: `base` is the number of the style it inherits from, `changes` are properties of its paragraphs."""

    name: str = ""
    built_in: int = 0
    base: int = _NO_BASE
    changes: bytes = b""


@dataclass(slots=True)
class WordStyles:
    """Styles by number."""

    styles: list[WordStyle] = field(default_factory=list)

    def chain(self, number: int) -> list[WordStyle]:
        """Return a style and the styles it inherits from, nearest first."""
        chain: list[WordStyle] = []
        while number < len(self.styles) and len(chain) < 12:
            chain.append(self.styles[number])
            number = chain[-1].base
        return chain

    def heading_level(self, number: int) -> int | None:
        """Return the level of a heading style, 1 to 6; None for other styles."""
        for style in self.chain(number):
            named = _HEADING.match(style.name)
            level = style.built_in if 1 <= style.built_in <= 9 else int(named.group(1)) if named else 0
            if level:
                return min(level, 6)
        return None

    def is_title(self, number: int) -> bool:
        """Return whether the style is the title style."""
        return any(style.built_in == _TITLE or style.name.lower() == "title" for style in self.chain(number)[:1])

    def changes(self, number: int) -> list[bytes]:
        """Return the properties of the style's paragraphs, those of its base first."""
        return [style.changes for style in reversed(self.chain(number))]


def read_styles(data: bytes) -> WordStyles:
    """Return the style sheet without incomplete styles."""
    styles = WordStyles()
    try:
        size = struct.unpack_from("<H", data)[0]
        count, base_bytes = struct.unpack_from("<HH", data, 2)
        offset = 2 + size
        for _ in range(min(count, MAX_STYLES)):
            length = struct.unpack_from("<H", data, offset)[0]
            styles.styles.append(
                _read_style(data[offset + 2 : offset + 2 + length], base_bytes) if length else WordStyle()
            )
            offset += 2 + length
    except struct.error:
        pass
    return styles


def _read_style(data: bytes, base_bytes: int) -> WordStyle:
    try:
        first, second = struct.unpack_from("<HH", data)
        count = struct.unpack_from("<H", data, base_bytes)[0]
        end = base_bytes + 2 + 2 * count
        name = data[base_bytes + 2 : end].decode("utf-16-le", "replace")
        if second & 0xF != _PARAGRAPH:
            return WordStyle(name)
        size = struct.unpack_from("<H", data, end + 2)[0]
    except struct.error:
        return WordStyle()
    return WordStyle(name, first & 0xFFF, second >> 4, data[end + 6 : end + 4 + size])
