"""Web pages: text in order, lists, tables, furniture, what is hidden, paths, and pages that mean harm."""

import base64

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.common.html.parse import MAX_DEPTH
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts


def page(body: str) -> bytes:
    return f"<!DOCTYPE html><html lang='en'><head><title>T</title></head><body>{body}</body></html>".encode()


def test_headings_paragraphs_and_code_keep_their_order() -> None:
    tree = read_tree(page("<h1>Top</h1>Loose <b>text</b><p>One<br>two</p><pre>a\n  b</pre>"))
    assert [(block.type.value, block.text) for block in tree.blocks] == [
        ("heading", "Top"),
        ("paragraph", "Loose text"),
        ("paragraph", "One\ntwo"),
        ("code", "a\n  b"),
    ]
    assert (tree.metadata.title, tree.metadata.language) == ("T", "en")
    assert tree.blocks[1].spans[0].bold


def test_lists_keep_levels_numbers_and_the_content_of_items() -> None:
    tree = read_tree(page("<ol start=3><li>c<ul><li>deep</ul><li>d<p>more</p></ol>"))
    assert [(block.text, block.level) for block in of_type(tree, BlockType.LIST_ITEM)] == [
        ("3. c", 1),
        ("deep", 2),
        ("4. d", 1),
    ]
    more = of_type(tree, BlockType.PARAGRAPH)[0]
    assert (more.text, more.parent) == ("more", "b2")


@pytest.mark.parametrize("absurd", ["²", "9" * 5000, "x"])
def test_an_absurd_number_of_a_list_counts_nothing(absurd: str) -> None:
    tree = read_tree(page(f"<ol start={absurd}><li>a<li value={absurd}>b</ol>"))
    assert [block.text for block in of_type(tree, BlockType.LIST_ITEM)] == ["1. a", "2. b"]


def test_tables_keep_spans_and_captions() -> None:
    tree = read_tree(page("<table><caption>C</caption><tr><th colspan=2>h<tr><td rowspan=9>a<td>b<tr><td>c</table>"))
    table = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(table) == [["h"], ["a", "b"], ["c"]]
    assert table.table is not None
    assert [(cell.row_span, cell.col_span) for cell in table.table.cells] == [(1, 2), (2, 1), (1, 1), (1, 1)]
    assert of_type(tree, BlockType.CAPTION)[0].parent == table.id


def test_layout_table_is_not_a_table() -> None:
    assert texts(read_tree(page("<table><tr><td><p>one</p><p>two</p></td></tr></table>"))) == ["one", "two"]


def test_navigation_and_footer_are_furniture_and_not_exported() -> None:
    body = "<nav><a href='/'>Home</a></nav><main><p>Much text of the page itself.</p></main><footer>Imprint</footer>"
    tree = read_tree(page(body))
    assert [block.type.value for block in tree.blocks] == ["page_header", "paragraph", "page_footer"]
    assert tree_to_markdown(tree) == "Much text of the page itself.\n"


def test_a_page_that_is_only_navigation_is_its_content() -> None:
    assert [block.type.value for block in read_tree(page("<nav><h2>Home</h2></nav>")).blocks] == ["heading"]


def test_text_hidden_by_the_browser_is_flagged() -> None:
    tree = read_tree(page("<p>seen</p><div style='display:none'>unseen</div><p hidden>also</p>"))
    assert [(block.text, block.flags) for block in tree.blocks] == [
        ("seen", ()),
        ("unseen", (HIDDEN_TEXT,)),
        ("also", (HIDDEN_TEXT,)),
    ]


def test_block_has_its_place_in_the_source() -> None:
    tree = read_tree(page("\n<p>first</p>\n<p id=here>second</p>"))
    assert [block.provenance.path for block in tree.blocks] == ["line 2", "#here"]


def test_only_pictures_that_the_page_carries_become_assets() -> None:
    data = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    tree = read_tree(
        page(f"<img alt=own src='data:image/png;base64,{data}'><img alt=far src='http://127.0.0.1:9/x.png'>")
    )
    assert [(block.text, block.asset_ref) for block in tree.blocks] == [("own", "image-1.png"), ("far", None)]
    assert [warning.code for warning in tree.warnings] == ["external-image"]


@pytest.mark.parametrize("depth", [MAX_DEPTH, 5_000, 100_000])
def test_text_below_any_depth_is_kept(depth: int) -> None:
    assert texts(read_tree(page("<div>" * depth + "deep" + "</div>" * depth + "after"))) == ["deep", "after"]


def test_spans_of_absurd_size_are_cut_to_the_table() -> None:
    cells = "<tr>" + "<td colspan=1000 rowspan=65534>x</td>" + "</tr>"
    tree = read_tree(page(f"<table>{cells * 3}<tr><td>a<td>b</table>"))
    table = of_type(tree, BlockType.TABLE)[0].table
    assert table is not None
    assert table.rows * table.cols <= 4_000


def test_too_many_columns_are_a_resource_limit() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(page(f"<table><tr>{'<td>x' * 1_001}</table>"))


def test_scripts_and_addresses_are_never_run_nor_fetched() -> None:
    body = "<script>alert(1)</script><iframe src=http://x></iframe><a href='javascript:alert(1)'>go</a><base href=http://x>"
    tree = read_tree(page(body))
    assert texts(tree) == ["go"]
    assert "javascript:" not in tree_to_html(tree)


@pytest.mark.parametrize(
    "data",
    [
        "<html><meta charset=windows-1251><p>Привет</p>".encode("cp1251"),
        "<html><p>Привет</p>".encode("utf-16"),
        "<html><p>Привет".encode(),
    ],
)
def test_the_charset_is_that_of_the_page(data: bytes) -> None:
    assert texts(read_tree(data)) == ["Привет"]


def test_mathml_is_a_formula_in_tex() -> None:
    inline = "<math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac></math>"
    stated = "<math display='block'>"
    stated += "<semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>"
    tree = read_tree(page(f"<p>so {inline} holds</p>{stated}"))
    assert texts(tree, BlockType.PARAGRAPH) == [r"so $\frac{a}{\sqrt{b}}$ holds"]
    assert texts(tree, BlockType.FORMULA) == ["x_1"]


def test_pronunciation_follows_its_word_in_brackets() -> None:
    tree = read_tree(page("<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を</p>"))
    assert texts(tree) == ["漢字(かんじ)を"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_texts_of_a_drawing_are_lines_of_one_paragraph() -> None:
    drawing = "<svg><title>tip</title><style>x</style><text>In <tspan>SVG</tspan></text><text>two</text></svg>"
    tree = read_tree(page(f"<p>before</p>{drawing}<p>after</p>"))
    assert texts(tree) == ["before", "In SVG\ntwo", "after"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_fragment_that_begins_with_a_form_is_a_page() -> None:
    tree = read_tree(b"<form>Country: <select><option>DE<option selected>FR</select></form>")
    assert tree.source.format == "html"
    assert texts(tree) == ["Country: FR"]
