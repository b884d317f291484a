"""Footnotes, endnotes, comments, headers and footers."""

from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import read_tree as read_counted
from tests.models.extract.flow_trees import rows_of
from tests.models.extract.formats.word.docx.files import cell as make_cell
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, read_blocks, read_tree, row, shape, table


def call(kind: str, id_: int, more: str = "") -> str:
    return f'<w:r><w:{kind}Reference w:id="{id_}" {more}/></w:r>'


def note(kind: str, id_: int, text: str) -> str:
    marked = "<w:r><w:footnoteRef/></w:r>" + f'<w:r><w:t xml:space="preserve"> {text}</w:t></w:r>'
    return f'<w:{kind} w:id="{id_}">{paragraph(inside=marked)}</w:{kind}>'


def test_footnotes_stand_at_the_end_of_their_page_with_their_number() -> None:
    parts = {"footnotes": '<w:footnote w:id="0" w:type="separator"/>' + note("footnote", 7, "first")}
    body = paragraph("Claim", inside=call("footnote", 7)) + paragraph("Next")
    blocks = read_blocks(body, parts=parts)
    assert shape(blocks) == [
        (BlockType.PARAGRAPH, None, "Claim¹"),
        (BlockType.PARAGRAPH, None, "Next"),
        (BlockType.FOOTNOTE, None, "1 first"),
    ]
    assert blocks[2].parent == blocks[0].id


def test_note_with_mark_of_its_own_is_not_counted() -> None:
    parts = {"footnotes": note("footnote", 1, "* own") + note("footnote", 2, "counted")}
    own = call("footnote", 1, 'w:customMarkFollows="1"') + "<w:r><w:t>*</w:t></w:r>"
    blocks = read_blocks(paragraph("A", inside=own) + paragraph("B", inside=call("footnote", 2)), parts=parts)
    assert [block.text for block in blocks] == ["A*", "B¹", "* own", "1 counted"]


def test_endnotes_stand_at_the_end_of_the_document_in_roman_numbers() -> None:
    parts = {"endnotes": note("endnote", 2, "late")}
    body = paragraph("A", inside=call("endnote", 2) + '<w:r><w:br w:type="page"/></w:r>') + paragraph("B")
    blocks = read_blocks(body, parts=parts)
    assert [(block.page, block.text) for block in blocks] == [(1, "Aⁱ"), (2, "B"), (2, "i late")]


def test_comments_follow_their_paragraph_as_flagged_notes() -> None:
    parts = {"comments": note("comment", 3, "Really?")}
    blocks = read_blocks(paragraph("Claim", inside=call("comment", 3)) + paragraph("Next"), parts=parts)
    assert [(block.type, block.text, block.flags) for block in blocks[:2]] == [
        (BlockType.PARAGRAPH, "Claim", ()),
        (BlockType.FOOTNOTE, "Really?", ("comment",)),
    ]
    assert blocks[1].parent == blocks[0].id


def test_note_called_in_table_belongs_to_table() -> None:
    parts = {"footnotes": note("footnote", 1, "why")}
    blocks = read_blocks(table(row(make_cell(paragraph("a", inside=call("footnote", 1))))), parts=parts)
    assert [(block.type, block.parent) for block in blocks] == [
        (BlockType.TABLE, None),
        (BlockType.FOOTNOTE, blocks[0].id),
    ]


def test_a_note_that_calls_itself_is_read_once() -> None:
    parts = {"footnotes": f'<w:footnote w:id="1">{paragraph("a", inside=call("footnote", 1))}</w:footnote>'}
    blocks = read_blocks(paragraph("A", inside=call("footnote", 1)), parts=parts)
    assert [block.type for block in blocks] == [BlockType.PARAGRAPH, BlockType.FOOTNOTE]


def test_a_missing_note_leaves_no_mark() -> None:
    assert [block.text for block in read_blocks(paragraph("A", inside=call("footnote", 9)))] == ["A"]


def section(*references: str, more: str = "") -> str:
    return f"<w:sectPr>{''.join(references)}{more}</w:sectPr>"


def reference(kind: str, id_: str, which: str = "default") -> str:
    return f'<w:{kind}Reference w:type="{which}" r:id="{id_}"/>'


def test_each_distinct_running_text_stands_once() -> None:
    first = paragraph("one", properties=section(reference("header", "part0"), reference("footer", "part1")))
    last = section(reference("header", "part2"))
    parts = {
        "header1": paragraph("Report"),
        "footer1": paragraph("Page 1"),
        "header2": paragraph("Report"),
    }
    tree = read_tree(make_docx(first + paragraph("two") + last, parts=parts))
    assert [(block.page, block.type, block.text) for block in tree.blocks] == [
        (1, BlockType.PAGE_HEADER, "Report"),
        (1, BlockType.PARAGRAPH, "one"),
        (1, BlockType.PAGE_FOOTER, "Page 1"),
        (2, BlockType.PARAGRAPH, "two"),
    ]


def test_first_page_header_needs_a_title_page_and_the_usual_header_follows() -> None:
    references = reference("header", "part0", "first") + reference("header", "part1")
    parts = {"header1": paragraph("Cover"), "header2": paragraph("Usual")}
    body = paragraph("a", inside='<w:r><w:br w:type="page"/></w:r>') + paragraph("b")
    with_title = read_tree(make_docx(body + section(references, more="<w:titlePg/>"), parts=parts))
    assert [(block.page, block.text) for block in with_title.blocks if block.type is BlockType.PAGE_HEADER] == [
        (1, "Cover"),
        (2, "Usual"),
    ]
    without = read_tree(make_docx(body + section(references), parts=parts))
    assert [block.text for block in without.blocks if block.type is BlockType.PAGE_HEADER] == ["Usual"]


def test_even_headers_count_only_when_the_settings_ask_for_them() -> None:
    references = reference("header", "part0") + reference("header", "part1", "even")
    parts = {"header1": paragraph("Odd"), "header2": paragraph("Even")}
    asked = parts | {"settings": "<w:evenAndOddHeaders/>"}
    found = [
        [block.text for block in read_tree(make_docx(section(references), parts=some)).blocks]
        for some in (parts, asked)
    ]
    assert found == [["Odd"], ["Odd", "Even"]]


def test_a_table_in_a_header_is_lines_of_its_text() -> None:
    parts = {"header1": table(row(make_cell("Firm"), make_cell("Page 2")))}
    blocks = read_blocks(section(reference("header", "part0")), parts=parts)
    assert shape(blocks) == [(BlockType.PAGE_HEADER, None, "Firm\tPage 2")]


def test_table_of_a_note_is_a_block_and_not_also_text_of_the_note() -> None:
    note = f'<w:footnote w:id="2">{paragraph("See:")}{table(row(make_cell("In the table")))}</w:footnote>'
    call = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    tree = read_counted(make_docx(paragraph("Word", inside=call), parts={"footnotes": note}))
    assert [block.text for block in tree.blocks if block.type is BlockType.FOOTNOTE] == ["1 See:"]
    assert [rows_of(block) for block in tree.blocks if block.table is not None] == [[["In the table"]]]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_main_part_of_any_name_is_counted() -> None:
    tree = read_counted(make_docx(paragraph("Words"), document="doc/main.xml"))
    assert tree.coverage is not None
    assert tree.coverage.characters.painted == 5
