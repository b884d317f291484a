"""Displayed formulas of a page: which lines make one, and what stays text."""

from pathlib import Path

from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.formats.pdf.paper import Paper, read_tree, texts

TEX = Path(__file__).parents[4] / "golden" / "pdf" / "formulas.pdf"


def test_formulas_of_a_tex_page_come_back_as_latex() -> None:
    tree = read_tree(TEX.read_bytes())
    assert texts(tree, BlockType.FORMULA) == [
        "\\mathcal{L}(\\theta)=-\\sum_{i=1}^{N}\\log p_{\\theta}(y_{i}\\mid x_{i})"
        "+\\lambda\\|\\theta\\|_{2}^{2}\\tag{1}",
        "x=\\frac{-b\\pm\\sqrt{b^{2}-4ac}}{2a}",
        "\\left(1+\\frac{1}{n}\\right)^{n}\\neq\\lim_{n\\rightarrow\\infty}\\int_{a}^{b}f'(t)dt,"
        "\\quad\\hat{y}=\\mathbf{A}^{\\top}\\mathbf{x}",
        "A=\\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix},\\quad f(n)=\\begin{cases}n/2 & \\text{ if }n\\text{ is }"
        "\\mathrm{even} \\\\ 3n+1 & \\text{ otherwise }\\end{cases}",
        "\\begin{aligned}a=b+c \\\\ \\leq\\frac{g}{h}\\end{aligned}",
    ]
    paragraphs = texts(tree, BlockType.PARAGRAPH)
    assert len(paragraphs) == 6
    assert paragraphs[1].startswith("The text goes on where xi ∈R is a number")


def test_inline_formulas_have_latex_in_addition_to_the_printed_text() -> None:
    block = next(block for block in read_tree(TEX.read_bytes()).blocks if "xi ∈R" in block.text)
    assert [(block.text[span.start : span.end], span.latex) for span in block.spans] == [
        ("xi ∈R", "x_{i}\\in\\mathbb{R}")
    ]
    markdown = tree_to_markdown(read_tree(TEX.read_bytes()))
    assert "where $x_{i}\\in\\mathbb{R}$ is a number" in markdown


def test_formulas_are_in_reading_order_and_inside_their_boxes() -> None:
    tree = read_tree(TEX.read_bytes())
    tops = [block.bbox[1] for block in tree.blocks if block.bbox is not None]
    assert len(tops) == len(tree.blocks) == 11
    kinds = [block.type is BlockType.FORMULA for block in tree.blocks]
    assert kinds == [False, True] * 5 + [False]


def test_markdown_shows_formulas_as_displays() -> None:
    text = tree_to_markdown(read_tree(TEX.read_bytes()))
    assert "\n\n$$\nx=\\frac{-b\\pm\\sqrt{b^{2}-4ac}}{2a}\n$$\n\n" in text


def display(paper: Paper, x: float, y: float) -> None:
    paper.text(x, y, "E", 10, "heit").text(x + 10, y, "=", 10, "symb").text(x + 19, y, "mc", 10, "heit")
    paper.text(x + 33, y - 4, "2", 7)


def test_a_formula_in_any_fonts_is_found_by_its_signs_and_italics() -> None:
    paper = Paper()
    y = paper.prose(40, 60, 4)
    display(paper, 180, y + 12)
    paper.prose(40, y + 40, 4)
    tree = paper.read()
    assert texts(tree, BlockType.FORMULA) == ["E=mc^{2}"]


def test_formula_next_to_words_stays_in_its_line() -> None:
    paper = Paper()
    y = paper.prose(40, 60, 4)
    display(paper, 180, y)
    paper.text(40, y, "Everybody knows the formula").text(220, y, "and uses it every day.")
    tree = paper.read()
    assert texts(tree, BlockType.FORMULA) == []
    assert "knows the formula" in " ".join(texts(tree, BlockType.PARAGRAPH))


def test_a_page_number_under_wide_margins_is_a_running_foot() -> None:
    paper = Paper()
    paper.prose(40, 60, 30)
    paper.text(205, 490, "7")
    assert texts(paper.read(), BlockType.PAGE_FOOTER) == ["7"]
