"""Files of every format that can hide content: `open` is shown, `secret` is hidden."""

import struct

from tests.models.extract.formats.common.compound_files import cell as biff_cell
from tests.models.extract.formats.common.compound_files import record as biff_record
from tests.models.extract.formats.common.compound_files import wide, xls
from tests.models.extract.formats.common.compound_files import workbook as biff
from tests.models.extract.formats.opendocument.test_odf import ITEM, book, opendocument
from tests.models.extract.formats.rtf.test_rtf import rtf
from tests.models.extract.formats.sheets.workbooks import relations, sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import NAMES, deck, paragraph, shape, slide
from tests.models.extract.formats.slides.ppt_decks import OTHER, Slide, ppt, record
from tests.models.extract.formats.slides.ppt_decks import shape as old_shape
from tests.models.extract.formats.slides.ppt_decks import text as old_text
from tests.models.extract.formats.word.doc.words import sprm, word
from tests.models.extract.formats.word.docx.files import make_docx
from tests.models.extract.formats.word.docx.files import paragraph as word_paragraph
from tests.models.extract.formats.word.docx.test_inline import run
from tests.packages.formats import test_xlsb as binary

OPEN = "open"
SECRET = "secret"


def grid(columns: str, rows: range, hidden: tuple[str, int], extra: str) -> str:
    """Rows of cells; those of the hidden column and row hold the secret word."""
    lines = []
    for row in rows:
        cells = "".join(
            text_cell(f"{column}{row}", f"{SECRET if column == hidden[0] or row == hidden[1] else OPEN}{column}{row}")
            for column in columns
        )
        lines.append(f'<row r="{row}" {extra if row == hidden[1] else ""}>{cells}</row>')
    return "".join(lines)


def _workbook(cols: str, extra: str) -> bytes:
    return workbook(sheet(grid("ABC", range(1, 6), ("B", 3), extra), before=f"<cols>{cols}</cols>"))


