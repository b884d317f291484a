"""Web pages, element by element: terms, code, forms, formulas, quotes, pictures, captions, cells with blocks."""

from base64 import b64encode

import pytest

from quire.models.cdom.tree import BlockType, Tree
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.image.pictures import corner, encode

HTML = "<!doctype html><html><body>{}</body></html>"
DATA = "data:image/png;base64," + b64encode(encode(corner(), "PNG")).decode()


def _read(body: str) -> Tree:
    return read_tree(HTML.format(body).encode())


def _blocks(body: str) -> list[tuple[str, str]]:
    return [(block.type.value, block.text) for block in _read(body).blocks]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>He said <q>yes</q>.</p>", [("paragraph", "He said “yes”.")]),
        ("<p>one<br>two</p>", [("paragraph", "one\ntwo")]),
        ("<pre>a\n  b<br>c<script>no</script></pre>", [("code", "a\n  b\nc")]),
        ("<pre><h2>Title</h2>text</pre>", [("heading", "Title"), ("paragraph", "text")]),
        ("<p><input type=checkbox checked>yes</p>", [("checkbox", "☑ yes")]),
        ("<p><input type=radio>no</p>", [("checkbox", "☐ no")]),
        ('<p>Name <input value="Ann"><input type=hidden value="never"></p>', [("paragraph", "Name Ann")]),
        ("<p>so <math><mi>x</mi><mo>=</mo><mn>2</mn></math></p>", [("paragraph", "so $x = 2$")]),
        ('<math display="block"><mi>x</mi></math>', [("formula", "x")]),
        ("<figure><img alt=ship><figcaption>One</figcaption></figure>", [("picture", "ship"), ("caption", "One")]),
        ("<p>a <img alt=ship> b</p>", [("paragraph", "a"), ("picture", "ship"), ("paragraph", "b")]),
        ("<h2>See <img alt='ship'></h2>", [("heading", "See ship")]),
        ("<p>text<img src='x.png'></p>", [("paragraph", "text")]),
    ],
)  # fmt: skip
def test_elements_become_blocks(body: str, expected: list[tuple[str, str]]) -> None:
    assert _blocks(body) == expected


def test_emphasis_code_and_links_are_spans_but_not_within_the_page() -> None:
    block = _read('<p><b>a</b><i>b</i><code>c</code><a href="https://x.org"> d</a><a href="#top">e</a></p>').blocks[0]
    shown = [
        (block.text[span.start : span.end].strip(), span.bold, span.italic, span.code, span.href)
        for span in block.spans
    ]
    assert shown == [
        ("a", True, False, False, None), ("b", False, True, False, None), ("c", False, False, True, None),
        ("d", False, False, False, "https://x.org"),
    ]  # fmt: skip


def test_a_picture_inside_the_page_needs_no_words() -> None:
    assert _blocks(f'<p><img src="{DATA}"></p>') == [("picture", "")]


def test_terms_are_followed_by_their_definitions() -> None:
    tree = _read("<dl><dt>CPU<dd>fast<ul><li>two cores</ul><dt>RAM<dd>much</dl>")
    assert [text for text in texts(tree) if text] == ["CPU", "fast", "two cores", "RAM", "much"]


def test_items_nest_count_and_tick() -> None:
    tree = _read(
        "<ol start=3 type=a><li>x<ol><li>y</ol><li value=9>z</ol><ul><li><input type=checkbox>open<p>more</ul>"
    )
    assert [(block.type.value, block.text, block.level) for block in tree.blocks] == [
        ("list_item", "c. x", 1), ("list_item", "1. y", 2), ("list_item", "i. z", 1),
        ("checkbox", "☐ open", 1), ("paragraph", "more", None),
    ]  # fmt: skip


def test_a_table_has_its_caption_and_cells_that_hold_blocks() -> None:
    tree = _read(
        "<table><caption>Sums</caption><tr><th>h<th>i<tr><td rowspan=2>a<ul><li>one<li>two</ul>"
        "<td><table><tr><td>in<td>ner</table><tr><td>b</table>"
    )
    outer = of_type(tree, BlockType.TABLE)[0]
    caption = of_type(tree, BlockType.CAPTION)[0]
    assert (caption.text, caption.parent) == ("Sums", outer.id)
    assert rows_of(outer)[1][0].split("\n") == ["a", "• one", "• two"]
    assert rows_of(of_type(tree, BlockType.TABLE)[1]) == [["in", "ner"]]


def test_a_table_that_only_lays_out_is_read_through() -> None:
    tree = _read('<table role="presentation"><tr><td><p>left</p><td><h2>right</h2></table>')
    assert [(block.type.value, block.text) for block in tree.blocks] == [("paragraph", "left"), ("heading", "right")]
