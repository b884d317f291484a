"""Files as other programs write them: variants of formats, odd details, and refusals that name the format."""

import base64
import io
import zipfile

import pytest

from quire.models.cdom.errors import UnsupportedFormat
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.sniffing.signatures import sniff
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts, zipped
from tests.models.extract.formats.common.compound_files import cell as biff_cell
from tests.models.extract.formats.common.compound_files import compound, wide
from tests.models.extract.formats.common.compound_files import workbook as biff
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.rtf.test_rtf import rtf
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, paragraph, shape, slide
from tests.models.extract.formats.word.docx.files import make_docx

STRICT = {
    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main": b"http://purl.oclc.org/ooxml/spreadsheetml/main",
    b"http://schemas.openxmlformats.org/presentationml/2006/main": b"http://purl.oclc.org/ooxml/presentationml/main",
    b"http://schemas.openxmlformats.org/drawingml/2006/main": b"http://purl.oclc.org/ooxml/drawingml/main",
    b"http://schemas.openxmlformats.org/officeDocument/2006/relationships": (
        b"http://purl.oclc.org/ooxml/officeDocument/relationships"
    ),
}
SHEET_XML = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Styles><Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style></Styles>
<Worksheet ss:Name="S1"><Table><Column/><Column ss:Hidden="1"/>
<Row><Cell><Data ss:Type="String">Name</Data></Cell><Cell><Data ss:Type="String">secret</Data></Cell>
<Cell ss:Index="3"><Data ss:Type="Number">5</Data></Cell></Row>
<Row ss:Index="2"><Cell><Data ss:Type="Boolean">1</Data></Cell>
<Cell ss:Index="3" ss:StyleID="d"><Data ss:Type="DateTime">2026-03-04T00:00:00.000</Data></Cell></Row>
</Table></Worksheet></Workbook>"""


def _strict(data: bytes) -> bytes:
    """The package with the namespaces of Strict OOXML."""
    parts: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            part = package.read(name)
            for transitional, strict in STRICT.items():
                part = part.replace(transitional, strict)
            parts[name] = part
    return zipped(parts)


def _flat(data: bytes) -> bytes:
    """The package as one text of XML."""
    out = '<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">'
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            content = base64.b64encode(package.read(name)).decode()
            out += f'<pkg:part pkg:name="/{name}"><pkg:binaryData>{content}</pkg:binaryData></pkg:part>'
    return (out + "</pkg:package>").encode()


BOOK = workbook(sheet(f'<row r="1">{text_cell("A1", "strict words")}{number_cell("B1", 7)}</row>'))
DECK = deck(slide(shape(paragraph("strict slide"))))


@pytest.mark.parametrize("change", [_strict, _flat], ids=["strict", "flat"])
def test_variants_of_office_packages_are_read_like_the_usual_form(change: object) -> None:
    assert callable(change)
    book, slides = read_tree(change(BOOK)), read_tree(change(DECK))
    assert rows_of(of_type(book, BlockType.TABLE)[0]) == [["strict words", "7"]]
    assert book.coverage is not None
    assert book.coverage.complete
    assert "strict slide" in texts(slides)


def test_spreadsheet_xml_is_read_as_a_workbook() -> None:
    tree = read_tree(SHEET_XML.encode())
    shown, hidden = of_type(tree, BlockType.TABLE)
    assert tree.source.format == "xls"
    assert rows_of(shown) == [["Name", "5"], ["TRUE", "2026-03-04"]]
    assert rows_of(hidden) == [["secret"]]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_workbook_with_an_embedded_word_object_is_a_workbook() -> None:
    book = biff({"S": [biff_cell(0x204, 0, 0, wide("cell"))]})
    data = compound({("WORKBOOK",): book, ("MBD01", "WordDocument"): b"x" * 600})
    tree = read_tree(data)
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["cell"]]
    assert "embedded-object" in [warning.code for warning in tree.warnings]


def test_external_document_type_is_skipped() -> None:
    manifest = '<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><manifest/>'
    data = opendocument("text", "<text:p>old</text:p>", **{"META-INF/manifest.xml": manifest})
    assert texts(read_tree(data)) == ["old"]


MAILBOX = (
    b"From a@example.org Mon Jan  5 09:00:00 2026\nFrom: a@example.org\nSubject: one\n\nbody\n>From here\n\n"
    b"From b@example.org Mon Jan  5 10:00:00 2026\nFrom: b@example.org\nTo: c@example.org\n\nsecond\n"
)


def test_mailbox_lists_its_mails_as_members() -> None:
    from quire.models.cdom.original import ReadOptions
    from quire.models.extract.formats.archive import open_mbox

    tree = read_tree(MAILBOX)
    assert (tree.source.format, texts(tree)) == ("mbox", ["1/one.eml", "2/mail-2.eml"])
    first, second = open_mbox(MAILBOX, ReadOptions()).embedded
    assert first.data.endswith(b"\n\nbody\nFrom here\n")
    assert second.data.endswith(b"\n\nsecond\n")


def test_mailbox_of_one_mail_is_a_mail() -> None:
    tree = read_tree(MAILBOX[: MAILBOX.index(b"From b@")])
    assert tree.source.format == "eml"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"Index/Document.iwa": "x", "Metadata/a.plist": "x"}), "Pages, Numbers, Keynote"),
        (zipped({"[Content_Types].xml": "x", "visio/document.xml": "x"}), "Visio"),
        (zipped({"[Content_Types].xml": "x", "FixedDocSeq.fdseq": "x"}), "XPS"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(50), "7z"),
        (compound({("VisioDocument",): b"x" * 600}), "Visio"),
    ],
)
def test_refusal_names_the_format_and_gives_advice(data: bytes, words: str) -> None:
    with pytest.raises(UnsupportedFormat, match=rf"{words}.* is not read; (?:export|save|convert|unpack|send)"):
        sniff(data)


def test_formula_without_a_value_shows_the_formula_and_warns() -> None:
    rows = '<row r="1"><c r="A1"><f>B1*2</f><v></v></c><c r="B1" t="str"><f>"x"</f><v></v></c></row>'
    tree = read_tree(workbook(sheet(rows)))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["=B1*2"]]
    assert "formula-without-value" in [warning.code for warning in tree.warnings]


def test_excel_separator_line_is_an_instruction() -> None:
    tree = read_tree(b"sep=;\r\nA;B\r\n1;2\r\n")
    table = of_type(tree, BlockType.TABLE)[0]
    assert (rows_of(table), table.provenance.path) == ([["A", "B"], ["1", "2"]], "lines 2-3")


def test_lettered_list_counts_past_h_in_markdown() -> None:
    page = f"<html><body><ol type=a>{'<li>x</li>' * 11}</ol></body></html>"
    lines = [line for line in tree_to_markdown(read_tree(page.encode())).splitlines() if line]
    assert [line.partition(".")[0] for line in lines] == [str(number) for number in range(1, 12)]


def test_reversed_list_counts_down() -> None:
    page = "<html><body><ol reversed><li>a</li><li>b</li></ol></body></html>"
    assert texts(read_tree(page.encode())) == ["2. a", "1. b"]


def test_text_after_the_end_of_a_page_belongs_to_its_body() -> None:
    tree = read_tree(b"<html><body><p>in</p></body></html><p>after</p>")
    assert texts(tree) == ["in", "after"]


def test_chosen_options_are_text_and_others_are_not() -> None:
    page = b"<html><body><p>Country <select><option>France<option selected>Spain</select></p></body></html>"
    assert texts(read_tree(page)) == ["Country Spain"]


def test_struck_text_is_marked_in_markdown() -> None:
    tree = read_tree(b"<html><body><p>now 5 <del>was 9</del></p></body></html>")
    assert texts(tree) == ["now 5 was 9"]
    assert tree_to_markdown(tree).strip() == "now 5 ~~was 9~~"


def test_markdown_footnotes_and_tasks_are_read() -> None:
    text = "# H\n\nsaid[^n] `[^n]`\n\n[^n]: the *note*\n    goes on\n\n- [x] done\n- [ ] open\n\n```\n[^n]: code\n```\n"
    tree = read_tree(text.encode())
    assert texts(tree, BlockType.PARAGRAPH) == ["saidⁿ [^n]"]
    assert texts(tree, BlockType.FOOTNOTE) == ["n the note\ngoes on"]
    assert texts(tree, BlockType.CHECKBOX) == ["☑ done", "☐ open"]
    assert texts(tree, BlockType.CODE) == ["[^n]: code"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_text_box_of_rich_text_is_a_block_without_its_properties() -> None:
    box = rb"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt \pard Boxed\par}}{\shprslt fallback}}"
    tree = read_tree(rb"{\rtf1\ansi Before" + box + rb" after\par}")
    assert texts(tree) == ["Boxed", "Before after"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_unicode_form_of_rich_text_is_read() -> None:
    tree = read_tree(rb"{\rtf1\ansi a {\upr{plain}{\*\ud{\u1087?}}} b\par}")
    assert texts(tree) == ["a п b"]


def test_pictures_in_a_flat_document_are_not_text() -> None:
    text = opendocument("text", "<text:p>said</text:p>")
    with zipfile.ZipFile(io.BytesIO(text)) as package:
        content = package.read("content.xml").decode()
    flat = content.replace("office:document-content", "office:document").replace(
        "<office:document ", '<office:document office:mimetype="application/vnd.oasis.opendocument.text" ', 1
    )
    picture = "<draw:frame><draw:image><office:binary-data>aGVsbG8=</office:binary-data></draw:image></draw:frame>"
    tree = read_tree(flat.replace("</text:p>", f"{picture}</text:p>").encode())
    assert texts(tree, BlockType.PARAGRAPH) == ["said"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_controls_of_a_form_do_not_run_together() -> None:
    page = b"<p>Name<input value=Ann><input type=checkbox checked>yes<select><option selected>Spain</select>Land</p>"
    assert texts(read_tree(page)) == ["Name Ann ☑ yes Spain Land"]
    control = "<w:sdt><w:sdtPr>{1}</w:sdtPr><w:sdtContent><w:r><w:t>{0}</w:t></w:r></w:sdtContent></w:sdt>"
    check = '<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>'
    controls = control.format("Ann", "") + control.format("☒", check) + control.format("Spain", "")
    assert texts(read_tree(make_docx(f"<w:p>{controls}</w:p>"))) == ["Ann ☒ Spain"]


def test_ruby_of_rich_text_keeps_its_reading() -> None:
    field = r"{\field{\*\fldinst {EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(}{kana}{),kanji)}}{\fldrslt }}"
    assert texts(read_tree(rtf(rf"a {field} b\par"))) == ["a kanji(kana) b"]


def test_link_in_nested_groups_of_rich_text_is_kept() -> None:
    field = r'{\field{\*\fldinst {\rtlch HYPERLINK "http://x.org/"}}{\fldrslt {here}}}'
    spans = read_tree(rtf(rf"{field}\par")).blocks[0].spans
    assert [span.href for span in spans] == ["http://x.org/"]


def test_ascii_alternative_of_rich_text_is_not_lost() -> None:
    coverage = read_tree(rtf(r"{\upr{ascii}{\*\ud{unicode \u8364?}}}\par")).coverage
    assert coverage is not None
    assert coverage.complete


def _in_folders(data: bytes, folders: dict[str, str]) -> bytes:
    """The package with other names of its folders."""
    parts: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            part = package.read(name)
            for old, new in folders.items():
                name, part = name.replace(old, new), part.replace(old.encode(), new.encode())
            parts[name] = part
    return zipped(parts)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (_in_folders(DECK, {"ppt/": "deck/", "slides/slide": "pages/p"}), "strict slide"),
        (_in_folders(BOOK, {"xl/": "book/", "worksheets/": "pages/"}), "strict words"),
    ],
    ids=["deck", "workbook"],
)
def test_main_parts_in_other_folders_are_read_and_counted(data: bytes, word: str) -> None:
    tree = read_tree(data)
    assert word in tree_to_markdown(tree)
    assert tree.coverage is not None
    assert tree.coverage.complete
    assert tree.coverage.characters.painted >= len(word.replace(" ", ""))


def test_picture_inside_a_tag_of_markdown_is_no_lost_text() -> None:
    picture = f'<img src="data:image/png;base64,{"iVBORw0KGgo" * 200}">'
    coverage = read_tree(f"# Title\n\n{picture}\n\nwords\n".encode()).coverage
    assert coverage is not None
    assert coverage.complete


def test_letters_after_z_keep_counting() -> None:
    items = "".join(f"<li>item {number}</li>" for number in range(1, 31))
    markdown = tree_to_markdown(read_tree(f"<ol type=a>{items}</ol>".encode()))
    assert [f"{number}. item {number}" for number in range(26, 31)] == markdown.strip().split("\n")[25:]


def test_fields_that_show_nothing_are_not_text() -> None:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    name = '<w:r><w:instrText xml:space="preserve"> SET A "b" </w:instrText></w:r>'
    body = mark("begin") + name + mark("separate") + "<w:r><w:t>unseen</w:t></w:r>" + mark("end")
    tree = read_tree(make_docx(f"<w:p><w:r><w:t>seen</w:t></w:r>{body}</w:p>"))
    assert texts(tree) == ["seen"]
    assert tree.coverage is not None
    assert tree.coverage.complete
