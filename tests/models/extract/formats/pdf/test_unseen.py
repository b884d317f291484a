"""Hidden text of a page is separated from visible text, with the reason, and never mixed in."""

from typing import Any

import pytest

from quire.models.cdom.coverage import Coverage, Unseen
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import Tree
from tests.models.extract.formats.pdf.paper import Paper, read_tree

SECRET = "nobody reads this"


def with_content(paper: Paper, operators: str) -> bytes:
    """The paper with operators added to its page; the font of the text is /helv."""
    (first, *_) = paper.page.get_contents()
    paper.file.update_stream(first, paper.file.xref_stream(first) + b"\n" + operators.encode())
    return paper.save()


def plain() -> Paper:
    paper = Paper()
    paper.prose(50, 50, 4)
    return paper


def unseen(tree: Tree) -> dict[str, str | None]:
    return {block.text: block.unseen for block in tree.blocks if HIDDEN_TEXT in block.flags}


def stated(tree: Tree) -> Coverage:
    assert tree.coverage is not None
    counts = tree.coverage.characters
    assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    assert counts.lost == 0
    return tree.coverage


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ({"render_mode": 3}, Unseen.INVISIBLE),
        ({"color": (1, 1, 1)}, Unseen.SAME_COLOUR),
        ({"color": (0.98, 0.97, 0.99)}, Unseen.SAME_COLOUR),
        ({"size": 0.9}, Unseen.TINY),
        ({"fill_opacity": 0}, Unseen.TRANSPARENT),
        ({"fill_opacity": 0.05}, Unseen.TRANSPARENT),
    ],
    ids=str,
)
def test_text_without_a_trace_of_ink_is_listed_with_its_reason(look: dict[str, Any], reason: Unseen) -> None:
    tree = plain().text(50, 150, SECRET, **look).read()
    assert unseen(tree) == {SECRET: reason.value}
    assert stated(tree).characters.excluded == {reason.value: len(SECRET.replace(" ", ""))}


def test_text_under_a_later_box_is_covered_and_words_next_to_the_box_stay() -> None:
    paper = plain().text(50, 150, "The name is Ada Lovelace and she agreed")
    (area,) = paper.page.search_for("Ada Lovelace")
    tree = paper.bar(area.x0, area.y0, area.x1, area.y1, (0, 0, 0)).read()
    assert unseen(tree) == {"Ada Lovelace": "covered"}
    assert any(block.text.startswith("The name is") and "agreed" in block.text for block in tree.blocks)


def test_text_under_a_picture_is_found() -> None:
    tree = plain().text(60, 160, SECRET).picture(50, 140, 200, 200).read()
    assert unseen(tree) == {SECRET: "covered"}


def test_words_over_a_white_box_are_visible_and_words_below_covered() -> None:
    paper = (
        plain()
        .text(50, 150, "old words stand here")
        .bar(45, 138, 200, 156, (1, 1, 1))
        .text(50, 150, "NEW WORDS SAY MORE")
    )
    tree = paper.read()
    assert unseen(tree) == {"old words stand here": "covered"}
    assert any(block.text == "NEW WORDS SAY MORE" and block.unseen is None for block in tree.blocks)


def test_words_marked_by_a_transparent_box_are_seen() -> None:
    paper = plain().text(50, 150, "marked words")
    paper.page.draw_rect((45, 138, 200, 156), fill=(1, 1, 0), color=None, fill_opacity=0.4)
    assert unseen(paper.read()) == {}


def test_words_under_a_multiplied_highlight_are_seen() -> None:
    paper = plain().text(50, 150, "marked words")
    paper.page.add_highlight_annot(paper.page.search_for("marked words"))
    assert unseen(paper.read()) == {}


def test_text_in_the_colour_of_its_box_is_found_and_in_another_is_not() -> None:
    paper = plain().bar(40, 130, 300, 160, (0.1, 0.3, 0.6)).text(50, 150, SECRET, color=(0.1, 0.3, 0.6))
    assert unseen(paper.text(200, 150, "white on blue", color=(1, 1, 1)).read()) == {SECRET: "same_colour"}


def test_text_that_is_clipped_away_is_found() -> None:
    data = with_content(plain(), f"q 300 300 40 40 re W n BT /helv 10 Tf 50 400 Td ({SECRET}) Tj ET Q")
    tree = read_tree(data)
    assert unseen(tree) == {SECRET: "clipped"}


@pytest.mark.parametrize("turn", [0, 90, 270])
def test_text_beyond_the_page_is_found_however_the_page_is_turned(turn: int) -> None:
    paper = plain().text(700, 150, SECRET).text(50, 200, "white", color=(1, 1, 1))
    paper.page.set_rotation(turn)
    tree = read_tree(paper.save())
    assert unseen(tree) == {SECRET: "off_page", "white": "same_colour"}
    assert stated(tree).complete


def test_text_on_a_layer_that_is_off_is_found_and_the_layer_stays_off() -> None:
    paper = plain()
    layer = paper.file.add_ocg("draft", on=False)
    paper.page.insert_text((50, 150), SECRET, oc=layer)
    tree = read_tree(paper.save())
    assert unseen(tree) == {SECRET: "layer_off"}
    assert stated(tree).characters.excluded == {"layer_off": len(SECRET.replace(" ", ""))}


def test_hidden_words_in_a_table_are_in_none_of_its_cells() -> None:
    paper = Paper()
    for row in range(4):
        paper.rule(50, 100 + 20 * row, 350, 100 + 20 * row)
        for column in range(3 if row < 3 else 0):
            paper.text(60 + 100 * column, 114 + 20 * row, f"cell {row}{column}")
    paper.text(160, 114, "secret", render_mode=3)
    tree = paper.read()
    assert unseen(tree) == {"secret": "invisible"}
    assert not any("secret" in cell.text for block in tree.blocks if block.table for cell in block.table.cells)


def test_a_page_of_too_many_drawings_is_unknown_not_complete() -> None:
    squares = "".join(f"{x} {y} 4 4 re f " for x in range(0, 400, 5) for y in range(0, 500, 5))
    tree = read_tree(with_content(plain(), squares))
    assert stated(tree).unknown == (1,)
    assert not stated(tree).complete


def test_boxes_of_a_crowd_of_hidden_lines_are_bounded() -> None:
    paper = Paper(height=4000)
    for row in range(300):
        paper.text(50, 20 + 13 * row, f"row {row}", render_mode=3)
    (page,) = stated(paper.read()).pages
    assert len(page.excluded) == 201
    assert page.excluded[-1].bbox is None
    assert sum(place.characters for place in page.excluded) == page.characters.excluded["invisible"]
