"""Finds running heads, page numbers and footnotes by their place on the page."""

import re
from dataclasses import dataclass

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.text.kinds import PageLook, is_bottom, is_top
from quire.models.extract.layout.text.paragraphs import NUMBER

Paragraph = list[Line]

_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—|\s]*(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]{1,2}[-–.]\d{1,3})[-–—|\s.]*(?:\s*(?:of|/)\s*\d+)?",
    re.IGNORECASE,
)
_NUMBERED_EDGE = re.compile(
    r"(?:\d{1,4}|[ivxlc]{1,6}|[IVXLC]{2,6})\b\W*\s+\D|.*\D\s+\W*(?:\d{1,4}|[ivxlc]{1,6}|[IVXLC]{2,6})\s*$"
)
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[A-ZÀ-Þ][^\W\d]")
_NOTE = re.compile(r"(?:\d{1,3}(?![.,]?\d|\s?%)|[*†‡§¶]+)[.)]?\s*\S|[a-z](?:[.)]\s*|\s+)\S")


@dataclass(frozen=True, slots=True)
class FurnitureLimits:
    """Thresholds for text at the edge of a page that is not its content."""

    sure_bottom: float = 0.89
    """Above this share of the height only page numbers and rows pushed to both margins are running feet."""
    margin: float = 0.13
    """Share of the page's width that is margin."""
    margin_share: float = 0.3
    """Maximum ratio of the text along a margin to the other text."""
    text_lines: int = 4
    """Minimum lines of a group that is text; text is not searched above the first and below the last such group."""
    larger: float = 1.5
    """Size relative to running text above which a group is a title, not text."""
    most_pieces: int = 12
    """Maximum pieces of running heads or feet at one edge of a page."""
    least_parts: int = 4
    """Minimum names in the navigation bar of a report."""
    part_letters: int = 3
    """Minimum letters of such a name."""
    part_chars: int = 40
    """Maximum characters of such a name's line."""
    part_size: float = 1.05
    """Maximum size of its type, relative to running text."""
    part_lines: float = 4.0
    """Maximum height of the bar, in its type size."""
    title_size: float = 0.98
    """Minimum size of a title's bold type, relative to running text."""
    centred: float = 0.06
    """Maximum distance of a centred line from the middle of the page, as a share of its width, twice."""
    few_chars: int = 150
    """Characters of a page below which it has no running head, because the top of a cover or a slide is content."""
    lowest_third: float = 0.67
    """Share of the page's height below which a lone number can be a page number."""
    sentence_chars: int = 30
    """Characters above which a line that ends in a full stop is a sentence."""
    gap: float = 1.4
    """Minimum blank space (in ems) between a running head and the text."""
    cell_gap: float = 1.2
    """Maximum distance (in ems) of the words in a table's head to the rules above and below."""
    note_top: float = 0.45
    """Share of the page's height above all footnotes."""
    note_size: float = 0.93
    """Maximum size of a footnote, relative to running text."""


LIMITS = FurnitureLimits()


def find_furniture(groups: list[Paragraph], page: PageLook, marks: PageMarks) -> dict[int, BlockType]:
    """Return the groups that are running heads or feet, by index; a row of ruled cells at the foot heads a table."""
    furniture: dict[int, BlockType] = {}
    order = sorted(range(len(groups)), key=lambda index: groups[index][0].y0)
    _walk(groups, order, page, furniture, BlockType.PAGE_HEADER)
    _walk(groups, order[::-1], page, furniture, BlockType.PAGE_FOOTER)
    for index in _find_head_cells(groups, [i for i, kind in furniture.items() if kind is BlockType.PAGE_FOOTER], marks):
        del furniture[index]
    return furniture


def _find_head_cells(groups: list[Paragraph], feet: list[int], marks: PageMarks) -> list[int]:
    """Return the feet that are the cells of a ruled row without numbers, of which each has rules on its four sides."""
    cells = [index for index in feet if _is_enclosed(groups[index], marks)]
    texts = ["".join(line.text for line in groups[index]) for index in cells]
    return cells if len(cells) > 1 and not any(char.isdigit() for text in texts for char in text) else []


def _is_enclosed(group: Paragraph, marks: PageMarks) -> bool:
    """Return True for a group between two horizontal rules near it and two vertical ones."""
    x0, x1 = min(line.x0 for line in group), max(line.x1 for line in group)
    y0, y1 = group[0].y0, group[-1].y1
    x, y, reach = (x0 + x1) / 2, (y0 + y1) / 2, LIMITS.cell_gap * group[0].size
    flat = [rule.y0 for rule in marks.horizontals if rule.x0 <= x <= rule.x1]
    upright = [rule.x0 for rule in marks.verticals if rule.y0 <= y <= rule.y1]
    has_lines = any(y0 - reach <= at <= y0 + 1 for at in flat) and any(y1 - 1 <= at <= y1 + reach for at in flat)
    return has_lines and any(at <= x0 for at in upright) and any(at >= x1 for at in upright)


