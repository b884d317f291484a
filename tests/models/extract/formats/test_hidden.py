"""Hidden content of every format is in the tree with a flag and in no export, chunk, table, record or description."""

import io
import re
import zipfile
from collections.abc import Iterator

import pytest
from pydantic_core import to_json

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.finetune import FinetuneOptions, Style, export_lines
from quire.models.export import OUTPUTS
from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.files import TableFormat, write_tables
from tests.models.extract.flow_trees import of_type, read_tree, rows_of
from tests.models.extract.formats.hidden_files import HIDDEN, OPEN, SECRET
from tests.models.extract.formats.sheets.workbooks import sheet, text_cell, workbook

FLAGLESS = frozenset(("markdown", "asciidoc"))
"""Formats whose hidden content is comments, which are in no tree."""


class _Words:
    """Counts words, for exports that need a tokenizer."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def offsets(self, text: str) -> Iterator[tuple[int, int]]:
        return (match.span() for match in re.finditer(r"\S+", text))


def _exports(tree: Tree) -> dict[str, str]:
    """Return all that is derived from the tree as text, by name."""
    made = {name: _text(output.make(tree, tokenizer=_Words())) for name, output in OUTPUTS.items() if name != "tree"}
    chunks = chunk_tree(tree, _Words())
    for style in Style:
        lines = export_lines([("d", chunk) for chunk in chunks], FinetuneOptions(style=style))
        made[f"finetune-{style.value}"] = "".join(lines)
    made["cells"] = "\n".join(cell.text for cell in list_cells(tree))
    for kind, name in ((TableFormat.XLSX, "tables-xlsx"), (TableFormat.CSV, "tables-csv")):
        made[name] = _unzipped(write_tables(kind, "d", "n", tree))
    return made


def _text(made: object) -> str:
    if isinstance(made, bytes):
        return _unzipped(made)
    return made if isinstance(made, str) else to_json(made).decode()


def _unzipped(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return "\n".join(package.read(name).decode("utf-8", "replace") for name in package.namelist())


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_words_are_in_no_export_and_shown_words_are(name: str) -> None:
    exports = _exports(read_tree(HIDDEN[name]))
    assert not [export for export, text in exports.items() if SECRET in text]
    assert OPEN in exports["markdown"]
    assert OPEN in exports["chunks"]


@pytest.mark.parametrize("name", [name for name in HIDDEN if name not in FLAGLESS])
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


@pytest.mark.parametrize("name", HIDDEN)
def test_files_with_hidden_words_are_complete(name: str) -> None:
    coverage = read_tree(HIDDEN[name]).coverage
    assert coverage is not None
    assert coverage.complete


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
