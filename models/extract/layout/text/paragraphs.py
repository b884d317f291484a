"""Lines in reading order gathered to paragraphs, by leading, indent, look and what begins an item."""

import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.captions import CAPTION_LABEL, NUMBERED_CAPTION, is_caption
from quire.models.extract.layout.text.hyphens import may_divide
from quire.models.extract.layout.text.stacks import is_stacked
from quire.models.extract.layout.text.wide import STOPS, find_first_word


@dataclass(frozen=True, slots=True)
class ParagraphLimits:
    """Thresholds for the borders of paragraphs."""

    leading: float = 1.25
    """Ratio to the paragraph's leading above which a gap ends the paragraph."""
    raised_leading: float = 1.42
    """The same below a line with lowered text and above one with raised text, which office programs set apart."""
    widest_leading: float = 1.9
    """Maximum leading of a paragraph, in ems; lines further apart are not used to measure it."""
    head_lines: int = 3
    """Maximum lines of a heading."""
    small_caps: float = 1.1
    """Minimum ratio of the size of capitals to that of small capitals."""
    outdent: float = 1.2
    """Distance (in ems) from which text left of an indented block does not belong to it."""
    centred: float = 0.4
    """Maximum distance of twice the middles of two centred lines, in ems."""
    set_in_lines: int = 2
    """Minimum lines of such a block."""
    same_edge: float = 1.0
    """Maximum difference (in points) between the left edges of the lines of such a block."""
    caption_edge: float = 0.5
    """Maximum difference (in ems) of the left edges of a left-aligned caption and the paragraph below it."""
    double_leading: float = 2.7
    """Maximum distance of double-spaced lines, in ems."""
    double_steps: int = 5
    """Minimum steps that show a double-spaced page."""
    wide_line: float = 20.0
    """Width (in ems) above which a double-spaced line is running text, not the cell of a table or an entry."""
    first_indent: float = 5.0
    """Maximum indent (in ems) of the first line of a double-spaced paragraph."""
    full_line: float = 0.8
    """Share of the right edge of the text that a full line reaches."""
    full_share: float = 0.6
    """Minimum share of such steps below full lines."""
    even_steps: float = 0.08
    """Maximum difference (in ems) between those steps and the usual one."""
    display_leading: float = 1.35
    """Leading up to which large type is one paragraph, independent of the leading of the text."""
    most_left_out: int = 4
    """Least difference of the numbers of two entries that do not follow each other; some sections are left out."""
    label_words: int = 5
    """Maximum words of a label before a colon."""


LIMITS = ParagraphLimits()

BULLET = re.compile(
    r"[•●○◦▪■□▫‣⁃∙·◆◇►▶➤➢✓✔✗✘☐☑☒❖\uf0b7\uf0a7\uf0d8-]\s+|[•●▪■‣∙➤❖\uf0b7\uf0a7](?=\S)|[⮚❑❏\uf06c\uf06e\uf071\uf076\uf09f\uf0a8\uf0fc]\s+(?=[^\W\d_]{2})|[–—*]\s+(?=\S)"
)
_DASH = re.compile(r"[–—*·-]\s")
_ANSWER = re.compile(r"[✓✔✗✘☐☑☒*–—-]")
"""Marks that are also answers, numbers or ornaments in columns; one begins a list item only before words."""
_MARK_ALONE = re.compile(r"[•●○◦▪■□▫‣⁃∙·◆◇►▶➤➢✓✔✗✘☐☑☒❖❑❏*–—\uf0b7\uf0a7\uf0d8\uf0fc-]+(?:\s|$)")
_LETTER = re.compile(r"[^\W\d_]")
NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[A-Z]\)|\(?[ivx]{2,5}[.)]|\[\d{1,3}\])\s+(?=\S)")
"""A capital with a full stop is more often an initial."""
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[^\W\d_]")
"""The number of a section below the first level, with its title."""
_CHAPTER = re.compile(r"\d{1,2}\.?\s+[A-ZÄÖÜÀ-Þ]")
"""The number of a section of the first level, with its title; it starts a heading of its own below another heading."""
_COUNTED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+[^\W\d_]")
"""The number of a section of any level, with its title."""
_SOURCE = re.compile(r"(?:sources?|notes?|quellen?|anmerkung|fuente|nota|источник)\s?:", re.IGNORECASE)
"""The start of the line below a table that states the source of its figures."""
_LABEL = re.compile(r"(?!(?:https?|ftp|mailto):)[^\W\d_][^:：]{0,38}[:：]\s+\S")
"""The start of a line that holds a label, its colon and a value."""
_SENTENCE_END = (".", "!", "?", ":", ".”", '."', ".)", ";", *STOPS)