def _walk(
    groups: list[Paragraph], order: list[int], page: PageLook, furniture: dict[int, BlockType], kind: BlockType
) -> None:
    """From the page's edge inwards: groups in the edge zone, as long as a gap parts them from the text."""
    zone: list[int] = []
    logos: set[int] = set()
    at_top = kind is BlockType.PAGE_HEADER
    for index in order:
        group = groups[index]
        if not (is_top(group, page) if at_top else is_bottom(group, page)):
            break
        if group[0].text:
            zone.append(index)
        else:
            logos.add(index)
    if at_top and _is_navigation([groups[i] for i in zone], page):
        furniture.update(dict.fromkeys(zone, kind))
        return
    del zone[LIMITS.most_pieces :]
    while zone:
        edge = max(groups[i][-1].y1 for i in zone) if at_top else min(groups[i][0].y0 for i in zone)
        others = [group for i, group in enumerate(groups) if i not in zone and i not in logos]
        gap = min(
            ((group[0].y0 - edge) if at_top else (edge - group[-1].y1) for group in others),
            default=page.height,
        )
        if all(_is_running(groups[i], page, gap) for i in zone) or _is_spread([groups[i] for i in zone], page, gap):
            break
        zone.pop()
    if not zone and not at_top:
        zone = _find_low_number(groups, order, page)
    for index in zone:
        furniture.setdefault(index, kind)


def find_margin_marks(groups: list[Paragraph], page: PageLook) -> list[int]:
    """Return the indices of lines along the outer margin, outside all text: archive stamps, "Downloaded from"."""
    upright = [line for group in groups for line in group if line.upright and line.text]
    aslant = [index for index, group in enumerate(groups) if not group[0].upright and group[0].text]
    chars = sum(len(line.text) for line in upright)
    if not aslant or sum(len(groups[index][0].text) for index in aslant) > LIMITS.margin_share * chars:
        return []
    left, right = min(line.x0 for line in upright), max(line.x1 for line in upright)
    edge = LIMITS.margin * page.width
    return [
        index
        for index in aslant
        if (groups[index][0].x1 <= min(left, edge)) or (groups[index][0].x0 >= max(right, page.width - edge))
    ]


def _find_low_number(groups: list[Paragraph], order: list[int], page: PageLook) -> list[int]:
    """Return the page's last line when it is a bare number, apart from the text, under wide margins."""
    if len(order) < 2:
        return []
    last, others = groups[order[0]], [groups[index] for index in order[1:]]
    if len(last) > 1 or not re.fullmatch(r"\d{1,4}", last[0].text) or last[0].y0 < LIMITS.lowest_third * page.height:
        return []
    gap = last[0].y0 - max(group[-1].y1 for group in others)
    return [order[0]] if gap > last[0].size else []


def _is_numbered_edge(group: Paragraph, page: PageLook, text: str) -> bool:
    """One short line at the very edge that begins or ends with a page number."""
    at_edge = group[0].y0 >= 0.93 * page.height or group[0].y1 <= 0.07 * page.height
    if group[0].all_bold and _SECTION.match(text) and group[0].size >= LIMITS.title_size * page.body:
        return False
    return at_edge and len(group) == 1 and len(text) < 80 and bool(_NUMBERED_EDGE.match(text))


def _is_navigation(row: list[Paragraph], page: PageLook) -> bool:
    """Return True for the names of a report's parts side by side over the page, in a few lines of small type."""
    pieces = [line for group in row for line in group]
    if len(row) < LIMITS.least_parts or any(line.size > LIMITS.part_size * page.body for line in pieces):
        return False
    named = sum(sum(char.isalpha() for char in line.text) >= LIMITS.part_letters for line in pieces)
    if named < LIMITS.least_parts or any(len(line.text) > LIMITS.part_chars for line in pieces):
        return False
    high = max(line.y1 for line in pieces) - min(line.y0 for line in pieces)
    wide = max(line.x1 for line in pieces) - min(line.x0 for line in pieces)
    columns = {round(line.x0) for line in pieces}
    return (
        len(columns) >= LIMITS.least_parts
        and high < LIMITS.part_lines * max(line.size for line in pieces)
        and 2 * wide > page.width
    )


def _is_spread(row: list[Paragraph], page: PageLook, gap: float) -> bool:
    """Short pieces on one baseline, pushed to both margins: no text is set so, but the heads of two columns are."""
    if len(row) < 2 or any(len(group) > 1 or len(group[0].text) > 80 for group in row):
        return False
    if row[0][0].y0 < 0.5 * page.height and any(group[0].bold or group[0].size > 1.1 * page.body for group in row):
        return False
    bases = [group[0].base for group in row]
    left, right = min(group[0].x0 for group in row), max(group[0].x1 for group in row)
    return max(bases) - min(bases) < 2 and right - left > 0.6 * page.width and gap > 0.3 * row[0][0].size


