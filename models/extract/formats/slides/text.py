"""Text bodies of shapes: paragraphs in; headings, list items and paragraphs with links and emphasis out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.omml import math_to_latex
from quire.models.extract.formats.common.opc import Relations
from quire.models.extract.formats.common.xml import MC, A, Element, M, R, number
from quire.models.extract.formats.flow.blocks import FlowBlock, InlineMarkup, StyledRun, join_runs
from quire.models.extract.formats.flow.counting import alphabetic, roman
from quire.models.extract.formats.flow.number_formats import format_count
from quire.models.extract.formats.slides.inherit import A14, Bullet, Placeholder, SlideInheritance
from quire.models.extract.text_quality.symbol_fonts import decode_symbols

_PRIVATE: Final = re.compile("[\uf020-\uf0ff]")
MAX_LEVEL: Final = 9
"""The deepest list level, counted from 1: the format has nine."""


class ListNumbers:
    """Counts numbered paragraphs of one text body."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}

    def next(self, level: int, bullet: Bullet | None) -> str:
        """Return the label of the next paragraph; empty for a bullet or an unmarked paragraph."""
        self._counts = {depth: state for depth, state in self._counts.items() if depth <= level}
        if bullet is None or bullet.numbered is None:
            self._counts.pop(level, None)
            return ""
        scheme, last = self._counts.get(level, (bullet.numbered, bullet.start - 1))
        count = last + 1 if scheme == bullet.numbered else bullet.start
        self._counts[level] = (bullet.numbered, count)
        return _make_label(bullet.numbered, count)


@dataclass(frozen=True, slots=True)
class SlideParagraph:
    """A paragraph of a text body: its level, counted from 1, its runs and its marker."""

    level: int
    runs: list[StyledRun]
    bullet: Bullet | None


def read_body(
    shape: Element, body: Element, inherited: SlideInheritance, placeholder: Placeholder | None, relations: Relations
) -> list[FlowBlock]:
    """Return the blocks of a text body: items where the paragraph has a marker, else paragraphs."""
    return make_blocks(_read_paragraphs(shape, body, inherited, placeholder, relations))


def _read_paragraphs(
    shape: Element, body: Element, inherited: SlideInheritance, placeholder: Placeholder | None, relations: Relations
) -> Iterator[SlideParagraph]:
    for paragraph in body.iterfind(A + "p"):
        properties = paragraph.find(A + "pPr")
        level = min(MAX_LEVEL, max(1, number(properties.get("lvl") if properties is not None else None) + 1))
        runs = list(read_runs(paragraph, relations))
        if any(run.text.strip() for run in runs):
            yield SlideParagraph(level, runs, inherited.bullet(shape, placeholder, paragraph, level))


def make_blocks(paragraphs: Iterable[SlideParagraph]) -> list[FlowBlock]:
    """Return an item for each paragraph with a marker, else a paragraph; empty paragraphs give none."""
    blocks: list[FlowBlock] = []
    numbers = ListNumbers()
    parents: dict[int, FlowBlock] = {}
    for paragraph in paragraphs:
        if not any(run.text.strip() for run in paragraph.runs):
            continue
        level, bullet = paragraph.level, paragraph.bullet
        label = numbers.next(level, bullet)
        text, spans = join_runs(paragraph.runs, prefix=label + " " if label else "")
        if bullet is None:
            parents = {}
            blocks.append(FlowBlock(BlockType.PARAGRAPH, text, spans))
            continue
        parents = {depth: block for depth, block in parents.items() if depth < level}
        parent = parents[max(parents)] if parents else None
        depth = (parent.level or 0) + 1 if parent is not None else 1
        block = FlowBlock(BlockType.LIST_ITEM, text, spans, depth, parent=parent, bullet=not label)
        parents[level] = block
        blocks.append(block)
    return blocks


def as_heading(blocks: list[FlowBlock], box: Bbox | None = None) -> Iterator[FlowBlock]:
    """Yield the paragraphs of a title as one heading."""
    if not blocks:
        return
    text, spans = "", []
    for block in blocks:
        shift = len(text) + bool(text)
        text = f"{text}\n{block.text}" if text else block.text
        spans += [replace(span, start=span.start + shift, end=span.end + shift) for span in block.spans]
    yield FlowBlock(BlockType.HEADING, text, tuple(spans), 1, bbox=box)


