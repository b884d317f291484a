"""Word 2003 XML is read as the Word file with the same content."""

import pytest

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.common import opc
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

NAMES = (
    'xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:aml="http://schemas.microsoft.com/aml/2001/core"'
    ' xmlns:wx="http://schemas.microsoft.com/office/word/2003/auxHint" xmlns:own="urn:own"'
)
HEAD = """
<o:DocumentProperties><o:Title>Minutes</o:Title><o:Author>Ann</o:Author></o:DocumentProperties>
<w:lists>
<w:listDef w:listDefId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:nfc w:val="4"/><w:lvlText w:val="%1)"/></w:lvl>
</w:listDef>
<w:listDef w:listDefId="1"><w:lvl w:ilvl="0"><w:nfc w:val="23"/><w:lvlText w:val="·"/></w:lvl></w:listDef>
<w:list w:ilfo="1"><w:ilst w:val="0"/></w:list><w:list w:ilfo="2"><w:ilst w:val="1"/></w:list></w:lists>
<w:styles><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>
"""
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def word_2003(body: str) -> bytes:
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<?mso-application progid="Word.Document"?>\n'
    content = f"<w:body><wx:sect>{body}</wx:sect></w:body>"
    return f"{start}<w:wordDocument {NAMES}>{HEAD}{content}</w:wordDocument>".encode()


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def item(text: str, number: int) -> str:
    return paragraph(run(text), f'<w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="{number}"/></w:listPr>')


def _is_complete(tree: Tree) -> bool:
    return tree.coverage is not None and tree.coverage.complete and tree.coverage.characters.lost == 0


def test_word_2003_has_headings_lists_looks_and_links() -> None:
    link = f'<w:hlink w:dest="https://example.org/x">{run("link")}</w:hlink>'
    heading = paragraph(run("Chapter"), '<w:pStyle w:val="H1"/>')
    tree = read_tree(
        word_2003(
            f"<wx:sub-section>{heading}</wx:sub-section>"
            + paragraph(run("now ") + run("bold", "<w:b/>") + run(" ") + run("old", "<w:strike/>") + run(" ") + link)
            + item("first", 1)
            + item("second", 1)
            + item("dot", 2)
            + f"<own:order>{paragraph(run('tagged'))}</own:order>"
        )
    )
    assert (tree.source.format, tree.metadata.title, tree.metadata.author) == ("docx", "Minutes", "Ann")
    assert tree_to_markdown(tree).split("\n\n") == [
        "# Chapter",
        "now **bold** ~~old~~ [link](https://example.org/x)",
        "1. first\n2. second\n- dot",
        "tagged\n",
    ]
    assert texts(tree, BlockType.LIST_ITEM) == ["a) first", "b) second", "dot"]
    assert _is_complete(tree)


def test_word_2003_has_changes_notes_comments_and_headers() -> None:
    changes = (
        f'<aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>gone</w:delText></w:r></aml:content>'
        f'</aml:annotation><aml:annotation w:type="Word.Insertion"><aml:content>{run("new")}</aml:content>'
        f'</aml:annotation><w:r><aml:annotation w:type="Word.Comment"><aml:content>{paragraph(run("check"))}'
        "</aml:content></aml:annotation></w:r>"
    )
    note = f"<w:r><w:footnote>{paragraph(run('a note'))}</w:footnote></w:r>"
    header = f'<w:sectPr><w:hdr w:type="odd">{paragraph(run("Head"))}</w:hdr></w:sectPr>'
    tree = read_tree(word_2003(paragraph(run("text") + note + changes + run("secret", "<w:vanish/>")) + header))
    assert texts(tree, BlockType.PARAGRAPH) == ["text¹new", "secret"]
    assert [block.text for block in tree.blocks if HIDDEN_TEXT in block.flags] == ["secret"]
    assert [(block.text, block.flags) for block in of_type(tree, BlockType.FOOTNOTE)] == [
        ("check", (COMMENT,)),
        ("1 a note", ()),
    ]
    assert texts(tree, BlockType.PAGE_HEADER) == ["Head"]
    assert _is_complete(tree)


def test_word_2003_has_merged_cells_and_pictures() -> None:
    rows = "".join(
        f"<w:tr><w:tc><w:tcPr><w:vmerge {state}/></w:tcPr>{paragraph(run(first))}</w:tc>"
        f"<w:tc>{paragraph(run(second))}</w:tc></w:tr>"
        for state, first, second in (('w:val="restart"', "A", "B"), ("", "", "C"))
    )
    picture = (
        f'<w:r><w:pict><w:binData w:name="wordml://1.png">{DOT}</w:binData><v:shape alt="A dot">'
        '<v:imagedata src="wordml://1.png"/></v:shape></w:pict></w:r>'
    )
    tree = read_tree(word_2003(f"<w:tbl>{rows}</w:tbl>{paragraph(picture)}"))
    (table,) = of_type(tree, BlockType.TABLE)
    assert rows_of(table) == [["A", "B"], ["C"]]
    assert "![A dot](image-1.png)" in tree_to_markdown(tree)


def test_broken_word_2003_is_malformed() -> None:
    with pytest.raises(Malformed):
        read_tree(word_2003("<w:p>")[:-30])


def test_word_2003_of_too_many_paragraphs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opc, "MAX_PARAGRAPHS", 3)
    with pytest.raises(ResourceLimit):
        read_tree(word_2003(paragraph(run("x")) * 4))
