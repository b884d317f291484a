"""Extracts the rows of arrays of objects from tables and lists across pages, without subtotals and repeated heads."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from quire.models.cdom.tree import Block, BlockId, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import name_key
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import RATE
from quire.models.derive.fields.roles import Role
from quire.models.derive.fields.values import find_amounts
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.columns import ORDERED, is_typed, role_of
from quire.models.derive.schema.lists import read_line_rows, read_named_lines
from quire.models.derive.schema.nodes import ArrayNode, Leaf, ObjectNode, arrays_of, leaves_of
from quire.models.derive.schema.phrases import PhraseIndex, plain_words, split_name
from quire.models.derive.schema.prose import read_section_rows
from quire.models.derive.schema.sources import TextSource
from quire.models.derive.schema.tables import (
    YEAR,
    ColumnHeads,
    LooseLines,
    TableRow,
    TableView,
    add_loose_rows,
    find_loose_lines,
)
from quire.models.derive.schema.typed import plain_number, read_typed

SUBTOTAL = re.compile(
    r"\W*(?:(?:sub|grand|page|running)?[\s-]?totals?|sum|balance\s(?:brought|carried)|(?:brought|carried)\sforward|"
    r"zwischensumme|gesamt(?:summe|betrag)?|summe|[üu]bertrag|sous[\s-]total|total|report|subtotale?|totale|suma|"
    r"tussentotaal|totaal|net\stotal|amount\sdue|vat|tax|shipping|discount|b/f|c/f)\b",
    re.IGNORECASE,
)
_SUMS = frozenset({Key.TOTAL, Key.SUBTOTAL, Key.TAX, Key.DISCOUNT, Key.ROUNDING, Key.PAID, Key.CHANGE})
MAX_LABEL_WORDS = 4  # words of a label at the beginning of a group's heading
MAX_HEADING = 100  # characters of a line that heads a table
LABELLED = 0.8
"""Minimum fit of such a label."""
LONE = 2  # columns beyond which a row of one cell with several amounts is no data
_PERIODS = frozenset({"period", "date", "year", "quarter", "month", "end", "ended", "start", "fiscal", "as"})
_VALUES = frozenset({"value", "amount"})
_LABELS = frozenset({"label", "name", "metric", "caption", "line", "item", "concept", "account", "title"})
"""Words in names of leaves whose values are a period, a number of a row, or the label of the row."""
SAME_LEAVES = 0.75
"""Minimum share of the leaves of the best head that the head of a further table of the same rows names."""


TableRowId = tuple[BlockId, int]
"""A table's block and the number of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of one row by leaf, each in one or several places.

    `group` is the text that heads the rows from this one on; `inner` are the rows of an array inside this row.
    """

    cells: dict[Leaf, tuple[TextSource, ...]]
    fit: float
    group: TextSource | None = None
    inner: tuple["Row", ...] = ()


@dataclass(frozen=True)
class ArrayRows:
    """The rows of an array, the rows of tables that hold them or their heads, and the rule that found them.

    `fits` are the fits of columns (0..1) where they are known one by one.
    """

    rows: list[Row]
    used: frozenset[TableRowId]
    how: How
    score: float
    fits: Mapping[Leaf, float] = field(default_factory=dict)

    @cached_property
    def columns(self) -> frozenset[Leaf]:
        """Return the leaves that any row has a text for."""
        return frozenset(leaf for row in self.rows for leaf in row.cells)


def find_rows(tree: Tree, leaves: Sequence[Leaf], index: PhraseIndex[Leaf], outer: Sequence[Leaf] = ()) -> ArrayRows:
    """Return the rows of the tables whose heads name most of the array's leaves, else those of a list of lines.

    `outer` are leaves of the rows that these rows are in; a column may name them too.
    """
    if not leaves:
        return ArrayRows([], frozenset(), How.TABLE, 0.0)
    views = [TableView(block) for block in visible_blocks(tree) if _has_cells(block)]
    loose = find_loose_lines(tree)
    heads = [view.find_head(index, leaves, loose.get(view.block.page, ()), outer) for view in views]
    best = max((head.score for head in heads if head is not None), default=0.0)
    listed, listed_score = read_line_rows(tree, index, leaves)
    if listed_score > best:
        return ArrayRows(list(_join_rows(listed)), frozenset(), How.LINE, listed_score)
    return _read_tables(views, heads, best, loose)


def group_rows(tree: Tree, found: ArrayRows, outer: Sequence[Leaf], index: PhraseIndex[Leaf]) -> ArrayRows:
    """Return a row for the rows under each heading, of each table, or with the same outer values.

    The heading is in the table, or above it if several tables have different ones.
    """
    groups: list[Row] = []
    above = _find_headings(tree, found)
    last: object = None
    for row in found.rows:
        own = {leaf: sources for leaf, sources in row.cells.items() if leaf in outer}
        inner = Row({leaf: sources for leaf, sources in row.cells.items() if leaf not in own}, row.fit)
        place = next((sources[0] for sources in row.cells.values()), None)
        table = place.block_id if place is not None and row.group is None else ""
        row = replace(row, group=row.group or (above.get(place.block_id) if place is not None else None))
        key = (row.group, table, tuple(" ".join(source.text for source in sources) for sources in own.values()))
        if key == last:
            groups[-1] = replace(groups[-1], inner=(*groups[-1].inner, inner))
            continue
        last = key
        if row.group is not None:
            for leaf in outer:
                own.setdefault(leaf, (_cut_heading(row.group, leaf, index, outer),))
        groups.append(Row(own, row.fit, row.group, (inner,)))
    return replace(found, rows=groups)


def _find_headings(tree: Tree, found: ArrayRows) -> dict[BlockId, TextSource]:
    """Return the line right above each table or text of the rows; none where fewer than two differ."""
    used = {source.block_id for row in found.rows for sources in row.cells.values() for source in sources}
    headings: dict[BlockId, TextSource] = {}
    for before, block in pairwise(visible_blocks(tree)):
        is_line = before.table is None and "\n" not in before.text and 0 < len(before.text.strip()) <= MAX_HEADING
        if block.id in used and before.id not in used and is_line:
            headings[block.id] = TextSource(before.id, before.page, before.bbox, None, 0, before.text, before.order)
    return headings if len({heading.text for heading in headings.values()}) > 1 else {}


_NUMBERED = re.compile(
    r"[^\W\d_]{2,20}\.?\s+(?:no\.?\s+|#\s?)?(?P<number>\d{1,6})\s{0,3}[-–—:.|,]?\s{1,3}(?P<name>\S.*)", re.DOTALL
)
"""A heading with a number and a name: `Event 12 - Girls 200 Yard Freestyle`."""


def _cut_heading(heading: TextSource, leaf: Leaf, index: PhraseIndex[Leaf], outer: Sequence[Leaf] = ()) -> TextSource:
    """Return the part of a group's heading that states a leaf: what is behind its label, or the whole."""
    numbered = _NUMBERED.match(heading.text)
    if numbered is not None and leaf.kinds[:1] in (("number",), ("integer",)):
        return heading.cut(*numbered.span("number"))
    if is_typed(leaf):
        return heading
    if numbered is not None and any(other.kinds[:1] in (("number",), ("integer",)) for other in outer):
        return heading.cut(*numbered.span("name"))
    words = list(re.finditer(r"\S+", heading.text))
    for count in range(min(len(words) - 1, MAX_LABEL_WORDS), 0, -1):
        label = heading.text[: words[count - 1].end()]
        is_own = any(fit.owner is leaf and fit.score >= LABELLED for fit in index.fits(label))
        if is_own or label.endswith(":") or name_key(label) is not None:
            return heading.cut(words[count].start(), len(heading.text))
    codes = [word for word in words if any(map(str.isdigit, word.group()))]
    if role_of(leaf) is Role.CODE and codes:
        return heading.cut(codes[-1].start(), codes[-1].end())
    return heading


