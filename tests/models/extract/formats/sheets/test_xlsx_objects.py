"""Objects over and around the cells of a sheet, cell types, and the same in OpenDocument sheets."""

from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.image.pictures import corner, encode
from tests.models.extract.formats.opendocument.test_odf import NAMES, opendocument
from tests.models.extract.formats.sheets.workbooks import R, S, relations, sheet, text_cell, workbook

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
THREADED = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
RELS = "xl/worksheets/_rels/sheet1.xml.rels"
NAMESPACES = f'xmlns:xdr="{XDR}" xmlns:a="{A}" xmlns:c="{C}" xmlns:r="{R}"'
PNG = encode(corner(), "PNG")
CELL = f"<row>{text_cell('A1', 'x')}</row>"
CHART = (
    f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser>'
    '<c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>7</c:v></c:pt></c:val>'
    "</c:ser></c:chartSpace>"
)


def _drawn(anchors: str, *targets: tuple[str, str, str], outside: str = "") -> Tree:
    """Make a sheet of one cell with a drawing over it, next to a picture and a chart."""
    more: dict[str, str | bytes] = {
        RELS: relations(("d", "drawing", "../drawings/d.xml")),
        "xl/drawings/d.xml": f"<xdr:wsDr {NAMESPACES}>{anchors}</xdr:wsDr>",
        "xl/drawings/_rels/d.xml.rels": relations(*targets).replace("</Rel", f"{outside}</Rel"),
    }
    return read_tree(workbook(sheet(CELL), more=more | {"xl/media/a.png": PNG, "xl/charts/c.xml": CHART}))


def _anchor(content: str, row: int = 4, col: int = 2) -> str:
    place = f"<xdr:from><xdr:col>{col}</xdr:col><xdr:row>{row}</xdr:row></xdr:from>"
    name = '<xdr:cNvPr id="1" name="x" descr="A ship"/>'
    return f"<xdr:oneCellAnchor>{place}<xdr:pic>{name}{content}</xdr:pic></xdr:oneCellAnchor>"


def test_pictures_charts_and_text_boxes_stand_where_they_are_anchored() -> None:
    box = "<xdr:txBody><a:p><a:r><a:t>Read </a:t></a:r><a:r><a:t>me</a:t></a:r></a:p><a:p/></xdr:txBody>"
    anchors = _anchor('<a:blip r:embed="i"/>') + _anchor('<c:chart r:id="c"/>', row=9) + _anchor(box, row=20)
    tree = _drawn(anchors + "<xdr:other/>", ("i", "image", "../media/a.png"), ("c", "chart", "../charts/c.xml"))
    assert texts(tree, BlockType.PICTURE, BlockType.CAPTION) == ["A ship", "Sales", ""]
    assert rows_of(of_type(tree, BlockType.PICTURE)[1]) == [["", ""], ["Q1", "7"]]
    assert "Read me" in texts(tree)


def test_a_picture_elsewhere_is_named_and_not_fetched() -> None:
    outside = f'<Relationship Id="o" Type="{R}/image" Target="http://example.com/a.png" TargetMode="External"/>'
    tree = _drawn(_anchor('<a:blip r:link="o"/>'), outside=outside)
    assert (texts(tree, BlockType.PICTURE), [warning.code for warning in tree.warnings]) == (
        ["A ship"],
        ["external-image"],
    )


def test_broken_parts_of_a_sheet_are_left_out_with_a_warning() -> None:
    more: dict[str, str | bytes] = {
        RELS: relations(("c", "comments", "../comments1.xml"), ("d", "drawing", "../drawings/d.xml")),
        "xl/comments1.xml": "<broken",
        "xl/drawings/d.xml": f'<xdr:wsDr xmlns:xdr="{XDR}"/>',
        "xl/drawings/_rels/d.xml.rels": "<broken",
    }
    tree = read_tree(workbook(sheet(CELL), more=more))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["x"]]
    assert {warning.code for warning in tree.warnings} == {"part-unreadable"}


def test_a_thread_of_comments_is_one_note_and_stands_for_its_legacy_twin() -> None:
    threads = "".join(
        f'<threadedComment ref="{place}"><text>{text}</text></threadedComment>'
        for place, text in (("A1", "Why?"), ("A1", "Because."), ("B9", "Later"), ("nowhere", "lost"), ("C1", " "))
    )
    legacy = '<comment ref="A1"><text><t>[Threaded comment]</t></text></comment><comment ref="C3"/>'
    more: dict[str, str | bytes] = {
        RELS: relations(("t", "threadedComment", "../t.xml"), ("c", "comments", "../comments1.xml")),
        "xl/t.xml": f'<ThreadedComments xmlns="{THREADED}">{threads}</ThreadedComments>',
        "xl/comments1.xml": f'<comments xmlns="{S}"><commentList>{legacy}</commentList></comments>',
    }
    notes = of_type(read_tree(workbook(sheet(CELL), more=more)), BlockType.FOOTNOTE)
    assert [(note.text, note.flags, note.provenance.path) for note in notes] == [
        ("Why?\nBecause.", (COMMENT,), "Sheet1!A1"),
        ("Later", (COMMENT,), "Sheet1!B9"),
    ]


def test_a_stated_table_says_which_row_is_its_header() -> None:
    rows = "".join(f"<row>{text_cell(f'A{n}', f'a{n}')}{text_cell(f'B{n}', f'b{n}')}</row>" for n in (1, 2))
    more: dict[str, str | bytes] = {
        RELS: relations(("t", "table", "../tables/t.xml")),
        "xl/tables/t.xml": f'<table xmlns="{S}" ref="A1:B2"/>',
    }
    table = of_type(read_tree(workbook(sheet(rows), more=more)), BlockType.TABLE)[0].table
    assert table is not None
    assert [cell.header for cell in table.cells] == [True, True, False, False]


