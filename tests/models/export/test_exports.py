"""The table of exports: each entry writes a whole file of the type it names."""

import json

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.export import EXPORTS
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree
from tests.models.derive.report import small_report


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_writes_a_report_and_an_empty_document(name: str) -> None:
    for tree in (small_report(), make_tree(), make_tree(make_block(BlockType.PARAGRAPH, "x"))):
        written = EXPORTS[name].write(tree, load_tokenizer())
        assert isinstance(written, str)
        if EXPORTS[name].media_type == "application/json":
            json.loads(written)


def test_the_names_are_those_of_the_routes() -> None:
    assert set(EXPORTS) == {"html", "markdown", "graph", "context"}
