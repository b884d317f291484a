"""Markdown of styled text: a CommonMark reader sees any text with its styles."""

import random
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from quire.models.cdom.tree import Span
from quire.models.export.markdown_inline import cut_spans, heading_line, inline, link, one_line

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def seen(markdown: str) -> str:
    """Return the visible text of rendered Markdown, with white space squashed."""
    root = html.fromstring(f"<div>{RENDER.render(markdown)}</div>")
    for line_break in root.iter("br"):
        line_break.tail = " " + (line_break.tail or "")
    return " ".join("".join(root.itertext()).split())


class Emphasis(HTMLParser):
    """Collects the visible characters, letters and digits with whether they are bold and italic."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[tuple[object, ...]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        style = ("strong" in self._open, "em" in self._open)
        self.shown += [(char, *style) if char.isalnum() else (char,) for char in data if not char.isspace()]


def read_emphasis(markdown: str) -> list[tuple[object, ...]]:
    parser = Emphasis()
    parser.feed(RENDER.render(markdown))
    return parser.shown


TRICKY = st.text(st.sampled_from("ab1 \n*_`[]()<>#+-=~&;.\\!|x:/$\t"), max_size=24)
STYLES = st.tuples(
    st.booleans(), st.booleans(), st.booleans(), st.sampled_from([None, "https://example.org/(a)", "#b1"])
)


@settings(max_examples=300)
@given(TRICKY, st.integers(0, 24), st.integers(0, 24), STYLES)
def test_rendered_markdown_shows_the_text_for_any_content(
    text: str, one: int, two: int, style: tuple[bool, bool, bool, str | None]
) -> None:
    text = re.sub(r"\n\s*\n", "\n", text).strip()
    start, end = sorted((min(one, len(text)), min(two, len(text))))
    bold, italic, code, href = style
    spans = (Span(start=start, end=end, bold=bold, italic=italic, code=code, href=href),) if end > start else ()
    assert seen(inline(text, spans)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "span", "markdown"),
    [
        ("a bold b", Span(start=2, end=6, bold=True), "a **bold** b"),
        ("a both b", Span(start=2, end=6, bold=True, italic=True), "a ***both*** b"),
        ("a (b) c", Span(start=2, end=5, bold=True), "a **(b)** c"),
        ("a (b)c", Span(start=2, end=5, bold=True), "a (**b**)c"),
        ("Note: b", Span(start=0, end=5, bold=True), "**Note:** b"),
        ("a bold b", Span(start=1, end=7, italic=True), "a *bold* b"),
        ("f(`x`)", Span(start=0, end=6, code=True), "<code>f(\\`x\\`)</code>"),
        ("see here", Span(start=4, end=8, href="https://example.org/a(b)"), "see [here](https://example.org/a%28b%29)"),
        ("see here", Span(start=4, end=8, href="javascript:x"), "see here"),
        ("see!here", Span(start=4, end=8, href="#b1"), "see\\![here](#b1)"),
        ("snake_case _x_", Span(start=0, end=0), "snake_case \\_x\\_"),
    ],
)
def test_styles_become_markdown(text: str, span: Span, markdown: str) -> None:
    assert inline(text, (span,) if span.end else ()) == markdown


@pytest.mark.parametrize("text", ["# no heading", "- no item", "1. no item", "> no quote", "---", "===", "+ x", "~~~"])
def test_a_line_that_looks_like_markup_stays_a_line(text: str) -> None:
    assert RENDER.render(inline(text)).startswith("<p>")
    assert seen(inline("first\n" + text)) == f"first {text}"


def test_a_heading_is_one_line() -> None:
    assert one_line("a\nb  c") == "a b c"


def test_spans_move_with_a_text_that_loses_its_beginning() -> None:
    spans = (Span(start=0, end=2), Span(start=1, end=5, bold=True), Span(start=6, end=8))
    assert cut_spans(spans, 3) == (Span(start=0, end=2, bold=True), Span(start=3, end=5))


def test_a_link_without_a_safe_address_is_its_label() -> None:
    assert link("a", None) == link("a", "data:text/html,x") == "a"


def test_superscript_figures_are_written_as_characters() -> None:
    assert inline("15² euro", [Span(start=2, end=3, superscript=True)]) == "15² euro"


def test_struck_out_text_at_the_start_of_a_line_keeps_its_marks() -> None:
    assert inline("old new", [Span(start=0, end=3, strike=True)]) == "~~old~~ new"
    assert inline("~~~ old") != "~~~ old"


@pytest.mark.parametrize(
    ("text", "spans", "markdown"),
    [
        ("69.15", [(2, 3, False)], "69.15"),
        ("doi: x", [(0, 3, False), (3, 4, False)], "*doi:* x"),
        ("ISBN 978", [(0, 4, False), (5, 8, False)], "*ISBN 978*"),
        ("third, and", [(0, 5, True), (5, 10, False)], "**third**, *and*"),
        ("2022²", [(0, 4, True), (4, 5, True)], "**2022²**"),
        ("one\ntwo", [(0, 7, True)], "**one**  \n**two**"),
        ("*duck", [(1, 5, False)], "\\**duck*"),
        ("ab", [(0, 1, True), (1, 2, False)], "**a**<em>b</em>"),
    ],
)
def test_emphasis_is_written_with_stars(text: str, spans: list[tuple[int, int, bool]], markdown: str) -> None:
    styled = [Span(start=start, end=end, bold=bold, italic=not bold) for start, end, bold in spans]
    assert inline(text, styled) == markdown


@pytest.mark.parametrize("text", ["hens.[3][4]", "FR76 **** **** x", "a * b"])
def test_signs_that_are_no_markup_are_not_escaped(text: str) -> None:
    assert inline(text) == text


def test_emphasis_reaches_the_same_letters_after_rendering() -> None:
    for seed in range(3_000):
        generator = random.Random(seed)
        text = "".join(generator.choice("aab1²é  **_[]().,:!~`<>&#|-\n\\") for _ in range(generator.randint(1, 22)))
        cuts = sorted(generator.sample(range(len(text) + 1), min(len(text) + 1, 4)))
        spans = [
            Span(start=start, end=end, bold=generator.random() < 0.6, italic=generator.random() < 0.6)
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        styles = {at: (span.bold, span.italic) for span in spans for at in range(span.start, span.end)}
        expected = [
            (char, *styles.get(at, (False, False))) if char.isalnum() else (char,)
            for at, char in enumerate(text)
            if not char.isspace()
        ]
        assert read_emphasis(inline(text, spans)) == expected, text


@pytest.mark.parametrize(
    ("text", "marks", "markdown"),
    [
        ("April 8th", "sup 7 9", "April 8<sup>th</sup>"),
        ("Mme Curie", "sup 1 3", "M<sup>me</sup> Curie"),
        ("xi + yj", "sub 1 2 sub 6 7", "x<sub>i</sub> + y<sub>j</sub>"),
        ("H₂O", "sub 1 2", "H₂O"),
        ("text¹,⁴ goes", "sup 4 7", "text<sup>1,4</sup> goes"),
        ("a *b", "sup 2 4", "a <sup>\\*b</sup>"),
        ("a b c", "sup 1 4", "a <sup>b</sup> c"),
        ("name† is", "sup 4 5", "name<sup>†</sup> is"),
        ("a b", "sup 1 2", "a b"),
        ("a\nb", "sup 0 3", "a  \nb"),
    ],
)
def test_raised_marks_are_elements_unless_their_characters_are_small(text: str, marks: str, markdown: str) -> None:
    words = iter(marks.split())
    spans = [
        Span(start=int(start), end=int(end), superscript=name == "sup", subscript=name == "sub")
        for name, start, end in zip(words, words, words, strict=True)
    ]
    assert inline(text, spans) == markdown


def test_raised_mark_stays_inside_the_emphasis_and_the_link_around_it() -> None:
    bold = [Span(start=0, end=7, bold=True), Span(start=7, end=9, bold=True, superscript=True)]
    assert inline("April 8th", bold) == "**April 8<sup>th</sup>**"
    linked = [Span(start=0, end=2, href="#b1"), Span(start=2, end=4, href="#b1", superscript=True)]
    assert inline("8 th", linked) == "[8](#b1) [<sup>th</sup>](#b1)"


def test_many_raised_marks_are_written_in_order() -> None:
    spans = [Span(start=3 * at + 1, end=3 * at + 2, superscript=True) for at in range(20_000)]
    assert inline("abc" * 20_000, spans) == "a<sup>b</sup>c" * 20_000


def test_raised_number_before_a_heading_is_its_number() -> None:
    spans = [Span(start=0, end=1, superscript=True), Span(start=10, end=12, superscript=True)]
    assert heading_line("5 Fund 8 Ath", [replace(span, bold=True) for span in spans]) == "5 Fund 8 A<sup>th</sup>"
