"""Text of a deck of PowerPoint 97 to 2003: text records in, paragraphs with levels, markers and links out."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeVar

from quire.models.extract.formats.flow.blocks import FlowBlock, InlineMarkup, StyledRun
from quire.models.extract.formats.flow.drawings import DrawnRecord
from quire.models.extract.formats.slides.inherit import Bullet
from quire.models.extract.formats.slides.text import MAX_LEVEL, SlideParagraph, make_blocks
from quire.models.rare_formats.ppt.records import PptFile

HEAD, CHARS, STYLES, BYTES, MASTER_STYLES, STYLES_9 = 0x0F9F, 0x0FA0, 0x0FA1, 0x0FA8, 0x0FA3, 0x0FAC
"""Kinds of records of a text, as the format numbers them."""
SLIDE_NUMBER, DATE, GENERIC_DATE, HEADER, FOOTER, RTF_DATE = 0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015
"""Kinds of records of inserted signs, as the format numbers them."""
_LINK, _LINK_HEAD, _LINK_RANGE = 0x0FF2, 0x0FF3, 0x0FDF
"""Kinds of records, as the format numbers them."""
SIGNS: Final = frozenset((SLIDE_NUMBER, DATE, GENERIC_DATE, HEADER, FOOTER, RTF_DATE))
"""Records that replace one character of the text before them."""
TITLE, BODY, NOTES, OTHER, CENTER_BODY, CENTER_TITLE, HALF, QUARTER = 0, 1, 2, 4, 5, 6, 7, 8
"""Types of texts."""
TITLES: Final = frozenset((TITLE, CENTER_TITLE))
_BASES: Final = {CENTER_BODY: BODY, CENTER_TITLE: TITLE, HALF: BODY, QUARTER: BODY}
"""Types of texts that inherit from another."""
_MAX_MASTER_LEVELS: Final = 5
"""Levels of text that a master formats, by the format."""
_SCHEMES: Final = (
    "alphaLcPeriod", "alphaUcPeriod", "arabicParenR", "arabicPeriod", "romanLcParenBoth", "romanLcParenR",
    "romanLcPeriod", "romanUcPeriod", "alphaLcParenBoth", "alphaLcParenR", "alphaUcParenBoth", "alphaUcParenR",
    "arabicParenBoth", "arabicPlain", "romanUcParenBoth", "romanUcParenR",
)  # fmt: skip
"""Numbering schemes by number; the others number in other scripts."""
_PARAGRAPH_FIELDS: Final = (
    (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2), (0x100, 2),
    (0x400, 2), (0x8000, 2),
)  # fmt: skip
"""Bits of a paragraph's mask and bytes of their fields, after the flags of the bullet and before the tab stops."""
_LATER_FIELDS: Final = ((0x10000, 2), (0xE0000, 2), (0x200000, 2))
"""Bits of a paragraph mask and bytes of their fields, after the tab stops."""
_CHARACTER_FIELDS: Final = (
    (0x10000, 2), (0x200000, 2), (0x400000, 2), (0x800000, 2), (0x20000, 2), (0x40000, 4), (0x80000, 2),
)  # fmt: skip
"""Bits of a character mask and bytes of their fields, after the style."""
_BULLET_MASK, _TAB_STOPS, _STYLE_MASK = 0x0F, 0x100000, 0xFFFF
"""Bits of the masks for bullet flags, tab stops and character styles."""
_BREAK: Final = re.compile("[\x0b\x0c]")
_MAX_LINKS: Final = 500
"""Links of one text: each run is compared with all of them."""
_Look = TypeVar("_Look")


@dataclass(frozen=True, slots=True)
class ParagraphLook:
    """Level of a paragraph, counted from 0, and whether it has a bullet (None = as the master says)."""

    level: int = 0
    bullet: bool | None = None


@dataclass(frozen=True, slots=True)
class CharacterLook:
    """Style of characters; `numbering` is the index of the numbering of their paragraph."""

    bold: bool = False
    italic: bool = False
    numbering: int = 0


