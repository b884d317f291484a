"""Journal articles: sections, tables, formulas, references, and articles that mean harm."""

import pytest

from quire.models.cdom.errors import Malformed
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

FRONT = (
    "<front><article-meta><title-group><article-title>On <italic>x</italic></article-title></title-group>"
    "<contrib-group>"
    '<contrib contrib-type="author"><name><surname>Lee</surname><given-names>A B</given-names></name></contrib>'
    "</contrib-group><pub-date><day>4</day><month>3</month><year>2026</year></pub-date>"
    "<abstract><p>Short.</p></abstract></article-meta></front>"
)


def article(body: str, *, head: str = "", back: str = "") -> bytes:
    return (
        f'<?xml version="1.0"?>{head}<article article-type="research-article" xml:lang="en">{FRONT}<body>{body}</body>'
        f"<back>{back}</back></article>"
    ).encode()


def test_sections_are_headings_by_their_depth_and_facts_are_metadata() -> None:
    body = "<sec><title>One</title><p>Text.</p><sec><label>1.1</label><title>Two</title><p>More.</p></sec></sec>"
    tree = read_tree(article(body))
    assert tree.source.format == "jats"
    assert [(block.text, block.level) for block in of_type(tree, BlockType.HEADING)] == [
        ("On x", 1), ("Abstract", 2), ("One", 2), ("Two", 3),
    ]  # fmt: skip
    assert texts(tree, BlockType.PARAGRAPH) == ["Short.", "Text.", "More."]
    facts = tree.metadata
    assert (facts.title, facts.author, facts.created, facts.language) == ("On x", "A B Lee", "2026-03-04", "en")
    assert tree.blocks[0].provenance.path == "line 1"


def test_tables_lists_formulas_and_references() -> None:
    body = (
        "<table-wrap><label>Table 1</label><caption><title>Sums</title></caption><alternatives><graphic/><table><tr>"
        '<td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></table></alternatives></table-wrap>'
        '<list list-type="order"><list-item><p>first</p></list-item></list><p>so <inline-formula><tex-math>'
        r"\documentclass{a}\begin{document}$x_1$\end{document}</tex-math></inline-formula> holds</p>"
        '<disp-formula><mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>c</mml:mi>'
        "<mml:mn>2</mml:mn></mml:msup></mml:math></disp-formula>"
    )
    back = "<ref-list><ref><mixed-citation>Lee 2020</mixed-citation></ref></ref-list>"
    tree = read_tree(article(body, back=back))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["a"], ["b", "c"]]
    assert texts(tree, BlockType.LIST_ITEM) == ["1. first"]
    assert "so $x_1$ holds" in texts(tree, BlockType.PARAGRAPH)
    assert texts(tree, BlockType.FORMULA) == ["c^{2}"]
    assert texts(tree)[-2:] == ["References", "Lee 2020"]


def test_named_characters_are_known_without_a_document_type() -> None:
    head = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.0//EN" "http://nowhere.invalid/jats.dtd">'
    assert "5 µm &odd;" in texts(read_tree(article("<p>5&nbsp;&micro;m &odd;</p>", head=head)))[-1].replace("\xa0", " ")


def test_an_article_that_declares_entities_is_malformed() -> None:
    for entity in ('<!ENTITY x SYSTEM "file:///etc/passwd">', '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">'):
        with pytest.raises(Malformed):
            read_tree(article("<p>&x;&b;</p>", head=f'<!DOCTYPE article PUBLIC "JATS" "j.dtd" [{entity}]>'))


def test_an_include_is_not_followed() -> None:
    body = '<p xmlns:xi="http://www.w3.org/2001/XInclude">a<xi:include href="file:///etc/passwd" parse="text"/>b</p>'
    assert texts(read_tree(article(body)))[-1] == "ab"
