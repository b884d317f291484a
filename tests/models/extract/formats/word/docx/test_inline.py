"""Runs, links, fields, symbols, content controls, tracked changes: the text of a paragraph and its spans."""

import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Span
from quire.models.extract.formats.word.docx.fields import clean_href, field_href
from quire.models.extract.text_quality.symbol_fonts import decode_symbols, symbol_text
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, read_blocks, read_tree, shape, style


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def char(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def instruction(text: str) -> str:
    return f"<w:r><w:instrText>{text}</w:instrText></w:r>"


def field(code: str, result: str) -> str:
    return char("begin") + instruction(code) + char("separate") + result + char("end")


def only_text(inside: str) -> str:
    (block,) = read_blocks(paragraph(inside=inside))
    return block.text


def test_bold_and_italic_stretches_are_spans() -> None:
    (block,) = read_blocks(paragraph(inside=run("a ") + run("b", "<w:b/>") + run("c", "<w:b/><w:i/>") + run(" d")))
    assert block.text == "a bc d"
    assert block.spans == (Span(start=2, end=3, bold=True), Span(start=3, end=4, bold=True, italic=True))


def test_neighbouring_runs_of_one_look_are_one_span_and_outer_space_is_cut() -> None:
    (block,) = read_blocks(paragraph(inside=run("  a", "<w:b/>") + run("b  ", "<w:b/>")))
    assert (block.text, block.spans) == ("ab", (Span(start=0, end=2, bold=True),))


def test_bold_of_the_paragraph_style_and_of_the_character_style_cancel_out() -> None:
    styles = style("Strong", "Strong", run="<w:b/>", kind="character") + style("P", "Bold Text", run="<w:b/>")
    inside = run("a") + run("b", '<w:rStyle w:val="Strong"/>') + run("c", '<w:b w:val="0"/>')
    (block,) = read_blocks(paragraph(style="P", inside=inside), parts={"styles": styles})
    assert block.spans == (Span(start=0, end=1, bold=True),)


def test_bold_of_a_heading_style_is_not_a_span() -> None:
    styles = style("H", "heading 1", run="<w:b/>")
    assert read_blocks(paragraph("A", style="H"), parts={"styles": styles})[0].spans == ()


def test_a_code_character_style_is_a_code_span() -> None:
    styles = style("V", "Verbatim Char", kind="character")
    (block,) = read_blocks(paragraph(inside=run("a ") + run("x=1", '<w:rStyle w:val="V"/>')), parts={"styles": styles})
    assert block.spans == (Span(start=2, end=5, code=True),)


def test_hidden_runs_are_a_flagged_block_of_their_own() -> None:
    blocks = read_blocks(paragraph(inside=run("seen ") + run("secret", "<w:vanish/>") + run("again")))
    assert shape(blocks) == [(BlockType.PARAGRAPH, None, "seen again"), (BlockType.PARAGRAPH, None, "secret")]
    assert (blocks[1].flags, blocks[1].parent) == ((HIDDEN_TEXT,), blocks[0].id)


def test_tabs_breaks_and_special_hyphens_are_characters() -> None:
    inside = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>"
    assert only_text(inside + "<w:t>e\u00adf</w:t><w:cr/><w:t>g</w:t></w:r>") == "a\tb\nc\u2011def\ng"


def test_a_link_keeps_its_target_and_anchor() -> None:
    link = f'<w:hyperlink r:id="l1" w:anchor="part">{run("here")}</w:hyperlink>'
    inner = f'<w:hyperlink w:anchor="place">{run("there")}</w:hyperlink>'
    named = '<w:bookmarkStart w:id="1" w:name="place"/>'
    data = make_docx(
        paragraph(inside=link + run(" ") + inner) + paragraph("there", inside=named),
        relations=[("l1", "hyperlink", "https://example.org/a")],
    )
    block, target = read_tree(data).blocks
    assert [span.href for span in block.spans] == ["https://example.org/a#part", f"#{target.id}"]


def test_a_link_of_a_forbidden_scheme_is_only_text() -> None:
    link = f'<w:hyperlink r:id="l1">{run("run me")}</w:hyperlink>'
    data = make_docx(paragraph(inside=link), relations=[("l1", "hyperlink", "file://server/share/x.exe")])
    assert [(block.text, block.spans) for block in read_tree(data).blocks] == [("run me", ())]


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("https://example.org", "https://example.org"),
        ("HTTP://EXAMPLE.ORG", "HTTP://EXAMPLE.ORG"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("#x", "#x"),
        ("#", None),
        ("javascript:alert(1)", None),
        ("java\tscript:alert(1)", None),
        ("\u2028javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/hosts", None),
        ("\\\\server\\share", None),
        ("", None),
    ],
)
def test_only_allowed_schemes_are_links(target: str, href: str | None) -> None:
    assert clean_href(target) == href


@pytest.mark.parametrize(
    ("instruction_text", "href"),
    [
        (' HYPERLINK "https://example.org/?a=1&b=2" \\o "tip" ', "https://example.org/?a=1&b=2"),
        (' hyperlink \\l "mark" ', "#mark"),
        (' HYPERLINK "https://example.org" \\l "mark"', "https://example.org#mark"),
        (" PAGEREF _Toc1 \\h ", "#_Toc1"),
        (" PAGEREF _Toc1 ", None),
        (' HYPERLINK "javascript:x" ', None),
        (" HYPERLINK ", None),
        ("", None),
        (" DATE ", None),
    ],
)
def test_field_instruction_holds_the_link_target(instruction_text: str, href: str | None) -> None:
    assert field_href(instruction_text) == href