@dataclass(slots=True)
class PptText:
    """One text with its runs, each given by its end."""

    kind: int = OTHER
    text: str = ""
    paragraphs: list[tuple[int, ParagraphLook]] = field(default_factory=list)
    characters: list[tuple[int, CharacterLook]] = field(default_factory=list)
    signs: dict[int, int] = field(default_factory=dict)
    links: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def is_furniture(self) -> bool:
        """Return whether the text consists of inserted signs such as the slide number."""
        return bool(self.signs) and not any(
            not char.isspace() for index, char in enumerate(self.text) if index not in self.signs
        )


class _Cursor:
    """Numbers of a record, read one after the other; zeros after its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    @property
    def is_done(self) -> bool:
        return self.offset >= len(self._data)

    def number(self, size: int) -> int:
        """Return the next number of that many bytes."""
        value = int.from_bytes(self._data[self.offset : self.offset + size], "little")
        self.offset += size
        return value

    def skip(self, mask: int, fields: Iterable[tuple[int, int]]) -> None:
        """Skip the fields whose bit is in the mask."""
        self.offset += sum(size for bit, size in fields if mask & bit)


def read_texts(file: PptFile, records: Iterable[DrawnRecord]) -> list[PptText]:
    """Return the texts of a text box, or of a slide's outline, in order."""
    texts: list[PptText] = []
    link = 0
    for record in records:
        if record.kind == HEAD:
            texts.append(PptText(kind=file.numbers(record, "<I")[0]))
        if not texts:
            continue
        text = texts[-1]
        match record.kind:
            case k if k == CHARS:
                text.text = file.content(record).decode("utf-16-le", "replace")
            case k if k == BYTES:
                text.text = file.content(record).decode("latin-1")
            case k if k == STYLES:
                _read_styles(text, file.content(record))
            case k if k in SIGNS:
                text.signs[file.numbers(record, "<I")[0]] = k
            case k if k == _LINK:
                link = file.numbers(file.child(record, _LINK_HEAD), "<I", 4)[0]
            case k if k == _LINK_RANGE and len(text.links) < _MAX_LINKS:
                start, end = file.numbers(record, "<II")
                text.links.append((start, end, link))
    return texts


def _read_styles(text: PptText, data: bytes) -> None:
    """Read the runs of paragraphs, then those of characters; each part covers the text and one character more."""
    cursor = _Cursor(data)
    total, end = len(text.text) + 1, 0
    while end < total and not cursor.is_done:
        end += max(1, cursor.number(4))
        level = cursor.number(2)
        text.paragraphs.append((end, ParagraphLook(min(level, MAX_LEVEL - 1), _read_paragraph(cursor))))
    end = 0
    while end < total and not cursor.is_done:
        end += max(1, cursor.number(4))
        text.characters.append((end, _read_characters(cursor)))


def _read_paragraph(cursor: _Cursor) -> bool | None:
    """Read the properties of a paragraph; return whether it has a bullet, if they say."""
    mask = cursor.number(4)
    flags = cursor.number(2) if mask & _BULLET_MASK else 0
    cursor.skip(mask, _PARAGRAPH_FIELDS)
    if mask & _TAB_STOPS:
        cursor.offset += 4 * cursor.number(2)
    cursor.skip(mask, _LATER_FIELDS)
    return bool(flags & 1) if mask & 1 else None


def _read_characters(cursor: _Cursor) -> CharacterLook:
    mask = cursor.number(4)
    style = cursor.number(2) if mask & _STYLE_MASK else 0
    cursor.skip(mask, _CHARACTER_FIELDS)
    return CharacterLook(bool(style & mask & 1), bool(style & mask & 2), style >> 10 & 0xF)


def read_master_bullets(file: PptFile, records: Iterable[DrawnRecord]) -> dict[int, list[bool]]:
    """Return for each type of text whether its levels have bullets, from the text styles of a master."""
    bullets: dict[int, list[bool]] = {}
    for record in records:
        if record.kind != MASTER_STYLES:
            continue
        cursor = _Cursor(file.content(record))
        base = bullets.get(_BASES.get(record.instance, -1), [])
        levels = list(base)
        for index in range(min(cursor.number(2), _MAX_MASTER_LEVELS)):
            level = min(cursor.number(2), MAX_LEVEL - 1) if record.instance >= CENTER_BODY else index
            stated = _read_paragraph(cursor)
            _read_characters(cursor)
            levels += [False] * (level + 1 - len(levels))
            levels[level] = levels[level] if stated is None else stated
        bullets[record.instance] = levels
    return bullets


