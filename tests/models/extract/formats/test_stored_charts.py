"""Charts of Office and OpenDocument files: generated variants by fault, format and seed."""

from itertools import product

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.models.extract.flow_trees import of_type, read_tree, rows_of
from tests.models.extract.formats.stored_charts import (
    FAULTS,
    OFFICE,
    OPEN,
    OPEN_FAULTS,
    Made,
    make_chart,
    make_open_chart,
    wrap_chart,
    wrap_open_chart,
)

_SEEDS = range(3)


def _check(tree: Tree, made: Made) -> None:
    (chart,) = of_type(tree, BlockType.PICTURE)
    assert chart.picture is not None
    assert chart.table is not None
    assert rows_of(chart) == made.rows
    assert (chart.picture.kind, chart.picture.chart) == ("chart", made.kind)
    if made.axes:
        assert [axis.title for axis in chart.picture.axes] == made.axes
    named = len(made.rows[0]) - len([cell for cell in chart.table.cells if cell.row == 1 and cell.origin == "stored"])
    assert named >= 1
    if made.values:
        stated = [cell.value for cell in chart.table.cells if cell.row and cell.col and cell.value is not None]
        assert stated == made.values
    captions = [(block.text, block.parent) for block in of_type(tree, BlockType.CAPTION)]
    assert captions == ([(chart.picture.title, chart.id)] if chart.picture.title else [])
    assert tree.coverage is not None
    assert not tree.coverage.characters.lost


@pytest.mark.parametrize(("fault", "format_"), [*product(FAULTS, OFFICE)])
def test_office_charts_have_their_data(fault: str, format_: str) -> None:
    for seed in _SEEDS:
        made = make_chart(fault, seed)

        _check(read_tree(wrap_chart(made, format_)), made)


@pytest.mark.parametrize(("fault", "format_"), [*product(OPEN_FAULTS, OPEN)])
def test_opendocument_charts_have_their_data(fault: str, format_: str) -> None:
    for seed in _SEEDS:
        made = make_open_chart(fault, seed)

        _check(read_tree(wrap_open_chart(made, format_)), made)


def test_stated_range_and_scale_of_axes_are_kept() -> None:
    tree = read_tree(wrap_chart(make_chart("axes", 1), "pptx"))

    (chart,) = of_type(tree, BlockType.PICTURE)
    assert chart.picture is not None
    left, right = chart.picture.axes
    assert (left.low, left.high, left.side, left.scale) == (0, 1000, "left", "linear")
    assert (right.side, right.scale) == ("right", "log")


@pytest.mark.parametrize("format_", OFFICE)
def test_title_and_values_are_in_markdown_html_and_chunks(format_: str) -> None:
    made = make_chart("levels", 1)
    tree = read_tree(wrap_chart(made, format_))

    passages = " ".join(chunk.text for chunk in chunk_tree(tree, load_tokenizer()))

    for text in ("Report", made.rows[1][-1]):
        assert text in tree_to_markdown(tree)
        assert text in tree_to_html(tree)
        assert text in passages


def test_values_without_copy_or_workbook_leave_a_picture() -> None:
    made = make_chart("no-copy", 1)
    made.cells = ""

    (chart,) = of_type(read_tree(wrap_chart(made, "docx")), BlockType.PICTURE)

    assert (chart.text, chart.table) == ("Report", None)
