"""Writes text with spans as HTML: emphasis, code, safe links and formulas. All other text is escaped."""

from collections.abc import Sequence
from itertools import pairwise
from unicodedata import normalize

from quire.models.cdom.tree import Block, Span
from quire.models.export.markup import Markup, element, escape, safe_href


def html_lines(text: str) -> Markup:
    """Return the stripped text with line breaks."""
    return _break_lines(text.strip())


def html_text(block: Block) -> Markup:
    """Return the block's text with its styles.

    The text is cut at the ends of spans, and each piece is wrapped in the styles that cover it. A formula is one piece.
    """
    return html_spans(block.text, block.spans)


def html_spans(text: str, spans: Sequence[Span], *, bold: str = "strong") -> Markup:
    """Return text with its styles, with `bold` as the element of bold type; see `html_text`."""
    if not spans:
        return html_lines(text)
    size = len(text)
    ends = {min(max(place, 0), size) for span in spans for place in (span.start, span.end)}
    inside = {place for span in spans if span.latex for place in ends if span.start < place < span.end}
    cuts = sorted({0, size, *(ends - inside)})
    return Markup("".join(_stretch(text, spans, start, end, bold) for start, end in pairwise(cuts)))


def _stretch(text: str, spans: Sequence[Span], start: int, end: int, bold: str) -> Markup:
    covering = [span for span in spans if span.start <= start and end <= span.end]
    latex = next((span.latex for span in covering if span.latex and (span.start, span.end) == (start, end)), None)
    printed = text[start:end]
    is_raised, is_lowered = any(span.superscript for span in covering), any(span.subscript for span in covering)
    shown = normalize("NFKC", printed) if is_raised or is_lowered else printed
    markup = html_formula(latex, printed) if latex else _break_lines(shown)
    for name, on in (
        ("sup", is_raised),
        ("sub", is_lowered),
        ("code", any(span.code for span in covering)),
        ("u", any(span.underline for span in covering)),
        ("mark", any(span.highlight for span in covering)),
        ("em", any(span.italic for span in covering)),
        ("del", any(span.strike for span in covering)),
        (bold, any(span.bold for span in covering)),
    ):
        markup = element(name, markup) if on else markup
    href = next((href for span in covering if (href := safe_href(span.href))), None)
    rel = None if href is None or href.startswith("#") else "noopener noreferrer"
    return element("a", markup, href=href, rel=rel) if href else markup


def _break_lines(text: str) -> Markup:
    return Markup("<br>".join(escape(line) for line in text.split("\n")))


def html_formula(latex: str, printed: str, *, display: str | None = None) -> Markup:
    """Return MathML that shows the printed text, with the LaTeX as annotation for programs (also our reader)."""
    shown = element("mtext", escape(" ".join(printed.split())))
    stated = element("annotation", escape(" ".join(latex.split())), encoding="application/x-tex")
    return element("math", element("semantics", shown, stated), display=display)