def read_runs(paragraph: Element, relations: Relations) -> Iterator[StyledRun]:
    """Yield the runs of a paragraph with line breaks and formulas in order."""
    for node in paragraph:
        match node.tag:
            case t if t in (A + "r", A + "fld"):
                text = "".join(text.text or "" for text in node.iterfind(A + "t"))
                yield StyledRun(_show_symbols(node, text), _style(node, relations))
            case t if t == A + "br":
                yield StyledRun("\n")
            case t if t == MC + "AlternateContent":
                choice = node.find(MC + "Choice")
                if choice is not None:
                    yield from _read_math(choice)
            case t if t == A14 + "m":
                yield from _read_math(node)


def _show_symbols(run: Element, text: str) -> str:
    """Decode letters of symbol fonts (Wingdings, Symbol); keep text whose font is unknown."""
    if not _PRIVATE.search(text):
        return text
    for name in ("sym", "latin"):
        font = run.find(f"{A}rPr/{A}{name}")
        if font is not None:
            shown = decode_symbols(text, font.get("typeface") or "")
            return text if "\ufffd" in shown else shown
    return text


def plain_text(body: Element | None) -> str:
    """Return a text body's paragraphs, one per line."""
    if body is None:
        return ""
    lines = ("".join(run.text for run in read_runs(paragraph, {})) for paragraph in body.iterfind(A + "p"))
    return "\n".join(line.strip() for line in lines if line.strip())


def _read_math(node: Element) -> Iterator[StyledRun]:
    for formula in node.iter(M + "oMath"):
        if latex := math_to_latex(formula):
            yield StyledRun(f"${latex}$", InlineMarkup(latex=latex))


def _style(run: Element, relations: Relations) -> InlineMarkup:
    properties = run.find(A + "rPr")
    if properties is None:
        return InlineMarkup()
    link = properties.find(A + "hlinkClick")
    relation = relations.get(link.get(R + "id") or "") if link is not None else None
    return InlineMarkup(
        bold=properties.get("b") in ("1", "true"),
        strike=properties.get("strike") in ("sngStrike", "dblStrike"),
        italic=properties.get("i") in ("1", "true"),
        href=relation.target if relation is not None and relation.external else None,
        underline=properties.get("u", "none") != "none",
        highlight=properties.find(A + "highlight") is not None,
        superscript=_baseline(properties) > 0,
        subscript=_baseline(properties) < 0,
    )


def _baseline(properties: Element) -> int:
    """Return how far the text is raised, in thousandths of a percent or percent."""
    stated = (properties.get("baseline") or "0").rstrip("%")
    return int(stated) if stated.lstrip("-").isdecimal() else 0


_SCHEMES: Final = {
    "circleNum": "decimalEnclosedCircle", "ea1Chs": "chineseCounting", "ea1Cht": "taiwaneseCounting",
    "ea1Jpn": "japaneseCounting", "thaiAlpha": "thaiLetters", "thaiNum": "thaiNumbers", "hindiAlpha": "hindiVowels",
    "hindiNum": "hindiNumbers", "hebrew2": "hebrew2", "arabic1Minus": "arabicAlpha", "arabic2Minus": "arabicAbjad",
}  # fmt: skip
"""Starts of PowerPoint's numbering schemes → Word's number formats."""


def _make_label(scheme: str, count: int) -> str:
    known = next((name for start, name in _SCHEMES.items() if scheme.startswith(start)), None)
    if known is not None:
        text = format_count(count, known)
        if scheme.endswith("Plain"):
            return text
    elif scheme.startswith("roman"):
        text = roman(count)
        text = text.upper() if "Uc" in scheme else text
    elif scheme.startswith("alpha"):
        text = alphabetic(count)
        text = text.upper() if "Uc" in scheme else text
    else:
        text = str(count)
    if scheme.endswith("ParenBoth"):
        return f"({text})"
    return text + (")" if scheme.endswith("ParenR") else ".")
