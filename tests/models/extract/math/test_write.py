"""LaTeX of formulas from glyphs placed by hand: what stands where decides what it is."""

from quire.models.extract.math.glyphs import FractionBar, MathGlyph
from quire.models.extract.math.rows import write_latex

SIZE = 10.0


def row(text: str, x: float, base: float = 100.0, size: float = SIZE, font: str = "cmmi10") -> list[MathGlyph]:
    """Glyphs side by side, half an em wide each; a blank leaves half an em free."""
    step = 0.5 * size
    return [
        MathGlyph(char, x + at * step, base - 0.7 * size, x + (at + 0.95) * step, base, base, size, font)
        for at, char in enumerate(text)
        if char != " "
    ]


def tall(char: str, x: float, y0: float, y1: float, font: str = "cmex10") -> MathGlyph:
    return MathGlyph(char, x, y0, x + 4, y1, y0, SIZE, font)


def test_small_raised_and_lowered_glyphs_are_scripts() -> None:
    glyphs = row("x", 10) + row("i", 15, 102, 7) + row("2", 15, 96, 7) + row("=y", 20)
    assert write_latex(glyphs, []) == "x_{i}^{2}=y"


def test_a_bar_with_glyphs_on_both_sides_is_a_fraction() -> None:
    glyphs = row("a", 10) + row("=", 15) + row("b", 25, 92) + row("c", 25, 108)
    assert write_latex(glyphs, [FractionBar(23, 32, 97.5)]) == "a=\\frac{b}{c}"


def test_fractions_nest_by_the_width_of_their_bars() -> None:
    glyphs = row("1", 20, 92) + row("1+", 12, 108) + row("x", 24, 104, 7) + row("y", 24, 113, 7)
    assert write_latex(glyphs, [FractionBar(10, 34, 97), FractionBar(23, 29, 105.5)]) == "\\frac{1}{1+\\frac{x}{y}}"


def test_a_bar_above_glyphs_alone_is_an_overline() -> None:
    assert write_latex(row("z=w", 10), [FractionBar(9.5, 15, 91.5)]) == "\\overline{z}=w"


def test_root_covers_the_width_of_its_bar() -> None:
    root = MathGlyph("√", 10, 91, 17, 102, 91, SIZE, "cmsy10")
    assert write_latex([root, *row("x+1", 18), *row("=y", 36)], [FractionBar(17, 34, 91)]) == "\\sqrt{x+1}=y"


def test_limits_stand_above_and_below_a_sum() -> None:
    total = MathGlyph("∑", 10, 90, 24, 106, 90, SIZE, "cmex10")
    glyphs = [total, *row("i=1", 11, 113, 7, "cmr7"), *row("n", 15, 88, 7), *row("x", 26), *row("i", 31, 102, 7)]
    assert write_latex(glyphs, []) == "\\sum_{i=1}^{n}x_{i}"


def test_upright_letters_are_names_and_words() -> None:
    assert write_latex(row("log", 10, font="cmr10") + row("x=1", 26), []) == "\\log x=1"
    assert write_latex(row("softmax", 10, font="cmr10") + row("(x)=y", 46), []) == "\\mathrm{softmax}(x)=y"


def test_tall_brackets_around_two_rows_are_a_matrix() -> None:
    rows = row("a", 20, 94) + row("b", 45, 94) + row("c", 20, 108) + row("d", 45, 108)
    matrix = write_latex([*row("A=", 0, 101), tall("(", 12, 84, 112), *rows, tall(")", 55, 84, 112)], [])
    assert matrix == "A=\\begin{pmatrix}a & b \\\\ c & d\\end{pmatrix}"


def test_an_open_brace_makes_cases() -> None:
    rows = row("0", 20, 94) + row("x<0", 45, 94) + row("1", 20, 108) + row("x≥0", 45, 108)
    cases = write_latex([*row("f=", 0, 101), tall("{", 12, 84, 112), *rows], [])
    assert cases == "f=\\begin{cases}0 & x<0 \\\\ 1 & x\\geq0\\end{cases}"


def test_tall_brackets_that_pair_up_grow() -> None:
    glyphs = [tall("(", 10, 85, 110), *row("b", 18, 92), *row("c", 18, 108), tall(")", 28, 85, 110), *row("=y", 36)]
    assert write_latex(glyphs, [FractionBar(16, 25, 97.5)]) == "\\left(\\frac{b}{c}\\right)=y"


def test_the_number_of_an_equation_is_a_tag() -> None:
    assert write_latex(row("a=b", 10) + row("(2.1)", 200, font="cmr10"), []) == "a=b\\tag{2.1}"
    assert write_latex(row("f(2)", 10), []) == "f(2)"


def test_several_rows_are_aligned() -> None:
    assert write_latex(row("a=b", 10) + row("=c", 15, 115), []) == "\\begin{aligned}a=b \\\\ =c\\end{aligned}"


def test_alphabets_follow_from_fonts() -> None:
    glyphs = row("R", 10, font="msbm10") + row("L", 15, font="cmsy10") + row("v", 20, font="cmbx10") + row("𝛼", 25)
    assert write_latex(glyphs, []) == "\\mathbb{R}\\mathcal{L}\\mathbf{v}\\alpha"


def test_accents_strokes_dots_and_double_integrals_are_composed() -> None:
    hat = MathGlyph("ˆ", 10, 90, 14, 92, 100, SIZE, "cmr10")
    assert write_latex([hat, *row("y=x", 10)], []) == "\\hat{y}=x"
    stroke = MathGlyph("\u0338", 15, 92, 15, 102, 100, SIZE, "cmsy10")
    assert write_latex([*row("x", 10), stroke, *row("=y", 15)], []) == "x\\neq y"
    assert write_latex(row("a+···+b", 10), []) == "a+\\cdots+b"
    assert write_latex([tall("∫", 10, 85, 110), tall("∫", 15, 85, 110), *row("f", 22)], []) == "\\iint f"


def test_a_glyph_without_meaning_is_not_guessed() -> None:
    assert write_latex(row("a=\ufffd", 10), []) is None
    assert write_latex(row("a=\ue001", 10), []) is None
    assert write_latex([], []) is None


def test_letters_of_a_font_without_a_name_are_words_only_when_known() -> None:
    assert write_latex(row("sin", 10, font="type3 (5 0 r)") + row("mc=x", 26, font="type3 (6 0 r)"), []) == "\\sin mc=x"
