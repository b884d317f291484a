"""OpenDocument text, sheets and slides: structure, what is hidden, and files that mean harm."""

import io
import zipfile

import pytest

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.opendocument import open_odt
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts, zipped

NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing"),
        ("svg", "svg-compatible"), ("fo", "xsl-fo-compatible"), ("presentation", "presentation"),
    )
)  # fmt: skip


def opendocument(kind: str, body: str, styles: str = "", **more: str) -> bytes:
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    parts: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content,
        "META-INF/manifest.xml": "<manifest/>",
    }
    return zipped_plain(parts | dict(more))


def zipped_plain(parts: dict[str, str | bytes]) -> bytes:
    """A package whose type is stored as it is, as the standard wants it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts.items():
            how = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            package.writestr(zipfile.ZipInfo(name), content, how)
    return out.getvalue()


def test_headings_paragraphs_and_emphasis() -> None:
    bold = '<style:style style:name="T1"><style:text-properties fo:font-weight="bold"/></style:style>'
    body = (
        '<text:h text:outline-level="2">Top</text:h><text:p>a<text:s text:c="2"/>'
        '<text:span text:style-name="T1">b</text:span></text:p>'
    )
    tree = read_tree(opendocument("text", body, bold))
    assert [(block.type.value, block.text, block.level) for block in tree.blocks] == [
        ("heading", "Top", 2),
        ("paragraph", "a b", None),
    ]
    assert tree.blocks[1].spans[0].bold
    assert tree.blocks[1].provenance.path == "content.xml#2"


def test_lists_are_numbered_as_their_style_says() -> None:
    style = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="a"/>'
        '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    )
    inner = "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>"
    items = (
        f"<text:list-item><text:p>one</text:p>{inner}</text:list-item><text:list-item>"
        "<text:p>two</text:p></text:list-item>"
    )
    tree = read_tree(opendocument("text", f'<text:list text:style-name="L1">{items}</text:list>', style))
    assert [(block.text, block.level) for block in tree.blocks] == [("a. one", 1), ("deep", 2), ("b. two", 1)]


def test_notes_and_comments_are_blocks_of_their_own() -> None:
    note = (
        "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>below</text:p></text:note-body></text:note>"
    )
    comment = "<office:annotation><text:p>check</text:p></office:annotation>"
    tree = read_tree(opendocument("text", f"<text:p>text{note}{comment}</text:p>"))
    assert [(block.text, block.flags) for block in tree.blocks] == [
        ("text¹", ()),
        ("check", (COMMENT,)),
        ("1 below", ()),
    ]


def test_a_page_begins_where_a_style_says_so() -> None:
    style = '<style:style style:name="P1"><style:paragraph-properties fo:break-before="page"/></style:style>'
    tree = read_tree(opendocument("text", '<text:p>one</text:p><text:p text:style-name="P1">two</text:p>', style))
    assert [block.page for block in tree.blocks] == [1, 2]


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def test_tables_keep_spans_and_header_rows() -> None:
    wide = cell("h", 'table:number-columns-spanned="2"') + "<table:covered-table-cell/>"
    head = f"<table:table-header-rows><table:table-row>{wide}</table:table-row></table:table-header-rows>"
    rows = f"<table:table-row>{cell('a')}{cell('b')}</table:table-row>"
    table = of_type(read_tree(opendocument("text", f"<table:table>{head}{rows}</table:table>")), BlockType.TABLE)[0]
    assert rows_of(table) == [["h"], ["a", "b"]]
    assert table.table is not None
    assert (table.table.cells[0].col_span, table.table.cells[0].header) == (2, True)


def test_a_sheet_shows_its_texts_and_repeats_of_nothing_cost_nothing() -> None:
    row = f'<table:table-row>{cell("x")}<table:table-cell table:number-columns-repeated="16383"/></table:table-row>'
    rest = (
        '<table:table-row table:number-rows-repeated="1048575">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    tree = read_tree(opendocument("spreadsheet", f'<table:table table:name="Data">{row}{rest}</table:table>'))
    assert (tree.pages[0].label, texts(tree, BlockType.HEADING)) == ("Data", ["Data"])
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["x"]]


def test_blanks_and_breaks_in_comments_of_cells_are_kept() -> None:
    note = "<office:annotation><text:p>I<text:s/><text:span>really</text:span><text:s/>hope</text:p><text:p>so</text:p>"
    row = cell("x").replace("<text:p>", note + "</office:annotation><text:p>", 1)
    body = f'<table:table table:name="S"><table:table-row>{row}</table:table-row></table:table>'
    tree = read_tree(opendocument("spreadsheet", body))
    assert texts(tree, BlockType.FOOTNOTE) == ["I really hope\nso"]


def test_repeats_of_something_are_a_resource_limit() -> None:
    wide = cell("x", 'table:number-columns-repeated="16384"')
    row = f'<table:table-row table:number-rows-repeated="1048576">{wide}</table:table-row>'
    with pytest.raises(ResourceLimit):
        read_tree(opendocument("spreadsheet", f'<table:table table:name="T">{row}</table:table>'))


def test_hidden_sheets_are_flagged() -> None:
    style = '<style:style style:name="t1"><style:table-properties table:display="false"/></style:style>'
    body = (
        '<table:table table:name="S" table:style-name="t1">'
        f"<table:table-row>{cell('x')}</table:table-row></table:table>"
    )
    assert all(HIDDEN_TEXT in block.flags for block in read_tree(opendocument("spreadsheet", body, style)).blocks)


def test_slides_have_titles_places_and_notes() -> None:
    title = (
        '<draw:frame presentation:class="title" svg:x="1in" svg:y="0in" svg:width="2in" svg:height='
        '"1in"><draw:text-box><text:p>Goals</text:p></draw:text-box></draw:frame>'
    )
    notes = (
        "<presentation:notes><draw:frame><draw:text-box><text:p>Smile</text:p></draw:text-box>"
        "</draw:frame></presentation:notes>"
    )
    tree = read_tree(opendocument("presentation", f"<draw:page>{title}{notes}</draw:page>"))
    assert [(block.type.value, block.text, block.flags) for block in tree.blocks] == [
        ("heading", "Goals", ()),
        ("footnote", "Smile", (SPEAKER_NOTES,)),
    ]
    assert tree.blocks[0].bbox == (72.0, 0.0, 216.0, 72.0)
    assert tree.pages[0].label == "Goals"


def test_blanks_without_number_are_cut() -> None:
    tree = read_tree(opendocument("text", '<text:p>a<text:s text:c="2000000000"/>b</text:p>'))
    assert texts(tree) == ["a b"]


def test_entities_are_malformed_and_leak_nothing() -> None:
    content = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    with pytest.raises(Malformed):
        read_tree(zipped_plain({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}))


def test_an_encrypted_file_says_so() -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry>'
        "<m:encryption-data/></m:file-entry></m:manifest>"
    )
    with pytest.raises(Encrypted):
        read_tree(opendocument("text", "<text:p>x</text:p>", **{"META-INF/manifest.xml": manifest}))


def book(spine: str, items: str, **parts: str) -> bytes:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>B</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="O/b.opf"/></rootfiles></container>'
    )
    pages: dict[str, str | bytes] = {f"O/{name}.xhtml": text for name, text in parts.items()}
    return zipped(pages | {"META-INF/container.xml": container, "O/b.opf": opf})


ITEM = '<item id="{0}" href="{0}.xhtml" media-type="application/xhtml+xml"/>'


def test_book_is_page_for_each_part_of_its_spine() -> None:
    data = book(
        '<itemref idref="b"/><itemref idref="a"/>',
        ITEM.format("a") + ITEM.format("b"),
        a="<html><h1>Two</h1></html>",
        b="<html><p id='x'>One</p></html>",
    )
    tree = read_tree(data)
    assert (tree.source.format, tree.metadata.title) == ("epub", "B")
    assert [(block.text, block.page, block.provenance.path) for block in tree.blocks] == [
        ("One", 1, "O/b.xhtml #x"),
        ("Two", 2, "O/a.xhtml line 1"),
    ]
    assert [page.label for page in tree.pages] == ["b.xhtml", "Two"]


def test_addresses_that_lead_out_of_a_book_are_left_out() -> None:
    items = (
        '<item id="a" href="../../etc/passwd" media-type="text/html"/>'
        '<item id="b" href="http://127.0.0.1/" media-type="text/html"/>'
    )
    tree = read_tree(book('<itemref idref="a"/><itemref idref="b"/>', items))
    assert tree.blocks == ()
    assert [warning.code for warning in tree.warnings] == ["part-unreadable"]


def test_formulas_and_charts_of_objects_are_read_from_their_own_parts() -> None:
    frames = "".join(
        f'<draw:frame><draw:object xlink:href="./{name}"/>'
        f'<draw:image xlink:href="./ObjectReplacements/{name}"/></draw:frame>'
        for name in ("Formula", "Chart", "../../etc")
    )
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>E</mi><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup></math>'
    )
    rows = "".join(
        "<table:table-row>" + "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in row)
        + "</table:table-row>"
        for row in (("", "2025"), ("Q1", "7"))
    )  # fmt: skip
    chart = (
        f'<office:document-content {NAMES} xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><office:body>'
        f"<chart:chart><table:table>{rows}</table:table></chart:chart></office:body></office:document-content>"
    )
    parts = {"Formula/content.xml": math, "Chart/content.xml": chart}
    body = f'<text:p xmlns:xlink="http://www.w3.org/1999/xlink">{frames}</text:p>'
    tree = read_tree(opendocument("text", body, **parts))
    assert texts(tree, BlockType.FORMULA) == ["E = c^{2}"]
    assert rows_of(of_type(tree, BlockType.PICTURE)[0]) == [["", "2025"], ["Q1", "7"]]


def test_a_title_page_that_only_repeats_the_metadata_is_furniture() -> None:
    opf = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://www.idpf.org/2007/opf"><metadata><dc:title>Book'
        '</dc:title></metadata><manifest><item id="t" href="t.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="t"/><itemref idref="c"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    parts: dict[str, str | bytes] = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    parts |= {"b.opf": opf, "t.xhtml": "<html><body><h1>Book</h1></body></html>"}
    parts |= {"c.xhtml": "<html><body><h1>Book</h1><p>Text.</p></body></html>"}
    tree = read_tree(zipped_plain(parts))
    assert [block.type for block in tree.blocks] == [BlockType.PAGE_HEADER, BlockType.HEADING, BlockType.PARAGRAPH]
    assert tree.metadata.title == "Book"


def test_a_slide_without_title_is_headed_by_its_name() -> None:
    frame = "<draw:frame><draw:text-box><text:p>Ropes</text:p></draw:text-box></draw:frame>"
    slides = f'<draw:page draw:name="Agenda">{frame}</draw:page><draw:page draw:name="Empty"/>'
    tree = read_tree(opendocument("presentation", slides))
    assert [(block.type.value, block.text, block.page) for block in tree.blocks] == [
        ("heading", "Agenda", 1),
        ("paragraph", "Ropes", 1),
    ]


@pytest.mark.parametrize("name", ["page3", "Slide 12", "Folie 2", "スライド 1"])
def test_a_name_that_a_program_gave_to_a_slide_is_its_label_and_no_heading(name: str) -> None:
    frame = "<draw:frame><draw:text-box><text:p>Ropes</text:p></draw:text-box></draw:frame>"
    tree = read_tree(opendocument("presentation", f'<draw:page draw:name="{name}">{frame}</draw:page>'))
    assert [(block.type.value, block.text) for block in tree.blocks] == [("paragraph", "Ropes")]
    assert tree.pages[0].label == name


FLAT = (
    '<?xml version="1.0"?><office:document {} office:mimetype="application/vnd.oasis.opendocument.{}">{}{}'
    "</office:document>"
)


@pytest.mark.parametrize(
    ("kind", "format_", "body"),
    [
        ("text", "odt", '<text:h text:outline-level="1">Head</text:h><text:p>words</text:p>'),
        ("spreadsheet", "ods", f'<table:table table:name="Head"><table:table-row>{cell("words")}'
                               "</table:table-row></table:table>"),
        ("presentation", "odp", '<draw:page draw:name="Head"><draw:frame><draw:text-box><text:p>words</text:p>'
                                "</draw:text-box></draw:frame></draw:page>"),
    ],
)  # fmt: skip
def test_open_document_in_one_file_of_xml_is_read_as_its_package_is(kind: str, format_: str, body: str) -> None:
    meta = '<office:meta xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>T</dc:title></office:meta>'
    inside = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    flat = read_tree(FLAT.format(NAMES, kind, meta, inside).encode())
    packed = read_tree(opendocument(kind, body))
    assert (flat.source.format, flat.metadata.title) == (format_, "T")
    assert (flat.blocks, flat.pages) == (packed.blocks, packed.pages)
    assert flat.coverage is not None
    assert flat.coverage.complete


def test_a_flat_file_with_a_document_type_is_malformed() -> None:
    text = FLAT.format(NAMES, "text", "", "").replace("<office:document", "<!DOCTYPE x><office:document", 1)
    with pytest.raises(Malformed):
        open_odt(text.encode(), ReadOptions())


def test_items_numbered_in_no_form_are_paragraphs() -> None:
    style = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format=""/>'
        "</text:list-style>"
    )
    items = "<text:list-item><text:p>one</text:p></text:list-item>"
    tree = read_tree(opendocument("text", f'<text:list text:style-name="L1">{items}</text:list>', style))
    assert [(block.type.value, block.text) for block in tree.blocks] == [("paragraph", "one")]


def test_picture_before_words_of_its_paragraph_stands_before_them() -> None:
    picture = (
        '<draw:frame><draw:image xlink:href="Pictures/a.png" xmlns:xlink="http://www.w3.org/1999/xlink"/></draw:frame>'
    )
    tree = read_tree(opendocument("text", f"<text:p>{picture}Figure 1</text:p><text:p>Then {picture}</text:p>"))
    assert [block.type.value for block in tree.blocks] == ["picture", "paragraph", "paragraph", "picture"]
