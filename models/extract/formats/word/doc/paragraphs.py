"""Paragraphs of a Word file with what holds for them: text and properties in, paragraphs in order out."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from models.extract.formats.flow.blocks import PLAIN, InlineMarkup, StyledRun
from models.extract.formats.word.doc.fib import FONTS, LOOKS, PARAGRAPHS, STYLES, WordStreams, WordText
from models.extract.formats.word.doc.sprms import DEFINE_TABLE, PropertyRuns, read_sprms
from models.extract.formats.word.doc.styles import WordStyles, read_styles
from models.extract.text_quality.symbol_fonts import decode_symbols, symbol_text

MAX_FONTS: Final = 4_096
"""Fonts of one file; the format counts them in sixteen bits, Word itself keeps some hundred."""
_HEAD_BYTES: Final = 39
"""Bytes of a font before its name, as the format says."""


def read_fonts(table: bytes) -> list[str]:
    """Names in the order that runs count them; what is cut off is left out."""
    fonts: list[str] = []
    count = struct.unpack_from("<H", table)[0] if len(table) >= 4 else 0
    at = 4
    for _ in range(min(count, MAX_FONTS)):
        if at >= len(table):
            break
        size = table[at]
        raw = table[at + 1 + _HEAD_BYTES : at + 1 + size]
        fonts.append(raw.decode("utf-16-le", "replace").partition("\0")[0])
        at += 1 + size
    return fonts


ENDS: Final = "\r\x07\x0c"
"""Signs that end a paragraph: a mark, the end of a cell or row, a break of page or section."""
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
_TOGGLES: Final = {0x0835: "bold", 0x0836: "italic", 0x083C: "hidden"}
_DELETED: Final = 0x0800
"""The change that marks characters as deleted."""
_SPECIAL, _PLACE = 0x0855, 0x6A03
"""The changes that make a character a sign of something else, and that say where a picture's bytes lie."""
SYMBOL: Final = 0x6A09
"""The change that makes a character stand for one of a font of symbols: the number of the font, and the character."""
_FONT: Final = 0x4A4F
"""The change that says the font of characters."""
_NO_PICTURE: Final = (0x080A, 0x0806)
"""The changes that make what lies there an object or the data of a form."""
_HEADER: Final = 0x3404
"""The change that makes a row the head of its table."""


@dataclass(frozen=True, slots=True)
class WordLook:
    """How characters look, whether they are signs of something, where a picture's bytes lie, what a symbol shows."""

    markup: InlineMarkup = PLAIN
    deleted: bool = False
    special: bool = False
    picture: int | None = None
    symbol: str = ""
    font: str = ""


@dataclass(frozen=True, slots=True)
class PictureSign:
    """A picture in a paragraph: after how many of its runs, and where its bytes lie or (floating) its character."""

    runs: int
    place: int
    floating: bool


