"""Layout of one page: its marks in, typed blocks in reading order out. Each step is a module of this package."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.layout.figures.displays import find_formulas
from quire.models.extract.layout.figures.floats import Float, Floats, take_field_lines
from quire.models.extract.layout.figures.forms import settle_fields
from quire.models.extract.layout.figures.pictures import find_pictures
from quire.models.extract.layout.headings.decide import decide_headings
from quire.models.extract.layout.headings.joins import join_headings
from quire.models.extract.layout.lines.dropcaps import join_drop_caps
from quire.models.extract.layout.lines.inline import attach_marks, stretch_over_pictures
from quire.models.extract.layout.lines.marks import Line, PageMarks, divides_nothing
from quire.models.extract.layout.lines.mirror import mirror_block, mirror_marks, runs_right_to_left
from quire.models.extract.layout.lines.pieces import merge_entries, merge_pieces
from quire.models.extract.layout.lines.turned import PageTurn, find_turn, take_outer_lines
from quire.models.extract.layout.tables.scoring.addresses import free_addresses
from quire.models.extract.layout.tables.scoring.find import find_tables
from quire.models.extract.layout.tables.scoring.titles import free_titles
from quire.models.extract.layout.tables.scoring.turned import find_turned_tables
from quire.models.extract.layout.tags.follow import TypedGroup, follow_tags
from quire.models.extract.layout.tags.tables import take_tagged_tables
from quire.models.extract.layout.tags.trust import TagPlan, trust_tags
from quire.models.extract.layout.text.blocks import make_block
from quire.models.extract.layout.text.formulas import mark_inline_formulas, merge_formulas
from quire.models.extract.layout.text.furniture import find_footnotes, find_furniture, find_margin_marks
from quire.models.extract.layout.text.hyphens import PageHyphens
from quire.models.extract.layout.text.kinds import PageLook, demote_runs, find_kind, mark_heading_parts
from quire.models.extract.layout.text.line_numbers import keep_numbered, take_line_numbers
from quire.models.extract.layout.text.listings import join_listings
from quire.models.extract.layout.text.order import KnownOrders, order_with_floats
from quire.models.extract.layout.text.paragraphs import group_paragraphs
from quire.models.extract.layout.text.relations import relate_blocks
from quire.models.extract.layout.text.wide import group_slanted
from quire.models.extract.math.letters import latex_text

_PLACES = {BlockType.PAGE_HEADER: 0, BlockType.FOOTNOTE: 2, BlockType.PAGE_FOOTER: 3}
"""Running heads come before the text (place 1) and notes after it, in any column."""
_RUNNING_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM, BlockType.CAPTION, BlockType.FOOTNOTE})
"""Types whose lines may contain formulas."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Layout of a page. `body_size`: the type size (points) of most characters of the page, 0 without text."""

    blocks: list[PageBlock]
    body_size: float


@dataclass(frozen=True, slots=True)
class GatheredPage:
    """Groups of lines in reading order; those of `floats` contain one placeholder line."""

    groups: list[list[Line]]
    floats: Floats
    look: PageLook


def layout_page(marks: PageMarks) -> PageLayout:
    """Return the blocks of a page in reading order; every line is in exactly one of them."""
    return marks.steps.run_or("layout", _lay_out_plainly, _lay_out_page, marks)


def _lay_out_plainly(marks: PageMarks) -> PageLayout:
    """Return a paragraph for each line, in the order of the file."""
    return PageLayout([make_block(BlockType.PARAGRAPH, [line], marks) for line in marks.lines], 0.0)


def _lay_out_page(marks: PageMarks) -> PageLayout:
    if degrees := marks.steps.run("turned-text", 0, find_turn, marks.lines):
        turned = PageTurn(marks.width, marks.height, degrees)
        above, between, below = take_outer_lines(marks.lines, degrees)
        layout = _lay_out_upright(turned.turn_marks(replace(marks, lines=between)))
        blocks = [turned.turn_block_back(block, marks.number) for block in layout.blocks]
        return PageLayout(_surround_columns(blocks, above, below, marks, layout.body_size), layout.body_size)
    return _lay_out_upright(marks)


_TITLE_SIZE = 1.1
"""Sizes of the text from which a line above vertical text is its title."""


