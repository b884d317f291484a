"""Office Math to LaTeX, and where formulas stand."""

import pytest
from lxml import etree

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.omml import math_to_latex
from tests.models.extract.formats.word.docx.files import NAMESPACES, paragraph, read_blocks, shape


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def part(name: str, text: str) -> str:
    return f"<m:{name}>{run(text)}</m:{name}>"


def latex(xml: str) -> str:
    return math_to_latex(etree.fromstring(f"<m:oMath {NAMESPACES}>{xml}</m:oMath>"))


E_X = part("e", "x")


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (run("a≤b"), "a\\leq b"),
        (run("αβ"), "\\alpha\\beta"),
        (run("50%"), "50\\%"),
        (f"<m:f>{part('num', 'a')}{part('den', 'b')}</m:f>", "\\frac{a}{b}"),
        (f'<m:f><m:fPr><m:type m:val="lin"/></m:fPr>{part("num", "a")}{part("den", "b")}</m:f>', "{a}/{b}"),
        (f"<m:sSup>{E_X}{part('sup', '2')}</m:sSup>", "x^{2}"),
        (f"<m:sSub>{E_X}{part('sub', 'i')}</m:sSub>", "x_{i}"),
        (f"<m:sSubSup>{E_X}{part('sub', 'i')}{part('sup', '2')}</m:sSubSup>", "x_{i}^{2}"),
        (f"<m:sPre>{part('sub', 'i')}{part('sup', '2')}{E_X}</m:sPre>", "{}_{i}^{2}x"),
        (f"<m:rad><m:deg/>{E_X}</m:rad>", "\\sqrt{x}"),
        (f"<m:rad>{part('deg', '3')}{E_X}</m:rad>", "\\sqrt[3]{x}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{part("sub", "1")}{part("sup", "n")}{E_X}</m:nary>',
            "\\sum_{1}^{n}{x}",
        ),
        (f"<m:nary><m:sub/><m:sup/>{E_X}</m:nary>", "\\int{x}"),
        (f"<m:d>{E_X}</m:d>", "\\left(x\\right)"),
        (f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr>{E_X}</m:d>', "\\left\\{x\\right."),
        (f"<m:func><m:fName>{run('cos')}</m:fName>{E_X}</m:func>", "\\cos{x}"),
        (f"<m:func><m:fName>{run('argmax')}</m:fName>{E_X}</m:func>", "\\operatorname{argmax}{x}"),
        (f"<m:limLow>{part('e', 'lim')}{part('lim', 'n')}</m:limLow>", "\\lim_{n}"),
        (f"<m:limUpp>{E_X}{part('lim', 'n')}</m:limUpp>", "\\overset{n}{x}"),
        (f"<m:acc>{E_X}</m:acc>", "\\hat{x}"),
        (f'<m:acc><m:accPr><m:chr m:val="\u20d7"/></m:accPr>{E_X}</m:acc>', "\\vec{x}"),
        (f'<m:bar><m:barPr><m:pos m:val="top"/></m:barPr>{E_X}</m:bar>', "\\overline{x}"),
        (f"<m:groupChr>{E_X}</m:groupChr>", "\\underbrace{x}"),
        (f"<m:m><m:mr>{E_X}{E_X}</m:mr><m:mr>{E_X}{E_X}</m:mr></m:m>", "\\begin{matrix}x & x \\\\ x & x\\end{matrix}"),
        (
            f"<m:eqArr>{part('e', 'a&amp;=b')}{part('e', 'c&amp;=d')}</m:eqArr>",
            "\\begin{aligned}a&=b \\\\ c&=d\\end{aligned}",
        ),
        (f"<m:borderBox>{E_X}</m:borderBox>", "\\boxed{x}"),
        ("<m:r><m:rPr><m:nor/></m:rPr><m:t>if x_1</m:t></m:r>", "\\text{if x\\_1}"),
        (f"<w:del>{run('gone')}</w:del><w:ins>{run('kept')}</w:ins>", "kept"),
        (f"<m:unknown>{run('kept')}</m:unknown>", "kept"),
    ],
)
def test_office_math_is_latex(xml: str, expected: str) -> None:
    assert latex(xml) == expected


def test_a_formula_in_a_sentence_stays_in_it_between_dollars() -> None:
    inside = f"<m:oMath>{run('x')}</m:oMath><w:r><w:t> holds</w:t></w:r>"
    assert shape(read_blocks(paragraph("If ", inside=inside))) == [(BlockType.PARAGRAPH, None, "If $x$ holds")]


def test_a_formula_alone_or_displayed_is_a_block() -> None:
    alone = paragraph(inside=f"<m:oMath>{run('x')}</m:oMath>")
    displayed = paragraph("So", inside=f"<m:oMathPara><m:oMath>{run('y')}</m:oMath></m:oMathPara>")
    assert shape(read_blocks(alone + displayed)) == [
        (BlockType.FORMULA, None, "x"),
        (BlockType.PARAGRAPH, None, "So"),
        (BlockType.FORMULA, None, "y"),
    ]
