"""Tables that precede the text of an RTF file: fonts with their charsets, styles by number, lists and their levels."""

import re
from dataclasses import dataclass, field
from typing import Final

from quire.models.extract.formats.rtf.tokens import RtfToken

_CHARSETS: Final = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab",
    134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
_NOT_OF_PARAGRAPHS: Final = frozenset(("cs", "ds", "ts"))
"""Words for styles of characters, sections and tables; `Heading 1 Char` is not a heading."""
_HEADING: Final = re.compile(r"heading[ _]?(\d)", re.IGNORECASE)


@dataclass(slots=True)
class RtfTables:
    """`fonts`: font → codec; `headings`: style → level; `titles`; `lists`: list → number formats by level."""

    fonts: dict[int, str] = field(default_factory=dict)
    headings: dict[int, int] = field(default_factory=dict)
    titles: set[int] = field(default_factory=set)
    lists: dict[int, list[int]] = field(default_factory=dict)
    overrides: dict[int, int] = field(default_factory=dict)
    codec: str = "cp1252"

    def take(self, name: str, tokens: list[RtfToken]) -> None:
        """Read the tokens of one table's group."""
        match name:
            case "fonttbl":
                self._take_fonts(tokens)
            case "stylesheet":
                self._take_styles(tokens)
            case "listtable":
                self._take_lists(tokens)
            case "listoverridetable":
                self._take_overrides(tokens)

    def formats(self, override: int) -> list[int]:
        """Return the number formats of a list by level: 23 is a bullet, 255 stands for no number."""
        return self.lists.get(self.overrides.get(override, -1), [])

    def _take_fonts(self, tokens: list[RtfToken]) -> None:
        font = 0
        for token in tokens:
            if token.word == "f" and token.value is not None:
                font = token.value
            elif token.word == "fcharset" and token.value in _CHARSETS and token.value is not None:
                self.fonts[font] = _CHARSETS[token.value]
            elif token.word == "cpg" and token.value:
                self.fonts[font] = f"cp{token.value}"

    def _take_styles(self, tokens: list[RtfToken]) -> None:
        style: int | None = 0
        level, name, depth = None, "", 0
        for token in tokens:
            if token.kind == "open":
                depth += 1
                if depth == 1:
                    style, level, name = 0, None, ""
            elif token.kind == "close":
                if depth == 1:
                    self._add_style(style, level, name)
                depth -= 1
            elif token.word == "s" and token.value is not None:
                style = token.value
            elif token.word in _NOT_OF_PARAGRAPHS:
                style = None
            elif token.word == "outlinelevel" and token.value is not None:
                level = token.value + 1
            elif token.kind == "text":
                name += token.data.decode("latin-1")

    def _add_style(self, style: int | None, level: int | None, name: str) -> None:
        if style is None:
            return
        match = _HEADING.search(name)
        if match is not None:
            self.headings[style] = max(1, min(6, int(match.group(1))))
        elif level is not None and level <= 6:
            self.headings[style] = level
        elif name.strip(" ;").lower() == "title":
            self.titles.add(style)

    def _take_lists(self, tokens: list[RtfToken]) -> None:
        formats: list[int] = []
        for token in tokens:
            if token.word == "list":
                formats = []
            elif token.word == "listlevel":
                formats.append(0)
            elif token.word in ("levelnfc", "levelnfcn") and formats and token.value is not None:
                formats[-1] = token.value
            elif token.word == "listid" and token.value is not None:
                self.lists[token.value] = formats

    def _take_overrides(self, tokens: list[RtfToken]) -> None:
        list_id = -1
        for token in tokens:
            if token.word == "listid" and token.value is not None:
                list_id = token.value
            elif token.word == "ls" and token.value is not None:
                self.overrides[token.value] = list_id