ODS_ROWS = "".join(
    f"<table:table-row {more}><table:table-cell><text:p>{word}1</text:p></table:table-cell>"
    f"<table:table-cell><text:p>secret</text:p></table:table-cell>"
    f"<table:table-cell><text:p>{word}2</text:p></table:table-cell></table:table-row>"
    for word, more in ((OPEN, ""), (SECRET, 'table:visibility="collapse"'), (OPEN, ""))
)
ODS = (
    '<table:table table:name="S"><table:table-column/><table:table-column table:visibility="collapse"/>'
    f"<table:table-column/>{ODS_ROWS}</table:table>"
)
ODS_SHEET = (
    '<table:table table:name="S"><table:table-row><table:table-cell><text:p>open</text:p></table:table-cell>'
    '</table:table-row></table:table><table:table table:name="secret" table:style-name="Gone"><table:table-row>'
    "<table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table>"
)
GONE_SHEET = (
    '<style:style style:name="Gone" style:family="table"><style:table-properties table:display="false"/></style:style>'
)
ODT = (
    '<text:p>open1</text:p><text:section text:name="s" text:display="none"><text:p>secret</text:p><text:list>'
    "<text:list-item><text:p>secret</text:p></text:list-item></text:list><table:table><table:table-row>"
    "<table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table></text:section>"
    "<text:p>open2</text:p>"
)
ODT_INLINE = (
    '<text:p>open <text:span text:style-name="Gone">secret</text:span></text:p><text:p>'
    '<text:hidden-paragraph text:is-hidden="true"/>secret</text:p><text:p><draw:frame draw:display="none">'
    "<draw:text-box><text:p>secret</text:p></draw:text-box></draw:frame></text:p><table:table><table:table-row>"
    '<table:table-cell><text:p>open <text:span text:style-name="Gone">secret</text:span></text:p></table:table-cell>'
    "</table:table-row></table:table>"
)
GONE_TEXT = (
    '<style:style style:name="Gone" style:family="text"><style:text-properties text:display="none"/></style:style>'
)
ODP_BOX = "<draw:text-box><text:p>{0}</text:p></draw:text-box>"
ODP = (
    '<draw:page draw:name="page1"><draw:frame presentation:class="title" draw:display="none">'
    f'{ODP_BOX.format(SECRET)}</draw:frame><draw:g draw:display="none"><draw:frame>{ODP_BOX.format(SECRET)}'
    f"</draw:frame></draw:g><draw:frame>{ODP_BOX.format(OPEN)}</draw:frame></draw:page>"
    f'<draw:page draw:name="page2" draw:style-name="Gone"><draw:frame>{ODP_BOX.format(SECRET)}</draw:frame></draw:page>'
)
GONE_SLIDE = (
    '<style:style style:name="Gone" style:family="drawing-page"><style:drawing-page-properties '
    'presentation:visibility="hidden"/></style:style>'
)
HIDDEN_NAME = "<p:cNvPr id='1' name='x' hidden='1'/>"
PPTX_HIDDEN = (
    f"<p:sp><p:nvSpPr>{HIDDEN_NAME}</p:nvSpPr><p:spPr/><p:txBody>{paragraph(SECRET)}</p:txBody></p:sp>"
    f"<p:grpSp><p:nvGrpSpPr>{HIDDEN_NAME}</p:nvGrpSpPr><p:grpSpPr/>{shape(paragraph(SECRET))}</p:grpSp>"
    f"<p:graphicFrame><p:nvGraphicFramePr>{HIDDEN_NAME}</p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tr>"
    f"<a:tc><a:txBody>{paragraph(SECRET)}</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic>"
    "</p:graphicFrame>"
)
DOCX_BOX = (
    '<w:r><w:drawing><wp:anchor><wp:docPr id="1" name="x" {1}/><a:graphic><a:graphicData><wps:wsp><wps:txbx>'
    "<w:txbxContent><w:p><w:r><w:t>{0}</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData>"
    "</a:graphic></wp:anchor></w:drawing></w:r>"
)
DOCX_VML = (
    '<w:r><w:pict><v:shape style="visibility:hidden"><v:textbox><w:txbxContent><w:p><w:r><w:t>secret</w:t></w:r></w:p>'
    '</w:txbxContent></v:textbox></v:shape></w:pict></w:r><w:r><w:pict><v:shape style="visibility: hidden">'
    '<v:textpath string="secret"/></v:shape></w:pict></w:r>'
)
DOCX = (
    word_paragraph(inside=run("open ") + run(SECRET, "<w:vanish/>"))
    + word_paragraph(inside=DOCX_BOX.format(OPEN, "") + DOCX_BOX.format(SECRET, 'hidden="1"') + DOCX_VML)
    + f"<w:tbl><w:tr><w:tc>{word_paragraph(inside=run('open ') + run(SECRET, '<w:vanish/>'))}</w:tc></w:tr></w:tbl>"
)
XDR_BOX = (
    "<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:sp><xdr:nvSpPr><xdr:cNvPr "
    'id="1" name="x" {1}/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>{0}</a:t></a:r></a:p></xdr:txBody></xdr:sp>'
    "</xdr:twoCellAnchor>"
)
XDR = (
    '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    + NAMES + ">" + XDR_BOX.format(OPEN, "") + XDR_BOX.format(SECRET, 'hidden="1"') + "</xdr:wsDr>"
)  # fmt: skip
SHEET_XML = (
    '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
    'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table>'
    '<Column/><Column ss:Hidden="1"/><Row><Cell><Data ss:Type="String">open</Data></Cell>'
    '<Cell><Data ss:Type="String">secret</Data></Cell></Row>'
    '<Row ss:Hidden="1"><Cell><Data ss:Type="String">secret</Data></Cell></Row></Table></Worksheet></Workbook>'
)
HTML = (
    "<html><body><p>open</p><p hidden>secret</p><div style='display: none'>secret<table><tr><td>secret</table></div>"
    "<p>open <span style='visibility:hidden'>secret</span></p><input type=hidden value=secret>"
    "<template>secret</template><script>secret</script><!-- secret --></body></html>"
)
MAIL = b"From: a@example.org\r\nTo: b@example.org\r\nSubject: open\r\n"
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg"><text>open<tspan display="none">secret</tspan></text><g '
    'style="visibility: hidden"><text>secret</text></g><text display="none">secret</text></svg>'
)
OLD_HIDDEN_ROW = biff_record(0x208, struct.pack("<HHHHIHH", 1, 0, 1, 300, 0, 0x20, 0)[:16])
OLD_HIDDEN_COLUMN = biff_record(0x7D, struct.pack("<HHHHHH", 1, 1, 2560, 0, 1, 0))
VISIBILITY = record(0xF122, struct.pack("<HI", 0x03BF, 0x00020002), 1, 3)