def read_named_rows(tree: Tree, heads: Mapping[BlockId, ColumnHeads]) -> ArrayRows:
    """Return the rows of the tables whose heads are given, and of tables that continue them."""
    views = [TableView(block) for block in visible_blocks(tree) if _has_cells(block)]
    found = [heads.get(view.block.id) for view in views]
    best = max((head.score for head in heads.values()), default=0.0)
    return _read_tables(views, found, best, find_loose_lines(tree))


def read_rows_of_lines(tree: Tree, columns: Mapping[Leaf, TextSource], *, is_data: bool, fit: float) -> ArrayRows:
    """Return the rows of lines of text whose head, or with `is_data` first row, holds the given words."""
    rows = read_named_lines(tree, columns, is_data=is_data, fit=fit)
    return ArrayRows(list(_join_rows(rows)), frozenset(), How.LINE, fit * len(columns))


def read_sections(
    fragments: Sequence[Fragment], array: ArrayNode, index: PhraseIndex[ArrayNode], leaves: Sequence[Leaf]
) -> ArrayRows:
    """Return the entries of the section that the array's name heads."""
    rows = read_section_rows(fragments, array, index, leaves)
    found = [Row({leaf: (source,) for leaf, source in row.cells.items()}, row.fit) for row in rows]
    return ArrayRows(found, frozenset(), How.LIST, sum(row.fit for row in rows[:1]))