def _surround_columns(
    blocks: list[PageBlock], above: list[Line], below: list[Line], marks: PageMarks, body: float
) -> list[PageBlock]:
    """Return the blocks of vertical text after the lines above it, of which larger ones are titles, and before others.

    The vertical text keeps its relations.
    """
    heads = [
        make_block(BlockType.HEADING, [line], marks, level=1)
        if line.size >= _TITLE_SIZE * body
        else make_block(BlockType.PARAGRAPH, [line], marks)
        for line in above
    ]
    feet = [
        make_block(BlockType.PAGE_FOOTER if line.text.isdigit() else BlockType.PARAGRAPH, [line], marks)
        for line in below
    ]
    moved = [
        replace(
            block,
            parent=None if block.parent is None else block.parent + len(heads),
            continues=None if block.continues is None else block.continues + len(heads),
        )
        for block in blocks
    ]
    return [*heads, *moved, *feet]


def _lay_out_upright(marks: PageMarks) -> PageLayout:
    if marks.steps.run("right-to-left", False, runs_right_to_left, marks.lines):
        layout = _lay_out(mirror_marks(marks))
        return PageLayout([mirror_block(block, marks) for block in layout.blocks], layout.body_size)
    return _lay_out(marks)


def _lay_out(marks: PageMarks) -> PageLayout:
    steps = marks.steps
    marks.divides = steps.run("hyphens", divides_nothing, _find_hyphens, marks)
    plan = steps.run("tags", None, trust_tags, marks)
    marks, line_numbers = (
        steps.run("line-numbers", (marks, []), take_line_numbers, marks) if plan is None else (marks, [])
    )
    page = gather(marks, plan)
    kinds = find_rule_kinds(page, marks)
    kinds = steps.run("line-numbers", kinds, keep_numbered, kinds, page.groups, line_numbers, page.look)
    kinds = steps.run("headings", kinds, decide_headings, kinds, page.groups, marks, page.look)
    steps.run("headings", None, mark_heading_parts, kinds, page.groups, page.look)
    floats = page.floats
    if plan is None:
        joined = steps.run("headings", (kinds, page.groups), join_headings, kinds, page.groups, page.look.body)
        kinds, groups = steps.run("listings", joined, join_listings, *joined)
        typed = [TypedGroup(kind, group) for kind, group in zip(kinds, groups, strict=True)]
    else:
        held = {index for index, group in enumerate(page.groups) if floats.holds(group[0])}
        typed = steps.run("tags", [], follow_tags, plan, page.groups, kinds, held)
    running = [line for group in typed if group.kind in _RUNNING_TEXT for line in group.lines]
    steps.run("formulas", None, mark_inline_formulas, running, marks)
    blocks = [
        floats.make_block(group.lines[0], marks) if floats.holds(group.lines[0]) else _write_block(group, marks)
        for group in _place_notes(typed)
    ]
    if line_numbers:
        blocks.insert(0, make_block(BlockType.PAGE_HEADER, line_numbers, marks))
    return PageLayout(steps.run("relations", blocks, relate_blocks, blocks), page.look.body)


def _find_hyphens(marks: PageMarks) -> Callable[[str, str], bool]:
    return PageHyphens(marks.lines).divides


def gather(marks: PageMarks, plan: TagPlan | None = None) -> GatheredPage:
    """Return the page's lines in reading order as groups, one for each paragraph or float, before typing."""
    body = find_body_size(marks.lines)
    floats, lines = _find_floats(marks, body, plan)
    slanted = [line for line in lines if not line.upright]
    lines = [line for line in lines if line.upright]
    steps = marks.steps
    ordered = steps.run_or("order", _order_plainly, order_with_floats, lines, list(floats.lines), marks.orders)
    merged = steps.run("pieces", ordered, merge_pieces, ordered)
    ordered, contents = steps.run("contents", (merged, False), merge_entries, merged, marks.width)
    if contents:
        groups = [[line] for line in ordered]
    else:
        groups = steps.run_or("paragraphs", _part_lines, group_paragraphs, ordered, body)
        groups = steps.run("formulas", groups, merge_formulas, groups)
    groups += steps.run("slanted-text", [[line] for line in slanted], group_slanted, slanted)
    return GatheredPage(groups, floats, _find_look(marks, lines, body, contents=contents))


def _order_plainly(lines: Sequence[Line], floats: Sequence[Line], known: KnownOrders | None = None) -> list[Line]:
    """Return the lines and the placeholders of floats from top to bottom."""
    return sorted([*lines, *floats], key=lambda line: (line.y0, line.x0))


def _part_lines(lines: list[Line], body: float) -> list[list[Line]]:
    """Return each line as a group."""
    return [[line] for line in lines]


