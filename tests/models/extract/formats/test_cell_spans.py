"""Styles and links in cells: variants by seed over formats, styles and places in the table."""

import io
import random
from collections.abc import Callable

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml

from quire.models.cdom.table import Cell
from quire.models.export import html, markdown
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.sheets.workbooks import RELS, R, S, sheet, text_cell, workbook

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = ("bold", "italic", "strike", "code", "href")
URL = "https://example.org/a"
MARKDOWN = {"bold": "**word**", "italic": "*word*", "strike": "~~word~~", "code": "`word`", "href": f"[word]({URL})"}


def in_html(style: str, row: int) -> bytes:
    tag = {"bold": "b", "italic": "em", "strike": "del", "code": "code", "href": f'a href="{URL}"'}[style]
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    rows[row][1] = f"see <{tag}>word</{tag.split()[0]}> here"
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in rows)
    return f"<html><body><table border=1><tr><th>H<th>I</tr>{body}</table></body></html>".encode()


def in_markdown(style: str, row: int) -> bytes:
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    rows[row][1] = f"see {MARKDOWN[style]} here"
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return f"# Title\n\n| H | I |\n| --- | --- |\n{lines}\n".encode()


def in_docx(style: str, row: int) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    table = document.add_table(4, 2)
    for number in range(4):
        table.cell(number, 0).text = f"n{number}"
    paragraph = table.cell(row + 1, 1).paragraphs[0]
    paragraph.add_run("see ")
    if style == "href":
        link = f'<w:fldSimple xmlns:w="{W}" w:instr=\'HYPERLINK "{URL}"\'><w:r><w:t>word</w:t></w:r></w:fldSimple>'
        paragraph._p.append(parse_xml(link))
    else:
        run = paragraph.add_run("word")
        if style == "code":
            document.styles.add_style("Source Code Char", WD_STYLE_TYPE.CHARACTER)
            run.style = "Source Code Char"
        else:
            setattr(run.font, style, True)
    paragraph.add_run(" here")
    document.save(out)
    return out.getvalue()


def in_odt(style: str, row: int) -> bytes:
    return in_opendocument("text", style, row)


def in_ods(style: str, row: int) -> bytes:
    return in_opendocument("spreadsheet", style, row)


def in_opendocument(kind: str, style: str, row: int) -> bytes:
    properties = {
        "bold": 'fo:font-weight="bold"', "italic": 'fo:font-style="italic"',
        "strike": 'style:text-line-through-style="solid"', "code": "", "href": "",
    }[style]  # fmt: skip
    name = "Source_20_Text" if style == "code" else "T1"
    styles = f'<style:style style:name="{name}" style:family="text"><style:text-properties {properties}/></style:style>'
    word = f'<text:span text:style-name="{name}">word</text:span>'
    if style == "href":
        word = f'<text:a xmlns:x="http://www.w3.org/1999/xlink" x:href="{URL}">word</text:a>'
    cells = [["a", "b"], ["c", "d"], ["e", "f"]]
    cells[row][1] = f"see {word} here"
    body = "".join(
        "<table:table-row>" + "".join(f"<table:table-cell><text:p>{c}</text:p></table:table-cell>" for c in line)
        + "</table:table-row>" for line in cells
    )  # fmt: skip
    return opendocument(kind, f'<table:table table:name="A">{body}</table:table>', styles)


def in_xlsx(style: str, row: int) -> bytes:
    """A link of the cell, shared or stated; other styles as runs of an inline or shared string."""
    chance = random.Random(f"{style} {row}")
    mark = {"bold": "<b/>", "italic": "<i/>", "strike": "<strike/>"}.get(style, "")
    runs = (
        f'<r><t>see </t></r><r><rPr>{mark}<sz val="11"/></rPr><t>word</t></r><r><t xml:space="preserve"> here</t></r>'
    )
    place, after = f"B{row + 2}", ""
    more: dict[str, str | bytes] = {}
    if style == "href" and chance.random() < 0.5:
        cell = f'<c r="{place}" t="str"><f>HYPERLINK("{URL}","word")</f><v>word</v></c>'
    elif style == "href":
        cell = text_cell(place, "word")
        after = f'<hyperlinks><hyperlink ref="{place}" r:id="r9"/></hyperlinks>'
        link = f'<Relationship Id="r9" Type="{R}/hyperlink" Target="{URL}" TargetMode="External"/>'
        more["xl/worksheets/_rels/sheet1.xml.rels"] = f'<Relationships xmlns="{RELS}">{link}</Relationships>'
    elif chance.random() < 0.5:
        cell = f'<c r="{place}" t="s"><v>1</v></c>'
        more["xl/sharedStrings.xml"] = f'<sst xmlns="{S}"><si><t>x</t></si><si>{runs}</si></sst>'
    else:
        cell = f'<c r="{place}" t="inlineStr"><is>{runs}</is></c>'
    rows = "".join(
        f'<row r="{n}">{text_cell(f"A{n}", f"n{n}")}{cell if n == row + 2 else text_cell(f"B{n}", "x")}</row>'
        for n in range(1, 5)
    )
    return workbook(sheet(rows, after=after), more=more)


def in_rtf(style: str, row: int) -> bytes:
    word = {"bold": "{\\b word}", "italic": "{\\i word}", "strike": "\\strike word\\strike0 "}.get(
        style, f'{{\\field{{\\*\\fldinst HYPERLINK "{URL}"}}{{\\fldrslt word}}}}'
    )
    rows = "".join(
        f"\\trowd\\cellx3000\\cellx6000 \\intbl n{n}\\cell {f'see {word} here' if n == row else 'x'}\\cell\\row\n"
        for n in range(3)
    )
    return f"{{\\rtf1\\ansi {rows}\\pard end\\par}}".encode()


MAKERS: tuple[Callable[[str, int], bytes], ...] = (in_html, in_markdown, in_docx, in_odt, in_ods, in_xlsx, in_rtf)
VARIANTS = [
    (maker, style, row)
    for maker in MAKERS
    for style in STYLES
    for row in range(3)
    if style != "code" or maker not in (in_xlsx, in_rtf)
]


@pytest.mark.parametrize(("maker", "style", "row"), VARIANTS)
def test_styles_and_links_of_cells_are_spans(maker: Callable[[str, int], bytes], style: str, row: int) -> None:
    data = maker(style, row)

    tree = read_tree(data)

    cells: list[Cell] = [cell for block in tree.blocks if block.table for cell in block.table.cells]
    (cell,) = [cell for cell in cells if "word" in cell.text]
    spans = [span for span in cell.spans if getattr(span, style)]
    assert [cell.text[span.start : span.end] for span in spans] == ["word"]
    assert MARKDOWN[style] in markdown.tree_to_markdown(tree)
    assert "word</" in html.tree_to_html(tree)
    assert tree.coverage is not None
    assert tree.coverage.complete
