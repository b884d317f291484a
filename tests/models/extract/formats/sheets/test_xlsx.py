"""Excel workbooks: what a sheet shows, where it stands, what is hidden, and files that mean harm."""

import pytest

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.flow import sheet as sheet_limits
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, zipped
from tests.models.extract.formats.sheets.workbooks import S, number_cell, relations, sheet, text_cell, workbook


def test_sheet_is_page_with_its_name_and_table() -> None:
    rows = f"<row>{text_cell('A1', 'Item')}{text_cell('B1', 'Price')}</row>"
    rows += f"<row>{text_cell('A2', 'Tea')}{number_cell('B2', 4.5)}</row>"
    tree = read_tree(workbook(sheet(rows), sheet("")))
    assert [(page.number, page.label) for page in tree.pages] == [(1, "Sheet1"), (2, "Sheet2")]
    assert [block.text for block in of_type(tree, BlockType.HEADING)] == ["Sheet1", "Sheet2"]
    table = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(table) == [["Item", "Price"], ["Tea", "4.5"]]
    assert table.provenance.path == "Sheet1!A1:B2"
    assert table.table is not None
    assert [cell.header for cell in table.table.cells] == [True, True, False, False]


def test_cells_show_their_formatted_value() -> None:
    others = "<c r='C1' t='b'><v>1</v></c><c r='D1' t='e'><v>#N/A</v></c>"
    rows = f"<row>{number_cell('A1', 0.125, 1)}{number_cell('B1', 46085, 2)}{others}</row>"
    tree = read_tree(workbook(sheet(rows), codes=("0.0%", "yyyy-mm-dd")))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["12.5%", "2026-03-04", "TRUE", "#N/A"]]


def test_a_formula_gives_its_value_and_is_never_evaluated() -> None:
    rows = '<row><c r="A1"><f>HYPERLINK("http://127.0.0.1/")</f><v>7</v></c>'
    rows += '<c r="B1" t="str"><f>A1</f><v>=cmd</v></c></row>'
    assert rows_of(of_type(read_tree(workbook(sheet(rows))), BlockType.TABLE)[0]) == [["7", "=cmd"]]


def test_two_empty_rows_part_two_tables_and_one_does_not() -> None:
    rows = "".join(f"<row>{text_cell(f'A{row}', f'r{row}')}</row>" for row in (1, 3, 6))
    tables = of_type(read_tree(workbook(sheet(rows))), BlockType.TABLE)
    assert [rows_of(table) for table in tables] == [[["r1"], [""], ["r3"]], [["r6"]]]
    assert tables[1].bbox is not None
    assert tables[1].bbox[1] == 75.0


def test_merged_cells_span_and_hide_the_cells_below_them() -> None:
    rows = f"<row>{text_cell('A1', 'Wide')}</row><row>{text_cell('A2', 'a')}{text_cell('B2', 'b')}</row>"
    after = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    table = of_type(read_tree(workbook(sheet(rows, after=after))), BlockType.TABLE)[0].table
    assert table is not None
    assert [(cell.text, cell.col_span) for cell in table.cells] == [("Wide", 2), ("a", 1), ("b", 1)]


def test_hidden_sheets_rows_and_columns_are_flagged_and_not_exported() -> None:
    rows = f"<row>{text_cell('A1', 'seen')}{text_cell('B1', 'secret column')}</row>"
    rows += f'<row hidden="1">{text_cell("A2", "secret row")}</row>'
    seen = sheet(rows, before='<cols><col min="2" max="2" hidden="1"/></cols>')
    unseen = sheet(f"<row>{text_cell('A1', 'secret sheet')}</row>")
    tree = read_tree(workbook(seen, unseen, states=("visible", "hidden")))
    hidden = [rows_of(block) for block in of_type(tree, BlockType.TABLE) if HIDDEN_TEXT in block.flags]
    assert sum(("secret" in text) for table in hidden for row in table for text in row) == 3
    assert {warning.code for warning in tree.warnings} == {"hidden-cells", "hidden-sheet"}
    assert "secret" not in tree_to_markdown(tree)


def test_rows_hidden_by_a_filter_are_visible_text() -> None:
    rows = f'<row>{text_cell("A1", "Head")}</row><row hidden="1">{text_cell("A2", "filtered")}</row>'
    tree = read_tree(workbook(sheet(rows, after='<autoFilter ref="A1:A2"/>')))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["Head"], ["filtered"]]


def test_comments_are_flagged_notes_at_their_cell() -> None:
    comment = '<comment ref="B2"><text><r><t>Check this</t></r></text></comment>'
    comments = f'<comments xmlns="{S}"><commentList>{comment}</commentList></comments>'
    more: dict[str, str | bytes] = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("c1", "comments", "../comments1.xml")),
        "xl/comments1.xml": comments,
    }
    tree = read_tree(workbook(sheet(f"<row>{text_cell('A1', 'x')}</row>"), more=more))
    note = of_type(tree, BlockType.FOOTNOTE)[0]
    assert (note.text, note.flags, note.provenance.path) == ("Check this", (COMMENT,), "Sheet1!B2")


