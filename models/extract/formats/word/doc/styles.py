"""Styles of a Word file: their sheet in, the level of headings, titles and the properties of each style out."""

import re
import struct
from dataclasses import dataclass, field
from typing import Final

MAX_STYLES: Final = 4_096
"""The format counts styles in twelve bits."""
_HEADING: Final = re.compile(r"(?:heading|überschrift|titre|título|заголовок)\s*(\d)$", re.IGNORECASE)
_TITLE: Final = 62
"""Number of the built-in style for titles."""
_PARAGRAPH: Final = 1
"""The kind of styles that are of paragraphs."""
_NO_BASE: Final = 0xFFF
"""Number of the style that a style comes from when there is none."""


@dataclass(frozen=True, slots=True)
class WordStyle:
    """`base` is the style it comes from; `changes` are properties of its paragraphs."""

    name: str = ""
    built_in: int = 0
    base: int = _NO_BASE
    changes: bytes = b""


@dataclass(slots=True)
class WordStyles:
    """Styles by number."""

    styles: list[WordStyle] = field(default_factory=list)

    def chain(self, number: int) -> list[WordStyle]:
        """A style and those it comes from, nearest first."""
        found: list[WordStyle] = []
        while number < len(self.styles) and len(found) < 12:
            found.append(self.styles[number])
            number = found[-1].base
        return found

    def heading_level(self, number: int) -> int | None:
        """The level of a heading's style, 1 to 6."""
        for style in self.chain(number):
            named = _HEADING.match(style.name)
            level = style.built_in if 1 <= style.built_in <= 9 else int(named.group(1)) if named else 0
            if level:
                return min(level, 6)
        return None

    def is_title(self, number: int) -> bool:
        return any(style.built_in == _TITLE or style.name.lower() == "title" for style in self.chain(number)[:1])

    def changes(self, number: int) -> list[bytes]:
        """Properties of the style's paragraphs, those of its base first."""
        return [style.changes for style in reversed(self.chain(number))]


def read_styles(data: bytes) -> WordStyles:
    """The style sheet; what is cut off is left out."""
    styles = WordStyles()
    try:
        size = struct.unpack_from("<H", data)[0]
        count, base_bytes = struct.unpack_from("<HH", data, 2)
        at = 2 + size
        for _ in range(min(count, MAX_STYLES)):
            length = struct.unpack_from("<H", data, at)[0]
            styles.styles.append(_read_style(data[at + 2 : at + 2 + length], base_bytes) if length else WordStyle())
            at += 2 + length
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
