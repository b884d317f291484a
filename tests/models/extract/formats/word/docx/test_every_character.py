"""Property: every character of the accepted view is in exactly one block, at any nesting."""

import re
from collections import Counter
from xml.sax.saxutils import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.cdom.tree import Block, BlockType
from tests.models.extract.formats.word.docx.files import cell, item, paragraph, read_blocks, row, table

WORD = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=1, max_size=6).filter(
    lambda text: not re.search("[\ue000-\uf8ff$•☐☑☒\u00ad⁰¹²³⁴⁵⁶⁷⁸⁹]", text)
)
"""Letters without those that the reader writes itself."""

PROPERTIES = st.sampled_from(["", "<w:b/>", "<w:i/>", "<w:vanish/>", "<w:rtl/>"])
NUMBERING = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>'
    '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)
Made = tuple[str, str]
"""XML, and the characters of it that are to be found."""


def as_run(word: str, properties: str) -> Made:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(word)}</w:t></w:r>', word


def boxed(xml: str) -> str:
    return f"<w:r><w:drawing><w:txbxContent>{xml}</w:txbxContent></w:drawing></w:r>"


RUNS = st.builds(as_run, WORD, PROPERTIES)
DELETED = WORD.map(lambda word: (f'<w:del w:id="1"><w:r><w:delText>{escape(word)}</w:delText></w:r></w:del>', ""))
WRAPPED = st.builds(
    lambda made, tag: (f"<w:{tag}>{made[0]}</w:{tag}>", made[1]),
    RUNS,
    st.sampled_from(["ins", "moveTo", "smartTag", "hyperlink", "bdo", "customXml"]),
)
CONTROLS = RUNS.map(lambda made: (f"<w:sdt><w:sdtContent>{made[0]}</w:sdtContent></w:sdt>", made[1]))
BREAKS = st.sampled_from([('<w:r><w:br w:type="page"/></w:r>', ""), ("<w:r><w:tab/></w:r>", "")])
FIELDS = RUNS.map(
    lambda made: (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{made[0]}<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        made[1],
    )
)


def join(parts: list[Made]) -> Made:
    return "".join(xml for xml, _ in parts), "".join(text for _, text in parts)


INLINE = st.lists(st.one_of(RUNS, DELETED, WRAPPED, CONTROLS, BREAKS, FIELDS), max_size=5).map(join)
KINDS = st.sampled_from(["", "Heading1", "Title", "Caption", "SourceCode"])
PARAGRAPHS = st.one_of(
    st.builds(lambda made, kind: (paragraph(style=kind, inside=made[0]), made[1]), INLINE, KINDS),
    WORD.map(lambda word: (item(escape(word), 1), word)),
    st.builds(lambda made: (paragraph(properties='<w:rPr><w:del w:id="9"/></w:rPr>', inside=made[0]), made[1]), INLINE),
)


def tables_of(blocks: st.SearchStrategy[Made]) -> st.SearchStrategy[Made]:
    cells = blocks.map(lambda made: (cell(made[0] + "<w:p/>"), made[1]))
    rows = st.lists(cells, min_size=1, max_size=3).map(join).map(lambda made: (row(made[0]), made[1]))
    return st.lists(rows, min_size=1, max_size=3).map(join).map(lambda made: (table(made[0]), made[1]))


def boxes_of(blocks: st.SearchStrategy[Made]) -> st.SearchStrategy[Made]:
    return st.builds(lambda word, made: (paragraph(escape(word), inside=boxed(made[0])), word + made[1]), WORD, blocks)


BLOCKS = st.lists(
    st.recursive(PARAGRAPHS, lambda inner: st.one_of(tables_of(inner), boxes_of(inner)), max_leaves=6), max_size=6
).map(join)


def printed(blocks: tuple[Block, ...]) -> str:
    """Return all text with nested tables once: their text is in the cell that holds them."""
    by_id = {block.id: block for block in blocks}
    texts = []
    for block in blocks:
        above = by_id.get(block.parent) if block.parent is not None else None
        if block.table is None:
            texts.append(block.text)
        elif above is None or above.type is not BlockType.TABLE:
            texts += [one.text for one in block.table.cells]
    return "".join(texts)


@settings(max_examples=150)
@given(BLOCKS)
def test_every_character_of_the_accepted_view_is_in_exactly_one_block(made: Made) -> None:
    xml, text = made
    blocks = read_blocks(xml, parts={"numbering": NUMBERING})
    assert Counter("".join(printed(blocks).replace("•", "").split())) == Counter(text)
    assert [block.order for block in blocks] == list(range(len(blocks)))
    for block in blocks:
        assert all(0 <= span.start < span.end <= len(block.text) for span in block.spans)
        assert block.bbox is None
