"""Classifies paragraphs: heading, caption, list item, footnote, running head, code, formula. One rule per function."""

import re
from dataclasses import dataclass

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.captions import is_caption
from quire.models.extract.layout.text.formulas import MATH
from quire.models.extract.layout.text.paragraphs import NUMBER, begins_bullet
from quire.models.extract.math.symbols import FUNCTIONS


@dataclass(frozen=True, slots=True)
class BlockKindLimits:
    """Thresholds for headings and margins."""

    heading_lines: int = 3
    """Maximum lines of a heading."""
    heading_chars: int = 200
    """Maximum characters of a heading."""
    larger: float = 1.15
    """Size relative to running text from which type is a heading."""
    same: float = 0.95
    """Size relative to running text below which bold type is a label or a note."""
    recognised: float = 0.8
    """The same for recognised lines: boxes of capitals are lower than others, and the page's size is an estimate."""
    recognised_lines: int = 2
    """Most lines of a recognised heading in bold type of the text's size: blocks of an address print thicker too."""
    bold_page: float = 0.4
    """Share of bold text on a page from which bold type does not indicate a heading."""
    most_in_a_row: int = 3
    """Maximum consecutive headings without text; more are lines of a list or a form."""
    item_title_chars: int = 80
    """Maximum characters of an item that is a title, and the minimum of the paragraph below it."""
    top: float = 0.105
    """Share of the page's height that is its top margin."""
    bottom: float = 0.87
    """Share of the page's height at which its bottom margin starts."""


LIMITS = BlockKindLimits()

