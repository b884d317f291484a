"""The HTML export: one accessible page, valid, and nothing in it that a browser would run."""

import random
import re
from dataclasses import replace

import html5lib
import lxml.html
from hypothesis import given, settings

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table, TableCheck
from quire.models.cdom.tree import BlockId, BlockType, Span, Tree
from quire.models.export.html import tree_to_html
from quire.models.export.markup import META_POLICY, safe_href
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.strategies import NASTY, trees
from tests.models.derive.trees import WORDS

ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "nav", "h1", "h2", "h3", "h4", "h5", "h6", "p",
    "ul", "li", "a", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "div", "img",
    "pre", "code", "em", "strong", "span", "br", "math", "semantics", "mtext", "annotation",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "id", "class", "href", "rel", "scope", "rowspan",
    "colspan", "src", "alt", "role", "aria-label", "tabindex", "encoding", "display",
}  # fmt: skip


def assert_harmless(page: str) -> None:
    """Only known elements and attributes, links of the allowed kinds, styles that are ours."""
    root = lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    for node in root.iter():
        assert isinstance(node.tag, str), "a comment or processing instruction"
        assert node.tag in ALLOWED
        assert set(node.attrib) <= ATTRIBUTES
        href = node.get("href")
        assert href is None or re.match(r"(https?://|mailto:|#)", href, re.I)
    assert len(root.findall(".//style")) == 1
    assert len(root.findall(".//h1")) == 1


@settings(max_examples=80)
@given(trees())
def test_no_generated_tree_gives_live_script_and_the_page_is_valid(tree: Tree) -> None:
    page = tree_to_html(tree, asset_url=lambda ref: f"assets/{ref}")
    html5lib.HTMLParser(strict=True).parse(page)
    assert_harmless(page)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def random_tree(chance: random.Random) -> Tree:
    """Blocks of hostile pieces, faster than hypothesis makes them."""
    pieces = [*NASTY, *WORDS[:10], "<b>", "&", '"', "'", "\n", "\t", "\u202e", "onload=", "href=javascript:"]

    def text() -> str:
        return "".join(chance.choice(pieces) for _ in range(chance.randint(0, 6)))

    def block(kind: BlockType):  # type: ignore[no-untyped-def]
        if kind is BlockType.TABLE:
            return table_block([[text(), text()], [text(), text()]], header_rows=chance.randint(0, 1))
        spans = (Span(start=0, end=chance.randint(0, 9), bold=True, href=text()),)
        return make_block(kind, text(), spans=spans, level=chance.randint(1, 9), asset_ref=text())

    return make_tree(
        *(block(chance.choice(list(BlockType))) for _ in range(chance.randint(1, 5))), title=text(), language=text()
    )


def test_ten_thousand_hostile_trees_give_no_live_script() -> None:
    chance = random.Random(5)
    for _ in range(10_000):
        assert_harmless(tree_to_html(random_tree(chance), asset_url=lambda ref: ref))


def test_links_are_kept_only_when_http_https_mailto_or_a_place_on_the_page() -> None:
    kept = ["http://a.example/", "HTTPS://A.example", "mailto:a@b.example", "#b3"]
    refused = ["javascript:alert(1)", "JaVa\tscript:alert(1)", "\x01javascript:x", "data:text/html,x", "vbscript:x",
               "//evil.example", "/etc", "file:///etc", "java\u200bscript:x", "", "http:", "#", "https://"]  # fmt: skip
    assert [safe_href(href) for href in kept] == kept
    assert [safe_href(href) for href in refused] == [None] * len(refused)
    assert safe_href("ht\ntp://a.example") == "http://a.example"


def test_page_has_one_h1_main_landmark_language_and_policy() -> None:
    tree = make_tree(
        make_block(BlockType.TITLE, "Rivers & <dams>"), make_block(BlockType.PARAGRAPH, "x"), language="de"
    )
    page = tree_to_html(tree)
    assert '<html lang="de">' in page
    assert '<h1 id="b0">Rivers &amp; &lt;dams&gt;</h1>' in page
    assert "<title>Rivers &amp; &lt;dams&gt;</title>" in page
    assert page.count("<h1") == page.count("<main") == 1
    assert f'content="{META_POLICY}"' in page


def test_headings_go_down_one_level_at_a_time() -> None:
    tree = make_tree(
        make_block(BlockType.TITLE, "T"), make_block(BlockType.HEADING, "A", level=3),
        make_block(BlockType.HEADING, "B", level=6), make_block(BlockType.HEADING, "C", level=1),
    )  # fmt: skip
    assert re.findall(r"<(h\d)", tree_to_html(tree)) == ["h1", "h2", "h3", "h2"]