HIDDEN = {
    "xlsx": _workbook('<col min="2" max="2" hidden="1"/>', 'hidden="1"'),
    "xlsx-no-size": _workbook('<col min="2" max="2" width="0" customWidth="1"/>', 'ht="0" customHeight="1"'),
    "xlsx-sheet": workbook(
        sheet(f'<row r="1">{text_cell("A1", OPEN)}</row>'),
        sheet(f'<row r="1">{text_cell("A1", SECRET)}</row>'),
        states=("visible", "veryHidden"),
    ),
    "xlsx-shape": workbook(
        sheet(f'<row r="1">{text_cell("A1", OPEN)}</row>', after='<drawing r:id="d1"/>'),
        more={
            "xl/worksheets/_rels/sheet1.xml.rels": relations(("d1", "drawing", "../drawings/drawing1.xml")),
            "xl/drawings/drawing1.xml": XDR,
        },
    ),
    "xlsb": binary.xlsb(
        binary.row(0) + binary.cell(6, 0, binary.text(OPEN))
        + binary.row(1, hidden=True) + binary.cell(6, 0, binary.text(SECRET))
    ),
    "xls": xls(
        biff(
            {
                "open": [
                    OLD_HIDDEN_COLUMN, OLD_HIDDEN_ROW, biff_cell(0x204, 0, 0, wide(OPEN)),
                    biff_cell(0x204, 0, 1, wide(SECRET)), biff_cell(0x204, 1, 0, wide(SECRET)),
                ],
                SECRET: [biff_cell(0x204, 0, 0, wide(SECRET))],
            },
            hidden=(SECRET,),
        )
    ),
    "xls-xml": SHEET_XML.encode(),
    "ods": opendocument("spreadsheet", ODS),
    "ods-sheet": opendocument("spreadsheet", ODS_SHEET, GONE_SHEET),
    "odt": opendocument("text", ODT),
    "odt-inline": opendocument("text", ODT_INLINE, GONE_TEXT),
    "odp": opendocument("presentation", ODP, GONE_SLIDE),
    "docx": make_docx(DOCX),
    "doc": word([("open secret\r", 0, b"")], looks=[(5, 11, sprm(0x083C, b"\x01"))]),
    "rtf": rtf(r"open {\v secret}\par"),
    "pptx": deck(
        slide(shape(paragraph(OPEN)), PPTX_HIDDEN), slide(shape(paragraph(SECRET)), attributes='show="0"')
    ),
    "ppt": ppt(
        Slide([old_shape(old_text(OTHER, OPEN)), old_shape(old_text(OTHER, SECRET), properties=VISIBILITY)]),
        Slide([old_shape(old_text(OTHER, SECRET))], is_hidden=True),
    ),
    "html": HTML.encode(),
    "epub": book('<itemref idref="a"/>', ITEM.format("a"), a=HTML.replace("<input type=hidden value=secret>", "")
                 .replace("<tr><td>secret</table>", "<tr><td>secret</td></tr></table>").replace("<p hidden>",
                 '<p hidden="">')),
    "eml": MAIL + b"Content-Type: text/html\r\n\r\n" + HTML.encode(),
    "mhtml": MAIL + b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="B"\r\n\r\n--B\r\n'
    b"Content-Type: text/html\r\nContent-Location: http://example.org/\r\n\r\n" + HTML.encode() + b"\r\n--B--\r\n",
    "svg": SVG.encode(),
    "markdown": b"# open\n\n<!-- secret -->\n\n<p style='display:none'>secret</p>\n\nopen\n",
    "asciidoc": b"= open\n\nopen\n\n// secret\n\n////\nsecret\n////\n\nopen [.hidden]#open#\n",
}  # fmt: skip
"""A file for each format and way of hiding."""
