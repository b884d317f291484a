"""A table over several pages, in all outputs: each row is at its place, on its own page."""

from dataclasses import replace

import pymupdf
import pytest

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.derive.fields.fragments import tree_fragments
from quire.models.export.graph import tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.export.page_blocks import blocks_of_page, flagged_pages
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.cells import find_cell_place
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.paint import view_page
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.places import find_places, find_spans
from quire.models.pii.review import in_context
from quire.models.redaction.planning.plan import plan_redaction
from tests.builders import make_block, make_tree
from tests.models.extract.formats.pdf.paper import Paper
from tests.models.redaction.papers import everything, read, redact

ROWS = (("Name", "Mail"), ("Ann", "ann@one.example"), ("Bob", "bob@two.example"), ("Cleo", "cleo@two.example"))
PARTS = (TablePart(page=1, bbox=(50, 700, 300, 740), rows=2), TablePart(page=2, bbox=(50, 20, 300, 80), rows=2))
"""On page 2 a header of 20 points stands above the rows."""


def box_of(row: int, col: int) -> Bbox:
    top = 700 + 20 * row if row < 2 else 40 + 20 * (row - 2)
    return (50 + 100 * col, top, 150 + 150 * col, top + 20)


def make_cells() -> tuple[Cell, ...]:
    return tuple(
        Cell(row=row, col=col, text=text, header=row == 0, bbox=box_of(row, col))
        for row, texts in enumerate(ROWS)
        for col, text in enumerate(texts)
    )


def the_table() -> Block:
    table = Table(rows=4, cols=2, cells=make_cells(), parts=PARTS)
    return make_block(BlockType.TABLE, "", bbox=PARTS[0].bbox, table=table)


@pytest.fixture
def tree() -> Tree:
    return flag_tree(
        make_tree(the_table(), make_block(BlockType.PARAGRAPH, "After.", page=2, bbox=(50, 100, 300, 112))),
        RegexDetector(),
    )


def test_rows_and_cells_are_in_the_part_that_holds_them(tree: Tree) -> None:
    places = BlockPlaces(tree.blocks[0])
    assert [places.of_row(row).page for row in range(4)] == [1, 1, 2, 2]
    assert [places.of_cell(cell).page for cell in (None, 0, 3, 4, 7)] == [1, 1, 1, 2, 2]
    assert places.rows_of(PARTS[1]) == range(2, 4)
    assert places.on_page(3) is None


def test_flagged_values_are_reviewed_on_the_page_of_their_cell(tree: Tree) -> None:
    found = find_places(tree)
    assert [one.page for one in found] == [1, 2, 2]
    spans, block = find_spans(tree), tree.blocks[0]
    seen = [in_context(block, spans[one.block_id, one.flag, one.place]) for one in found]
    assert [(one.page, one.bbox) for one in seen] == [(1, box_of(1, 1)), (2, box_of(2, 1)), (2, box_of(3, 1))]


def test_masked_cells_are_painted_and_repeated_rows_hidden_on_each_page(tree: Tree) -> None:
    first, second = view_page(tree, {}, 1), view_page(tree, {}, 2)
    assert first.hidden == (box_of(1, 1),)
    assert second.hidden == (box_of(2, 1), box_of(3, 1))
    assert first.shown == (PARTS[0].bbox,)
    assert second.shown == ((50, 40, 300, 80), (50, 100, 300, 112))
    assert not view_page(tree, {}, 3).shown


def test_a_cell_without_a_place_is_covered_in_its_own_part(tree: Tree) -> None:
    block = tree.blocks[0]
    assert block.table is not None
    cells = tuple(replace(cell, bbox=None) if cell.text.startswith("bob") else cell for cell in block.table.cells)
    table = replace(block.table, cells=cells)
    places = BlockPlaces(replace(block, table=table))
    assert find_cell_place(places, table, 5) == (2, (150, 20, 300, 60))


def test_a_flag_without_a_place_covers_every_part(tree: Tree) -> None:
    block = replace(tree.blocks[0], flags=("pii:secret",), flag_spans=())
    flagged = replace(tree, blocks=(block, tree.blocks[1]))
    for number, part in enumerate(PARTS, 1):
        assert part.bbox in view_page(flagged, {}, number).hidden


def test_redaction_is_planned_on_the_page_of_each_value(tree: Tree) -> None:
    places = plan_redaction(tree, {}).places
    assert [(place.page, place.text) for place in places] == [
        (1, "ann@one.example"), (2, "bob@two.example"), (2, "cleo@two.example"),
    ]  # fmt: skip