def _read_tables(
    views: Sequence[TableView], heads: Sequence[ColumnHeads | None], best: float, loose: LooseLines
) -> ArrayRows:
    top = next((head for head in heads if head is not None and head.score == best), None)
    if top is None:
        return ArrayRows([], frozenset(), How.TABLE, 0.0)
    rows: list[TableRow] = []
    used: set[TableRowId] = set()
    last: tuple[ColumnHeads, int] | None = None
    for view, head in zip(views, heads, strict=True):
        if head is not None and _names_same(head, top):
            last = (head, view.table.cols)
            rows += add_loose_rows(view.read_rows(head, head.first_row), loose)
            used |= {(view.block.id, number) for number in range(head.top, head.first_row)}
        elif last is not None and view.continues(*last):
            rows += add_loose_rows(view.read_rows(last[0], 0), loose)
        else:
            last = None
    joined = list(_join_rows(rows))
    used |= {(source.block_id, source.row) for row in joined for cell in row.cells.values() for source in cell}
    return ArrayRows(joined, frozenset(used), How.TABLE, best, top.fits)


@dataclass(frozen=True, slots=True)
class _Metric:
    """The leaves of an array with a value for each period; `labels` hold the name of the row."""

    value: Leaf
    periods: tuple[Leaf, ...]
    labels: tuple[Leaf, ...]


def metric_of(array: ArrayNode) -> _Metric | None:
    """Return the parts of an array whose items are the values of one row of a table by period, or None."""
    if not isinstance(array.item, ObjectNode) or any(arrays_of(array.item)):
        return None
    words = {leaf: frozenset(plain_words(split_name(leaf.name))) for leaf in leaves_of(array.item)}
    periods = tuple(leaf for leaf, own in words.items() if own & _PERIODS)
    numbers = [leaf for leaf in words if leaf not in periods and leaf.kinds[:1] in (("number",), ("integer",))]
    values = [leaf for leaf in numbers if words[leaf] & _VALUES] or numbers
    if not periods or len(values) != 1:
        return None
    return _Metric(values[0], periods, tuple(leaf for leaf, own in words.items() if own <= _LABELS))


def find_metrics(tree: Tree, arrays: Sequence[ArrayNode], index: PhraseIndex[ArrayNode]) -> dict[ArrayNode, ArrayRows]:
    """Return the rows of arrays whose name is the label of a row of a table with periods as heads of its columns.

    Of several such rows the best named counts, and the first of these. If another states another number for a period,
    all values are in doubt. If there is one, arrays of this form that no row names have no rows.
    """
    metrics = {array: metric for array in arrays if (metric := metric_of(array)) is not None}
    found: dict[ArrayNode, ArrayRows] = {}
    stated: dict[ArrayNode, dict[str, str]] = {}
    loose = find_loose_lines(tree) if metrics else {}
    for view in (TableView(block) for block in visible_blocks(tree) if metrics and _has_cells(block)):
        periods = view.find_periods(loose.get(view.block.page, ()))
        for number, label, names in _labels(view) if periods else ():
            fits = {fit.owner: fit.score for name in reversed(names) for fit in index.fits(name)}
            for array, score in fits.items():
                if array not in metrics or score < LABELLED or score < found.get(array, _NO_METRIC).score:
                    continue
                cells = _read_metric(view, number, periods)
                values = {_join(head): cell.text for cell, head in cells}
                if not cells:
                    continue
                if array in found and found[array].score == score:
                    other = stated[array]
                    if any(_differ(values[head], other[head]) for head in values.keys() & other.keys()):
                        rows = [replace(row, fit=ORDERED) for row in found[array].rows]
                        found[array] = replace(found[array], rows=rows)
                    continue
                rows = [Row(_fill(metrics[array], cell, head, label), score) for cell, head in cells]
                used = frozenset({(view.block.id, number)})
                found[array], stated[array] = ArrayRows(rows, used, How.TABLE, score), values
    lost = {array: _NO_METRIC for array in metrics if array not in found} if found else {}
    return found | lost


def read_metric_row(tree: Tree, array: ArrayNode, block_id: BlockId, number: int, fit: float) -> ArrayRows | None:
    """Return the values by period of one row of a table, no rows where it has none.

    None stands for an array of another form, and for a table without periods.
    """
    metric, loose = metric_of(array), find_loose_lines(tree)
    if metric is None or set(leaves_of(array.item)) > {metric.value, *metric.periods, *metric.labels}:
        return None
    view = next(TableView(block) for block in visible_blocks(tree) if block.id == block_id and _has_cells(block))
    periods = view.find_periods(loose.get(view.block.page, ()))
    if not periods:
        return None
    label = next((label for row, label, _ in _labels(view) if row == number), None)
    cells = _read_metric(view, number, periods) if label is not None else []
    rows = [Row(_fill(metric, cell, head, label), fit) for cell, head in cells if label is not None]
    return ArrayRows(rows, frozenset({(block_id, number)}), How.TABLE, fit)


