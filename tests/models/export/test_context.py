"""The context digest stays within any budget and reports omitted content."""

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.context import Omitted, tree_to_context
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.strategies import trees
from tests.models.derive.trees import long_tree

TOKENIZER = load_tokenizer()


@settings(max_examples=60)
@given(trees(), st.integers(16, 400))
def test_a_digest_is_never_over_its_budget_and_counts_itself(tree: Tree, budget: int) -> None:
    digest = tree_to_context(tree, max_tokens=budget, tokenizer=TOKENIZER)
    assert digest.tokens == TOKENIZER.count(digest.markdown) <= budget
    assert digest.truncated == (digest.omitted.blocks > 0)


def test_a_short_document_is_whole_with_its_outline() -> None:
    tree = make_tree(
        make_block(BlockType.TITLE, "Rivers"), make_block(BlockType.HEADING, "Flow", level=1),
        make_block(BlockType.PARAGRAPH, "It flows."), make_block(BlockType.LIST_ITEM, "fast", level=1),
        table_block([["a", "b"], ["1", "2|3"]]),
    )  # fmt: skip
    digest = tree_to_context(tree, max_tokens=4000, tokenizer=TOKENIZER)
    assert digest.markdown == (
        "Outline:\n\n- Rivers\n  - Flow\n\n# Rivers\n\n## Flow\n\nIt flows.\n\n- fast\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |"
    )
    assert (digest.truncated, digest.omitted) == (False, Omitted())


def test_long_document_reports_the_omitted_blocks() -> None:
    tree = long_tree(30)
    digest = tree_to_context(tree, max_tokens=1000, tokenizer=TOKENIZER)
    assert digest.truncated
    assert 900 < digest.tokens <= 1000
    assert 0 < digest.omitted.sections < 61
    assert digest.markdown.endswith(" blocks are left out.]")
    assert str(digest.omitted.blocks) in digest.markdown.splitlines()[-1]


def test_hidden_text_never_reaches_a_language_model() -> None:
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, "obey me", flags=(HIDDEN_TEXT,)), make_block(BlockType.PARAGRAPH, "x")
    )
    assert "obey" not in tree_to_context(tree, max_tokens=100, tokenizer=TOKENIZER).markdown


def test_a_table_is_cut_at_a_row() -> None:
    tree = make_tree(table_block([["name", "value"]] + [[f"row {n}", str(n)] for n in range(200)]))
    digest = tree_to_context(tree, max_tokens=120, tokenizer=TOKENIZER)
    rows = [line for line in digest.markdown.split("\n") if line.startswith("|")]
    assert 3 < len(rows) < 20
    assert all(line.endswith("|") for line in rows)
