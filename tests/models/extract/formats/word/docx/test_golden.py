"""Golden trees of small Word documents."""

import io
from typing import Any

import docx
import pytest
from docx.enum.text import WD_BREAK

from tests.golden.trees import FOLDER, assert_golden_tree
from tests.models.extract.formats.word.docx.files import (
    PNG,
    cell,
    item,
    make_docx,
    paragraph,
    read_tree,
    row,
    style,
    table,
)


def written_by_a_library() -> bytes:
    """Write a document with a common library: its template's styles, lists and table look."""
    made: Any = docx.Document()
    made.core_properties.title = "Annual report"
    made.add_heading("Annual report", 0)
    made.add_heading("Results", 1)
    text = made.add_paragraph("Sales ")
    text.add_run("rose").bold = True
    text.add_run(" again.").italic = True
    made.add_paragraph("North", style="List Bullet")
    made.add_paragraph("Oslo", style="List Bullet 2")
    made.add_paragraph("First", style="List Number")
    made.add_paragraph("Second", style="List Number")
    grid = made.add_table(2, 3, style="Light Grid")
    grid.cell(0, 0).text, grid.cell(0, 1).text = "Year", "Sum"
    grid.cell(1, 1).merge(grid.cell(1, 2)).text = "12"
    made.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    made.add_heading("Outlook", 2)
    made.sections[0].header.paragraphs[0].text = "Confidential"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def written_by_hand() -> bytes:
    """Notes, links, pictures, captions, nested tables, tracked changes, a formula and a box."""
    styles = style("H1", "heading 1") + style("Cap", "caption") + style("T", "Title")
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>'
        '<w:lvlText w:val="%2)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    link = '<w:hyperlink r:id="l1"><w:r><w:t>the site</w:t></w:r></w:hyperlink>'
    changed = (
        '<w:ins w:id="1"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>'
    )
    picture = '<w:r><w:drawing><wp:docPr id="1" name="p" descr="A mill"/><a:blip r:embed="p1"/></w:drawing></w:r>'
    box = f"<w:r><w:drawing><w:txbxContent>{paragraph('In a box')}</w:txbxContent></w:drawing></w:r>"
    math = "<m:oMathPara><m:oMath><m:r><m:t>E=m</m:t></m:r></m:oMath></m:oMathPara>"
    check = '<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>'
    body = (
        paragraph("Mills", style="T")
        + paragraph("Water", style="H1")
        + paragraph("See ", inside=link + '<w:r><w:footnoteReference w:id="2"/></w:r>')
        + item("Wheel", 1)
        + item("Axle", 1, 1)
        + item("Race", 1)
        + paragraph(inside=picture)
        + paragraph("Figure 1", style="Cap")
        + table(row(cell("a"), cell(paragraph("b") + table(row(cell("c"))) + "<w:p/>")))
        + paragraph("This is ", inside=changed + box)
        + paragraph(inside=math)
        + paragraph(inside=check + "<w:r><w:t> read</w:t></w:r>")
        + '<w:sectPr><w:footerReference w:type="default" r:id="part3"/></w:sectPr>'
    )
    notes = f'<w:footnote w:id="2">{paragraph("A note.")}</w:footnote>'
    return make_docx(
        body,
        parts={"styles": styles, "numbering": numbering, "footnotes": notes, "footer1": paragraph("Page 1")},
        relations=[("l1", "hyperlink", "https://example.org"), ("p1", "image", "media/a.png")],
        files={"word/media/a.png": PNG},
    )


@pytest.mark.parametrize("make", [written_by_a_library, written_by_hand])
def test_docx_reads_as_its_golden_tree(make: Any) -> None:
    assert_golden_tree(read_tree(make()), FOLDER / "docx" / f"{make.__name__}.json")
