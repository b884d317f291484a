"""Hidden rows, columns and sections are in the tree with a flag and in no export or chunk."""

import pytest

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.tree import BlockType, Tree
from models.derive.chunks.chunks import chunk_tree
from models.export import EXPORTS
from tests.models.extract.flow_trees import of_type, read_tree, rows_of
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell, workbook

OPEN = "open"
SECRET = "secret"


class _Words:
    """Counts words, for exports that need a tokenizer."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def _grid(columns: str, rows: range, hidden: tuple[str, int], extra: str) -> str:
    """Rows of cells; those of the hidden column and row hold the secret word."""
    lines = []
    for row in rows:
        cells = "".join(
            text_cell(f"{column}{row}", f"{SECRET if column == hidden[0] or row == hidden[1] else OPEN}{column}{row}")
            for column in columns
        )
        lines.append(f'<row r="{row}" {extra if row == hidden[1] else ""}>{cells}</row>')
    return "".join(lines)


def _workbook(cols: str, extra: str) -> bytes:
    return workbook(sheet(_grid("ABC", range(1, 6), ("B", 3), extra), before=f"<cols>{cols}</cols>"))


ODS_ROWS = "".join(
    f"<table:table-row {more}><table:table-cell><text:p>{word}1</text:p></table:table-cell>"
    f"<table:table-cell><text:p>secret</text:p></table:table-cell>"
    f"<table:table-cell><text:p>{word}2</text:p></table:table-cell></table:table-row>"
    for word, more in ((OPEN, ""), (SECRET, 'table:visibility="collapse"'), (OPEN, ""))
)
ODS = (
    '<table:table table:name="S"><table:table-column/><table:table-column table:visibility="collapse"/>'
    f"<table:table-column/>{ODS_ROWS}</table:table>"
)
ODT = (
    '<text:p>open1</text:p><text:section text:name="s" text:display="none"><text:p>secret</text:p><text:list>'
    "<text:list-item><text:p>secret</text:p></text:list-item></text:list><table:table><table:table-row>"
    "<table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table></text:section>"
    "<text:p>open2</text:p>"
)
HIDDEN = {
    "xlsx": _workbook('<col min="2" max="2" hidden="1"/>', 'hidden="1"'),
    "xlsx-no-size": _workbook('<col min="2" max="2" width="0" customWidth="1"/>', 'ht="0" customHeight="1"'),
    "ods": opendocument("spreadsheet", ODS),
    "odt": opendocument("text", ODT),
}


def _exports(tree: Tree) -> dict[str, str]:
    made = {name: export.write(tree, _Words()) for name, export in EXPORTS.items()}
    made["chunks"] = "\n".join(chunk.text for chunk in chunk_tree(tree, _Words()))
    return made


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_words_are_in_no_export_and_shown_words_are(name: str) -> None:
    exports = _exports(read_tree(HIDDEN[name]))
    assert not [export for export, text in exports.items() if SECRET in text]
    assert OPEN in exports["markdown"]
    assert OPEN in exports["chunks"]


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_words_are_only_in_flagged_blocks_of_the_tree(name: str) -> None:
    tree = read_tree(HIDDEN[name])
    said = {
        block.id: block.text + " ".join(cell.text for cell in block.table.cells) if block.table else block.text
        for block in tree.blocks
    }
    holding = [block for block in tree.blocks if SECRET in said[block.id]]
    assert holding
    assert all(HIDDEN_TEXT in block.flags for block in holding)
    assert not [block for block in holding if OPEN in said[block.id]]


def test_shown_table_closes_up_over_hidden_rows_and_columns() -> None:
    shown, *hidden = of_type(read_tree(HIDDEN["xlsx"]), BlockType.TABLE)
    assert rows_of(shown) == [[f"openA{row}", f"openC{row}"] for row in (1, 2, 4, 5)]
    assert [HIDDEN_TEXT in block.flags for block in hidden] == [True]


def test_many_hidden_columns_do_not_split_a_table() -> None:
    rows = f'<row r="1">{text_cell("A1", "a")}{text_cell("C1", SECRET)}{text_cell("H1", "h")}</row>'
    data = workbook(sheet(rows, before='<cols><col min="2" max="7" hidden="1"/></cols>'))
    shown = of_type(read_tree(data), BlockType.TABLE)[0]
    assert rows_of(shown) == [["a", "h"]]


def test_merged_cell_that_is_partly_hidden_stays_visible() -> None:
    rows = f'<row r="1">{text_cell("A1", "wide")}</row><row r="2">{text_cell("B2", "b")}{text_cell("C2", "c")}</row>'
    merge = '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>'
    data = workbook(sheet(rows, before='<cols><col min="1" max="1" hidden="1"/></cols>', after=merge))
    shown = of_type(read_tree(data), BlockType.TABLE)[0]
    assert rows_of(shown) == [["wide"], ["b", "c"]]
    assert shown.table is not None
    assert shown.table.cells[0].col_span == 2