_NO_METRIC = ArrayRows([], frozenset(), How.TABLE, 0.0)


def _labels(view: TableView) -> Iterator[tuple[int, TextSource, tuple[str, ...]]]:
    """Yield the rows that begin with a label, and its names: alone, and behind the heading of its group."""
    group = ""
    for number in sorted(view.rows):
        filled = [index for index in view.rows[number].values() if view.table.cells[index].text.strip()]
        if not filled or view.table.cells[filled[0]].col > 0:
            continue
        label = view.source(filled[0])
        if len(filled) == 1:
            group = label.text.strip(" :")
        elif any(map(str.isalpha, label.text)):
            yield number, label, (label.text, f"{group} {label.text}") if group else (label.text,)


def _read_metric(
    view: TableView, number: int, periods: Mapping[int, tuple[TextSource, ...]]
) -> list[tuple[TextSource, tuple[TextSource, ...]]]:
    """Return the numbers of a row, each with the head of its column or of an empty one next to it."""
    cells = {col: index for col, index in view.rows[number].items() if col > 0}
    values = {col: index for col, index in cells.items() if plain_number(view.table.cells[index].text) is not None}
    heads = {col: periods.get(col) for col in values}
    taken = {head for head in heads.values() if head}
    for col in [col for col, head in heads.items() if head is None]:
        near = (periods.get(other) for other in (col - 1, col + 1) if other not in values)
        heads[col] = next((head for head in near if head and head not in taken), None)
    return [(view.source(index), head) for col, index in sorted(values.items()) if (head := heads[col])]


def _fill(
    metric: _Metric, value: TextSource, head: tuple[TextSource, ...], label: TextSource
) -> dict[Leaf, tuple[TextSource, ...]]:
    cells: dict[Leaf, tuple[TextSource, ...]] = {metric.value: (value,)}
    for leaf in metric.periods:
        years = [source.cut(*match.span()) for source in head if (match := YEAR.search(source.text))]
        is_year = leaf.kinds[:1] == ("integer",) or plain_words(split_name(leaf.name))[-1:] == ("year",)
        cells[leaf] = tuple(years[:1]) if is_year else head
    return cells | {leaf: (label,) for leaf in metric.labels}


def _join(sources: Sequence[TextSource]) -> str:
    return " ".join(" ".join(source.text for source in sources).split()).casefold()


def _differ(one: str, other: str) -> bool:
    return plain_number(one) != plain_number(other)


def _has_cells(block: Block) -> bool:
    return block.table is not None and bool(block.table.cells)


def _names_same(head: ColumnHeads, top: ColumnHeads) -> bool:
    wanted, found = set(top.columns.values()), set(head.columns.values())
    texts = {leaf for leaf in wanted if not is_typed(leaf)}
    return len(wanted & found) >= SAME_LEAVES * len(wanted) and (not texts or bool(texts & found))


def _join_rows(rows: Sequence[TableRow]) -> Iterator[Row]:
    """Yield the data rows; a line of text alone belongs to the row above it, a line over all columns heads a group."""
    pending: Row | None = None
    group: TextSource | None = None
    for row in rows:
        if row.is_foot or _is_apart(row, group):
            if row.only is not None and not _names_sum(row.first):
                yield from (pending,) if pending is not None else ()
                pending, group = None, row.only
            continue
        typed = [leaf for leaf in row.cells if is_typed(leaf)]
        if pending is None and not typed and row.columns > len(row.cells):
            group = row.only or group
            continue
        if pending is not None and not typed and any(is_typed(leaf) for leaf in pending.cells):
            for leaf, source in row.cells.items():
                pending.cells[leaf] = (*pending.cells.get(leaf, ()), source)
            continue
        if typed and not any(read_typed(row.cells[leaf].text, leaf) is not None for leaf in typed):
            continue
        yield from (pending,) if pending is not None else ()
        pending = Row({leaf: (source, *row.rests.get(leaf, ())) for leaf, source in row.cells.items()}, row.fit, group)
    yield from (pending,) if pending is not None else ()


def _is_apart(row: TableRow, group: TextSource | None) -> bool:
    """Return True for a row without data: empty, one cell that heads a group, or a total with empty cells."""
    if not row.cells or row.spans:
        return True
    if group is not None and row.only is not None and row.first.split()[:1] == group.text.split()[:1]:
        return True
    if (
        len(row.cells) == 1
        and row.columns > LONE
        and len(list(find_amounts(row.cells[next(iter(row.cells))].text))) > 1
    ):
        return True
    return len(row.cells) < row.columns and _names_sum(row.first)


def _names_sum(text: str) -> bool:
    return SUBTOTAL.match(text) is not None or name_key(RATE.sub("", text).strip(" :")) in _SUMS