def read_numbering(data: bytes) -> list[Bullet | None]:
    """Return the numbering of paragraphs, from the record that PowerPoint 2000 added to a text."""
    cursor, found = _Cursor(data), list[Bullet | None]()
    while not cursor.is_done:
        mask = cursor.number(4)
        cursor.skip(mask, ((0x800000, 2),))
        is_numbered = bool(cursor.number(2)) if mask & 0x2000000 else False
        scheme, start = (cursor.number(2), cursor.number(2)) if mask & 0x1000000 else (3, 1)
        cursor.skip(cursor.number(4), ((0x100000, 4),))
        mask = cursor.number(4)
        cursor.skip(mask, ((1, 2), (2, 2), (4, 2), (0x40, 2), (0x20, 4)))
        if mask & 0x200:
            cursor.offset += 4 * cursor.number(4)
        name = _SCHEMES[scheme] if scheme < len(_SCHEMES) else "arabicPeriod"
        found.append(Bullet(numbered=name, start=max(1, start)) if is_numbered else None)
    return found


@dataclass(frozen=True, slots=True)
class TextContext:
    """What a slide adds to its texts: bullets of its master, targets of links, and values of inserted signs."""

    bullets: Mapping[int, Sequence[bool]] = field(default_factory=dict)
    links: Mapping[int, str] = field(default_factory=dict)
    signs: Mapping[int, str] = field(default_factory=dict)


def text_blocks(text: PptText, numbering: Sequence[Bullet | None], context: TextContext) -> list[FlowBlock]:
    """Return the blocks of a text."""
    return make_blocks(_split_paragraphs(text, numbering, context))


def _split_paragraphs(
    text: PptText, numbering: Sequence[Bullet | None], context: TextContext
) -> Iterator[SlideParagraph]:
    levels = context.bullets.get(text.kind) or context.bullets.get(_BASES.get(text.kind, -1), ())
    edges = sorted(_find_edges(text))
    start = 0
    for line in text.text.split("\r"):
        end = start + len(line)
        look = _look_at(text.paragraphs, start, ParagraphLook())
        style = _look_at(text.characters, start, CharacterLook())
        has_bullet = look.bullet if look.bullet is not None else look.level < len(levels) and levels[look.level]
        bullet = Bullet() if has_bullet else None
        if has_bullet and style.numbering < len(numbering):
            bullet = numbering[style.numbering] or bullet
        inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
        yield SlideParagraph(look.level + 1, _split_runs(text, [start, *inside, end], context), bullet)
        start = end + 1


def _find_edges(text: PptText) -> set[int]:
    edges = {edge for edge, _ in text.characters} | {edge for first, last, _ in text.links for edge in (first, last)}
    return edges | set(text.signs) | {sign + 1 for sign in text.signs}


def _look_at(runs: Sequence[tuple[int, _Look]], offset: int, default: _Look) -> _Look:
    """Return the look of the run that covers a character; the runs are given by their ends."""
    index = bisect_right(runs, offset, key=lambda run: run[0])
    return runs[index][1] if index < len(runs) else default


def _split_runs(text: PptText, edges: Sequence[int], context: TextContext) -> list[StyledRun]:
    """Return the runs of one paragraph between edges; inserted signs show their value."""
    runs = []
    for first, last in pairwise(edges):
        look = _look_at(text.characters, first, CharacterLook())
        target = next((context.links.get(link) for low, high, link in text.links if low <= first < high), None)
        part = _BREAK.sub("\n", text.text[first:last])
        if first in text.signs:
            part = context.signs.get(text.signs[first], "")
        runs.append(StyledRun(part, InlineMarkup(bold=look.bold, italic=look.italic, href=target)))
    return runs