def find_leading(lines: list[Line]) -> float:
    """Return the usual distance of baselines on the page, in ems."""
    steps = [
        (line.base - last.base) / line.size
        for last, line in pairwise(lines)
        if 0.9 < (line.base - last.base) / max(1.0, line.size) < LIMITS.widest_leading
        and abs(last.size - line.size) < 1
    ]
    wide = _find_double_spacing(lines, len(steps))
    if wide is not None:
        return wide
    return min(median(steps), 1.7) if steps else 1.2


def _find_double_spacing(lines: list[Line], single: int) -> float | None:
    """Return the distance of baselines (in ems) of a double-spaced page, None for other pages.

    `single` counts steps of ordinary leading. Most lines above such a step are full; lists and forms have short ones.
    """
    if len(lines) <= LIMITS.double_steps or 2 * single > len(lines):
        return None
    right = max(line.x1 for line in lines)
    steps = [
        ((line.base - last.base) / line.size, last.x1 > LIMITS.full_line * right)
        for last, line in pairwise(lines)
        if LIMITS.widest_leading <= (line.base - last.base) / max(1.0, line.size) < LIMITS.double_leading
        and abs(last.size - line.size) < 1
        and abs(last.x0 - line.x0) < LIMITS.same_edge
    ]
    if len(steps) < LIMITS.double_steps or len(steps) <= 2 * single:
        return None
    usual = median([step for step, _ in steps])
    full = sum(is_full and abs(step - usual) < LIMITS.even_steps for step, is_full in steps)
    return usual if full >= LIMITS.full_share * len(steps) else None


