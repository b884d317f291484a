"""Promises that hold for any page: ids, order, boxes, every character in exactly one block, the same bytes again."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.cdom.tree import Tree, dump_tree, load_tree
from quire.models.extract.contract import dump_page, load_page
from tests.models.extract.formats.pdf.paper import Paper, read_tree

pytestmark = pytest.mark.long

WORDS = st.text(alphabet="abcdefgh ABCD0123456789.,-:()$%", min_size=1, max_size=40)
MARKS = st.one_of(
    st.tuples(
        st.just("text"), st.integers(5, 380), st.integers(15, 580), WORDS, st.sampled_from([6, 9, 10, 14, 22]),
        st.sampled_from(["helv", "hebo", "heit", "cour"]),
    ),
    st.tuples(st.just("rule"), st.integers(5, 300), st.integers(15, 580), st.integers(20, 300), st.booleans()),
    st.tuples(st.just("bar"), st.integers(5, 300), st.integers(15, 500), st.integers(5, 200), st.integers(5, 90)),
    st.tuples(st.just("picture"), st.integers(5, 300), st.integers(15, 500), st.integers(5, 200), st.integers(5, 90)),
)  # fmt: skip


def draw(marks: list[tuple[object, ...]], rotation: int) -> bytes:
    paper = Paper()
    for kind, x, y, *rest in marks:
        if kind == "text":
            text, size, font = rest
            paper.text(x, y, text, size, font)  # type: ignore[arg-type]
        elif kind == "rule":
            length, flat = rest
            end = (x + length, y) if flat else (x, min(y + length, 590))  # type: ignore[operator]
            paper.rule(x, y, *end)  # type: ignore[arg-type]
        elif kind == "bar":
            paper.bar(x, y, x + rest[0], y + rest[1], (0.5, 0.6, 0.9))  # type: ignore[arg-type,operator]
        else:
            paper.picture(x, y, x + rest[0], y + rest[1])  # type: ignore[arg-type,operator]
    paper.page.set_rotation(rotation)
    return paper.save()


def characters(text: str) -> Counter[str]:
    """Visible characters; hyphens are left out because one that divides a word is dropped."""
    return Counter(re.sub(r"[\s\-]", "", text))


def tree_characters(tree: Tree) -> Counter[str]:
    found: Counter[str] = Counter()
    for block in tree.blocks:
        found += characters(block.text)
        for cell in block.table.cells if block.table else ():
            found += characters(cell.text)
    return found


@settings(max_examples=120)
@given(st.lists(MARKS, max_size=25), st.sampled_from([0, 90, 180, 270]))
def test_any_page_keeps_the_promises_of_a_tree(marks: list[tuple[object, ...]], rotation: int) -> None:
    data = draw(marks, rotation)
    tree = read_tree(data, ocr="never")
    assert [block.id for block in tree.blocks] == [f"b{order}" for order in range(len(tree.blocks))]
    assert [block.order for block in tree.blocks] == list(range(len(tree.blocks)))
    (page,) = tree.pages
    for block in tree.blocks:
        assert block.bbox is not None
        x0, y0, x1, y1 = block.bbox
        assert 0 <= x0 <= x1 <= page.width
        assert 0 <= y0 <= y1 <= page.height
        assert block.bbox == tuple(round(value, 3) for value in block.bbox)
        assert all(0 <= span.start < span.end <= len(block.text) for span in block.spans)
        for cell in block.table.cells if block.table else ():
            assert block.table is not None
            assert cell.row + cell.row_span <= block.table.rows
            assert cell.col + cell.col_span <= block.table.cols
    stored = dump_tree(tree)
    assert dump_tree(read_tree(data, ocr="never")) == stored
    assert load_tree(stored) == tree


@settings(max_examples=120)
@given(st.lists(MARKS, max_size=25))
def test_every_character_of_the_text_layer_is_in_exactly_one_block(marks: list[tuple[object, ...]]) -> None:
    from quire.models.extract.formats.pdf.engine import mupdf, pymupdf
    from quire.models.extract.formats.pdf.visibility.clipped import EVERYWHERE

    data = draw(marks, 0)
    # A glyph printed twice in one place counts once unless a vector or picture comes between: ask for them too.
    flags = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_CLIP | mupdf.FZ_STEXT_COLLECT_VECTORS
    flags |= mupdf.FZ_STEXT_PRESERVE_IMAGES if any(kind == "picture" for kind, *_ in marks) else 0
    layer = pymupdf.open(stream=data, filetype="pdf")[0].get_text("text", flags=flags, clip=EVERYWHERE)
    tree = read_tree(data, ocr="never")
    assert tree.coverage is not None
    copies = characters(layer) - tree_characters(tree)
    assert tree_characters(tree) + copies == characters(layer)
    assert sum(copies.values()) <= tree.coverage.characters.excluded.get("overprint", 0)


@settings(max_examples=40)
@given(st.lists(MARKS, max_size=15))
def test_a_page_survives_its_json(marks: list[tuple[object, ...]]) -> None:
    from quire.models.cdom.original import ReadOptions
    from quire.models.extract.registry import open_document

    content = open_document(draw(marks, 0), ReadOptions()).read_page(1).content
    assert load_page(dump_page(content)) == content