def _place_notes(typed: list[TypedGroup]) -> list[TypedGroup]:
    """Order running heads first, and notes after the text of all columns but before the content below them."""
    notes = [group.lines for group in typed if group.kind is BlockType.FOOTNOTE]
    low = max((line.y1 for lines in notes for line in lines), default=float("inf"))

    def place(group: TypedGroup) -> int:
        return _PLACES.get(group.kind, 1 if group.lines[0].y0 < low else 3)

    return sorted(typed, key=place)


def _write_block(group: TypedGroup, marks: PageMarks) -> PageBlock:
    """Return the block of a group; the text of a formula is LaTeX, unless it was recognised."""
    block = make_block(group.kind, group.lines, marks, level=group.level)
    if group.tagged:
        block = replace(block, tagged=True)
    if group.kind is not BlockType.FORMULA or group.lines[0].recognised:
        return block
    latex = marks.steps.run("formulas", block.text, latex_text, block.text).strip()
    return replace(block, text=latex, printed=block.text, spans=(), flag_spans=(), breaks=())


def _find_floats(marks: PageMarks, body: float, plan: TagPlan | None) -> tuple[Floats, list[Line]]:
    """Return tables, pictures and displayed formulas, and the lines outside them."""
    steps, lines = marks.steps, marks.lines
    if marks.fields:
        lines = steps.run("form", lines, take_field_lines, marks.fields, lines)
    stated, lines = steps.run("tags", ([], lines), take_tagged_tables, plan, lines) if plan is not None else ([], lines)
    turned, lines = steps.run("tables", ([], lines), find_turned_tables, marks, lines)
    tables, lines = steps.run("tables", ([], lines), find_tables, marks, lines)
    lines = lines + steps.run("tables", [], free_titles, tables, lines)
    lines += steps.run("tables", [], free_addresses, tables, marks)
    tables += stated + turned
    fields, lines = (
        steps.run("form", ([], lines), settle_fields, marks.fields, tables, lines) if marks.fields else ([], lines)
    )
    lines = steps.run("small-marks", lines, attach_marks, lines)
    lines = steps.run("drop-caps", lines, join_drop_caps, lines, body)
    if marks.pictures:
        steps.run("pictures", None, stretch_over_pictures, lines, marks.pictures, body)
    boxes = [table.box for table in tables]
    pictures, lines = steps.run("pictures", ([], lines), find_pictures, marks, lines, body, boxes)
    formulas, lines = steps.run("formulas", ([], lines), find_formulas, marks, lines, body)
    floats = Floats()
    items: list[Float] = [*tables, *pictures, *formulas, *fields]
    for item in items:
        floats.add(item)
    return floats, lines


def find_rule_kinds(page: GatheredPage, marks: PageMarks) -> list[BlockType]:
    """Return the type of every group by the rules: its look, its place and its neighbours."""
    groups, look = page.groups, page.look
    steps = marks.steps
    running = steps.run("furniture", {}, find_furniture, groups, look)
    running |= dict.fromkeys(steps.run("furniture", [], find_margin_marks, groups, look), BlockType.PAGE_FOOTER)
    kinds = [
        BlockType.PICTURE if page.floats.holds(group[0]) else running.get(index) or find_kind(group, look)
        for index, group in enumerate(groups)
    ]
    for index in steps.run("footnotes", [], find_footnotes, groups, look, running):
        kinds[index] = BlockType.FOOTNOTE
    steps.run("headings", None, mark_heading_parts, kinds, groups, look)
    steps.run("headings", None, demote_runs, kinds, groups)
    return kinds


def _find_look(marks: PageMarks, lines: list[Line], body: float, *, contents: bool) -> PageLook:
    chars = sum(len(line.text) for line in lines) or 1
    printed = sum(len(line.text) for line in marks.lines)
    bold = sum(len(line.text) for line in lines if line.bold)
    title_below = 0.0
    if contents:
        largest = max(line.size for line in lines)
        title_below = min(line.y1 for line in lines if line.size == largest) + 0.1
    return PageLook(body, bold / chars, marks.width, marks.height, contents, title_below, printed)


def find_body_size(lines: list[Line]) -> float:
    """Return the type size of most characters, rounded to a tenth of a point."""
    exact: dict[float, int] = {}
    for line in lines:
        exact[line.size] = exact.get(line.size, 0) + len(line.text)
    sizes: Counter[float] = Counter()
    for size, chars in exact.items():
        sizes[round(size, 1)] += chars
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else 0.0
