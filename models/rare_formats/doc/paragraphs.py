"""Paragraphs of a Word file with their properties: text and properties in, paragraphs in order out."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from quire.models.extract.formats.flow.blocks import PLAIN, InlineMarkup, StyledRun
from quire.models.extract.text_quality.symbol_fonts import decode_symbols, symbol_text
from quire.models.rare_formats.doc.fib import FONTS, LOOKS, PARAGRAPHS, STYLES, WordStreams, WordText
from quire.models.rare_formats.doc.sprms import DEFINE_TABLE, PropertyRuns, read_sprms
from quire.models.rare_formats.doc.styles import WordStyles, read_styles

MAX_FONTS: Final = 4_096
"""Fonts of one file; the format counts them in sixteen bits, Word stores some hundred."""
_HEAD_BYTES: Final = 39
"""Bytes of a font before its name, by the format."""


def read_fonts(table: bytes) -> list[str]:
    """Return font names in the order of their numbers, without incomplete records."""
    fonts: list[str] = []
    count = struct.unpack_from("<H", table)[0] if len(table) >= 4 else 0
    offset = 4
    for _ in range(min(count, MAX_FONTS)):
        if offset >= len(table):
            break
        size = table[offset]
        raw = table[offset + 1 + _HEAD_BYTES : offset + 1 + size]
        fonts.append(raw.decode("utf-16-le", "replace").partition("\0")[0])
        offset += 1 + size
    return fonts


ENDS: Final = "\r\x07\x0c"
"""Characters that end a paragraph: a mark, the end of a cell or row, a break of page or section."""
_FIELD, _RESULT, _FIELD_END, _NOTE, _COMMENT, _INLINE, _FLOATING = (
    "\x13", "\x14", "\x15", "\x02", "\x05", "\x01", "\x08",
)  # fmt: skip
_SHOWN: Final = {"\x0b": "\n", "\x1e": "‑", "\x1f": "", "\xa0": "\xa0", "\t": "\t", "\x0e": "\n"}
_FLAGS: Final = {0x2416: "in_table", 0x2417: "ends_row", 0x244B: "inner_cell", 0x244C: "inner_row"}
_NUMBERS: Final = {
    0x260A: "level",
    0x460B: "list_use",
    0x2640: "outline",
    0x6649: "nesting",
    0x845E: "left",
    0x840F: "left",
}
_SIGNED: Final = frozenset((0x845E, 0x840F, 0x460B, 0x6649))
_RAISED: Final = 0x2A48
"""1 = superscript, 2 = subscript."""
_TOGGLES: Final = {0x0835: "bold", 0x0836: "italic", 0x083C: "hidden", 0x0837: "strike", 0x2A53: "double"}
_DELETED: Final = 0x0800
"""The property change that marks characters as deleted."""
_SPECIAL, _PLACE = 0x0855, 0x6A03
"""The property changes that make a character a placeholder, and that state the position of a picture's bytes."""
SYMBOL: Final = 0x6A09
"""The property change that replaces a character by one of a symbol font: font number and character."""
_FONT: Final = 0x4A4F
"""The property change for the font of characters."""
_NO_PICTURE: Final = (0x080A, 0x0806)
"""The property changes that make those bytes an object or form data."""
_HEADER: Final = 0x3404
"""The property change that makes a row the header of its table."""


@dataclass(frozen=True, slots=True)
class WordLook:
    """Formatting of characters; `picture` is the position of a picture's bytes, `symbol` the symbol that is shown."""

    markup: InlineMarkup = PLAIN
    deleted: bool = False
    special: bool = False
    picture: int | None = None
    symbol: str = ""
    font: str = ""


@dataclass(frozen=True, slots=True)
class PictureSign:
    """A picture after so many `runs` of a paragraph; `place`: position of its bytes or (floating) its character."""

    runs: int
    place: int
    floating: bool


@dataclass(slots=True)
class WordParagraph:
    """One paragraph: its properties, its runs with pictures and note marks, and the character that ends it."""

    end: str = "\r"
    style: int = 0
    level: int = 0
    list_use: int = 0
    outline: int = 9
    left: int = 0
    nesting: int = 0
    in_table: bool = False
    ends_row: bool = False
    inner_cell: bool = False
    inner_row: bool = False
    header_row: bool = False
    row: bytes = b""
    first: int = 0
    last: int = 0
    runs: list[StyledRun] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    pictures: list[PictureSign] = field(default_factory=list)