def test_cells_at_both_ends_of_a_sheet_cost_two_cells() -> None:
    rows = f"<row>{text_cell('A1', 'first')}</row><row>{text_cell('XFD1048576', 'last')}</row>"
    tables = of_type(read_tree(workbook(sheet(rows))), BlockType.TABLE)
    assert [rows_of(table) for table in tables] == [[["first"]], [["last"]]]


def test_a_diagonal_of_cells_costs_its_cells() -> None:
    rows = "".join(f'<row r="{n}"><c t="str"><v>v</v></c></row>' if n % 3 == 0 else "" for n in range(1, 6000))
    tree = read_tree(workbook(sheet(rows)))
    assert sum(len(block.table.cells) for block in tree.blocks if block.table is not None) < 6000


def test_a_shared_string_bomb_is_refused_before_it_is_unpacked() -> None:
    strings = b"<sst><si><t>" + b"A" * 60_000_000 + b"</t></si></sst>"
    data = workbook(sheet("<row/>"), more={"xl/sharedStrings.xml": strings})
    with pytest.raises(ResourceLimit):
        read_tree(data)


def test_a_document_type_is_refused() -> None:
    bad = '<!DOCTYPE x [<!ENTITY e "boom">]>' + sheet("<row><c t='str'><v>&e;</v></c></row>")
    with pytest.raises(Malformed):
        read_tree(workbook(bad))


def test_external_links_and_macros_are_named_and_never_followed() -> None:
    more: dict[str, str | bytes] = {
        "xl/_rels/workbook.xml.rels": relations(
            ("r1", "worksheet", "worksheets/sheet1.xml"),
            ("v", "vbaProject", "vbaProject.bin"),
            ("e", "externalLink", "externalLinks/externalLink1.xml"),
        )
    }
    tree = read_tree(workbook(sheet("<row/>"), more=more))
    assert [warning.code for warning in tree.warnings] == ["macros", "external-data"]


def test_the_same_bytes_give_the_same_tree() -> None:
    data = workbook(sheet(f"<row>{text_cell('A1', 'a')}{number_cell('B1', 2)}</row>"))
    assert read_tree(data) == read_tree(data)


def test_a_package_without_a_workbook_is_malformed() -> None:
    with pytest.raises(Malformed):
        read_tree(zipped({"[Content_Types].xml": "<Types/>", "xl/other.xml": "<x/>"}))


def test_a_cell_merged_over_many_rows_holds_its_table_together() -> None:
    rows = f"<row>{text_cell('A1', 'tall')}{text_cell('B1', 'x')}</row>"
    tree = read_tree(workbook(sheet(rows, after='<mergeCells><mergeCell ref="A1:A20"/></mergeCells>')))
    assert [rows_of(table) for table in of_type(tree, BlockType.TABLE)] == [[["tall", "x"]]]


def test_rows_beyond_the_characters_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_limits, "MAX_CHARS", 1000)
    text = "x" * 101
    strings = f'<sst xmlns="{S}"><si><t>{text}</t></si></sst>'
    cells = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, 11))
    tree = read_tree(workbook(sheet(cells), sheet(cells), more={"xl/sharedStrings.xml": strings}))
    assert [len(rows_of(table)) for table in of_type(tree, BlockType.TABLE)] == [9]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("rows-left-out", 1), ("rows-left-out", 2)]
    assert tree.coverage is not None
    assert not tree.coverage.complete


@pytest.mark.parametrize("most", [1, 4, 5, 6, 11])
def test_only_whole_rows_up_to_the_limit_are_read(most: int) -> None:
    rows = "".join(
        f'<row r="{row}">{number_cell(f"A{row}", row)}{number_cell(f"B{row}", 2)}</row>' for row in range(1, 6)
    )
    tree = read_tree(workbook(sheet(rows)), ReadOptions(max_cells=most))
    tables = [rows_of(table) for table in of_type(tree, BlockType.TABLE)]
    assert tables == ([[[str(row), "2"] for row in range(1, min(5, most // 2) + 1)]] if most > 1 else [])
    assert ("rows-left-out" in {warning.code for warning in tree.warnings}) == (most < 10)


def test_records_beyond_the_cells_of_a_csv_are_left_out_and_counted() -> None:
    tree = read_tree(b"name,count\na,1\nb,2\nc,3\nd,4\n", ReadOptions(max_cells=6))
    (table,) = of_type(tree, BlockType.TABLE)
    assert (rows_of(table), table.provenance.path) == ([["name", "count"], ["a", "1"], ["b", "2"]], "lines 1-3")
    assert tree.coverage is not None
    assert (tree.coverage.complete, tree.coverage.characters.lost) == (False, 4)