def test_a_field_shows_its_result_and_never_its_code() -> None:
    (block,) = read_blocks(paragraph(inside=field(' HYPERLINK "https://example.org" ', run("shown")) + run(" after")))
    assert block.text == "shown after"
    assert block.spans == (Span(start=0, end=5, href="https://example.org"),)


def test_field_in_a_field_code_is_hidden_and_field_in_its_result_visible() -> None:
    code = char("begin") + instruction(" HYPERLINK ") + field(" DATE ", run("unseen")) + char("separate")
    assert only_text(code + run("a ") + field(" PAGE ", run("7")) + char("end")) == "a 7"


def test_a_field_may_span_paragraphs() -> None:
    first = paragraph(inside=char("begin") + instruction(" TOC ") + char("separate") + run("one"))
    blocks = read_blocks(first + paragraph("two", inside=char("end")))
    assert [block.text for block in blocks] == ["one", "two"]


def test_a_field_that_never_ends_swallows_nothing() -> None:
    blocks = read_blocks(paragraph(inside=char("begin") + instruction(" X ") + run("a")) + paragraph("b"))
    assert [block.text for block in blocks] == ["a", "b"]


def test_field_from_outside_shows_its_stored_result_with_warning() -> None:
    tree = read_tree(make_docx(paragraph(inside=field(' INCLUDETEXT "http://10.0.0.1/x" ', run("stored")))))
    assert [block.text for block in tree.blocks] == ["stored"]
    assert [warning.code for warning in tree.warnings] == ["external-field"]


def test_insertions_stand_and_deletions_are_gone() -> None:
    inside = (
        run("a ")
        + f'<w:ins w:id="1" w:author="x">{run("new ")}</w:ins>'
        + '<w:del w:id="2" w:author="x"><w:r><w:delText>old </w:delText></w:r></w:del>'
        + f'<w:moveFrom w:id="3" w:author="x">{run("from ")}</w:moveFrom>'
        + f'<w:moveTo w:id="4" w:author="x">{run("to")}</w:moveTo>'
    )
    tree = read_tree(make_docx(paragraph(inside=inside)))
    assert [block.text for block in tree.blocks] == ["a new to"]
    assert [warning.code for warning in tree.warnings] == ["tracked-changes"]


def test_wrappers_around_runs_are_looked_through() -> None:
    wrapped = f"<w:smartTag>{run('a')}</w:smartTag><w:sdt><w:sdtContent>{run('b')}</w:sdtContent></w:sdt>"
    more = f"<w:customXml>{run('c')}</w:customXml><w:bdo w:val='rtl'>{run('d')}</w:bdo>"
    assert only_text(wrapped + more + f"<w:fldSimple w:instr=' PAGE '>{run('e')}</w:fldSimple>") == "abcde"


def test_ruby_is_the_base_with_its_reading_in_brackets() -> None:
    ruby = f"<w:r><w:ruby><w:rt>{run('かん')}</w:rt><w:rubyBase>{run('漢')}</w:rubyBase></w:ruby></w:r>"
    assert only_text(ruby) == "漢(かん)"


def test_a_checkbox_control_before_text_makes_a_checkbox_block() -> None:
    control = '<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{}"/></w14:checkbox></w:sdtPr><w:sdtContent>{}'
    on = control.format(1, run("☒")) + "</w:sdtContent></w:sdt>"
    off = control.format(0, "") + "</w:sdtContent></w:sdt>"
    blocks = read_blocks(paragraph(inside=on + run(" yes")) + paragraph(inside=off + run(" no")))
    assert shape(blocks) == [(BlockType.CHECKBOX, None, "☒ yes"), (BlockType.CHECKBOX, None, "☐ no")]


def test_legacy_form_fields_show_their_value() -> None:
    box = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData>'
    choice = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/>'
    inside = box + "</w:fldChar></w:r>" + instruction(" FORMCHECKBOX ") + char("end") + run(" paid ")
    inside += choice + '<w:listEntry w:val="blue"/></w:ddList></w:ffData></w:fldChar></w:r>' + char("end")
    assert shape(read_blocks(paragraph(inside=inside))) == [(BlockType.CHECKBOX, None, "☒ paid blue")]


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [
        ("Symbol", "F061", "α"),
        ("Symbol", "00DA", "∨"),
        ("Symbol", "F028", "("),
        ("Wingdings", "F0FE", "☑"),
        ("Wingdings", "F04B", "\ufffd"),
        ("Arial", "0041", "A"),
        ("Arial", "zz", ""),
        ("Arial", "D800", ""),
    ],
)
def test_symbol_fonts_are_unicode(font: str, code: str, text: str) -> None:
    assert symbol_text(font, code) == text


def test_private_characters_of_a_symbol_run_are_decoded() -> None:
    assert decode_symbols("a\uf0b7b", "Symbol") == "a•b"
    assert only_text(run("\uf0fe", '<w:rFonts w:ascii="Wingdings"/>')) == "☑"


def test_right_to_left_text_stays_in_logical_order() -> None:
    assert only_text(run("שלום", "<w:rtl/>") + run(" 12")) == "שלום 12"
