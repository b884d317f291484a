"""Signs that a page draws instead of printing them: roots count, others leave the lines as they are."""

from quire.models.cdom.geometry import Bbox
from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.figures.displays import find_formulas
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.math.glyphs import MathGlyph

TEXT = "√x+1=y"[1:]


def page(shapes: list[Bbox], dashes: list[Rule], font: str = "KaTeX_Math") -> PageMarks:
    """One line `x+1=y` with its first three glyphs from 60 to 78; glyphs are 6 points wide."""
    line = Line(60, 92.5, 90, 102.2, 100, 10, TEXT, font, math=True, reach=(91.0, 103.0))
    glyphs = [
        MathGlyph(char, 60 + 6 * at, 93, 65.5 + 6 * at, 100, 100, 10, "katex_math-italic")
        for at, char in enumerate(TEXT)
    ]
    marks = PageMarks(width=300, height=300, lines=[line], shapes=shapes, dashes=dashes)
    marks.glyphs = lambda boxes: [glyphs for _ in boxes]
    return marks


def read(marks: PageMarks) -> list[str]:
    found, rest = find_formulas(marks, marks.lines, 10.0)
    assert len(found) + len(rest) == 1
    return [formula.latex for formula in found]


def test_a_drawn_root_ends_in_its_bar() -> None:
    assert read(page([(51, 90, 78, 103)], [Rule(59, 90.2, 78, 90.2)])) == ["\\sqrt{x+1}=y"]


def test_a_drawn_root_may_hold_its_bar() -> None:
    assert read(page([(51, 90, 78, 103)], [])) == ["\\sqrt{x+1}=y"]


def test_unknown_tall_sign_leaves_the_line_unchanged() -> None:
    assert read(page([(52, 88, 55, 106)], [])) == []
    assert read(page([], [])) == ["x+1=y"]


def test_a_page_wholly_set_in_type_without_names_has_no_formulas() -> None:
    assert read(page([], [], font="Type3 (5 0 R)")) == []
