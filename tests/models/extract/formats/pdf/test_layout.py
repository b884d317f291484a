"""Typographic rules, each on a page made for it."""

from quire.models.cdom.tree import BlockType
from tests.models.extract.formats.pdf.paper import LOREM, Paper, of_type, texts


def test_two_columns_are_read_one_after_the_other() -> None:
    paper = Paper()
    for x, name in ((40, "Left"), (225, "Right")):
        for part in range(3):
            paper.prose(x, 60 + 90 * part, 6, 32, first=f"{name} {part} ")
    starts = [text.split()[:2] for text in texts(paper.read(), BlockType.PARAGRAPH)]
    assert starts == [[name, str(part)] for name in ("Left", "Right") for part in range(3)]


def test_a_heading_over_both_columns_comes_first() -> None:
    paper = Paper().text(40, 50, "A Heading Right Across the Page", 18, "hebo")
    for x in (225, 40):
        paper.prose(x, 90, 12, 32, first="Left " if x == 40 else "Right ")
    tree = paper.read()
    assert tree.blocks[0].type is BlockType.HEADING
    assert [block.text.split()[0] for block in tree.blocks[1:]] == ["Left", "Right"]


def test_space_and_indent_begin_paragraphs() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 4, first="One ")
    y = paper.prose(50, y + 8, 4, first="Two ")
    paper.text(65, y, "Three begins with an indent and goes on for a while so that it is")
    paper.lines(50, y + 12, ["long enough to be two lines of running text that reach the right", "edge of the column."])
    assert [text.split()[0] for text in texts(paper.read(), BlockType.PARAGRAPH)] == ["One", "Two", "Three"]


def test_bold_short_lines_are_headings_and_run_in_heads_are_not() -> None:
    paper = Paper().text(50, 50, "Methods", 10, "hebo")
    y = paper.prose(50, 70, 5)
    paper.text(50, y + 10, "Instruction.", 10, "hebo").text(115, y + 10, "In this stage the model is trained to follow")
    paper.lines(50, y + 22, ["instructions in a question and answer format, which is a common way", "to do it."])
    tree = paper.read()
    assert texts(tree, BlockType.HEADING) == ["Methods"]
    assert texts(tree, BlockType.PARAGRAPH)[1].startswith("Instruction. In this stage")


def test_a_bold_page_has_no_headings_by_boldness() -> None:
    paper = Paper()
    for row in range(6):
        paper.text(50, 60 + 30 * row, f"All of this page is bold {row}", 10, "hebo")
    assert texts(paper.read(), BlockType.HEADING) == []


def test_a_chapter_label_is_a_heading_above_its_title() -> None:
    paper = Paper().text(50, 100, "CHAPTER 7.", 10).text(50, 125, "Texas", 18, "hebo")
    paper.prose(50, 160, 8)
    assert texts(paper.read(), BlockType.HEADING) == ["CHAPTER 7.", "Texas"]


def test_list_items_keep_their_depth_and_hanging_lines() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 3)
    paper.lines(60, y + 8, ["• First point that is long enough to need a second line of", "   text below it"])
    paper.text(80, y + 32, "• Deeper point").text(60, y + 44, "• Second point")
    items = of_type(paper.read(), BlockType.LIST_ITEM)
    assert [(item.text.split()[1], item.level) for item in items] == [("First", 1), ("Deeper", 2), ("Second", 1)]
    assert items[0].text.endswith("text below it")


def test_numbered_items_are_list_items_and_numbered_bold_lines_headings() -> None:
    paper = Paper().text(50, 60, "2. Results", 12, "hebo")
    y = paper.prose(50, 85, 4)
    paper.lines(60, y + 6, ["1. Take the first step.", "2. Take the second step."])
    tree = paper.read()
    assert texts(tree, BlockType.HEADING) == ["2. Results"]
    assert texts(tree, BlockType.LIST_ITEM) == ["1. Take the first step.", "2. Take the second step."]


def test_running_heads_and_page_numbers_are_furniture() -> None:
    paper = Paper().text(50, 30, "A Short History", 9).text(360, 30, "17", 9)
    paper.prose(50, 80, 20)
    paper.text(205, 585, "17", 9)
    tree = paper.read()
    assert texts(tree, BlockType.PAGE_HEADER) == ["A Short History", "17"]
    assert texts(tree, BlockType.PAGE_FOOTER) == ["17"]


def test_last_row_pushed_to_both_margins_is_running_foot() -> None:
    paper = Paper()
    paper.prose(40, 380, 11)
    paper.text(40, 535, "Revision: 2.4").text(180, 535, "P/N 119-036").text(330, 535, "10 June 2019")
    assert texts(paper.read(), BlockType.PAGE_FOOTER) == ["Revision: 2.4", "P/N 119-036", "10 June 2019"]


