"""The graph: every edge's ends exist, captions and references are found, CSV cells are never formulas."""

import csv
import io

import pytest
from hypothesis import given, settings

from quire.models.cdom.tree import BlockId, BlockType, Tree
from quire.models.export.graph import (
    FORMULA_START,
    EdgeType,
    NodeType,
    UnknownGraphFormat,
    graph_to_neo4j,
    parse_graph_format,
    tree_to_graph,
)
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.strategies import trees


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@settings(max_examples=50)
@given(trees())
def test_every_edge_joins_two_nodes_and_ids_are_unique(tree: Tree) -> None:
    graph = tree_to_graph(tree)
    ids = [node.id for node in graph.nodes]
    assert len(ids) == len(set(ids))
    assert {end for edge in graph.edges for end in (edge.source, edge.target)} <= set(ids)
    reached = {edge.target for edge in graph.edges if edge.type is EdgeType.CONTAINS}
    assert set(ids) - reached == {"document"}


@settings(max_examples=50)
@given(trees())
def test_neo4j_files_hold_the_same_graph_and_no_formula(tree: Tree) -> None:
    graph = tree_to_graph(tree)
    files = graph_to_neo4j(graph, document_id="doc_1")
    nodes, edges = read(files["nodes.csv"]), read(files["edges.csv"])
    assert [row["id:ID"] for row in nodes] == [f"doc_1:{node.id}" for node in graph.nodes]
    assert [(row[":START_ID"], row[":END_ID"]) for row in edges] == [
        (f"doc_1:{edge.source}", f"doc_1:{edge.target}") for edge in graph.edges
    ]
    cells = [cell for row in [*nodes, *edges] for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(FORMULA_START) or "\n" in cell or "\0" in cell]


def test_a_formula_in_a_text_is_quoted() -> None:
    texts = ["=cmd|' /C calc'!A0", "+1", "-2", "@x", "\t=1", "＝1", 'say "hi", ok']
    tree = make_tree(*(make_block(BlockType.PARAGRAPH, text) for text in texts))
    labels = [row["label"] for row in read(graph_to_neo4j(tree_to_graph(tree))["nodes.csv"]) if row["type"] == "block"]
    assert labels == ["'=cmd|' /C calc'!A0", "'+1", "'-2", "'@x", "'=1", "'＝1", 'say "hi", ok']


def test_headers_are_those_of_the_import_tool() -> None:
    files = graph_to_neo4j(tree_to_graph(make_tree()))
    assert files["nodes.csv"].splitlines()[0] == "id:ID,type,label,page:int,:LABEL"
    assert files["edges.csv"].splitlines()[0] == ":START_ID,:END_ID,:TYPE"


def test_graph_links_sections_captions_and_mentions() -> None:
    tree = make_tree(
        make_block(BlockType.HEADING, "A", level=1),
        make_block(BlockType.HEADING, "B", level=2),
        make_block(BlockType.PARAGRAPH, "as Table 2 shows"),
        table_block([["x"], ["1"]]),
        make_block(BlockType.CAPTION, "Table 2. Levels", parent=BlockId("b3")),
    )
    graph = tree_to_graph(tree)
    edges = {(edge.source, edge.target, edge.type) for edge in graph.edges}
    assert ("document", "section-b0", EdgeType.CONTAINS) in edges
    assert ("section-b0", "section-b1", EdgeType.CONTAINS) in edges
    assert ("b4", "b3", EdgeType.CAPTION_OF) in edges
    assert ("b2", "b3", EdgeType.REFERS_TO) in edges
    assert ("b1", "b0", EdgeType.FOLLOWS) in edges
    assert {node.type for node in graph.nodes} == set(NodeType) - {NodeType.PICTURE}


def test_an_unknown_format_is_refused_with_a_code() -> None:
    with pytest.raises(UnknownGraphFormat) as refused:
        parse_graph_format("gexf")
    assert refused.value.code == "unknown-graph-format"