class WordReader:
    """Reads paragraphs of any story."""

    def __init__(self, streams: WordStreams, text: WordText) -> None:
        self.text = text
        self.styles: WordStyles = read_styles(streams.part(STYLES))
        self._paragraphs = PropertyRuns(streams.main, streams.part(PARAGRAPHS), paragraphs=True)
        self._looks = PropertyRuns(streams.main, streams.part(LOOKS), paragraphs=False)
        self._fonts = read_fonts(streams.part(FONTS))
        self._known: dict[bytes, WordLook] = {b"": WordLook()}

    def read(self, start: int, end: int) -> Iterator[WordParagraph]:
        """Yield the paragraphs between two characters."""
        text = self.text.text
        end = min(end, len(text))
        while start < end:
            stop = start
            while stop < end and text[stop] not in ENDS:
                stop += 1
            paragraph = self._describe(min(stop, end - 1))
            paragraph.first, paragraph.last = start, stop
            paragraph.end = text[stop] if stop < end else "\r"
            self._fill(paragraph)
            yield paragraph
            start = stop + 1

    def _describe(self, index: int) -> WordParagraph:
        raw = self._paragraphs.at(self.text.place(index))
        style = struct.unpack_from("<H", raw)[0] if len(raw) >= 2 else 0
        paragraph = WordParagraph(style=style)
        for changes in (*self.styles.changes(style), raw[2:]):
            for code, operand in read_sprms(changes):
                _apply(paragraph, code, operand)
        return paragraph

    def _fill(self, paragraph: WordParagraph) -> None:
        """Split the text into runs by formatting; of fields add the result, with the address of links."""
        text = self.text.text
        links: list[list[str]] = []
        start = paragraph.first
        while start < paragraph.last:
            stop = self._find_look_end(start, paragraph.last)
            look = self._look(start)
            markup = look.markup
            shown: list[str] = []
            for index in range(start, stop):
                char = text[index]
                if char == _FIELD:
                    links.append(["", ""])
                elif char == _RESULT and links:
                    links[-1][1] = "shown"
                    self._add_run(paragraph, shown, markup, links[:-1])
                elif char == _FIELD_END and links:
                    self._add_run(paragraph, shown, markup, links)
                    links.pop()
                elif links and not links[-1][1]:
                    links[-1][0] += char
                elif char in (_NOTE, _COMMENT):
                    paragraph.notes.append(index)
                elif look.deleted:
                    continue
                elif look.special and char in (_INLINE, _FLOATING):
                    self._add_run(paragraph, shown, markup, links)
                    _add_picture(paragraph, look, index, floating=char == _FLOATING)
                else:
                    shown.append(_show_char(char, look))
            self._add_run(paragraph, shown, markup, links)
            start = stop

    def _add_run(
        self, paragraph: WordParagraph, shown: list[str], markup: InlineMarkup, links: list[list[str]]
    ) -> None:
        if shown:
            href = next((address for link in reversed(links) if (address := _address(link[0]))), None)
            paragraph.runs.append(StyledRun("".join(shown), replace(markup, href=href) if href else markup))
            shown.clear()

    def _find_look_end(self, index: int, end: int) -> int:
        """Return where the formatting of character `index` ends."""
        number = self._looks.number(self.text.place(index))
        low, high = index, min(end, index + 4096)
        if self._looks.number(self.text.place(high - 1)) == number:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            if self._looks.number(self.text.place(middle)) == number:
                low = middle
            else:
                high = middle
        return max(index + 1, high)

    def _look(self, index: int) -> WordLook:
        raw = self._looks.at(self.text.place(index))
        if raw not in self._known:
            self._known[raw] = _read_look(raw, self._fonts)
        return self._known[raw]


def _show_char(char: str, look: WordLook) -> str:
    """Return a character as displayed; characters of symbol fonts are decoded where the font is known."""
    if look.special and look.symbol:
        return look.symbol
    if "\uf020" <= char <= "\uf0ff":
        shown = decode_symbols(char, look.font)
        return char if shown == "\ufffd" else shown
    return _SHOWN.get(char, char if char >= " " else "")


def _read_look(raw: bytes, fonts: list[str]) -> WordLook:
    """Return the formatting that the property changes of a run state."""

    def font(number: bytes) -> str:
        index = int.from_bytes(number[:2], "little")
        return fonts[index] if len(number) >= 2 and index < len(fonts) else ""

    changes = dict(read_sprms(raw))
    active = {code for code, operand in changes.items() if operand[:1] not in (b"", b"\0")}
    named = {name: changes.get(code, b"")[:1] in (b"\x01", b"\x81") for code, name in _TOGGLES.items()}
    position = changes.get(_PLACE, b"")
    symbol = changes.get(SYMBOL, b"")
    return WordLook(
        markup=InlineMarkup(
            bold=named["bold"],
            italic=named["italic"],
            hidden=named["hidden"],
            strike=named["strike"] or named["double"],
            superscript=changes.get(_RAISED, b"")[:1] == b"\x01",
            subscript=changes.get(_RAISED, b"")[:1] == b"\x02",
        ),
        deleted=_DELETED in active,
        special=_SPECIAL in active,
        picture=int.from_bytes(position, "little", signed=True)
        if len(position) == 4 and active.isdisjoint(_NO_PICTURE)
        else None,
        symbol=symbol_text(font(symbol), f"{int.from_bytes(symbol[2:4], 'little'):X}") if len(symbol) == 4 else "",
        font=font(changes.get(_FONT, b"")),
    )


def _add_picture(paragraph: WordParagraph, look: WordLook, index: int, *, floating: bool) -> None:
    position = index if floating else look.picture
    if position is not None and not look.markup.hidden:
        paragraph.pictures.append(PictureSign(len(paragraph.runs), position, floating))


def _apply(paragraph: WordParagraph, code: int, operand: bytes) -> None:
    if code in _FLAGS:
        setattr(paragraph, _FLAGS[code], bool(operand and operand[0]))
    elif code in _NUMBERS:
        setattr(paragraph, _NUMBERS[code], int.from_bytes(operand, "little", signed=code in _SIGNED))
    elif code == DEFINE_TABLE:
        paragraph.row = operand
    elif code == _HEADER:
        paragraph.header_row = bool(operand and operand[0])


def _address(instruction: str) -> str | None:
    """Return the target of a link; None for other fields."""
    words = instruction.split()
    if not words or words[0].upper() != "HYPERLINK":
        return None
    target = next((word.strip('"') for word in words[1:] if not word.startswith("\\")), "")
    return target if "://" in target or target.startswith("mailto:") else None
