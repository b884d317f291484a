"""The list of outputs: each entry makes a whole file of the type it names."""

import json

import pytest
from pydantic_core import to_json

from quire.models.cdom.tree import BlockType
from quire.models.export import OUTPUTS
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.serve_apps.access.scopes import DOCUMENT
from quire.serve_apps.api.app import list_operations
from tests.builders import make_block, make_tree
from tests.models.derive.report import small_report


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_output_makes_a_report_and_an_empty_document(name: str) -> None:
    for tree in (small_report(), make_tree(), make_tree(make_block(BlockType.PARAGRAPH, "x"))):
        made = OUTPUTS[name].make(tree, tokenizer=load_tokenizer())
        if OUTPUTS[name].media_type == "application/json":
            json.loads(made if isinstance(made, bytes) else to_json(made))
        else:
            assert isinstance(made, str | bytes)


def test_every_output_has_a_route() -> None:
    paths = {operation.path for operation in list_operations().values()}
    assert {f"{DOCUMENT}/{output.path}" for output in OUTPUTS.values()} <= paths