def test_small_type_with_a_mark_at_the_foot_is_a_footnote() -> None:
    paper = Paper()
    paper.prose(50, 60, 30)
    paper.rule(50, 500, 120, 500).text(50, 512, "1 A note in small type about something above.", 7.5)
    assert texts(paper.read(), BlockType.FOOTNOTE) == ["1 A note in small type about something above."]


def test_a_raised_mark_stays_on_its_line() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 4)
    paper.text(50, y + 10, "A statement with a note.").text(158, y + 6, "12", 6)
    assert texts(paper.read(), BlockType.PARAGRAPH)[-1] == "A statement with a note.¹²"


def test_captions_belong_to_the_nearest_float_of_their_kind() -> None:
    paper = Paper().picture(50, 50, 250, 150).text(50, 165, "Figure 1: A grey field in the sun", 9)
    y = paper.prose(50, 200, 5)
    paper.text(50, y + 20, "Table 2: Numbers of things", 9)
    for row in range(4):
        paper.rule(50, y + 30 + 15 * row, 300, y + 30 + 15 * row)
        if row < 3:
            paper.text(55, y + 41 + 15 * row, f"thing {row}").text(200, y + 41 + 15 * row, str(row * 7))
    tree = paper.read()
    by_id = {block.id: block for block in tree.blocks}
    owners = {
        block.text.split(":")[0]: by_id[block.parent].type for block in of_type(tree, BlockType.CAPTION) if block.parent
    }
    assert owners == {"Figure 1": BlockType.PICTURE, "Table 2": BlockType.TABLE}


def test_sentence_about_figure_is_not_caption() -> None:
    paper = Paper().text(50, 60, "Figure 3 shows the same for the other half of the data.")
    assert texts(paper.read(), BlockType.CAPTION) == []


def test_a_chart_is_one_picture_with_its_labels() -> None:
    paper = Paper()
    y = paper.prose(50, 50, 5)
    for bar in range(5):
        paper.bar(80 + 40 * bar, y + 150 - 25 * bar, 105 + 40 * bar, y + 160, (0.2, 0.4, 0.8))
        paper.text(82 + 40 * bar, y + 172, f"Q{bar}", 7)
    paper.text(60, y + 60, "100", 7).rule(75, y + 160, 280, y + 160)
    (chart,) = of_type(paper.read(), BlockType.PICTURE)
    assert chart.asset_ref is not None
    assert {"Q0", "Q1", "Q2", "Q3", "Q4", "100"} == set(chart.text.split())


def test_a_frame_around_text_is_not_a_picture() -> None:
    paper = (
        Paper().bar(40, 40, 380, 160, (0.9, 0.9, 0.8)).bar(40, 40, 380, 44, (0, 0, 0)).bar(40, 156, 380, 160, (0, 0, 0))
    )
    paper.prose(50, 70, 6)
    tree = paper.read()
    assert of_type(tree, BlockType.PICTURE) == []
    assert len(of_type(tree, BlockType.PARAGRAPH)) == 1


def test_lines_in_a_typewriter_face_are_code_with_their_breaks() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 3)
    paper.lines(60, y + 12, ["def add(a, b):", "    return a + b"], font="cour")
    assert texts(paper.read(), BlockType.CODE) == ["def add(a, b):\n    return a + b"]


def test_a_display_of_symbols_is_a_formula() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 3)
    paper.text(150, y + 12, "a = b + c × 2 (1)")
    assert texts(paper.read(), BlockType.FORMULA) == ["a = b + c \\times 2 (1)"]


def test_contents_entries_are_lines_with_their_page_and_closed_leaders() -> None:
    paper = Paper().text(50, 60, "Contents", 16, "hebo")
    for row, title in enumerate(("Introduction", "Part One", "Part Two", "Part Three", "Index")):
        paper.text(50, 100 + 20 * row, title + " " + ". " * 30, 10, "hebo" if "Part" in title else "helv")
        paper.text(360, 100 + 20 * row, str(5 + 10 * row))
    tree = paper.read()
    assert texts(tree, BlockType.HEADING) == ["Contents"]
    assert texts(tree, BlockType.PARAGRAPH)[0] == "Introduction " + "." * 30 + " 5"


def test_words_stretched_over_a_narrow_column_stay_one_line() -> None:
    paper = Paper()
    paper.lines(50, 60, ["manipulation behind it is said", "the practice of misogyny and"])
    paper.text(50, 84, "is").text(95, 84, "this").text(150, 84, "just")
    paper.lines(50, 96, ["women and their bodies and all", "their minds"])
    assert len(paper.read().blocks) == 1


