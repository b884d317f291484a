"""Stated pages, sections, metadata, options."""

import pytest

from quire.models.cdom.errors import Malformed, ResourceLimit, TooManyPages, UnsupportedFormat
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.word.docx import open_docx
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, read_tree, style

BREAK = '<w:r><w:br w:type="page"/></w:r>'


def pages(body: str) -> list[tuple[int, str]]:
    return [(block.page, block.text) for block in read_tree(make_docx(body)).blocks]


def test_stated_break_begins_page_even_inside_paragraph() -> None:
    body = paragraph("a", inside=BREAK + "<w:r><w:t>b</w:t></w:r>") + paragraph("c")
    assert pages(body) == [(1, "a"), (2, "b"), (2, "c")]


def test_rendered_page_break_is_ignored() -> None:
    rendered = "<w:r><w:lastRenderedPageBreak/><w:t> b</w:t></w:r>"
    assert pages(paragraph("a", inside=rendered)) == [(1, "a b")]


def test_page_break_before_a_paragraph_starts_no_second_empty_page() -> None:
    before = "<w:pageBreakBefore/>"
    assert pages(paragraph("a", properties=before) + paragraph("b", properties=before)) == [(1, "a"), (2, "b")]


def test_the_next_section_says_whether_it_begins_a_page() -> None:
    ends = paragraph("a", properties='<w:sectPr><w:type w:val="continuous"/></w:sectPr>')
    assert pages(ends + paragraph("b") + "<w:sectPr/>") == [(1, "a"), (2, "b")]
    assert pages(ends + paragraph("b") + '<w:sectPr><w:type w:val="continuous"/></w:sectPr>') == [(1, "a"), (1, "b")]


def test_pages_have_the_size_of_their_section_in_points() -> None:
    tree = read_tree(make_docx(paragraph("a") + '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>'))
    assert [(page.number, page.width, page.height) for page in tree.pages] == [(1, 595.3, 841.9)]


def test_an_empty_document_has_one_empty_page() -> None:
    tree = read_tree(make_docx(""))
    assert (len(tree.pages), tree.blocks) == (1, ())


def test_breaks_in_text_boxes_and_cells_mean_nothing() -> None:
    cell = f"<w:tbl><w:tr><w:tc>{paragraph('a', inside=BREAK)}</w:tc></w:tr></w:tbl>"
    assert [page for page, _ in pages(cell + paragraph("b"))] == [1, 1]


def test_wanted_pages_are_selected_and_too_many_are_refused() -> None:
    data = make_docx(paragraph("a", inside=BREAK) + paragraph("b", inside=BREAK) + paragraph("c"))
    assert open_docx(data, ReadOptions(pages=((2, 9),))).facts.page_numbers == (2, 3)
    with pytest.raises(TooManyPages):
        open_docx(data, ReadOptions(max_pages=2))
    with pytest.raises(Malformed):
        open_docx(data, ReadOptions()).read_page(4)


def test_too_much_text_is_a_resource_limit() -> None:
    with pytest.raises(ResourceLimit):
        open_docx(make_docx(paragraph("abc")), ReadOptions(max_text_chars=2))


def test_page_image_is_not_available() -> None:
    with pytest.raises(UnsupportedFormat):
        open_docx(make_docx(""), ReadOptions()).render_page(1, 110)


def test_metadata_comes_from_the_core_properties() -> None:
    core = (
        '<p:coreProperties xmlns:p="x" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:t="http://purl.org/dc/terms/"><dc:title> Report </dc:title><dc:creator/>'
        "<t:created>2024-01-02T03:04:05Z</t:created></p:coreProperties>"
    )
    styles = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-CH"/></w:rPr></w:rPrDefault></w:docDefaults>'
    data = make_docx("", parts={"styles": styles}, files={"docProps/core.xml": core.encode()})
    assert read_tree(data).metadata == Metadata(title="Report", created="2024-01-02T03:04:05Z", language="de-CH")


def test_reading_twice_gives_the_same_pages_in_any_order() -> None:
    data = make_docx(
        paragraph("a", inside=BREAK) + paragraph("b", style="H"), parts={"styles": style("H", "heading 1")}
    )
    first, second = open_docx(data, ReadOptions()), open_docx(data, ReadOptions())
    assert first.read_page(2) == second.read_page(2)
    assert first.read_page(1) == second.read_page(1)
    assert second.read_page(2).content.blocks[0].type is BlockType.HEADING
