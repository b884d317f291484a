"""Tables that go on over pages: joined with every part's place, parted where they are asked for apart."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format, ReadOptions, TableParts
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import BlockType, FlagSpan, Source, Tree, dump_tree
from quire.models.extract.contract import DocumentFacts, PageBlock, PageContent, TextLook
from quire.models.extract.coverage.account import Painted, account_page
from quire.models.extract.coverage.total import count_written
from quire.models.extract.pipeline.assemble import assemble
from tests.models.extract.formats.pdf.paper import Paper, of_type

HEAD = ("Item", "Count")
SOURCE = Source(format="pdf", sha256="0" * 64, bytes=1)


def table(
    *rows: Sequence[str], heads: int = 1, y: float = 40, xs: Sequence[float] = (50, 200), flagged: int | None = None
) -> PageBlock:
    """Rows of 20 points; `flagged` is the number of a cell in question."""
    cells = tuple(
        Cell(row=at, col=col, text=text, header=at < heads, bbox=_box(xs[col], y + 20 * at))
        for at, row in enumerate(rows)
        for col, text in enumerate(row)
    )
    return PageBlock(
        type=BlockType.TABLE,
        bbox=(xs[0], y, xs[-1] + 100, y + 20 * len(rows)),
        table=Table(rows=len(rows), cols=len(xs), cells=cells),
        flags=() if flagged is None else ("low-confidence",),
        flag_spans=() if flagged is None else (FlagSpan(flag="low-confidence", start=0, end=2, cell=flagged),),
    )


def _box(x: float, y: float) -> Bbox:
    return (x, y, x + 100, y + 20)


def words(text: str, y: float, kind: BlockType = BlockType.PARAGRAPH) -> PageBlock:
    return PageBlock(type=kind, text=text, bbox=(50, y, 350, y + 12), look=TextLook(size=10))


def page(number: int, *blocks: PageBlock) -> PageContent:
    """A page whose every character was placed."""
    painted = Painted("".join("".join(_texts(block)).replace(" ", "") for block in blocks))
    return PageContent(
        number=number, width=400, height=600, body_size=10, blocks=blocks, engine="test", version="1",
        coverage=account_page(number, painted, blocks), written=count_written(blocks),
    )  # fmt: skip


def _texts(block: PageBlock) -> list[str]:
    return [block.text, *(cell.text for cell in (block.table.cells if block.table else ()))]


def build(*pages: PageContent, parts: TableParts = TableParts.JOINED, format: Format = Format.PDF) -> Tree:
    numbers = tuple(one.number for one in pages)
    facts = DocumentFacts(format=format, page_count=len(pages), page_numbers=numbers)
    return assemble(facts, pages, source=SOURCE, options=ReadOptions(table_parts=parts))


def tables_of(tree: Tree) -> list[list[list[str]]]:
    found = []
    for block in tree.blocks:
        if block.table is not None:
            rows: list[list[str]] = [[] for _ in range(block.table.rows)]
            for cell in block.table.cells:
                rows[cell.row].append(cell.text)
            found.append(rows)
    return found


PAGES = (
    page(1, words("Before.", 20), table(HEAD, ("pears", "3"), y=500), words("1", 580, BlockType.PAGE_FOOTER)),
    page(2, table(HEAD, ("plums", "14")), words("2", 580, BlockType.PAGE_FOOTER)),
    page(3, table(HEAD, ("quinces", "7"), ("figs", "9")), words("After.", 300)),
)


def test_table_on_three_pages_is_joined_with_one_header_and_all_places() -> None:
    tree = build(*PAGES)
    assert tables_of(tree) == [[[*HEAD], ["pears", "3"], ["plums", "14"], ["quinces", "7"], ["figs", "9"]]]
    (joined,) = (block.table for block in tree.blocks if block.table)
    assert joined.parts == (
        TablePart(page=1, bbox=(50, 500, 300, 540), rows=2),
        TablePart(page=2, bbox=(50, 40, 300, 80), rows=1),
        TablePart(page=3, bbox=(50, 40, 300, 100), rows=2),
    )
    assert [cell.text for cell in joined.cells if cell.header] == [*HEAD]
    assert [block.id for block in tree.blocks] == [f"b{number}" for number in range(5)]
    assert [block.text for block in tree.blocks] == ["Before.", "", "1", "2", "After."]


def test_repeated_header_is_excluded_by_name_and_nothing_is_lost() -> None:
    coverage = build(*PAGES).coverage
    assert coverage is not None
    assert coverage.complete
    assert coverage.characters.excluded == {"repeated_header": 18}
    for stated in coverage.pages:
        counts = stated.characters
        assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    (place,) = coverage.pages[1].excluded
    assert (place.reason, place.characters, place.bbox) == ("repeated_header", 9, (50, 40, 300, 60))


def test_parts_are_left_apart_when_asked_for() -> None:
    tree = build(*PAGES, parts=TableParts.APART)
    first, second, third = (block for block in tree.blocks if block.table)
    assert (second.continues, third.continues) == (first.id, second.id)
    assert tables_of(tree)[1] == [[*HEAD], ["plums", "14"]]
    assert not any(block.table.parts for block in tree.blocks if block.table)
    assert tree.coverage is not None
    assert tree.coverage.characters.excluded == {}


@pytest.mark.parametrize(
    ("rows", "heads"),
    [([("plums", "14")], 0), ([("plums", "14"), ("figs", "9")], 1), ([("x" * 90, "–"), ("figs", "9")], 1)],
    ids=["no header", "figures taken for a header", "text too long for a header"],
)
def test_rows_without_a_separate_header_continue(rows: list[tuple[str, str]], heads: int) -> None:
    tree = build(page(1, table(HEAD, ("pears", "3"), y=500)), page(2, table(*rows, heads=heads)))
    (joined,) = tables_of(tree)
    assert joined[2:] == [list(row) for row in rows]
    assert [cell.text for block in tree.blocks if block.table for cell in block.table.cells if cell.header] == [*HEAD]


@pytest.mark.parametrize(
    "second",
    [
        table(("Town", "People"), ("Ulm", "14")),
        table(("Item", "2025"), ("Ulm", "14")),
        table(HEAD, ("plums", "14"), xs=(260, 320)),
        table((*HEAD, "Price"), ("plums", "14", "2"), xs=(50, 200, 260)),
    ],
    ids=["another header", "years in the header", "other places", "another column"],
)
def test_another_table_at_the_top_of_the_next_page_stays_another(second: PageBlock) -> None:
    assert len(tables_of(build(page(1, table(HEAD, ("pears", "3"), y=500)), page(2, second)))) == 2


def test_the_same_table_twice_is_two_tables() -> None:
    assert len(tables_of(build(page(1, table(HEAD, y=500)), page(2, table(HEAD))))) == 2


def test_table_continues_below_a_continuation_caption() -> None:
    caption = words("Table 3: Fruit (continued)", 20, BlockType.CAPTION)
    named = PageBlock(type=caption.type, text=caption.text, bbox=caption.bbox, parent=1)
    foot = words("Continued on the next page", 560)
    tree = build(page(1, table(HEAD, ("pears", "3"), y=500), foot), page(2, named, table(HEAD, ("plums", "14"))))
    assert len(tables_of(tree)) == 1
    assert next(block for block in tree.blocks if block.type is BlockType.CAPTION).parent == "b0"
    other = words("The prices of the year before:", 20)
    tree = build(page(1, table(HEAD, ("pears", "3"), y=500)), page(2, other, table(HEAD, ("plums", "14"))))
    assert len(tables_of(tree)) == 2


def test_flags_of_cells_stay_at_their_cells() -> None:
    second = table(HEAD, ("plums", "14"), flagged=3)
    tree = build(page(1, table(HEAD, ("pears", "3"), y=500)), page(2, second))
    (joined,) = (block for block in tree.blocks if block.table)
    assert joined.table is not None
    assert [joined.table.cells[span.cell].text for span in joined.flag_spans if span.cell is not None] == ["14"]


def test_sums_are_checked_over_all_parts() -> None:
    tree = build(
        page(1, table(HEAD, ("pears", "3"), ("figs", "4"), y=500)),
        page(2, table(HEAD, ("plums", "14"), ("Total", "21"))),
    )
    (checks,) = (block.table.checks for block in tree.blocks if block.table)
    assert [check.holds for check in checks] == [True]


def test_tables_of_formats_without_printed_pages_are_not_joined() -> None:
    pages = (page(1, table(HEAD, ("pears", "3"))), page(2, table(HEAD, ("plums", "14"))))
    assert len(tables_of(build(*pages, format=Format.XLSX))) == 2


def test_two_thousand_parts_are_joined_the_same_every_time() -> None:
    pages = [page(number, table(HEAD, (f"item {number}", str(number)))) for number in range(1, 2001)]
    trees = [dump_tree(build(*pages)) for _ in range(2)]
    assert trees[0] == trees[1]
    (joined,) = tables_of(build(*pages))
    assert (len(joined), joined[-1]) == (2001, ["item 2000", "2000"])


def test_a_printed_table_of_three_pages_is_read_as_one() -> None:
    paper = Paper()
    for number in range(3):
        if number:
            paper.new_page()
        for line in range(21):
            y = 60 + 20 * line
            paper.rule(50, y - 14, 350, y - 14)
            for x, text in zip((55, 155, 255), ("Item", "Count", "Price"), strict=True):
                shown = text if not line else f"{text.lower()} {number}" if x == 55 else f"{number}.{line:02}"
                paper.text(x, y, shown, 9, "hebo" if not line else "helv")
        for x in (50, 150, 250, 350):
            paper.rule(x, 46, x, 466)
        paper.rule(50, 466, 350, 466)
    (block,) = of_type(paper.read(), BlockType.TABLE)
    assert block.table is not None
    assert [(part.page, part.rows) for part in block.table.parts] == [(1, 21), (2, 20), (3, 20)]
    assert block.table.cells[-1].text == "2.20"


def _draw_grid(paper: Paper, top: float, rows: list[tuple[str, str, str]], *, bold: bool) -> None:
    for index, row in enumerate(rows):
        paper.rule(50, top + 20 * index, 350, top + 20 * index)
        for x, text in zip((55, 155, 255), row, strict=True):
            paper.text(x, top + 14 + 20 * index, text, 9, "hebo" if bold and not index else "helv")
    bottom = top + 20 * len(rows)
    paper.rule(50, bottom, 350, bottom)
    for x in (50, 150, 250, 350):
        paper.rule(x, top, x, bottom)


@pytest.mark.parametrize(
    ("bold", "second", "count"),
    [
        (True, ("sails", "canvas", "nine"), 1),
        (True, ("", "and tar", ""), 1),
        (False, ("", "and tar", ""), 1),
        (False, ("Name", "Colour", "Age"), 2),
    ],
)
def test_drawn_table_without_a_header_of_its_own_continues(
    bold: bool, second: tuple[str, str, str], count: int
) -> None:
    paper = Paper()
    _draw_grid(
        paper, 420, [("Item", "Made of", "Needed"), ("ropes", "hemp", "four"), ("nets", "twine", "two")], bold=bold
    )
    paper.new_page()
    _draw_grid(paper, 50, [second, ("oars", "ash", "six"), ("hooks", "iron", "many")], bold=False)
    assert len(tables_of(paper.read())) == count


def test_drawn_table_that_ends_high_on_its_page_does_not_continue() -> None:
    paper = Paper()
    _draw_grid(
        paper, 60, [("Item", "Made of", "Needed"), ("ropes", "hemp", "four"), ("nets", "twine", "two")], bold=True
    )
    paper.new_page()
    _draw_grid(paper, 50, [("sails", "canvas", "nine"), ("oars", "ash", "six"), ("hooks", "iron", "many")], bold=False)
    assert len(tables_of(paper.read())) == 2


def drawn(block: PageBlock, *, is_headed: bool = False) -> PageBlock:
    """The table with rules around every cell."""
    return replace(block, edges=(50.0, 150.0, 300.0), is_headed=is_headed)


def test_drawn_tables_go_on_past_logos_and_lines_in_margins() -> None:
    first = drawn(table(HEAD, ("pears", "3"), y=500), is_headed=True)
    logo = PageBlock(type=BlockType.PICTURE, bbox=(20, 10, 60, 40))
    rest = drawn(table(("plums", "14"), ("figs", "9"), y=60))
    tree = build(page(1, first, words("Fruit list", 560)), page(2, logo, words("Of the harbour", 30), rest))
    assert tables_of(tree) == [[list(HEAD), ["pears", "3"], ["plums", "14"], ["figs", "9"]]]


def test_forms_that_begin_again_are_separate_tables() -> None:
    forms = [drawn(table(("Name", name), ("Age", age), heads=1, y=400)) for name, age in (("Ann", "31"), ("Bob", "44"))]
    assert len(tables_of(build(page(1, forms[0]), page(2, forms[1])))) == 2