def group_paragraphs(lines: list[Line], body: float) -> list[list[Line]]:
    """Lines (in reading order) gathered to paragraphs; `body` is the size of running text."""
    leading = find_leading(lines)
    groups: list[list[Line]] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        is_large = line.size > 1.15 * body
        if (
            groups
            and (is_large or line.all_bold)
            and line.text
            and groups[-1][-1].text
            and is_stacked(groups[-1][-1], line, lines)
        ):
            groups.append([line])
            continue
        loose = LIMITS.display_leading if is_large else 0.0
        if groups and not _starts_new(groups[-1], line, following, max(leading, loose)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _starts_new(group: list[Line], line: Line, following: Line | None, leading: float) -> bool:
    last = group[-1]
    if not last.text or not line.text or last.upright != line.upright:
        return True
    if len(group) == 1 and CAPTION_LABEL.fullmatch(last.text) and abs(last.size - line.size) <= 0.2 * last.size:
        return _is_apart(group, line, leading)
    is_apart = _is_apart(group, line, leading) and not _goes_on(group, line, following)
    if is_apart or _differs(last, line) or _ended_in_other_type(group, line):
        return True
    if last.code and line.code:
        return False
    if _parts_caption(group, line, following):
        return True
    if _is_outdented(group, line) or _is_next_label(group, line, following):
        return True
    return _is_item_start(group, line) or _is_indented(group, line, following) or _ended_short(group, line, following)


def _differs(last: Line, line: Line) -> bool:
    """Return True when the type changes: in size, from bold to regular lines or back, or from text to code."""
    if abs(last.size - line.size) > 0.1 * max(last.size, line.size) + 0.2:
        return True
    if last.code != line.code or last.hidden != line.hidden:
        return True
    if may_divide(last.text, line.text):
        return False
    if last.all_bold:
        return not line.bold and not _ends_run_in(last, line)
    return line.all_bold and not last.bold


def _ends_run_in(last: Line, line: Line) -> bool:
    """Return True when a heading that began on `last` ends with a stop inside `line`, followed by text."""
    first = line.runs[0] if line.runs else None
    if first is None or first.start or not first.bold or first.end >= len(line.text):
        return False
    return line.text[: first.end].rstrip().endswith((".", ":", "–", "—")) and not last.text.endswith(_SENTENCE_END)


def _ended_in_other_type(group: list[Line], line: Line) -> bool:
    """Return True after lines in another font, colour or small capitals whose last had room for this line's first word.

    Headings that are not larger or bolder than their text end so.
    """
    last = group[-1]
    if last.code or line.recognised or len(group) > LIMITS.head_lines or line.text[:1].islower():
        return False
    is_other = last.font != line.font or last.color != line.color or _is_in_small_caps(last) > _is_in_small_caps(line)
    if not is_other or last.text.endswith((",", "-", "‐")):
        return False
    per_char = (line.x1 - line.x0) / max(1, len(line.text))
    word = find_first_word(line.text)
    return max(line.x1, *(member.x1 for member in group)) - last.x1 > (len(word) + 2) * per_char + line.size


def _parts_caption(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True when a numbered caption begins after a finished line, or text after a caption that ended short."""
    first, last = group[0], group[-1]
    if NUMBERED_CAPTION.match(line.text):
        return last.text.endswith(_SENTENCE_END) or _has_room(group, line, following)
    if not NUMBERED_CAPTION.match(first.text) or line.text[:1].islower():
        return False
    if _SOURCE.match(line.text):
        return True
    return abs(line.x0 - first.x0) < LIMITS.caption_edge * line.size and _has_room(group, line, following)


def _has_room(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True when the line's first word would have fitted on the last line."""
    beside = following.x1 if following and following.size == line.size else 0.0
    right = max(line.x1, beside, *(member.x1 for member in group))
    word = find_first_word(line.text)
    per_char = (line.x1 - line.x0) / max(1, len(line.text))
    return right - group[-1].x1 > (len(word) + 2) * per_char + 1.5 * line.size


def _is_in_small_caps(line: Line) -> bool:
    """Return True for capitals of two sizes."""
    return line.tall > LIMITS.small_caps * line.size and line.text.isupper()


def _is_apart(group: list[Line], line: Line, leading: float) -> bool:
    """Return True when the line is too far from the group, or in another column."""
    last = group[-1]
    step = line.base - last.base
    if step <= 0.3 * line.size or min(last.x1, line.x1) - max(last.x0, line.x0) < 0:
        return True
    usual = leading * line.size
    if len(group) > 1:
        usual = min(
            max(group[1].base - group[0].base, 0.9 * line.size), max(LIMITS.widest_leading, leading) * line.size
        )
    is_pushed = any(run.subscript for run in last.runs) or any(run.superscript for run in line.runs)
    most = LIMITS.raised_leading if is_pushed else LIMITS.leading
    return step > most * usual and step > usual + 1.5


def _goes_on(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True for a double-spaced line that ends the sentence of the wide full line above it."""
    last = group[-1]
    step = line.base - last.base
    return (
        line.size > 0
        and LIMITS.widest_leading <= step / line.size < LIMITS.double_leading
        and abs(last.size - line.size) < 1
        and last.x1 - last.x0 > LIMITS.wide_line * line.size
        and abs(last.x0 - line.x0) < (LIMITS.same_edge if len(group) > 1 else LIMITS.first_indent * line.size)
        and line.text[:1].islower()
        and _runs_on(group, line, following)
    )


def _is_item_start(group: list[Line], line: Line) -> bool:
    """Return True for a bullet, or for a number where numbered items start."""
    if line.bulleted:
        return True
    if begins_bullet(line):
        return not _DASH.match(line.text) or _may_start(group, line)
    first = group[0]
    if line.all_bold and (_SECTION.match(line.text) or (first.all_bold and _CHAPTER.match(line.text))):
        return True
    if _counts_on(first, line):
        return True
    if _begins_note(line) and _begins_note(first) and abs(first.x0 - line.x0) < 0.8 * line.size:
        return True
    if not NUMBER.match(line.text):
        return False
    if NUMBER.match(first.text) and abs(first.x0 - line.x0) < 0.8 * line.size:
        return True
    return group[-1].text.endswith(_SENTENCE_END) and line.x0 >= first.x0 - 0.5 * line.size


def _counts_on(first: Line, line: Line) -> bool:
    """Return True for a line with the number of a section that comes next after that of the group's first line."""
    before, after = _COUNTED.match(first.text), _COUNTED.match(line.text)
    if before is None or after is None or line.text[after.end() - 1].islower():
        return False
    old, new = ([int(part) for part in match.group(1).split(".")] for match in (before, after))
    if len(new) > len(old):
        return new == [*old, 1]
    depth = len(new) - 1
    return new[:depth] == old[:depth] and 0 < new[depth] - old[depth] < LIMITS.most_left_out


def _begins_note(line: Line) -> bool:
    """Return True for a line whose first characters are a raised mark."""
    return bool(line.runs) and line.runs[0].superscript and line.runs[0].start == 0


def _may_start(group: list[Line], line: Line) -> bool:
    """Return True when a dash begins an item; after an unfinished line it belongs to the sentence."""
    last, first = group[-1], group[0]
    if last.text.endswith(_SENTENCE_END) or BULLET.match(first.text) or abs(line.x0 - last.x0) > 0.5 * line.size:
        return True
    return last.x1 < max(member.x1 for member in (*group, line)) - 2 * line.size


def _is_indented(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True for a first line indented from the paragraph's left edge, after at least one line at that edge."""
    last, first = group[-1], group[0]
    if first.bulleted or is_item(first.text) or is_caption(first.text):
        return _leaves_item(group, line, following) or _is_below_number(group, line, following)
    indent = 0.7 * line.size
    if line.x0 - last.x0 < indent:
        return False
    if not last.text.endswith(_SENTENCE_END) and _is_centred_below(last, line, indent):
        return False
    if len(group) > 1 and last.x0 - first.x0 > indent:
        return False
    if len(group) == 1 and last.all_bold and line.all_bold and _runs_on(group, line, following):
        return False
    if following is None or following.base <= line.base:
        return len(group) > 1 or last.text.endswith(_SENTENCE_END)
    return following.x0 < line.x0 - indent or len(group) > 1


def _is_centred_below(last: Line, line: Line, indent: float) -> bool:
    """Return True for the end of a sentence in the middle below its beginning; first lines end farther right."""
    if not line.text[:1].isalpha() or line.text[:1].isupper():
        return False
    return line.x1 < last.x1 - indent and abs(line.x0 + line.x1 - last.x0 - last.x1) < LIMITS.centred * line.size


def _leaves_item(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True for a line left of an item or caption, or back at its left edge when the item's lines are indented.

    In statutes an item's first line is indented and the others are not; continuing lines belong to the item.
    """
    last, first, edge = group[-1], group[0], 0.5 * line.size
    if last.x0 < first.x0 - edge:
        return abs(line.x0 - last.x0) > edge
    if line.x0 < first.x0 - edge:
        return not (line.text[:1].islower() and _runs_on(group, line, following))
    return line.x0 <= first.x0 + 1 and len(group) > 1 and group[1].x0 > first.x0 + edge


def _is_below_number(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True below a recognised numbered line that ended short, as titles of sections do."""
    is_title = line.recognised and len(group) == 1 and NUMBER.match(group[0].text) is not None
    return is_title and line.text[:1].isupper() and _has_room(group, line, following)


def _runs_on(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True after a full line of the same type that ended no sentence."""
    last = group[-1]
    return (
        (last.font, last.color) == (line.font, line.color)
        and not last.text.endswith(_SENTENCE_END)
        and not _has_room(group, line, following)
    )


def _is_next_label(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True for a line with a label and its value below another such line or below the end of its value."""
    if not _is_label_line(group[0]) or not _is_label_line(line) or abs(line.x0 - group[0].x0) > LIMITS.same_edge:
        return False
    return len(group) == 1 or _is_label_line(group[-1]) or _has_room(group, line, following)


def _is_label_line(line: Line) -> bool:
    """Return True for a line that begins with a capitalised label of a few words and a colon before its value."""
    match = _LABEL.match(line.text)
    if match is None or line.text[:1].islower():
        return False
    return len(match.group().split(":")[0].split()) <= LIMITS.label_words


def _is_outdented(group: list[Line], line: Line) -> bool:
    """Return True for a line left of a block of indented lines (a quotation), after the end of its sentence."""
    last, edge = group[-1], LIMITS.outdent * line.size
    if len(group) < LIMITS.set_in_lines or not last.text.endswith(_SENTENCE_END) or line.text[:1].islower():
        return False
    return line.x0 < last.x0 - edge and all(abs(member.x0 - last.x0) < LIMITS.same_edge for member in group)


def begins_bullet(line: Line) -> bool:
    """Return True for a bullet, also the letter o in a typewriter font that word processors use for one.

    A mark before another mark belongs to a row of answers or to an ornament.
    """
    bullet = BULLET.match(line.text)
    if bullet is not None:
        following = line.text[bullet.end() :]
        has_words = _ANSWER.match(line.text) is None or _LETTER.search(following) is not None
        return has_words and _MARK_ALONE.match(following) is None
    first = line.runs[0] if line.runs and line.text.startswith("o ") else None
    return first is not None and first.code and (first.start, first.end) in ((0, 1), (0, 2))


def is_item(text: str) -> bool:
    """Return True for a text that begins with a bullet or a number."""
    return bool(BULLET.match(text) or NUMBER.match(text))


def _ended_short(group: list[Line], line: Line, following: Line | None) -> bool:
    """Return True when the last line ended a sentence and had room for the line's first word."""
    last = group[-1]
    if not last.text.endswith(_SENTENCE_END):
        return False
    return not line.text[:1].islower() and _has_room(group, line, following)
