"""Raised and lowered text keeps its place in every format: variants by seed over formats, makers and places."""

import io
import random
from collections.abc import Callable

import docx
import pytest

from quire.models.cdom.tree import Tree
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.sheets.workbooks import S, sheet, workbook
from tests.models.extract.formats.slides.decks import deck, shape, slide

Part = tuple[str, int]
PLACES = ("paragraph", "cell", "item")
QUANTITIES: tuple[tuple[tuple[Part, ...], str], ...] = (
    ((("5·10", 0), ("6", 1), (" N", 0)), "5·10⁶ N"),
    ((("H", 0), ("2", -1), ("O", 0)), "H₂O"),
    ((("3 m", 0), ("2", 1), (" Flur", 0)), "3 m² Flur"),
    ((("10", 0), ("-3", 1), (" mol", 0)), "10⁻³ mol"),
    ((("Preis", 0), ("1", 1), (" 20 €", 0)), "Preis¹ 20 €"),
    ((("x", 0), ("n", 1), (" + 1", 0)), "xⁿ + 1"),
)


def in_docx(parts: tuple[Part, ...], place: str) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    if place == "cell":
        paragraph = document.add_table(1, 1).cell(0, 0).paragraphs[0]
    else:
        paragraph = document.add_paragraph(style="List Bullet" if place == "item" else None)
    for text, level in parts:
        run = paragraph.add_run(text)
        if level:
            setattr(run.font, "superscript" if level > 0 else "subscript", True)
    document.save(out)
    return out.getvalue()


def in_html(parts: tuple[Part, ...], place: str) -> bytes:
    marks = {0: "{}", 1: "<sup>{}</sup>", -1: '<span style="vertical-align: sub">{}</span>'}
    body = "".join(marks[level].format(text) for text, level in parts)
    around = {
        "paragraph": "<p>{}</p>",
        "cell": "<table border=1><tr><td>{}<td>x<tr><td>1<td>2</table>",
        "item": "<ul><li>{}</ul>",
    }
    return f"<html><body>{around[place].format(body)}</body></html>".encode()


def in_pptx(parts: tuple[Part, ...], place: str) -> bytes:
    runs = "".join(f'<a:r><a:rPr baseline="{level * 30000}"/><a:t>{text}</a:t></a:r>' for text, level in parts)
    if place != "cell":
        return deck(slide(shape(f"<a:p>{runs}</a:p>")))
    cell = f"<a:tc><a:txBody><a:p>{runs}</a:p></a:txBody></a:tc>"
    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="2" name="t"/></p:nvGraphicFramePr><a:graphic><a:graphicData '
        f'uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tr>{cell}</a:tr></a:tbl>'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    return deck(slide(table))


def in_rtf(parts: tuple[Part, ...], place: str) -> bytes:
    marks = {0: "{}", 1: r"{{\super {}}}", -1: r"{{\sub {}}}"}
    body = "".join(marks[level].format(text) for text, level in parts)
    body = "".join(char if ord(char) < 128 else rf"\u{ord(char)}?" for char in body)
    row = r"\trowd\cellx4000\intbl " + body + r"\cell\row" if place == "cell" else body + r"\par"
    return (r"{\rtf1\ansi " + row + "}").encode()


def in_odt(parts: tuple[Part, ...], place: str) -> bytes:
    styles = "".join(
        f'<style:style style:name="T{level}" style:family="text">'
        f'<style:text-properties style:text-position="{where}"/></style:style>'
        for level, where in ((1, "super 58%"), (-1, "-33% 58%"))
    )
    body = "".join(
        f'<text:span text:style-name="T{level}">{text}</text:span>' if level else text for text, level in parts
    )
    body = f"<text:p>{body}</text:p>"
    if place == "cell":
        body = f"<table:table><table:table-row><table:table-cell>{body}</table:table-cell></table:table-row>"
        body += "</table:table>"
    return opendocument("text", body, styles)


def in_xlsx(parts: tuple[Part, ...], place: str) -> bytes:
    """Runs of an inline string, or of a shared one where other formats have a list."""
    marks = {0: "", 1: '<rPr><vertAlign val="superscript"/></rPr>', -1: '<rPr><vertAlign val="subscript"/></rPr>'}
    runs = "".join(f'<r>{marks[level]}<t xml:space="preserve">{text}</t></r>' for text, level in parts)
    if place == "item":
        strings = f'<sst xmlns="{S}"><si>{runs}</si></sst>'
        return workbook(sheet('<row><c r="A1" t="s"><v>0</v></c></row>'), more={"xl/sharedStrings.xml": strings})
    return workbook(sheet(f'<row><c r="A1" t="inlineStr"><is>{runs}</is></c></row>'))


def in_ods(parts: tuple[Part, ...], place: str) -> bytes:
    styles = "".join(
        f'<style:style style:name="T{level}" style:family="text">'
        f'<style:text-properties style:text-position="{where}"/></style:style>'
        for level, where in ((1, "super 58%"), (-1, "sub 58%"))
    )
    body = "".join(
        f'<text:span text:style-name="T{level}">{text}</text:span>' if level else text for text, level in parts
    )
    cell = f'<table:table-cell office:value-type="string"><text:p>{body}</text:p></table:table-cell>'
    rows = f'<table:table table:name="A"><table:table-row>{cell}</table:table-row></table:table>'
    return opendocument("spreadsheet", rows, styles)


MAKERS: tuple[Callable[[tuple[Part, ...], str], bytes], ...] = (
    in_docx, in_html, in_pptx, in_rtf, in_odt, in_xlsx, in_ods,
)  # fmt: skip


def check(tree: Tree, expected: str) -> None:
    markdown = tree_to_markdown(tree)
    assert expected in markdown, markdown
    assert tree.coverage is not None
    assert not tree.coverage.characters.lost


@pytest.mark.parametrize("seed", range(70))
def test_raised_text_keeps_its_place(seed: int) -> None:
    chance = random.Random(seed)
    parts, expected = chance.choice(QUANTITIES)
    data = MAKERS[seed % len(MAKERS)](parts, chance.choice(PLACES))

    tree = read_tree(data)

    check(tree, expected)
