"""Formats × operations: everything downstream of a tree works on a tree of each format, personal data in it included.

Chunks, fields, semantics, graph, exports, masking, comparing, digests, fine-tuning records, ratings.
"""

from collections.abc import Callable

import pytest

from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.diff import Change, compare_trees
from quire.models.derive.document_fields import find_fields
from quire.models.derive.finetune import FinetuneOptions, export_lines
from quire.models.derive.quality import rate_document
from quire.models.derive.semantics import describe_tree
from quire.models.export.graph import graph_to_neo4j, tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.actors.sandbox.test_every_format import make_files
from tests.models.extract.flow_trees import read_tree

MAIL = "ann.lee@example.org"
FILES = make_files(MAIL)
TOKENIZER = load_tokenizer()
SHOWING: dict[str, Callable[[Tree], str]] = {
    "markdown": tree_to_markdown,
    "html": tree_to_html,
    "chunks": lambda tree: "\n".join(chunk.text for chunk in chunk_tree(tree, TOKENIZER)),
    "graph": lambda tree: "".join(graph_to_neo4j(tree_to_graph(tree)).values()),
    "finetune": lambda tree: "".join(
        export_lines((("d", chunk) for chunk in chunk_tree(tree, TOKENIZER)), FinetuneOptions())
    ),
}
"""Operations that show the text."""


@pytest.fixture(scope="module")
def trees() -> dict[str, Tree]:
    return {name: flag_tree(read_tree(data), RegexDetector()) for name, data in FILES.items()}


@pytest.mark.parametrize("name", FILES)
def test_personal_data_is_found_in_every_format_and_in_no_masked_output(trees: dict[str, Tree], name: str) -> None:
    tree = trees[name]
    assert any("pii:email" in block.flags for block in tree.blocks)
    masked = redact_tree(tree, {})
    for operation, show in SHOWING.items():
        assert MAIL in show(tree).replace("\\\\", "").replace("\\", ""), operation
        assert MAIL not in show(masked).replace("\\", ""), operation
    assert MAIL not in dump_tree(masked).decode()


@pytest.mark.parametrize("name", FILES)
def test_derived_outputs_name_blocks_of_their_tree(trees: dict[str, Tree], name: str) -> None:
    tree = load_tree(dump_tree(trees[name]))
    known = {block.id for block in tree.blocks}
    assert {block for chunk in chunk_tree(tree, TOKENIZER) for block in chunk.block_ids} <= known
    assert {found.evidence.block_id for found in find_fields(tree)} <= known
    assert {block for found in describe_tree(tree).objects for block in found.evidence} <= known
    assert rate_document("file", tree).pages == len(tree.pages)


@pytest.mark.parametrize("name", FILES)
def test_trees_of_any_two_formats_are_compared(trees: dict[str, Tree], name: str) -> None:
    assert all(one.change is Change.UNCHANGED for one in compare_trees(trees[name], trees[name]).blocks)
    assert compare_trees(trees["txt"], trees[name]).blocks
