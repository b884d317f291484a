"""Reads rows from lines of text where no table was found, and the values of arrays of scalars.

Rows stand under a line that names the leaves; values are parts of a labelled text, or the list under a heading.

A row is matched by the types of its columns in the head's order. Text without line ends is read as a sequence of rows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.tree import FURNITURE, BlockType, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.roles import Role
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.assign import Choice, ValueSignals, read_sources
from quire.models.derive.schema.candidates import ValueCandidate
from quire.models.derive.schema.columns import role_of
from quire.models.derive.schema.nodes import ArrayNode, Leaf
from quire.models.derive.schema.phrases import PhraseIndex, plain_words, split_name
from quire.models.derive.schema.sources import TextSource, source_of
from quire.models.derive.schema.tables import TableRow

MAX_LINE = 400  # characters of a line that may be a row
MAX_HEAD = 200  # characters of a line that may be a head
MAX_MISSES = 3  # lines in a row that are no rows and end the list
MAX_FREE = 2  # columns of free text, each of which multiplies the ways to match a row
EXACT = 0.85  # fit from which words are a column's name
NAMED_SHARE = 0.7  # minimum share of a head's words that name leaves
_NUMBER = r"[-−–(]?(?:[^\W\d_]{0,3}[€$£¥₹]?\s?)\.?\d[\d.,'’]*\)?(?:\s?[-−%€$£])?"
_DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}\.?[ -][^\W\d_]{3,9}\.?,?[ -]\d{2,4}"
    r"|[^\W\d_]{3,9}\.?\s\d{1,2},?\s\d{4})"
)
_TIME = r"(?:\d{1,2}:)?\d{1,2}[.:]\d{2}[^\W\d_]?|[A-Z]{2,3}"
"""A time, or the letters for none: `1:02.34`, `NT`."""
_FREE = r"\S.{0,120}?)"
"""The end of a group of free text."""
_COUNT = re.compile(r"\s*1[.)]?\s")
_WORD = re.compile(r"\S+")
_GAP = re.compile(r"\t|(?<=\S) {2,}(?=\S)")
"""What parts the columns of a line: a tab, or blanks as in typewritten tables."""


LEAST_FIT = 0.8
"""Minimum fit of a label to the name of an array."""
_BULLET = re.compile(r"(?:[•●○◦▪■□▫‣∙·*–—-]|\(?\d{1,3}[.)])\s+")
_PART = re.compile(r"[^,;|•\n]+")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    source: TextSource
    parts: tuple[TextSource, ...]


def read_line_rows(tree: Tree, index: PhraseIndex[Leaf], leaves: Sequence[Leaf]) -> tuple[list[TableRow], float]:
    """Return the rows of the list whose head names most leaves, with the sum of its fits; no rows and 0 without one.

    The rows below later heads that name the same leaves are rows of that list.
    """
    lines = list(_lines(tree))
    best: tuple[list[TableRow], float, Sequence[Leaf]] = ([], 0.0, ())
    for number, line in enumerate(lines):
        head = _read_head(line, index, leaves)
        if head is None:
            continue
        named, score, end = head
        columns = _add_place(lines[number : number + 2], named, end, leaves)
        rows = list(_read_rows(lines, number, columns, end, score / len(columns)))
        if rows and score > best[1]:
            best = (rows, score, columns)
        elif rows and columns == best[2]:
            known = {_place_of(row) for row in best[0]}
            best[0].extend(row for row in rows if _place_of(row) not in known)
    return best[:2]


def _place_of(row: TableRow) -> frozenset[tuple[str, int]]:
    return frozenset((source.block_id, source.start) for source in row.cells.values())


def _add_place(lines: Sequence[_Line], columns: list[Leaf], end: int, leaves: Sequence[Leaf]) -> list[Leaf]:
    """Return the columns of the head in the first line, and before them the one that counts rows and has no head."""
    left = [leaf for leaf in leaves if leaf not in columns and role_of(leaf) is Role.POSITION]
    first = lines[0].text[end:].strip() or "".join(line.text for line in lines[1:])
    return [left[0], *columns] if len(left) == 1 and _COUNT.match(first) else columns


def read_named_lines(tree: Tree, columns: Mapping[Leaf, TextSource], *, is_data: bool, fit: float) -> list[TableRow]:
    """Return the rows below the line that holds the given words of the columns; with `is_data` it is the first row."""
    lines = list(_lines(tree))
    ordered = sorted(columns, key=lambda leaf: columns[leaf].start)
    first, last = columns[ordered[0]], columns[ordered[-1]]
    for number, line in enumerate(lines):
        start, end = line.source.start, line.source.start + len(line.text)
        if line.source.block_id == first.block_id and start <= first.start < end:
            if last.start >= end:
                return []
            if is_data:
                return list(_read_lines(lines[number:], ordered, (), fit))
            return list(_read_rows(lines, number, ordered, last.start + len(last.text) - start, fit))
    return []


def _lines(tree: Tree) -> Iterator[_Line]:
    for block in visible_blocks(tree):
        if block.table is not None or block.type in FURNITURE:
            continue
        start = 0
        for text in block.text.split("\n"):
            whole = TextSource(block.id, block.page, block.bbox, None, start, text, block.order)
            ends = [(0, 0), *(gap.span() for gap in _GAP.finditer(text)), (len(text), 0)]
            parts = (whole.cut(left, right) for (_, left), (right, _) in pairwise(ends))
            yield _Line(text, whole, tuple(parts))
            start += len(text) + 1


def _read_head(line: _Line, index: PhraseIndex[Leaf], leaves: Sequence[Leaf]) -> tuple[list[Leaf], float, int] | None:
    """Return the leaves that a line names in their order, the sum of their fits and the head's end, or None."""
    least = min(2, len(leaves))
    words = list(_WORD.finditer(line.text[:MAX_HEAD]))
    if len(words) < max(least, (len(leaves) + 1) // 2):
        return None
    wanted = set(leaves)
    if len(line.parts) > 1:
        fits = [next((f for f in index.fits(part.text) if f.owner in wanted), None) for part in line.parts]
        named_leaves = [fit.owner for fit in fits if fit is not None and fit.score >= EXACT]
        if len(named_leaves) == len(set(named_leaves)) == len(line.parts) >= max(least, (len(leaves) + 1) // 2):
            return named_leaves, sum(fit.score for fit in fits if fit is not None), len(line.text)
    columns: list[Leaf] = []
    score, position, named, end, misses = 0.0, 0, 0, 0, 0
    while position < len(words) and misses < 2:
        for count in (3, 2, 1):
            if position + count > len(words):
                continue
            label = line.text[words[position].start() : words[position + count - 1].end()]
            fit = next((f for f in index.fits(label) if f.owner in wanted and f.owner not in columns), None)
            if fit is not None and fit.score >= EXACT and not any(map(str.isdigit, label)):
                columns.append(fit.owner)
                score += fit.score
                position += count
                named += count
                end = words[position - 1].end()
                break
        else:
            misses += 1
            position += 1
    if len(columns) < max(least, (len(leaves) + 1) // 2):
        return None
    inside = sum(word.end() <= end for word in words)
    return (columns, score, end) if named >= NAMED_SHARE * inside else None


def _read_rows(
    lines: Sequence[_Line], number: int, columns: Sequence[Leaf], end: int, fit: float
) -> Iterator[TableRow]:
    """Yield the rows below a head that ends at `end` of its line, or behind it in its line."""
    head = lines[number]
    if head.text[end:].strip():
        pattern = _row_pattern(columns, head.text)
        if pattern is not None:
            yield from _read_sequence(head.source, end, pattern, columns, fit)
        return
    yield from _read_lines(lines[number + 1 :], columns, head.text.split(), fit)


def _read_lines(lines: Sequence[_Line], columns: Sequence[Leaf], head: Sequence[str], fit: float) -> Iterator[TableRow]:
    """Yield the lines that are rows until too many are not; lines of the words of the head are left out."""
    pattern = _row_pattern(columns, lines[0].text if lines else "")
    if pattern is None:
        return
    misses = 0
    for line in lines:
        if not line.text.strip() or line.text.split() == head:
            continue
        filled = [part for part in line.parts if part.text.strip()]
        if len(line.parts) == len(columns) and len(columns) > 1:
            yield TableRow(
                {leaf: part for leaf, part in zip(columns, line.parts, strict=True) if part.text.strip()},
                len(columns), filled[0].text, False, fit,
            )  # fmt: skip
            misses = 0
            continue
        match = pattern.fullmatch(line.text) if len(line.text) <= MAX_LINE else None
        if match is None:
            misses += 1
            if misses >= MAX_MISSES:
                return
            continue
        misses = 0
        yield _row_of(match, line.source, columns, fit)


def _read_sequence(
    source: TextSource, start: int, pattern: re.Pattern[str], leaves: Sequence[Leaf], fit: float
) -> Iterator[TableRow]:
    while start < len(source.text):
        match = pattern.match(source.text, start, start + MAX_LINE)
        if match is None:
            return
        yield _row_of(match, source, leaves, fit)
        start = match.end()


def _row_of(match: re.Match[str], source: TextSource, leaves: Sequence[Leaf], fit: float) -> TableRow:
    cells = {leaf: source.cut(match.start(f"c{number}"), match.end(f"c{number}")) for number, leaf in enumerate(leaves)}
    return TableRow(cells, len(leaves), match["c0"], False, fit)


def _row_pattern(leaves: Sequence[Leaf], text: str) -> re.Pattern[str] | None:
    """Return a pattern of a row with a group per leaf; None for so much free text that matching is guesswork.

    Columns of text next to each other are parted by several blanks if the text has such.
    """
    groups, free = [], 0
    for number, leaf in enumerate(leaves):
        if leaf.format in ("date", "date-time"):
            groups.append(f"(?P<c{number}>{_DATE})")
        elif leaf.kinds[:1] in (("number",), ("integer",)):
            groups.append(f"(?P<c{number}>{_NUMBER})")
        elif plain_words(split_name(leaf.name))[-1:] == ("time",):
            groups.append(f"(?P<c{number}>{_TIME})")
        else:
            free += 1
            groups.append(f"(?P<c{number}>{_FREE}")
    if free > MAX_FREE or free == len(leaves):
        return None
    parts = [groups[0]]
    for before, group in pairwise(groups):
        is_free = before.endswith(_FREE) and group.endswith(_FREE)
        parts += [r"\s{2,}" if is_free and "  " in text.strip() else r"\s+", group]
    return re.compile(r"\s*" + "".join(parts) + r"(?=\s|$)\s*", re.DOTALL)


def find_values(
    array: ArrayNode,
    leaf: Leaf,
    index: PhraseIndex[ArrayNode],
    candidates: Sequence[ValueCandidate],
    fragments: Sequence[Fragment],
) -> list[Choice]:
    """Return the values of the list or text whose label fits the array best; numbers keep their decimal commas."""
    best: list[Choice] = []
    best_fit = 0.0
    for number, fragment in enumerate(fragments):
        fit = _fit_of(fragment.text, array, index)
        if fit > best_fit:
            values = _read_all([source for source in _list_under(fragments, number)], leaf, fit, How.LIST)
            if values:
                best, best_fit = values, fit
    for candidate in candidates:
        fit = _fit_of(candidate.label, array, index)
        if fit > best_fit and candidate.how is not How.HEADING:
            values = _read_all(_parts(candidate.sources[0], leaf), leaf, fit * candidate.confidence, candidate.how)
            if values:
                best, best_fit = values, fit
    return best


def _fit_of(label: str, array: ArrayNode, index: PhraseIndex[ArrayNode]) -> float:
    if len(label) > 60:
        return 0.0
    return next((fit.score for fit in index.fits(label) if fit.owner is array and fit.score >= LEAST_FIT), 0.0)


def _list_under(fragments: Sequence[Fragment], number: int) -> list[TextSource]:
    sources = []
    for fragment in fragments[number + 1 :]:
        if fragment.type is not BlockType.LIST_ITEM:
            break
        source = source_of(fragment)
        bullet = _BULLET.match(source.text)
        sources.append(source.cut(bullet.end() if bullet else 0, len(source.text)))
    return sources


def _parts(source: TextSource, leaf: Leaf) -> list[TextSource]:
    pattern = _PART if leaf.kinds[:1] == ("string",) else re.compile(r"[^;|•\n]+")
    return [source.cut(match.start(), match.end()) for match in pattern.finditer(source.text) if match.group().strip()]


def _read_all(sources: Sequence[TextSource], leaf: Leaf, score: float, how: How) -> list[Choice]:
    choices = []
    for source in sources:
        found = read_sources((source,), leaf)
        if found is not None:
            value, places, verbatim = found
            choices.append(Choice(value, places, verbatim, score, how, ValueSignals(score)))
    return choices