def test_chunks_stand_on_the_pages_of_their_rows(tree: Tree) -> None:
    whole = chunk_tree(tree, load_tokenizer())
    assert [(box.page, box.bbox) for box in whole[0].bboxes][:2] == [(1, (50, 700, 300, 740)), (2, (50, 40, 300, 80))]
    assert whole[0].pages == (1, 2)
    cut = chunk_tree(tree, load_tokenizer(), ChunkSettings(max_tokens=24, min_tokens=1, overlap_tokens=0))
    assert [chunk.pages for chunk in cut if "@two" in chunk.text and "@one" not in chunk.text] == [(2, 2)] * sum(
        "@two" in chunk.text and "@one" not in chunk.text for chunk in cut
    )
    assert any(chunk.pages == (2, 2) and "Cleo" in chunk.text for chunk in cut)


def test_fields_give_the_page_and_the_box_of_the_part_as_evidence(tree: Tree) -> None:
    found = {fragment.text: fragment for fragment in tree_fragments(tree)}
    assert (found["Ann"].page, found["Ann"].block_bbox) == (1, PARTS[0].bbox)
    assert (found["Cleo"].page, found["Cleo"].block_bbox) == (2, PARTS[1].bbox)


def test_html_and_markdown_have_a_single_table_and_html_marks_page_starts(tree: Tree) -> None:
    html = tree_to_html(tree)
    assert html.count("<table") == 1
    assert '<tr id="page-2"><td>Bob</td>' in html
    assert html.count('id="page-2"') == 1
    assert "Table on pages 1 to 2" in html
    assert tree_to_markdown(tree).count("| --- | --- |") == 1


def test_the_graph_has_the_table_on_both_pages_and_each_cell_on_its_own(tree: Tree) -> None:
    graph = tree_to_graph(tree)
    assert [edge.source for edge in graph.edges if edge.target == "b0" and edge.source.startswith("page-")] == [
        "page-1", "page-2",
    ]  # fmt: skip
    pages = {node.label: node.page for node in graph.nodes}
    assert (pages["Ann"], pages["Cleo"]) == (1, 2)


def test_a_page_shows_its_rows_of_a_served_tree() -> None:
    part = {"page": 1, "bbox": [0, 0, 9, 9], "rows": 1}
    cells = [{"row": row, "col": 0, "text": str(row)} for row in range(3)]
    checks = [{"kind": "column-sum", "cells": [0, 1, 2], "holds": True}]
    table = {"rows": 3, "cols": 1, "cells": cells, "checks": checks}
    table["parts"] = [part, part | {"page": 2, "rows": 2}]
    spans = [{"flag": "pii:email", "start": 0, "end": 1, "cell": 2}]
    block = {"id": "b0", "page": 1, "bbox": [0, 0, 9, 9], "table": table, "flags": ["pii:email"], "flag_spans": spans}
    served = {"blocks": [block, {"id": "b1", "page": 2, "flags": []}]}
    (first,), (second, other) = blocks_of_page(served, 1), blocks_of_page(served, 2)
    assert (first["table"]["rows"], first["table"]["checks"], first["part"]) == (1, [], {"at": 1, "of": 2})
    assert [(cell["row"], cell["text"]) for cell in second["table"]["cells"]] == [(0, "1"), (1, "2")]
    assert [check["cells"] for check in second["table"]["checks"]] == [[1]]
    assert other["id"] == "b1"
    assert flagged_pages(served) == {2}
    assert flagged_pages({"blocks": [block | {"flag_spans": []}]}) == {1, 2}


def test_values_are_gone_from_every_page_of_a_redacted_file() -> None:
    paper = Paper()
    for number in range(2):
        if number:
            paper.new_page()
        for line, texts in enumerate((("Name", "Mail"), (f"Ann{number}", f"ann{number}@one.example"), ("Eve", "none"))):
            for x, text in zip((55, 205), texts, strict=True):
                paper.text(x, 60 + 20 * line + (470 if not number else 0), text, 9)
        top = 46 + (470 if not number else 0)
        for line in range(4):
            paper.rule(50, top + 20 * line, 350, top + 20 * line)
        for x in (50, 200, 350):
            paper.rule(x, top, x, top + 60)
    original = paper.save()
    assert [len(block.table.parts) for block in read(original).blocks if block.table] == [2]
    clean = redact(original)
    assert "@one.example" not in everything(clean)
    with pymupdf.open(stream=clean) as document:
        assert [page.get_text().split().count("Eve") for page in document] == [1, 1]
