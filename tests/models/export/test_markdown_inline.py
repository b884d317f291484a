"""Markdown of styled text: a CommonMark reader sees any text with its styles."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from models.cdom.tree import Span
from models.export.markdown_inline import cut_spans, inline, link, one_line

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def seen(markdown: str) -> str:
    """Return the visible text of rendered Markdown, with white space squashed."""
    root = html.fromstring(f"<div>{RENDER.render(markdown)}</div>")
    for line_break in root.iter("br"):
        line_break.tail = " " + (line_break.tail or "")
    return " ".join("".join(root.itertext()).split())


TRICKY = st.text(st.sampled_from("ab1 \n*_`[]()<>#+-=~&;.\\!|x:/$\t"), max_size=24)
STYLES = st.tuples(
    st.booleans(), st.booleans(), st.booleans(), st.sampled_from([None, "https://example.org/(a)", "#b1"])
)


@settings(max_examples=3000)
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
        ("a (b)c", Span(start=2, end=5, bold=True), "a <strong>(b)</strong>c"),
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
