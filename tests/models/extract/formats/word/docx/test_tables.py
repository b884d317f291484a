"""Tables: spans, merged cells, header rows, nesting."""

from dataclasses import replace

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from tests.models.extract.formats.word.docx.files import cell, paragraph, read_blocks, row, table


def only_table(xml: str) -> Table:
    found = read_blocks(xml)[0].table
    assert found is not None
    return found


def places(found: Table) -> list[tuple[int, int, int, int, str]]:
    return [(one.row, one.col, one.row_span, one.col_span, one.text) for one in found.cells]


MERGED, GOES_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"


def test_columns_and_rows_are_spanned() -> None:
    found = only_table(
        table(
            row(cell("wide", '<w:gridSpan w:val="2"/>'), cell("tall", MERGED)),
            row(cell("a"), cell("b"), cell("", GOES_ON)),
        )
    )
    assert (found.rows, found.cols) == (2, 3)
    assert places(found) == [(0, 0, 1, 2, "wide"), (0, 2, 2, 1, "tall"), (1, 0, 1, 1, "a"), (1, 1, 1, 1, "b")]


def test_legacy_horizontal_merges_are_spans() -> None:
    found = only_table(table(row(cell("a", '<w:hMerge w:val="restart"/>'), cell("b", "<w:hMerge/>"), cell("c"))))
    assert places(found) == [(0, 0, 1, 2, "a\nb"), (0, 2, 1, 1, "c")]


def test_columns_skipped_before_a_row_are_an_empty_cell() -> None:
    found = only_table(
        table(
            row(cell("a"), cell("b"), cell("c")),
            row(cell("d"), properties='<w:gridBefore w:val="1"/><w:gridAfter w:val="1"/>'),
        )
    )
    assert places(found)[3:] == [(1, 0, 1, 1, ""), (1, 1, 1, 1, "d")]
    assert found.cols == 3


def test_repeated_rows_are_headers() -> None:
    found = only_table(
        table(
            row(cell("h1"), properties="<w:tblHeader/>"), row(cell("h2"), properties="<w:tblHeader/>"), row(cell("x"))
        )
    )
    assert [one.header for one in found.cells] == [True, True, False]


def test_a_look_with_a_first_row_makes_one_header_row() -> None:
    stated = only_table(table(row(cell("h")), row(cell("x")), properties='<w:tblLook w:firstRow="1"/>'))
    by_bits = only_table(table(row(cell("h")), row(cell("x")), properties='<w:tblLook w:val="0020"/>'))
    without = only_table(table(row(cell("h")), row(cell("x")), properties='<w:tblLook w:val="04A0" w:firstRow="0"/>'))
    single = only_table(table(row(cell("h")), properties='<w:tblLook w:firstRow="1"/>'))
    marks = [[one.header for one in found.cells] for found in (stated, by_bits, without, single)]
    assert marks == [[True, False], [True, False], [False, False], [False]]


def test_paragraphs_of_a_cell_are_lines() -> None:
    (only,) = only_table(table(row(cell(paragraph("a") + paragraph("b"))))).cells
    assert replace(only, confidence=1.0) == Cell(row=0, col=0, text="a\nb")


def test_nested_table_is_text_in_its_cell_and_child_block() -> None:
    inner = table(row(cell("x"), cell("y")), row(cell("z"), cell("")))
    blocks = read_blocks(table(row(cell(paragraph("before") + inner + "<w:p/>"))))
    assert [block.type for block in blocks] == [BlockType.TABLE, BlockType.TABLE]
    assert blocks[0].table is not None
    assert blocks[0].table.cells[0].text == "before\nx\ty\nz"
    assert blocks[1].parent == blocks[0].id


def test_content_controls_around_rows_and_cells_are_looked_through() -> None:
    controlled = f"<w:sdt><w:sdtContent>{cell('b')}</w:sdtContent></w:sdt>"
    rows = f"<w:sdt><w:sdtContent>{row(cell('a'), controlled)}</w:sdtContent></w:sdt>"
    assert places(only_table(table(rows))) == [(0, 0, 1, 1, "a"), (0, 1, 1, 1, "b")]


def test_deleted_rows_and_cells_are_gone() -> None:
    gone = '<w:del w:id="1" w:author="x"/>'
    found = only_table(
        table(row(cell("a"), cell("b", '<w:cellDel w:id="2" w:author="x"/>')), row(cell("c"), properties=gone))
    )
    assert places(found) == [(0, 0, 1, 1, "a")]


def test_a_merge_that_continues_nothing_is_a_cell() -> None:
    assert places(only_table(table(row(cell("a", GOES_ON))))) == [(0, 0, 1, 1, "a")]
