"""Everything computed from one small report, byte for byte."""

import json

from pydantic_core import to_jsonable_python

from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.derive.diff import compare_trees
from quire.models.derive.document_fields import find_fields
from quire.models.derive.quality import rate_document, summarise
from quire.models.derive.semantics import describe_tree
from quire.models.export.context import tree_to_context
from quire.models.export.graph import graph_to_neo4j, tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.export.quality_html import report_to_html
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_tree
from tests.models.derive import golden
from tests.models.derive.golden import as_json, assert_golden
from tests.models.derive.report import small_report

TREE = small_report()


def test_the_flag_that_writes_golden_files_is_off() -> None:
    assert not golden.WRITE


def test_chunks() -> None:
    settings = ChunkSettings(max_tokens=48, overlap_tokens=8, min_tokens=16)
    assert_golden("chunks.json", as_json(chunk_tree(TREE, load_tokenizer(), settings)))


def test_fields() -> None:
    assert_golden("fields.json", as_json(find_fields(TREE)))


def test_semantics() -> None:
    assert_golden("semantics.json", as_json(describe_tree(TREE)))


def test_html() -> None:
    assert_golden("report.html", tree_to_html(TREE, asset_url=lambda ref: f"assets/{ref}"))


def test_graph() -> None:
    graph = tree_to_graph(TREE)
    assert_golden("graph.json", as_json(graph))
    for name, text in graph_to_neo4j(graph, document_id="doc_1").items():
        assert_golden(name, text)


def test_context() -> None:
    tokenizer = load_tokenizer()
    assert_golden("context.json", as_json(tree_to_context(TREE, max_tokens=400, tokenizer=tokenizer)))
    assert_golden("context_cut.json", as_json(tree_to_context(TREE, max_tokens=120, tokenizer=tokenizer)))


def test_quality() -> None:
    report = summarise([rate_document("report.pdf", TREE)])
    assert_golden("quality.json", as_json(report))
    assert_golden("quality.html", report_to_html(to_jsonable_python(report)))


def test_diff() -> None:
    changed = make_tree(*TREE.blocks[:6], *TREE.blocks[7:], title="River levels & costs")
    assert_golden("diff.json", as_json(compare_trees(TREE, changed)))


def test_golden_json_is_json_that_any_parser_reads() -> None:
    for path in golden.FOLDER.glob("*.json"):
        assert json.loads(path.read_text())
