"""Whole pages of the kinds of table that are hard to see: wrapped cells, stacked tables, empty forms, slides, lists."""

from collections.abc import Sequence

from quire.models.cdom.tree import BlockType, Tree
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.extract.layout.tables.pages import texts_of

LEFTS = (60, 100, 360, 390, 420)
HEAD = ("#", "Description", "L1", "L2", "CWE")


def set_rows(
    paper: Paper, top: float, rows: Sequence[Sequence[str]], lefts: Sequence[float], *, lead: float = 11, gap: float = 5
) -> float:
    """Rows whose cells have a line for each line feed; where the next row would start."""
    for row in rows:
        for left, cell in zip(lefts, row, strict=True):
            paper.lines(left, top, cell.split("\n"), size=9, step=lead)
        top += max(cell.count("\n") + 1 for cell in row) * lead + gap
    return top


def joined(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def tables_in(tree: Tree) -> list[list[list[str]]]:
    return [texts_of(block.table) for block in tree.blocks if block.table is not None]


def test_wrapped_cells_without_rules_stay_in_their_cells() -> None:
    rows = [
        HEAD,
        (
            "2.4.1",
            "Each ladder hangs on two hooks, is dry and has\nall of its rungs, with a spare one in the same\nroom.",
            "*",
            "*",
            "511",
        ),
        ("2.4.2", "The plan of the yard hangs where guards and\ndrivers can read it.", "", "*", "512"),
        ("2.4.3", "The brake was tested under full load, and the\nresult stands in the book.", "*", "*", "98"),
    ]
    paper = Paper(595, 842)
    set_rows(paper, 80, rows, LEFTS)
    paper.text(60, 260, "Ladders have a chapter of their own below, which those who use them read first.")
    assert tables_in(paper.read()) == [joined(rows)]


def test_cells_of_several_lines_between_three_rules_are_one_row_each() -> None:
    head = [("Day", "What is learned", "Topics")]
    body = [
        (
            "One: the\nworkshop",
            "Build a frame that is light and still\nholds a load; know the names of the\ntools and where they hang.",
            "What is a\nframe for,\nand why?",
        ),
        (
            "Two: friends\nand helpers",
            "Work with others on one frame; divide\nthe work; finish in time.",
            "How to get\nmost of a day",
        ),
        (
            "Three: what\nit costs",
            "Count wood and nails of a frame; buy\nthem and keep the receipts.",
            "Paying for\nthings",
        ),
    ]
    paper = Paper(595, 842).text(60, 60, "Table 1: Overview of the days", 9)
    paper.rule(55, 70, 500, 70).rule(55, 88, 500, 88)
    set_rows(paper, 82, head, (60, 140, 360))
    end = set_rows(paper, 98, body, (60, 140, 360), gap=0)
    paper.rule(55, end - 6, 500, end - 6)
    assert tables_in(paper.read()) == [joined([*head, *body])]


def test_tables_of_one_form_with_headings_between_are_several() -> None:
    parts = [
        [
            HEAD,
            *(
                (
                    f"3.{part}.{at}",
                    f"Look whether {name} {at} hangs in its place\nand was cleaned once this year.",
                    "*",
                    "*",
                    str(100 * part + at),
                )
                for at in range(1, 4)
            ),
        ]
        for part, name in enumerate(("ladder", "bucket", "shovel"), start=1)
    ]
    paper = Paper(595, 842)
    top: float = 80
    for part in parts:
        top = set_rows(paper, top, part, LEFTS) + 12
        if part is not parts[-1]:
            paper.text(60, top, f"S3.{parts.index(part) + 2} Things in the shed", 13)
        top += 28
    tree = paper.read()
    assert tables_in(tree) == [joined(part) for part in parts]
    others = [block for block in tree.blocks if block.table is None]
    assert [block.type in {BlockType.HEADING, BlockType.TITLE} for block in others] == [True, True]


def test_empty_form_keeps_its_columns_and_its_empty_first_head() -> None:
    rows = [
        ("", "Boat 1", "Boat 2"),
        *((name, "", "") for name in ("oars on board", "tests this year", "trips since spring", "remarks")),
    ]
    edges = (60, 220, 360, 500)
    paper = Paper(595, 842).text(60, 60, "Fill in the form for both boats before the season begins.")
    for at, row in enumerate(rows):
        for col, text in enumerate(row):
            box = (edges[col], 80 + at * 24, edges[col + 1], 104 + at * 24)
            paper.page.draw_rect(box, color=(0.8, 0.8, 0.8), width=0.5)
            paper.text(edges[col] + 4, 95 + at * 24, text, 9)
    paper.text(60, 240, "Hand it to the boat house when every line is filled in.")
    assert tables_in(paper.read()) == [[list(row) for row in rows]]


def test_names_in_a_grid_without_rules_are_a_table() -> None:
    names = [
        ["Anna Moor", "Bert Field", "Carl Hill"],
        ["Dora Wood", "Emil Brook", "Fritz Lake"],
        ["Gerd Beach", "Hans Cliff", "Ida Meadow"],
        ["Jan Forest", "Kurt Spring", "Lena Rock"],
    ]
    paper = Paper(595, 842).text(60, 60, "Who leads what", 14)
    set_rows(paper, 85, names, (60, 180, 300), gap=9)
    paper.text(60, 200, "If a name is missing from the list above, tell the office.")
    assert tables_in(paper.read()) == [names]


def test_slide_with_light_rules_between_rows_and_columns_is_one_table() -> None:
    head = ("", "Walking", "Riding", "Sailing")
    rows = [
        (
            "Offer",
            "Two guides bring a group from the\nstation to the lake at any hour",
            "A horse with saddle and food is\nkept by the hour",
            "Boats and vests are checked with\nthe list before they leave",
        ),
        (
            "For whom",
            "Groups above ten, and all who\ncarry heavy bags in winter or\nafter dark",
            "Guests who stay longer than one\nnight at the farm",
            "People who book\ntheir trip online",
        ),
        (
            "To know",
            "Order before noon of the day\nbefore; guides are on call",
            "Every third stable has a washing\nplace with warm water",
            "The first lake of this land\nthat counts its boats",
        ),
    ]
    paper = Paper(720, 405).text(40, 40, "Three offers for guests of the lake", 18)
    for left, text in zip((110, 290, 480), head[1:], strict=True):
        paper.text(left, 90, text)
    light = {"color": (0.85, 0.85, 0.85), "width": 0.5}
    paper.rule(30, 98, 690, 98, 1.2).rule(95, 98, 95, 360)
    for y in (170, 250):
        paper.page.draw_line((30, y), (690, y), **light)
    for x in (280, 470):
        paper.page.draw_line((x, 98), (x, 370), **light)
    for at, row in enumerate(rows):
        for left, cell in zip((40, 105, 288, 478), row, strict=True):
            paper.lines(left, 125 + at * 80, cell.split("\n"), size=8, step=13)
    assert tables_in(paper.read()) == [joined([head, *rows])]
