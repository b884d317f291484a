"""Formulas inside text and displayed ones, in everything that is made of a tree."""

import io
from dataclasses import replace
from typing import Any

import docx
import html5lib
import pytest

from quire.models.cdom.tree import Block, BlockType, Route, Span, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.finetune import FinetuneOptions, export_lines
from quire.models.export.context import tree_to_context
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import MarkdownText, tree_to_markdown
from quire.models.export.word import tree_to_docx
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree
from tests.models.extract.flow_trees import read_tree

TEXT = "Let xi be a vector."
INSIDE = Span(start=4, end=6, latex="x_{i}")
DISPLAYED = "\\frac{a}{b} < c"


def paragraph(*spans: Span, kind: BlockType = BlockType.PARAGRAPH, text: str = TEXT) -> Block:
    return make_block(kind, text, spans=spans or (INSIDE,))


def body(block: Block, **facts: Any) -> str:
    return tree_to_html(make_tree(block, **facts)).partition("</h1>")[2]


def test_html_shows_a_formula_as_it_is_printed_and_states_its_latex() -> None:
    stated = '<annotation encoding="application/x-tex">x_{i}</annotation>'
    made = f"Let <math><semantics><mtext>xi</mtext>{stated}</semantics></math> be a vector."
    assert made in body(paragraph())


@pytest.mark.parametrize("kind", [BlockType.LIST_ITEM, BlockType.FOOTNOTE, BlockType.CAPTION, BlockType.HEADING])
def test_html_states_formulas_of_every_kind_of_text(kind: BlockType) -> None:
    assert ">x_{i}</annotation>" in tree_to_html(make_tree(make_block(BlockType.TITLE, "T"), paragraph(kind=kind)))


def test_styles_over_a_formula_stay_and_do_not_split_the_formula() -> None:
    made = body(paragraph(INSIDE, Span(start=0, end=5, bold=True), Span(start=4, end=11, italic=True)))
    assert "<strong>Let </strong><em><math>" in made
    assert made.count("<math>") == 1


def test_hostile_latex_is_text_and_the_page_stays_valid() -> None:
    latex = '</annotation></math><script>alert(1)</script><img src="x">'
    page = tree_to_html(make_tree(paragraph(replace(INSIDE, latex=latex)), make_block(BlockType.FORMULA, latex)))
    html5lib.HTMLParser(strict=True).parse(page)
    assert "<script" not in page
    assert "<img" not in page


def test_html_read_again_has_both_kinds_of_formulas() -> None:
    tree = make_tree(make_block(BlockType.TITLE, "T"), paragraph(), make_block(BlockType.FORMULA, DISPLAYED))
    again = read_tree(tree_to_html(tree).encode()).blocks
    assert (BlockType.PARAGRAPH, "Let $x_{i}$ be a vector.") in [(block.type, block.text) for block in again]
    assert (BlockType.FORMULA, DISPLAYED) in [(block.type, block.text) for block in again]


def test_a_formula_of_a_recognised_page_is_its_text() -> None:
    tree = make_tree(make_block(BlockType.FORMULA, "a = b"))
    scanned = replace(tree, pages=tuple(replace(page, route=Route.OCR) for page in tree.pages))
    assert "<math" in tree_to_html(tree)
    assert '<p id="b0">a = b</p>' in tree_to_html(scanned)


def test_word_has_the_latex_between_dollars_in_italics() -> None:
    [written] = docx.Document(io.BytesIO(tree_to_docx(make_tree(paragraph())))).paragraphs
    assert [(run.text, run.italic) for run in written.runs] == [
        ("Let ", None),
        ("$x_{i}$", True),
        (" be a vector.", None),
    ]


def test_word_keeps_the_text_of_a_formula_that_lost_its_beginning() -> None:
    item = paragraph(Span(start=0, end=3, latex="\\bullet x"), kind=BlockType.LIST_ITEM, text="• x is here")
    assert [block.text for block in read_tree(tree_to_docx(make_tree(item))).blocks] == ["x is here"]


def of_words(tree: Tree) -> dict[str, str]:
    """Return the outputs for search and training."""
    tokenizer = load_tokenizer()
    chunks = chunk_tree(tree, tokenizer)
    return {
        "chunks": "".join(chunk.text for chunk in chunks),
        "records": "".join(export_lines([("d", chunk) for chunk in chunks], FinetuneOptions())),
        "plain Markdown": tree_to_markdown(tree, inline=MarkdownText.PLAIN),
    }


def test_search_and_training_outputs_have_the_printed_words() -> None:
    for name, made in of_words(make_tree(make_block(BlockType.TITLE, "T"), paragraph())).items():
        assert TEXT in made, name
        assert "x_{i}" not in made, name


def test_visible_outputs_have_the_latex() -> None:
    tree = make_tree(make_block(BlockType.TITLE, "T"), paragraph())
    assert "Let $x_{i}$ be a vector." in tree_to_markdown(tree)
    assert "x_{i}" in tree_to_html(tree)
    assert "Let $x_{i}$ be a vector." in tree_to_context(tree, max_tokens=500, tokenizer=load_tokenizer()).markdown
    assert "Let $x_{i}$ be a vector." in [one.text for one in docx.Document(io.BytesIO(tree_to_docx(tree))).paragraphs]
