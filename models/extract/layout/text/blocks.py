"""Groups of lines as blocks: text joined over line ends, styles as spans, a box, a look. No typing rules."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, pairwise

from quire.models.cdom.flags import HIDDEN_TEXT, LOW_CONFIDENCE
from quire.models.cdom.geometry import round_bbox
from quire.models.cdom.tree import BlockType, FlagSpan, Span
from quire.models.cdom.visible import find_blank
from quire.models.extract.contract import PageBlock, TextLook
from quire.models.extract.layout.lines.marks import Line, PageMarks, Run
from quire.models.extract.layout.lines.pieces import close_leaders
from quire.models.extract.layout.text.code_language import guess_language
from quire.models.extract.layout.text.hyphens import (
    PageHyphens,
    continues_address,
    ends_in_address,
    is_attached,
    may_divide,
)
from quire.models.extract.layout.text.listings import join_code
from quire.models.extract.layout.text.paragraphs import group_paragraphs

Divides = Callable[[str, str], bool]
NO_PAGE = PageHyphens()
_DOUBTFUL = 0.8
"""Confidence (0..1) below which unreadable characters flag a block."""
_ENDINGS = tuple(".!?:;。！？…”\"')]」』）")
_BLANK = re.compile(r"\s")
_DIVIDED = re.compile(r"[a-z][-‐]$")


def join_lines(
    lines: list[Line], divides: Divides = NO_PAGE.divides, breaks: list[int] | None = None
) -> tuple[str, list[Run]]:
    """Return the text of the lines with its runs; a word divided at a line end is joined.

    Args:
        lines: Lines of one block, in reading order.
        divides: Returns True for a hyphen that only divides a word; by default it judges by the two lines.
        breaks: Receives the offsets of the hyphens at line ends, kept or not.
    """
    parts: list[str] = []
    runs: list[Run] = []
    rows = _keeps_rows(lines)
    length, is_address = 0, False
    for index, line in enumerate(lines):
        text = close_leaders(line.text) if "...." in line.text or ". . ." in line.text else line.text
        following = lines[index + 1].text if index + 1 < len(lines) else ""
        tail = _row_break(line, lines[index + 1], rows) if following else ""
        if is_attached(text, following):
            if breaks is not None and may_divide(text, following):
                breaks.append(length + len(text) - 1)
            text, tail = text[:-1] if divides(text, following) else text, ""
        is_address = ends_in_address(text) or (is_address and not _BLANK.search(text))
        if is_address and following:
            is_address = continues_address(following, text[-1:])
            tail = "" if is_address else tail
        for run in line.runs:
            end = min(run.end, len(text))
            if end > run.start:
                _add_run(runs, replace(run, start=length + run.start, end=length + end))
        parts.append(text + tail)
        length += len(text) + len(tail)
    return "".join(parts), _part_runs(runs)


def _part_runs(runs: list[Run]) -> list[Run]:
    """Return the runs in order, with a run of all styles where some overlap; a formula is not parted."""
    runs = sorted(runs, key=lambda run: run.start)
    if all(before.end <= after.start for before, after in pairwise(runs)):
        return runs
    whole = [run for run in runs if run.latex is not None]
    rest = [run for run in runs if run.latex is None]
    parted = list(whole)
    for start, end in pairwise(sorted({place for run in runs for place in (run.start, run.end)})):
        over = [run for run in rest if run.start <= start and end <= run.end]
        if over and not any(run.start < end and start < run.end for run in whole):
            _add_run(parted, _join_styles(start, end, over))
    return sorted(parted, key=lambda run: run.start)


def _join_styles(start: int, end: int, runs: list[Run]) -> Run:
    href = next((run.href for run in runs if run.href), None)  # a link is underlined as a link
    return Run(
        start,
        end,
        bold=any(run.bold for run in runs),
        italic=any(run.italic for run in runs),
        code=any(run.code for run in runs),
        href=href,
        strike=any(run.strike for run in runs),
        superscript=any(run.superscript for run in runs),
        subscript=any(run.subscript for run in runs),
        underline=href is None and any(run.underline for run in runs),
        highlight=any(run.highlight for run in runs),
    )


def _row_break(line: Line, following: Line, rows: bool) -> str:
    """Return the separator of two lines of a block: a line feed after a kept row, a tab over a wide gap inside one."""
    if _ends_row(line, following):
        return "\n" if rows else find_blank(line.text + " " * line.blank_after, following.text)
    if not line.upright:
        return find_blank(line.text, following.text)
    return "\t" if line.recognised and following.x0 - line.x1 > 0.8 * (line.y1 - line.y0) else " "


def _ends_row(line: Line, following: Line) -> bool:
    """Return True when `following` is in a lower row."""
    return following.y0 >= (line.y0 + line.y1) / 2


def _keeps_rows(lines: list[Line]) -> bool:
    """Return True for recognised rows of bills, addresses and forms, whose fields are found by rows.

    In running text at least a third of the rows continue in lower case (English about .85, German .6, bills 0).
    """
    if not lines[0].recognised:
        return False
    starts = [after.text for before, after in pairwise(lines) if _ends_row(before, after)]
    cased = [text for text in starts if text[:1].isdigit() or text[:1].lower() != text[:1].upper()]
    return bool(cased) and sum(text[:1].islower() for text in cased) * 3 < len(cased)


def _add_run(runs: list[Run], run: Run) -> None:
    """Append, joining with a run of the same style that ends here or one blank before."""
    last = runs[-1] if runs else None
    if last and run.latex is None and run.start - last.end <= 1 and _style(last) == _style(run):
        last.end = run.end
    else:
        runs.append(run)


def _style(run: Run) -> tuple[bool | str | None, ...]:
    return (
        run.bold, run.italic, run.code, run.strike, run.href, run.latex, run.superscript, run.subscript,
        run.underline, run.highlight,
    )  # fmt: skip


def make_block(kind: BlockType, lines: list[Line], marks: PageMarks, *, level: int | None = None) -> PageBlock:
    """Return a block of that type around the lines, in the given order."""
    breaks: list[int] = []
    text, runs = (join_code(lines), []) if kind is BlockType.CODE else join_lines(lines, marks.divides, breaks)
    confidence = confidence_of(lines)
    flags = (LOW_CONFIDENCE,) if confidence < _DOUBTFUL and "\ufffd" in text else ()
    hidden = all([line.hidden for line in lines])
    return PageBlock(
        type=kind,
        bbox=lines_bbox(lines, marks),
        text=text,
        level=level,
        spans=tuple([_make_span(run) for run in runs]) if kind is not BlockType.CODE else _make_language(text),
        confidence=confidence,
        flags=(*flags, HIDDEN_TEXT) if hidden else flags,
        flag_spans=(FlagSpan(flag=HIDDEN_TEXT, start=0, end=len(text)),) if hidden else (),
        look=look_of(lines),
        unseen=lines[0].unseen if hidden else None,
        breaks=tuple(breaks),
    )


def _make_language(text: str) -> tuple[Span, ...]:
    """Return a span with the language of a listing; none where it is not clear."""
    language = guess_language(text)
    return (Span(start=0, end=len(text), language=language),) if language and text else ()


def _make_span(run: Run) -> Span:
    return Span(
        start=run.start, end=run.end, bold=run.bold, italic=run.italic, code=run.code, href=run.href, latex=run.latex,
        strike=run.strike, superscript=run.superscript, subscript=run.subscript,
        underline=run.underline and not run.href, highlight=run.highlight,
    )  # fmt: skip


def confidence_of(lines: list[Line]) -> float:
    """Mean confidence of the lines by their length, lowered by the share of characters that did not decode."""
    chars = sum([len(line.text) for line in lines])
    if not chars:
        return 1.0
    score = sum([line.confidence * len(line.text) for line in lines]) / chars
    unknown = sum([line.text.count("\ufffd") for line in lines])
    return round(score * (1 - unknown / chars), 3)


def lines_bbox(lines: list[Line], marks: PageMarks) -> tuple[float, float, float, float]:
    """Return the box around the lines, on the page, with 3 decimals."""
    x0, y0 = min([line.x0 for line in lines]), min([line.y0 for line in lines])
    x1, y1 = max([line.x1 for line in lines]), max([line.y1 for line in lines])
    return clamp(x0, y0, x1, y1, marks)


def clamp(x0: float, y0: float, x1: float, y1: float, marks: PageMarks) -> tuple[float, float, float, float]:
    """Limit a box to the page and round it."""
    width, height = marks.width, marks.height
    x0, x1 = min(max(x0, 0.0), width), min(max(x1, 0.0), width)
    y0, y1 = min(max(y0, 0.0), height), min(max(y1, 0.0), height)
    return round_bbox((x0, y0, x1, y1))


def look_of(lines: list[Line]) -> TextLook:
    """Return the appearance of the lines, for comparison over pages."""
    first, last = lines[0], lines[-1]
    lengths = [len(line.text) for line in lines]
    chars = sum(lengths)
    return TextLook(
        size=round(lines[lengths.index(max(lengths))].size, 1),
        bold=sum([len(line.text) for line in lines if line.bold]) > 0.8 * chars,
        italic=sum([len(line.text) for line in lines if line.italic]) > 0.8 * chars,
        font=first.font,
        lines=len(lines),
        pitch=round((last.base - first.base) / (len(lines) - 1), 1) if len(lines) > 1 else 0.0,
        ends_open=not last.text.endswith(_ENDINGS),
        hyphen=bool(_DIVIDED.search(last.text, max(0, len(last.text) - 3))),
    )


def make_unseen_blocks(marks: PageMarks, body: float) -> list[PageBlock]:
    """Paragraphs of the unseen lines, in the order in which the file draws them."""
    return [
        make_block(BlockType.PARAGRAPH, group, marks)
        for _, lines in groupby(marks.unseen, key=lambda line: line.unseen)
        for group in group_paragraphs(list(lines), body)
    ]
