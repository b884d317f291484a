"""Slides and form letters: headings on two lines, titles over tables, typewriter bullets, text in frames."""

from quire.models.cdom.tree import BlockType
from tests.models.extract.formats.pdf.paper import Paper, of_type, texts


def test_a_heading_on_two_loose_lines_is_one() -> None:
    paper = Paper().text(50, 60, "Restrictions on the ownership of land by", 16, "hebo")
    paper.text(50, 85, "foreigners in some countries", 16, "hebo")
    paper.prose(50, 120, 8)
    assert texts(paper.read(), BlockType.HEADING) == [
        "Restrictions on the ownership of land by foreigners in some countries"
    ]


def test_numbered_headings_below_each_other_stay_two() -> None:
    paper = Paper().text(50, 60, "1 Scope of the work", 14, "hebo").text(50, 82, "1.1 Parts of the scope", 14, "hebo")
    paper.prose(50, 110, 8)
    assert texts(paper.read(), BlockType.HEADING) == ["1 Scope of the work", "1.1 Parts of the scope"]


def ruled(paper: Paper, top: float, rows: list[tuple[str, str]]) -> None:
    for number, cells in enumerate(rows):
        for x, text in zip((55, 205), cells, strict=True):
            paper.text(x, top + 14 + 20 * number, text)
    bottom = top + 20 * len(rows)
    for y in range(len(rows) + 1):
        paper.rule(50, top + 20 * y, 350, top + 20 * y)
    for x in (50, 200, 350):
        paper.rule(x, top, x, bottom)


def test_title_in_larger_type_is_not_a_row_of_the_table_below() -> None:
    paper = Paper()
    paper.rule(50, 70, 350, 70).rule(50, 70, 50, 100).rule(350, 70, 350, 100)
    paper.text(60, 92, "Savings of the trip", 18, "hebo")
    ruled(paper, 100, [("Cost", "Most"), ("Flight", "346"), ("Hotel", "774"), ("Car", "322")])
    tree = paper.read()
    (table,) = [block.table for block in of_type(tree, BlockType.TABLE)]
    assert table is not None
    assert [cell.text for cell in table.cells if cell.row == 0] == ["Cost", "Most"]
    assert texts(tree, BlockType.HEADING) == ["Savings of the trip"]


def test_letter_o_in_typewriter_font_is_bullet() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 3)
    for number, name in enumerate(("security system", "network board", "door controller")):
        paper.text(60, y + 8 + 12 * number, "o", 10, "cour").text(72, y + 8 + 12 * number, f"The {name} of the house")
    items = texts(paper.read(), BlockType.LIST_ITEM)
    assert items == [f"o The {name} of the house" for name in ("security system", "network board", "door controller")]


def test_text_in_a_drawn_frame_is_text_even_when_its_lines_are_short() -> None:
    paper = Paper()
    for x in (50, 220):
        paper.page.draw_rect((x - 8, 80, x + 150, 300), radius=0.1)
        paper.page.draw_rect((x - 6, 82, x + 148, 298), radius=0.1)
        paper.lines(
            x,
            110,
            [
                "The program offers many",
                "agencies a higher place",
                "across all the platforms",
                "and a window into what",
                "each of them has used",
                "in the year before this",
            ],
            12,
            15,
        )
    tree = paper.read()
    assert not any("program" in block.text for block in of_type(tree, BlockType.PICTURE))
    assert [text[:11] for text in texts(tree, BlockType.PARAGRAPH)] == ["The program", "The program"]


def columns(paper: Paper) -> None:
    for x, name in ((40, "Left"), (170, "Middle"), (300, "Right")):
        paper.lines(x, 100, [f"{name} one goes here", "and it is read on", "to its very end."], 9, 12)
        paper.lines(x, 150, [f"{name} two goes here", "and it is read on", "to its very end."], 9, 12)


def test_a_picture_behind_columns_does_not_part_their_lines() -> None:
    paper = Paper()
    paper.picture(20, 80, 410, 200)
    columns(paper)
    firsts = [text.split()[:2] for text in texts(paper.read(), BlockType.PARAGRAPH)]
    assert firsts == [[name, number] for name in ("Left", "Middle", "Right") for number in ("one", "two")]


def test_large_title_next_to_columns_is_a_separate_column() -> None:
    paper = Paper(width=640)
    for y, word in ((90, "Key"), (120, "differences"), (150, "for the"), (180, "plan")):
        paper.text(30, y, word, 24, "hebo")
    for x, name in ((230, "Left"), (430, "Right")):
        paper.lines(
            x,
            80,
            [
                f"{name} text that goes on for",
                "some lines beside the title",
                "of this slide and ends only",
                "where the others do.",
            ],
            10,
            26,
        )
    read = " ".join(block.text for block in paper.read().blocks)
    assert read.startswith("Key differences for the plan Left text")
    assert read.index("where the others do. Right") > 0