def _is_running(group: Paragraph, page: PageLook, gap: float) -> bool:
    text = " ".join(line.text for line in group)
    if _PAGE_NUMBER.fullmatch(text.strip()):
        return True
    if _is_numbered_edge(group, page, text):
        return True
    if 0.5 * page.height < group[0].y0 < LIMITS.sure_bottom * page.height or page.chars < LIMITS.few_chars:
        return False
    if group[0].y0 > 0.5 * page.height and NUMBER.match(text):
        return False
    if len(group) > 2 or group[0].size > 1.25 * page.body or len(text) > 160 or _is_sentence(text):
        return False
    if group[0].all_bold and is_top(group, page) and _may_be_title(group, page):
        return False
    return gap > LIMITS.gap * max(group[0].size, 8.0) and not (group[0].bold and group[0].size > 1.1 * page.body)


def _may_be_title(group: Paragraph, page: PageLook) -> bool:
    """Return True for bold words in the size of the text, in the middle of the page or after a section's number.

    Those that later pages repeat are running heads; the document decides that.
    """
    first, text = group[0], group[0].text
    if first.size < LIMITS.title_size * page.body:
        return False
    is_centred = abs(first.x0 + first.x1 - page.width) < LIMITS.centred * page.width
    return bool(_SECTION.match(text)) or (is_centred and first.x0 > LIMITS.margin * page.width and text.isupper())


def _is_sentence(text: str) -> bool:
    """Return True for a text that ends like a sentence; running heads do not."""
    return len(text) > LIMITS.sentence_chars and text.rstrip().endswith((".", ":", "?", "!", ";"))


def find_footnotes(groups: list[Paragraph], page: PageLook, skip: dict[int, BlockType]) -> set[int]:
    """Return the indices of footnotes: small type low on the page that starts with a mark, and the text after it."""
    footnotes: set[int] = set()
    size = _find_text_size(groups, page, skip)
    low, small = LIMITS.note_top * page.height, LIMITS.note_size * size
    bodies = [group for index, group in enumerate(groups) if index not in skip and _is_body(group, size)]
    for index, group in enumerate(groups):
        first = group[0]
        if index in skip or first.y0 < low or first.size > small or not first.text:
            continue
        if _is_title_line(group):
            continue
        if (_begins_note(first) and not _has_body_below(bodies, group)) or (
            index - 1 in footnotes and abs(groups[index - 1][0].size - first.size) < 0.4
        ):
            footnotes.add(index)
    return footnotes | _find_note_tails(groups, footnotes, low)


def _begins_note(line: Line) -> bool:
    """Return True for a line that begins with a mark, also with a raised letter."""
    run = line.runs[0] if line.runs else None
    return _NOTE.match(line.text) is not None or (run is not None and run.superscript and run.start == 0)


def _is_title_line(group: Paragraph) -> bool:
    """Return True for one bold line of words, which no note is; what follows it is text."""
    return len(group) == 1 and group[0].all_bold and any(char.isalpha() for char in group[0].text)


def _find_note_tails(groups: list[Paragraph], notes: set[int], low: float) -> set[int]:
    """Return the indices of groups right above a column's first note in its type: the end of a previous page's note."""
    tails: set[int] = set()
    for index in notes:
        above, note = groups[index - 1], groups[index]
        if index < 1 or index - 1 in notes or not above[0].text or above[0].y0 < low:
            continue
        gap = note[0].y0 - above[-1].y1
        if abs(above[0].size - note[0].size) < 0.2 and 0 <= gap < note[0].size and above[0].x0 >= note[0].x0 - 1:
            tails.add(index - 1)
    return tails


def _find_text_size(groups: list[Paragraph], page: PageLook, skip: dict[int, BlockType]) -> float:
    """Return the size of running text, which on a page with more notes than text is not the most common size."""
    sizes = [
        group[0].size
        for index, group in enumerate(groups)
        if index not in skip
        and len(group) >= LIMITS.text_lines
        and group[0].size < LIMITS.larger * page.body
        and not group[0].all_bold  # a quotation set apart
    ]
    return max([page.body, *sizes])


def _is_body(group: Paragraph, size: float) -> bool:
    return group[0].size >= 0.95 * size and sum(len(line.text) for line in group) > 60


def _has_body_below(bodies: list[Paragraph], group: Paragraph) -> bool:
    """Return True when running text is under the group, in its column."""
    return any(body[0].y0 >= group[-1].y1 and body[0].x0 < group[0].x1 and body[0].x1 > group[0].x0 for body in bodies)
