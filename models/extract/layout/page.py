"""Small passes of the layout that no other module has; `pipeline.passes` says in which order all of them run.

Their marks are upright: turned, mirrored and without line numbers where the page needs it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import bbox_area
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.layout.figures.charts import FoundCharts
from quire.models.extract.layout.figures.displays import DisplayedFormula
from quire.models.extract.layout.figures.floats import Float, Floats
from quire.models.extract.layout.figures.panels import Row
from quire.models.extract.layout.figures.pictures import ChartText, Picture, find_pictures
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField
from quire.models.extract.layout.lines.turned import (
    PageTurn,
    find_turn,
    runs_right_to_left,
    take_outer_lines,
)
from quire.models.extract.layout.tables.scoring.addresses import free_addresses
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.tables.scoring.titles import free_titles
from quire.models.extract.layout.tags.follow import TypedGroup, follow_tags
from quire.models.extract.layout.tags.trust import TagPlan
from quire.models.extract.layout.text.blocks import make_block
from quire.models.extract.layout.text.formulas import mark_inline_formulas
from quire.models.extract.layout.text.furniture import find_footnotes, find_margin_marks
from quire.models.extract.layout.text.hyphens import PageHyphens
from quire.models.extract.layout.text.kinds import PageLook, find_kind
from quire.models.extract.layout.text.order import KnownOrders, order_with_floats
from quire.models.extract.layout.text.wide import group_slanted
from quire.models.extract.math.letters import latex_text


@dataclass(frozen=True, slots=True)
class BlockOrderLimits:
    """Thresholds for vertical text."""

    title_size: float = 1.1
    """Sizes of the text from which a line above vertical text is its title."""
    card_size: float = 10.0
    """Type size of the placeholder of a card, in points."""
    least_tabs: int = 3
    """Minimum lines along the margins that are tabs, which name the parts of a report as its running head does."""


LIMITS = BlockOrderLimits()
_PLACES = {BlockType.PAGE_HEADER: 0, BlockType.FOOTNOTE: 2, BlockType.PAGE_FOOTER: 3}
"""Running heads come before the text (place 1) and notes after it, in any column."""
_RUNNING_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM, BlockType.CAPTION, BlockType.FOOTNOTE})
"""Types whose lines may contain formulas."""

Groups = list[list[Line]]
Kinds = list[BlockType]


@dataclass(frozen=True, slots=True)
class TurnedText:
    """The turn of a page with turned text; the lines `above` and `below` its vertical text stay unchanged."""

    turn: PageTurn
    above: list[Line]
    below: list[Line]


def stand_upright(marks: PageMarks, charts: FoundCharts) -> tuple[PageMarks, TurnedText | None]:
    """Return the page as it stands when most of its text is upright."""
    labels = {id(charts.line_of[label]) for label in charts.used}
    degrees = find_turn([line for line in marks.lines if id(line) not in labels] if labels else marks.lines)
    if not degrees:
        return marks, None
    turn = PageTurn(marks.width, marks.height, degrees)
    above, between, below = take_outer_lines(marks.lines, degrees)
    return turn.turn_marks(replace(marks, lines=between)), TurnedText(turn, above, below)


def leave_turned(marks: PageMarks, charts: FoundCharts) -> tuple[PageMarks, None]:
    """Return the page as it is."""
    return marks, None


def turn_back(blocks: list[PageBlock], turned: TurnedText, marks: PageMarks, body: float) -> list[PageBlock]:
    """Return the blocks at their places after the lines above them, of which larger ones are titles, and before others.

    The vertical text keeps its relations.
    """
    heads = [
        make_block(BlockType.HEADING, [line], marks, level=1)
        if line.size >= LIMITS.title_size * body
        else make_block(BlockType.PARAGRAPH, [line], marks)
        for line in turned.above
    ]
    feet = [
        make_block(BlockType.PAGE_FOOTER if line.text.isdigit() else BlockType.PARAGRAPH, [line], marks)
        for line in turned.below
    ]
    moved = [
        replace(
            turned.turn.turn_block_back(block, marks.number),
            parent=None if block.parent is None else block.parent + len(heads),
            continues=None if block.continues is None else block.continues + len(heads),
        )
        for block in blocks
    ]
    return [*heads, *moved, *feet]


def mirror_page(upright: PageMarks) -> tuple[PageMarks, PageTurn | None]:
    """Return the page, mirrored if its script runs from right to left."""
    if not runs_right_to_left(upright.lines):
        return upright, None
    mirror = PageTurn(upright.width, upright.height, 0)
    return mirror.turn_marks(upright), mirror


def mirror_back(blocks: list[PageBlock], mirror: PageTurn, number: int) -> list[PageBlock]:
    """Return the blocks at their places on the page."""
    return [mirror.turn_block_back(block, number) for block in blocks]


def learn_hyphens(lines: list[Line]) -> Callable[[str, str], bool]:
    """Return a function that is True for a hyphen that divides a word."""
    return PageHyphens(lines).divides


def find_body_size(lines: list[Line]) -> float:
    """Return the type size of most characters, rounded to a tenth of a point."""
    exact: dict[float, int] = {}
    for line in lines:
        exact[line.size] = exact.get(line.size, 0) + len(line.text)
    sizes: Counter[float] = Counter()
    for size, chars in exact.items():
        sizes[round(size, 1)] += chars
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else 0.0


def measure_text(lines: list[Line]) -> tuple[float, list[Line]]:
    """Return the type size of running text, and all lines, from which floats then take theirs."""
    return find_body_size(lines), lines


def return_titles(tables: list[FoundTable], lines: list[Line]) -> list[Line]:
    """Return the lines with titles, captions and running text that tables had taken."""
    return lines + free_titles(tables, lines)


def return_addresses(tables: list[FoundTable], upright: PageMarks, lines: list[Line]) -> list[Line]:
    """Return the lines with addresses that tables had taken."""
    return lines + free_addresses(tables, upright)


def join_tables(tables: list[FoundTable], stated: list[FoundTable], turned: list[FoundTable]) -> list[FoundTable]:
    """Return all tables of the page."""
    return tables + stated + turned


def find_outer_pictures(
    upright: PageMarks, lines: list[Line], body: float, tables: list[FoundTable]
) -> tuple[list[Picture], list[Line]]:
    """Return the pictures outside tables, and the lines outside pictures."""
    return find_pictures(upright, lines, body, [table.box for table in tables])


def place_floats(
    tables: list[FoundTable],
    pictures: list[Picture],
    chart_texts: list[ChartText],
    formulas: list[DisplayedFormula],
    fields: list[PrintedField],
    lines: list[Line],
) -> tuple[Floats, list[Line], list[Line]]:
    """Return the floats with a placeholder line each, the upright lines, and the others."""
    floats = Floats()
    items: list[Float] = [*tables, *pictures, *chart_texts, *formulas, *fields]
    for item in items:
        floats.add(item)
    return floats, [line for line in lines if line.upright], [line for line in lines if not line.upright]


def order_page(lines: list[Line], floats: Floats, orders: KnownOrders, cards: list[Row]) -> list[Line]:
    """Return the lines and the placeholders of floats in reading order; those in a card follow each other."""
    grounds = sorted((card for row in cards for card in row), key=bbox_area)
    held: dict[int, tuple[Line, list[Line]]] = {}
    rest, items = lines, list(floats.lines)
    for x0, y0, x1, y1 in grounds:
        card = Line(x0, y0, x1, y1, y1, LIMITS.card_size, "")
        own, rest = _part_by_card(rest, card)
        inside, items = _part_by_card(items, card)
        if len(own) + len(inside) > 1:
            held[id(card)] = card, order_with_floats(own, inside)
            items.append(card)
        else:
            rest, items = rest + own, items + inside
    out = order_with_floats(rest, items, None if held else orders)
    while any(id(line) in held for line in out):
        out = [one for line in out for one in (held[id(line)][1] if id(line) in held else (line,))]
    return out


def _part_by_card(lines: list[Line], card: Line) -> tuple[list[Line], list[Line]]:
    """Return the lines inside the card by their middle, and the others."""
    inside, outside = list[Line](), list[Line]()
    for line in lines:
        x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        (inside if card.x0 <= x <= card.x1 and card.y0 <= y <= card.y1 else outside).append(line)
    return inside, outside


def order_plainly(lines: list[Line], floats: Floats, orders: KnownOrders, cards: list[Row]) -> list[Line]:
    """Return the lines and the placeholders of floats from top to bottom."""
    return sorted([*lines, *floats.lines], key=lambda line: (line.y0, line.x0))


def part_lines(ordered: list[Line], body: float = 0.0) -> Groups:
    """Return each line as a group, as the entries of a table of contents are."""
    return [[line] for line in ordered]


def add_slanted(groups: Groups, slanted: list[Line]) -> Groups:
    """Return the groups with those of lines that are not upright after them."""
    return groups + group_slanted(slanted)


def add_slanted_plainly(groups: Groups, slanted: list[Line]) -> Groups:
    """Return the groups with lines that are not upright after them, each alone."""
    return groups + [[line] for line in slanted]


def find_look(upright: PageMarks, lines: list[Line], body: float, is_contents: bool) -> PageLook:
    """Return the typical look of the page, from the lines outside floats."""
    chars = sum(len(line.text) for line in lines) or 1
    printed = sum(len(line.text) for line in upright.lines)
    bold = sum(len(line.text) for line in lines if line.bold)
    title_below = 0.0
    if is_contents:
        largest = max(line.size for line in lines)
        title_below = min(line.y1 for line in lines if line.size == largest) + 0.1
    return PageLook(body, bold / chars, upright.width, upright.height, is_contents, title_below, printed)


def mark_margins(groups: Groups, look: PageLook, running: dict[int, BlockType]) -> dict[int, BlockType]:
    """Return the running heads and feet with the lines along the margins."""
    beside = find_margin_marks(groups, look)
    kind = BlockType.PAGE_HEADER if len(beside) >= LIMITS.least_tabs else BlockType.PAGE_FOOTER
    return running | dict.fromkeys(beside, kind)


def find_kinds(groups: Groups, look: PageLook, running: dict[int, BlockType], floats: Floats) -> Kinds:
    """Return the type of every group by its look; those of floats and of running heads are known."""
    return [
        BlockType.PICTURE if floats.holds(group[0]) else running.get(index) or find_kind(group, look)
        for index, group in enumerate(groups)
    ]


def mark_footnotes(kinds: Kinds, groups: Groups, look: PageLook, running: dict[int, BlockType]) -> None:
    """Make footnotes of the groups that are some, in place."""
    for index in find_footnotes(groups, look, running):
        kinds[index] = BlockType.FOOTNOTE


def type_groups(kinds: Kinds, groups: Groups) -> list[TypedGroup]:
    """Return the groups with their types."""
    return [TypedGroup(kind, group) for kind, group in zip(kinds, groups, strict=True)]


def type_by_tags(plan: TagPlan, kinds: Kinds, groups: Groups, floats: Floats) -> list[TypedGroup]:
    """Return the groups as the author tagged them."""
    return follow_tags(plan, groups, kinds, {index for index, group in enumerate(groups) if floats.holds(group[0])})


def mark_formulas(typed: list[TypedGroup], upright: PageMarks) -> None:
    """Mark the formulas inside running text, in place."""
    lines = [line for group in typed if group.kind in _RUNNING_TEXT for line in group.lines]
    mark_inline_formulas(lines, upright)


def place_notes(typed: list[TypedGroup]) -> list[TypedGroup]:
    """Order running heads first, and notes after the text of all columns but before the content below them."""
    notes = [group.lines for group in typed if group.kind is BlockType.FOOTNOTE]
    low = max((line.y1 for lines in notes for line in lines), default=float("inf"))

    def place(group: TypedGroup) -> int:
        return _PLACES.get(group.kind, 1 if group.lines[0].y0 < low else 3)

    return sorted(typed, key=place)


def write_blocks(typed: list[TypedGroup], floats: Floats, upright: PageMarks) -> list[PageBlock]:
    """Return a block for each group."""
    return [
        floats.make_block(group.lines[0], upright) if floats.holds(group.lines[0]) else _write_block(group, upright)
        for group in typed
    ]


def _write_block(group: TypedGroup, upright: PageMarks) -> PageBlock:
    block = make_block(group.kind, group.lines, upright, level=group.level)
    return replace(block, tagged=True) if group.tagged else block


def write_lines(marks: PageMarks) -> list[PageBlock]:
    """Return a paragraph for each line, in the order of the file. Used when the layout failed."""
    return [make_block(BlockType.PARAGRAPH, [line], marks) for line in marks.lines]


def write_formulas(blocks: list[PageBlock], typed: list[TypedGroup], floats: Floats) -> list[PageBlock]:
    """Return the blocks with the text of formulas as LaTeX, unless it was recognised or a float."""
    return [
        block
        if block.type is not BlockType.FORMULA or floats.holds(group.lines[0]) or group.lines[0].recognised
        else replace(block, text=latex_text(block.text).strip(), printed=block.text, spans=(), flag_spans=(), breaks=())
        for block, group in zip(blocks, typed, strict=True)
    ]


def add_line_numbers(blocks: list[PageBlock], numbers: list[Line], upright: PageMarks) -> list[PageBlock]:
    """Return the blocks after one with the line numbers of the page."""
    return [make_block(BlockType.PAGE_HEADER, numbers, upright), *blocks]
