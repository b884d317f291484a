r"""EQ fields, which Word draws from their instruction, e.g. `EQ \f(3,4)`."""

import pytest

from quire.models.extract.formats.word.docx.fields import read_equation
from tests.models.extract.formats.word.docx.files import paragraph, read_blocks
from tests.models.extract.formats.word.docx.test_inline import char, run

SHOWN = [
    (r"EQ \f(3,4)", r"\frac{3}{4}", True),
    (r"eq \F(3;4)", r"\frac{3}{4}", True),
    (r"EQ \l(a,\r(2))", r"a,\sqrt{2}", True),
    (r"EQ \f(1,\f(2,3))", r"\frac{1}{\frac{2}{3}}", True),
    (r"EQ f(x)=\f(a(b,c),d)", r"f(x)=\frac{a(b,c)}{d}", True),
    (r"EQ \r(3,x)", r"\sqrt[3]{x}", True),
    (r"EQ \r(,x+1)", r"\sqrt{x+1}", True),
    (r"EQ \r(x)", r"\sqrt{x}", True),
    (r"EQ x\s\up8(2)", "x^{2}", True),
    (r"EQ a\s\do4(i)", "a_{i}", True),
    (r"EQ \i\su(i=1,n,a\s\do4(i))", r"\sum_{i=1}^{n} a_{i}", True),
    (r"EQ \i\pr(1,n,k)", r"\prod_{1}^{n} k", True),
    (r"EQ \i(0,1,x)", r"\int_{0}^{1} x", True),
    (r"EQ \a\al\co2(1,2)", r"\begin{matrix} 1 \\ 2 \end{matrix}", True),
    (r"EQ \b\bc\{(\f(a;b))", r"(\frac{a}{b})", True),
    (r"EQ \b(x,y)", "(x,y)", False),
    (r"EQ \o\ac(○,7)", "⑦", False),
    (r"eq \o\ac(〇,20)", "⑳", False),
    (r"EQ \o\ac(○,21)", "○21", False),
    (r"EQ \o\ad(姓名,　　　)", "姓名", False),
    (r"EQ \x(Box)", "Box", False),
    (r"EQ \l(a,b,c)", "a,b,c", False),
    (r"EQ \d\fo10()x", "x", False),
    (r"EQ a\,b", "a,b", False),
    (r"EQ \f(1", r"\frac{1}{}", True),
    (r"EQ \f(1,2)) x", r"\frac{1}{2}) x", True),
    ("EQ", "", False),
    ("EQ \\", "", False),
]


@pytest.mark.parametrize(("instruction", "shown", "is_formula"), SHOWN)
def test_read_equation_gives_the_drawn_signs(instruction: str, shown: str, is_formula: bool) -> None:
    assert read_equation(instruction) == (shown, is_formula)


@pytest.mark.parametrize("piece", ["\\f(", "\\a   ", "(", "\\f(1,2)", "\\f(,", "\\", "\\\\", ","])
def test_read_equation_of_ten_thousand_parts_ends(piece: str) -> None:
    shown, _ = read_equation("EQ " + piece * 10_000)
    assert len(shown) < 1_000_000


@pytest.mark.parametrize(("instruction", "shown", "is_formula"), [case for case in SHOWN if case[1]])
@pytest.mark.parametrize("simple", [False, True])
def test_equation_field_is_part_of_its_paragraph(instruction: str, shown: str, is_formula: bool, simple: bool) -> None:
    stored = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    field = f'<w:fldSimple w:instr="{instruction}"/>' if simple else char("begin") + stored + char("end")
    (block,) = read_blocks(paragraph(inside=run("Before ") + field + run(" after")))
    inside = f"${shown}$" if is_formula else shown
    assert block.text == f"Before {inside} after"
