"""AsciiDoc's blocks, one by one: conditions, fences, quotes, formulas, lists of terms, tables of values."""

import pytest

from quire.models.cdom.tree import Block, BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.packages.formats.test_asciidoc import adoc


def _blocks(body: str) -> list[tuple[str, str]]:
    """(type, text) of what stands below the title."""
    return [(block.type.value, block.text) for block in read_tree(adoc(body)).blocks[1:]]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("ifdef::product[inline words]\n\nend\n", ["inline words", "end"]),
        ("ifdef::absent[inline words]\n\nend\n", ["end"]),
        ("ifdef::absent[]\na\n\nifdef::product[]\nb\nendif::[]\n\nc\nendif::[]\n\nend\n", ["end"]),
        ("ifdef::absent,product[]\nshown\nendif::[]\n\nend\n", ["shown", "end"]),
        (":!product:\n\nifdef::product[]\nhidden\nendif::[]\n\nend\n", ["end"]),
        (":long: one \\\ntwo\n\n{long}\n", ["one two"]),
        ("////\nnever\n////\n\nend\n", ["end"]),
    ],
)
def test_conditions_attributes_and_comments(body: str, shown: list[str]) -> None:
    assert texts(read_tree(adoc(body)), BlockType.PARAGRAPH) == shown


def test_titles_are_underlined_or_stand_apart() -> None:
    tree = read_tree(adoc("Part\n----\n\ntext\n\n[discrete]\n= Apart\n\n'''\n\nend\n"))
    assert [(block.text, block.level) for block in of_type(tree, BlockType.HEADING)][1:] == [("Part", 2), ("Apart", 2)]
    assert texts(tree, BlockType.PARAGRAPH) == ["text", "end"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[stem]\n++++\nx^2 +\ny\n++++\n", [("formula", "x^2 + y")]),
        ("++++\n<b>raw</b>\n++++\n\nend\n", [("paragraph", "end")]),
        ("....\na <1>\n b\n....\n", [("code", "a\n b")]),
        ("[source,python]\nx = 1\n", [("code", "x = 1")]),
        (" literal\n", [("code", " literal")]),
        ("[verse]\n____\nRoses\nare red\n____\n", [("paragraph", "Roses\nare red")]),
        (
            "[quote,Ann Lee,Letters]\n____\nSay it.\n____\n",
            [("paragraph", "Say it."), ("paragraph", "— Ann Lee, Letters")],
        ),
        ("[WARNING]\n====\nHot.\n====\n", [("paragraph", "Warning"), ("paragraph", "Hot.")]),
        ("[TIP]\nShort.\n", [("paragraph", "Tip Short.")]),
        ("image::ship.png[A ship,200]\n\nvideo::x.mp4[]\n", [("picture", "A ship")]),
    ],
)
def test_blocks_by_their_fences_and_styles(body: str, expected: list[tuple[str, str]]) -> None:
    assert _blocks(body) == expected


def test_check_boxes_and_continued_lines_are_read() -> None:
    assert _blocks("* [x] done\n* [ ] open\n  and more\n// no word\n\nend\n") == [
        ("checkbox", "☑ done"), ("checkbox", "☐ open and more"), ("paragraph", "end"),
    ]  # fmt: skip


def test_terms_hold_lists_and_lead_to_the_next_term() -> None:
    tree = read_tree(adoc("CPU::\n\n* fast\n* small\n\nRAM::\nmuch of it\n\nend\n"))
    assert texts(tree, BlockType.LIST_ITEM) == ["fast", "small"]
    assert texts(tree, BlockType.PARAGRAPH) == ["CPU", "RAM", "much of it", "end"]


@pytest.mark.parametrize(
    "body", [",===\na,b\nc,d\n,===\n", ":===\na:b\nc:d\n:===\n", '[format="csv"]\n|===\na,b\nc,d\n|===\n']
)
def test_tables_of_values(body: str) -> None:
    assert _rows(body) == [["a", "b"], ["c", "d"]]


def test_cells_hold_blocks_and_literal_text() -> None:
    table = of_type(
        read_tree(adoc('[cols="1a,1l,1h"]\n|===\n|* one\n* two | as  it\nis |head\n|===\n')), BlockType.TABLE
    )[0]
    assert table.table is not None
    assert [cell.text.strip() for cell in table.table.cells] == ["• one\n• two", "as  it\nis", "head"]
    assert table.table.cells[2].header


def test_column_states_style_of_its_cells_but_not_of_its_head() -> None:
    table = of_type(read_tree(adoc('[%header,cols="2*,h"]\n|===\n|a |b |c\n\n|1 |2 |3\n|===\n')), BlockType.TABLE)[0]
    assert table.table is not None
    assert [cell.header for cell in table.table.cells] == [True, True, True, False, False, True]


def test_values_in_quotes_hold_separators_quotes_and_lines() -> None:
    assert _rows(',===\n"a, b","say ""it"""\n"two\nlines",d\n,===\n') == [["a, b", 'say "it"'], ["two lines", "d"]]


def test_fences_within_fences_end_at_a_depth_and_an_open_one_at_the_end() -> None:
    deep = "".join("=" * (4 + n) + "\n" for n in range(60)) + "core\n"
    assert "core" in texts(read_tree(adoc(deep)))[-1]


def _rows(body: str) -> list[list[str]]:
    tables: list[Block] = of_type(read_tree(adoc(body)), BlockType.TABLE)
    return rows_of(tables[0])