def test_table_headers_have_a_scope_and_spans_are_kept() -> None:
    cells = (
        Cell(row=0, col=0, col_span=2, header=True, text="Head"),
        Cell(row=1, col=0, header=True, text="Side"),
        Cell(row=1, col=1, text="9"),
    )
    block = make_block(BlockType.TABLE, table=Table(rows=2, cols=2, cells=cells))
    caption = make_block(BlockType.CAPTION, "Table 1", parent=BlockId("b0"))
    page = tree_to_html(make_tree(block, caption))
    assert '<table id="b0"><caption id="b1">Table 1</caption><thead><tr><th scope="col" colspan="2">Head</th>' in page
    assert '<tbody><tr><th scope="row">Side</th><td>9</td></tr></tbody>' in page


def test_row_with_a_header_that_spans_into_the_body_is_not_a_head() -> None:
    cells = (
        Cell(row=0, col=0, text="Year", header=True), Cell(row=0, col=1, text="Month", header=True),
        Cell(row=1, col=0, row_span=2, text="2025", header=True), Cell(row=2, col=1, text="May"),
    )  # fmt: skip
    page = tree_to_html(make_tree(make_block(BlockType.TABLE, table=Table(rows=3, cols=2, cells=cells))))
    assert '<thead><tr><th scope="col">Year</th><th scope="col">Month</th></tr></thead>' in page
    assert 'rowspan="2">2025</th>' in page


def test_a_numbered_item_among_others_has_no_bullet_before_its_number() -> None:
    items = [make_block(BlockType.LIST_ITEM, text, level=1) for text in ("1. Ropes", "Sails")]
    assert re.search(
        r'<li id="\w+" class="numbered">1. Ropes</li><li id="\w+">Sails</li>', tree_to_html(make_tree(*items))
    )


def test_table_lists_its_checks_and_marks_the_failing_cell() -> None:
    texts = (("Item", "Sum"), ("a", "10"), ("b", "20"), ("Total", "31"))
    cells = tuple(Cell(row=row, col=col, text=text) for row, held in enumerate(texts) for col, text in enumerate(held))
    checks = (
        TableCheck(kind="column-sum", cells=(3, 5, 7), holds=False),
        TableCheck(kind="date-order", cells=(0, 2), holds=True),
        TableCheck(kind="column-sum", cells=(3, 99), holds=False),
    )
    block = replace(table_block([["a"]]), table=Table(rows=4, cols=2, cells=cells, checks=checks))
    page = lxml.html.fromstring(tree_to_html(make_tree(block)))
    assert [mark.text_content() for mark in page.iter("mark")] == ["31"]
    [note] = page.xpath("//div[@class='wide']/p")
    assert note.text == "Checks of this table: 1 of 3 hold. Not so: column-sum at row 4, column 2."


def test_a_picture_is_a_figure_with_alt_text_and_caption() -> None:
    blocks = make_block(BlockType.PICTURE, asset_ref="p1-1"), make_block(BlockType.CAPTION, "Figure 1: a dam")
    page = tree_to_html(make_tree(*blocks), asset_url=lambda ref: f"assets/{ref}")
    assert '<figure id="b0"><img src="assets/p1-1" alt="Figure 1: a dam"><figcaption id="b1">' in page
    assert "<img" not in tree_to_html(make_tree(*blocks))


def test_list_items_nest_by_level_and_stay_in_order() -> None:
    items = [("a", 1), ("b", 2), ("c", 2), ("d", 1)]
    page = tree_to_html(make_tree(*(make_block(BlockType.LIST_ITEM, text, level=level) for text, level in items)))
    assert '<ul><li id="b0">a<ul><li id="b1">b</li><li id="b2">c</li></ul></li><li id="b3">d</li></ul>' in page


def test_styles_and_links_wrap_exactly_their_stretch() -> None:
    spans = (
        Span(start=0, end=4, bold=True),
        Span(start=2, end=6, italic=True),
        Span(start=7, end=9, href="https://x.example"),
    )
    page = tree_to_html(make_tree(make_block(BlockType.PARAGRAPH, "abcdef gh", spans=spans)))
    assert (
        "<strong>ab</strong><strong><em>cd</em></strong><em>ef</em> "
        '<a href="https://x.example" rel="noopener noreferrer">gh</a>' in page
    )


def test_hidden_text_and_furniture_are_not_shown() -> None:
    hidden = make_block(BlockType.PARAGRAPH, "secret order", flags=(HIDDEN_TEXT,))
    page = tree_to_html(
        make_tree(hidden, make_block(BlockType.PAGE_FOOTER, "foot"), make_block(BlockType.PARAGRAPH, "seen"))
    )
    assert "secret" not in page
    assert "foot<" not in page
    assert "seen" in page


def test_superscript_is_an_element_with_ordinary_figures() -> None:
    block = replace(make_block(BlockType.PARAGRAPH, "15² euro"), spans=(Span(start=2, end=3, superscript=True),))
    assert "15<sup>2</sup> euro" in tree_to_html(make_tree(block))