_LETTERS = re.compile(r"[^\W\d_]{2}")
_CONTENTS = re.compile(r"(?<![.\s])\s*+(?:\.\s?){4,}+\s*+[\divxlc]+$|\s\d{1,4}$")
_CONTENTS_TITLE = re.compile(
    r"(?:table of )?contents|index|inhalt(?:sverzeichnis)?|table des mati[eè]res|sommaire|[ií]ndice|sommario",
    re.IGNORECASE,
)
_TITLE_NUMBER = re.compile(r"(\d{1,2})[.)]\s+[A-ZÀ-Þ]")
_PART = re.compile(
    r"(?:chapter|part|section|appendix|unit|lesson|module|book|kapitel|teil|chapitre|partie|cap[ií]tulo|parte)"
    r"\s+(?:\d+|[IVXLC]+|[A-Z]|one|two|three|four|five|six|seven|eight|nine|ten)[.:]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageLook:
    """Typical look of a page: `body` size in points, share of bold characters, height.

    `chars` is the number of its characters, tables and pictures included. With `contents` it lists titles with numbers,
    below its own title, which ends at `title_below`.
    """

    body: float
    bold_share: float
    width: float
    height: float
    contents: bool = False
    title_below: float = 0.0
    chars: int = 0


def find_kind(group: list[Line], page: PageLook) -> BlockType:
    """Return the type of a paragraph from its lines; furniture and footnotes are decided by place elsewhere."""
    first = group[0]
    if first.hidden:
        return BlockType.PARAGRAPH
    if all(line.code for line in group) and (len(group) > 1 or _looks_like_code(first.text)):
        return BlockType.CODE
    if is_caption(first.text):
        return BlockType.CAPTION
    if begins_bullet(first):
        return BlockType.LIST_ITEM
    if _is_formula(group) and (first.recognised or _is_pure(group)):
        return BlockType.FORMULA
    if is_heading(group, page):
        return BlockType.HEADING
    if first.bulleted or NUMBER.match(first.text):
        return BlockType.LIST_ITEM
    return BlockType.PARAGRAPH


def is_heading(group: list[Line], page: PageLook) -> bool:
    """Short, set larger or bolder than the text, and not a sentence."""
    text = group[-1].text
    if len(group) > LIMITS.heading_lines or sum(len(line.text) for line in group) > LIMITS.heading_chars:
        return False
    size = max(line.size for line in group)
    if text.endswith((",", ";")) or (text.endswith(".") and not _may_end_in_period(group, size, page)):
        return False
    if not _LETTERS.search("".join(line.text for line in group)) or not group[0].upright:
        return False
    if page.contents:
        if _CONTENTS_TITLE.fullmatch(text):
            return True
        return size >= LIMITS.larger * page.body and group[0].y0 < page.title_below and not _CONTENTS.search(text)
    if size >= LIMITS.larger * page.body:
        return True
    least = LIMITS.recognised if group[0].recognised else LIMITS.same
    if group[0].recognised and len(group) > LIMITS.recognised_lines:
        return False
    bold = all(line.bold for line in group) and page.bold_share < LIMITS.bold_page and size >= least * page.body
    return bold and not _CONTENTS.search(text)


def _may_end_in_period(group: list[Line], size: float, page: PageLook) -> bool:
    """Return True for a numbered label ("Chapter 7."), or one line of larger and bold type."""
    text = group[-1].text
    return bool(re.fullmatch(r".{0,30}\d\.", text)) or (
        len(group) == 1 and group[0].all_bold and size >= LIMITS.larger * page.body
    )


def mark_heading_parts(kinds: list[BlockType], groups: list[list[Line]], page: PageLook) -> None:
    """Make headings of labels and numbers that stand right above one."""
    for index in range(len(groups) - 2, -1, -1):
        if kinds[index] is BlockType.PARAGRAPH and _is_heading_part(groups[index], kinds[index + 1], page):
            kinds[index] = BlockType.HEADING


def _is_heading_part(group: list[Line], following: BlockType, page: PageLook) -> bool:
    """Return True for a chapter's label or its large number, right above a heading."""
    if following is not BlockType.HEADING or len(group) > 1:
        return False
    text = group[0].text.strip()
    if re.fullmatch(r"[\divxlcIVXLC]{1,4}\.?", text):
        return group[0].size > 1.3 * page.body
    return bool(_PART.fullmatch(text)) and group[0].size >= LIMITS.same * page.body


def mark_titled_items(kinds: list[BlockType], groups: list[list[Line]]) -> None:
    """Make headings of items that stand alone above a paragraph at the edge of their marks, in place.

    Such a bullet must be bold; such numbers must count on, as those of the sections of a policy do.
    """
    numbered: list[tuple[int, int]] = []
    for index in range(len(groups) - 1):
        group, below = groups[index], groups[index + 1]
        if kinds[index] is not BlockType.LIST_ITEM or kinds[index + 1] is not BlockType.PARAGRAPH or len(group) > 1:
            continue
        line = group[0]
        if len(line.text) > LIMITS.item_title_chars or line.text.rstrip().endswith((".", ",", ";", ":", "?", "!")):
            continue
        is_above = below[0].y0 > line.y0 and below[0].x0 <= line.x0 + 1 and not below[0].all_bold
        if not is_above or sum(len(one.text) for one in below) < LIMITS.item_title_chars:
            continue
        number = _TITLE_NUMBER.match(line.text)
        if number is not None:
            numbered.append((index, int(number[1])))
        elif line.all_bold and begins_bullet(line):
            kinds[index] = BlockType.HEADING
    for index, number_of in numbered:
        near = {number_of - 1, number_of + 1}
        if groups[index][0].all_bold or any(other in near for _, other in numbered):
            kinds[index] = BlockType.HEADING


def demote_runs(kinds: list[BlockType], groups: list[list[Line]]) -> None:
    """Many headings of one look in a row head nothing: an address, a title page, a list of labels."""
    start = 0
    while start < len(kinds):
        end = start
        while end < len(kinds) and kinds[end] is BlockType.HEADING and _is_alike(groups[start][0], groups[end][0]):
            end += 1
        if end - start > LIMITS.most_in_a_row:
            kinds[start:end] = [BlockType.PARAGRAPH] * (end - start)
        start = max(end, start + 1)


def _is_alike(a: Line, b: Line) -> bool:
    return abs(a.size - b.size) < 0.5 and a.bold == b.bold


def _looks_like_code(text: str) -> bool:
    return bool(re.search(r"[{};=<>]|\w\(|::|->", text))


def _is_formula(group: list[Line]) -> bool:
    """Return True for a short display with a relation or operator and few words."""
    text = " ".join(line.text for line in group)
    if len(text) > 160 or not MATH.search(text):
        return False
    words = re.findall(r"[A-Za-z]{4,}", text)
    return sum(map(len, words)) < 0.35 * len(text)


def _is_pure(group: list[Line]) -> bool:
    """Return True for a display without a leading number and nearly without words, which can be LaTeX."""
    text = " ".join(line.text for line in group)
    words = [word for word in re.findall(r"[^\W\d_]{2,}", text) if word not in FUNCTIONS]
    return not NUMBER.match(text) and sum(map(len, words)) < 0.25 * len(text)


def is_top(group: list[Line], page: PageLook) -> bool:
    """Return True for a group in the top margin."""
    return group[-1].y1 <= LIMITS.top * page.height


def is_bottom(group: list[Line], page: PageLook) -> bool:
    """Return True for a group in the bottom margin."""
    return group[0].y0 >= LIMITS.bottom * page.height