def test_cells_of_every_kind_show_their_displayed_text() -> None:
    kinds = [
        ("b", "0", "FALSE"), ("e", "#DIV/0!", "#DIV/0!"), ("str", "a_x000D__x0041_b_xZ", "a\rAb_xZ"),
        ("n", "words", "words"), ("n", "inf", "inf"), ("s", "0", "shared reading"), ("s", "9", ""),
        ("d", "2026-03-04T00:00:00Z", "2026-03-04T00:00:00Z"), ("d", "soon", "soon"), ("n", "", ""),
    ]  # fmt: skip
    cells = "".join(f'<c t="{kind}"><v>{value}</v></c>' for kind, value, _ in kinds)
    dated = '<c t="d" s="1"><v>2026-03-04T00:00:00</v></c>'
    strings = f'<sst xmlns="{S}"><si><r><t>shared </t></r><r><t>reading</t></r><rPh><t>aid</t></rPh></si></sst>'
    more: dict[str, str | bytes] = {
        "xl/_rels/workbook.xml.rels": relations(
            ("r1", "worksheet", "worksheets/sheet1.xml"), ("s", "sharedStrings", "sharedStrings.xml"),
            ("rs", "styles", "styles.xml"),
        ),
        "xl/sharedStrings.xml": strings,
    }  # fmt: skip
    tree = read_tree(workbook(sheet(f"<row>{cells}{dated}</row>"), codes=("dd/mm/yyyy",), more=more))
    shown = [text.replace("\n", "\r") for text in rows_of(of_type(tree, BlockType.TABLE)[0])[0]]
    assert shown == [*(text for _, _, text in kinds), "04/03/2026"]


def test_heights_widths_and_places_that_make_no_sense_are_passed_over() -> None:
    before = (
        '<sheetFormatPr defaultRowHeight="10" defaultColWidth="20"/>'
        '<cols><col min="9" max="2"/><col min="1" max="1" width="10"/><col min="2" max="16384" width="8"/></cols>'
    )
    rows = f'<row ht="30">{text_cell("A1", "a")}</row><row ht="-4">{text_cell("A2", "b")}</row>'
    rows += f"<row>{text_cell('ZZZZ1', 'out')}{text_cell('A99999999', 'out')}</row>"
    merges = '<mergeCells><mergeCell ref="A1:A1"/><mergeCell ref="??"/></mergeCells>'
    table = of_type(read_tree(workbook(sheet(rows, before=before, after=merges))), BlockType.TABLE)[0]
    assert (rows_of(table), table.bbox and table.bbox[3] - table.bbox[1]) == ([["a"], ["b"]], 40.0)


NAMED = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def _cells(*texts: str, attributes: str = "") -> str:
    return "".join(f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>" for text in texts)


def test_an_opendocument_sheet_has_its_columns_groups_notes_and_pictures() -> None:
    styles = (
        '<style:style style:name="w"><style:table-column-properties style:column-width="1in"/></style:style>'
        '<style:style style:name="h"><style:table-row-properties style:row-height="1in"/></style:style>'
    )
    column = "<table:table-column {}/>"
    columns = column.format('table:style-name="w"') + column.format('table:visibility="collapse"')
    columns += column.format('table:number-columns-repeated="16383"')
    head = f"<table:table-row>{_cells('Item', 'Secret')}</table:table-row>"
    head = f"<table:table-header-rows>{head}</table:table-header-rows>"
    note = "<office:annotation><text:p>check</text:p></office:annotation>"
    image = f'<draw:frame {NAMED}><svg:title>A ship</svg:title><draw:image xlink:href="./Pictures/a.png"/></draw:frame>'
    body = f"<table:table-cell><text:p>Tea</text:p>{note}{image}</table:table-cell>"
    group = (
        f'<table:table-row-group><table:table-row table:style-name="h">{body}</table:table-row></table:table-row-group>'
    )
    far = f'<table:shapes><draw:frame {NAMED}><draw:image xlink:href="http://example.com/b.png"/></draw:frame></table:shapes>'
    data = opendocument("spreadsheet", f'<table:table table:name="S">{columns}{head}{group}{far}</table:table>', styles)
    tree = read_tree(data)
    table = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(table)[1][:1] == ["Tea"]
    assert table.bbox is not None
    assert table.bbox[3] - table.bbox[1] > 72
    assert [(note.text, note.flags) for note in of_type(tree, BlockType.FOOTNOTE)] == [("check", (COMMENT,))]
    assert texts(tree, BlockType.PICTURE) == ["A ship"]
    assert any(HIDDEN_TEXT in block.flags for block in tree.blocks)


def test_opendocument_chart_over_sheet_is_table_with_its_title() -> None:
    frame = f'<draw:frame {NAMED}><draw:object xlink:href="./Chart"/><draw:image xlink:href="./x.png"/></draw:frame>'
    values = (
        f"<table:table-row>{_cells('', '2025')}</table:table-row><table:table-row>{_cells('Q1', '7')}</table:table-row>"
    )
    names = 'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"'
    title = "<chart:title><text:p>Sales</text:p></chart:title>"
    chart = f"<chart:chart>{title}<table:table>{values}</table:table></chart:chart>"
    content = f"<office:document-content {NAMES} {names}><office:body>{chart}</office:body></office:document-content>"
    body = f"<table:table><table:table-row><table:table-cell>{frame}</table:table-cell></table:table-row></table:table>"
    tree = read_tree(opendocument("spreadsheet", body, **{"Chart/content.xml": content}))
    assert "Sales" in texts(tree)
    assert [rows_of(block) for block in of_type(tree, BlockType.PICTURE)] == [[["", "2025"], ["Q1", "7"]]]