@dataclass(slots=True)
class WordParagraph:
    """One paragraph: what its style and its own properties say, its runs, the pictures among them, the notes it calls,
    the sign that ends it."""

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
        """The paragraphs between two characters."""
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

    def _describe(self, at: int) -> WordParagraph:
        raw = self._paragraphs.at(self.text.place(at))
        style = struct.unpack_from("<H", raw)[0] if len(raw) >= 2 else 0
        paragraph = WordParagraph(style=style)
        for changes in (*self.styles.changes(style), raw[2:]):
            for code, operand in read_sprms(changes):
                _apply(paragraph, code, operand)
        return paragraph

    def _fill(self, paragraph: WordParagraph) -> None:
        """Runs of text by their looks; of fields their result, with the address of links."""
        text = self.text.text
        links: list[list[str]] = []
        at = paragraph.first
        while at < paragraph.last:
            stop = self._same_looks(at, paragraph.last)
            look = self._look(at)
            markup = look.markup
            shown: list[str] = []
            for place in range(at, stop):
                char = text[place]
                if char == _FIELD:
                    links.append(["", ""])
                elif char == _RESULT and links:
                    links[-1][1] = "shown"
                    self._say(paragraph, shown, markup, links[:-1])
                elif char == _FIELD_END and links:
                    self._say(paragraph, shown, markup, links)
                    links.pop()
                elif links and not links[-1][1]:
                    links[-1][0] += char
                elif char in (_NOTE, _COMMENT):
                    paragraph.notes.append(place)
                elif look.deleted:
                    continue
                elif look.special and char in (_INLINE, _FLOATING):
                    self._say(paragraph, shown, markup, links)
                    _add_picture(paragraph, look, place, floating=char == _FLOATING)
                else:
                    shown.append(_show(char, look))
            self._say(paragraph, shown, markup, links)
            at = stop

    def _say(self, paragraph: WordParagraph, shown: list[str], markup: InlineMarkup, links: list[list[str]]) -> None:
        if shown:
            href = next((found for link in reversed(links) if (found := _address(link[0]))), None)
            paragraph.runs.append(StyledRun("".join(shown), replace(markup, href=href) if href else markup))
            shown.clear()

    def _same_looks(self, at: int, end: int) -> int:
        """Where the looks of character `at` end."""
        number = self._looks.number(self.text.place(at))
        low, high = at, min(end, at + 4096)
        if self._looks.number(self.text.place(high - 1)) == number:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            if self._looks.number(self.text.place(middle)) == number:
                low = middle
            else:
                high = middle
        return max(at + 1, high)

    def _look(self, at: int) -> WordLook:
        raw = self._looks.at(self.text.place(at))
        if raw not in self._known:
            self._known[raw] = _read_look(raw, self._fonts)
        return self._known[raw]


def _show(char: str, look: WordLook) -> str:
    """A character as it is seen: letters of symbol fonts as what they show, where that is known."""
    if look.special and look.symbol:
        return look.symbol
    if "\uf020" <= char <= "\uf0ff":
        shown = decode_symbols(char, look.font)
        return char if shown == "\ufffd" else shown
    return _SHOWN.get(char, char if char >= " " else "")


def _read_look(raw: bytes, fonts: list[str]) -> WordLook:
    """What the changes of a run say."""

    def font(number: bytes) -> str:
        at = int.from_bytes(number[:2], "little")
        return fonts[at] if len(number) >= 2 and at < len(fonts) else ""

    changes = dict(read_sprms(raw))
    on = {code for code, operand in changes.items() if operand[:1] not in (b"", b"\0")}
    named = {name: changes.get(code, b"")[:1] in (b"\x01", b"\x81") for code, name in _TOGGLES.items()}
    place = changes.get(_PLACE, b"")
    symbol = changes.get(SYMBOL, b"")
    return WordLook(
        markup=InlineMarkup(bold=named["bold"], italic=named["italic"], hidden=named["hidden"]),
        deleted=_DELETED in on,
        special=_SPECIAL in on,
        picture=int.from_bytes(place, "little", signed=True)
        if len(place) == 4 and on.isdisjoint(_NO_PICTURE)
        else None,
        symbol=symbol_text(font(symbol), f"{int.from_bytes(symbol[2:4], 'little'):X}") if len(symbol) == 4 else "",
        font=font(changes.get(_FONT, b"")),
    )


def _add_picture(paragraph: WordParagraph, look: WordLook, place: int, *, floating: bool) -> None:
    where = place if floating else look.picture
    if where is not None and not look.markup.hidden:
        paragraph.pictures.append(PictureSign(len(paragraph.runs), where, floating))


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
    """Where a link leads; None for other fields."""
    words = instruction.split()
    if not words or words[0].upper() != "HYPERLINK":
        return None
    target = next((word.strip('"') for word in words[1:] if not word.startswith("\\")), "")
    return target if "://" in target or target.startswith("mailto:") else None