def test_second_part_of_a_paragraph_names_the_first_part() -> None:
    paper = Paper()
    words = LOREM.split()
    paper.lines(40, 60, [" ".join(words[4 * i : 4 * i + 4]) for i in range(7)])
    paper.lines(225, 60, [" ".join(words[28 + 3 * i : 31 + 3 * i]) for i in range(4)] + ["end here."])
    first, second = paper.read().blocks
    assert second.continues == first.id


def test_the_pieces_of_a_displayed_formula_are_one_block() -> None:
    paper = Paper()
    y = paper.prose(50, 60, 3)
    paper.text(150, y + 20, "F =", 11).text(175, y + 13, "a + b", 11).text(175, y + 28, "c + 1", 11)
    paper.prose(50, y + 50, 3)
    assert texts(paper.read(), BlockType.FORMULA) == ["F = a + b c + 1"]


def test_number_of_bold_heading_stands_apart_and_belongs_to_it() -> None:
    paper = Paper().text(50, 60, "11", 11, "hebo").text(92, 60, "Dual Presentation of Data", 11, "hebo")
    paper.prose(50, 85, 6)
    assert texts(paper.read(), BlockType.HEADING) == ["11 Dual Presentation of Data"]


def test_sentence_at_top_of_page_is_not_running_head() -> None:
    paper = Paper().text(50, 40, "Record your observations in the table below.")
    paper.prose(50, 90, 10)
    assert texts(paper.read(), BlockType.PAGE_HEADER) == []


def test_text_along_the_outer_margin_is_not_part_of_the_page() -> None:
    paper = Paper()
    paper.prose(60, 60, 20)
    paper.text(25, 400, "Downloaded from example.org on Monday", 9, rotate=90)
    tree = paper.read()
    assert texts(tree, BlockType.PAGE_FOOTER) == ["Downloaded from example.org on Monday"]


def test_dash_in_middle_of_sentence_begins_no_item() -> None:
    paper = Paper()
    rows = [
        "Firms with five or less staff are very small, those with 51",
        "- 99 staff are neither small nor large here.",
    ]
    paper.lines(50, 60, rows)
    paper.lines(50, 120, ["What is needed for the cake:", "- flour and eggs", "- a spoon of sugar"])
    tree = paper.read()
    assert texts(tree, BlockType.LIST_ITEM) == ["- flour and eggs", "- a spoon of sugar"]
    assert texts(tree, BlockType.PARAGRAPH)[0].endswith("with 51 - 99 staff are neither small nor large here.")


def test_numbered_item_at_foot_of_page_is_not_running_foot() -> None:
    paper = Paper()
    paper.prose(50, 60, 36)
    paper.text(50, 545, "12. It is one thing to find an effect and quite another to measure")
    assert texts(paper.read(), BlockType.LIST_ITEM) == [
        "12. It is one thing to find an effect and quite another to measure"
    ]


def test_a_sentence_with_mathematics_is_text() -> None:
    paper = Paper()
    paper.prose(50, 60, 3)
    paper.text(50, 120, "where xi = 2 and yi = 3 for all i = 1, . . . , N.")
    assert texts(paper.read(), BlockType.FORMULA) == []


def test_notes_of_the_left_column_come_after_the_text_of_the_right_one() -> None:
    paper = Paper().text(40, 25, "31", 8).text(330, 25, "Small Things", 8)
    paper.prose(40, 60, 30, 32)
    paper.lines(40, 470, ["1 A note in small type that", "takes two lines"], 7.5, 9)
    paper.prose(225, 60, 36, 32)
    tree = paper.read()
    kinds = [block.type for block in tree.blocks]
    assert kinds[:2] == [BlockType.PAGE_HEADER, BlockType.PAGE_HEADER]
    assert kinds[-1] is BlockType.FOOTNOTE
    assert set(kinds[2:-1]) == {BlockType.PARAGRAPH}


def test_notes_are_known_on_a_page_with_more_notes_than_text() -> None:
    paper = Paper()
    paper.prose(40, 60, 6, 60)
    small = ["Tail of a note of the page before this one that goes on for more than one line of small", "type here."]
    paper.lines(50, 330, small, 7.5, 9)
    for at in range(6):
        long = [f"{at + 1} A note in small type that takes a whole line of this page and then goes on to another one,"]
        paper.lines(
            40,
            350 + 30 * at,
            [*long, "which is its second line and takes a good part of the width of this page too"],
            7.5,
            9,
        )
    tree = paper.read()
    notes = texts(tree, BlockType.FOOTNOTE)
    assert len(notes) == 7
    assert notes[0].startswith("Tail of a note")
