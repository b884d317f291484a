"""Characters of selected lines of a page from the engine's raw dictionary, which is slow and read only when needed."""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from quire.models.extract.layout.lines.marks import Line

Key = tuple[int, int]


def raw_spans(text_page: Any, selected: Container[Key]) -> Iterator[tuple[Key, list[dict[str, Any]]]]:
    """Yield each selected key (text block, line) of the page with the engine's spans of that line."""
    number = -1
    for block in text_page.extractRAWDICT()["blocks"]:
        if block["type"] != 0:
            continue
        number += 1
        for index, stated in enumerate(block["lines"]):
            if (number, index) in selected:
                yield (number, index), stated["spans"]


def raw_lines(text_page: Any, selected: Mapping[Key, Line]) -> Iterator[tuple[Line, list[dict[str, Any]]]]:
    """Yield each selected line, by its key (text block, line), with the engine's characters in its order."""
    for key, spans in raw_spans(text_page, selected):
        yield selected[key], [char for span in spans for char in span["chars"]]


@dataclass(frozen=True, slots=True)
class BlankLimits:
    """Limits for words of a line to lack their blanks."""

    long: int = 23
    """Letters beyond which a word is a compound, or several words that lack blanks."""
    gap: float = 0.09
    """A gap of this many ems between letters that otherwise touch is a blank."""
    most_blanks: float = 0.35
    """Share of gaps beyond which a line is letter-spaced and left unchanged."""


LIMITS = BlankLimits()
_LONG_WORD = re.compile(rf"[^\W\d_]{{{LIMITS.long},}}")


def add_missing_blanks(lines: list[Line], text_page: Any) -> None:
    """Insert blanks into lines whose words run together, in place; the engine's word list then does not apply."""
    torn = {line.key: line for line in lines if line.upright and _has_long_word(line.text)}
    if not torn:
        return
    for line, chars in raw_lines(text_page, torn):
        _insert_blanks(line, chars)


def _has_long_word(text: str) -> bool:
    """Check word lengths before running the pattern, because every line is checked."""
    return (
        len(text) >= LIMITS.long and max(map(len, text.split())) >= LIMITS.long and _LONG_WORD.search(text) is not None
    )


def _insert_blanks(line: Line, chars: list[dict[str, Any]]) -> None:
    start = "".join(char["c"] for char in chars).find(line.text)
    if start < 0:
        return
    own = chars[start : start + len(line.text)]
    positions = [
        i + 1
        for i in range(len(own) - 1)
        if own[i + 1]["bbox"][0] - own[i]["bbox"][2] > LIMITS.gap * line.size
        and not own[i]["c"].isspace()
        and not own[i + 1]["c"].isspace()
    ]
    if not positions or len(positions) > LIMITS.most_blanks * len(own):
        return
    for run in line.runs:
        run.start += sum(position <= run.start for position in positions)
        run.end += sum(position < run.end for position in positions)
    cuts = [0, *positions, len(line.text)]
    line.text = " ".join(line.text[left:right] for left, right in pairwise(cuts))
    line.key = (-1, -1)


_TEXT: Final = 0
"""The engine's type of text blocks."""


def iter_spans(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the spans of the text blocks in the order of the engine's dictionary."""
    for block in blocks:
        for line in block["lines"] if block["type"] == _TEXT else ():
            yield from line["spans"]


def select_lines(blocks: list[dict[str, Any]], is_wanted: Callable[[dict[str, Any]], bool]) -> set[Key]:
    """Return the keys (number of any block, line) of the lines that have a wanted span."""
    return {
        (number, index)
        for number, block in enumerate(blocks)
        for index, line in enumerate(block["lines"] if block["type"] == _TEXT else ())
        if any(map(is_wanted, line["spans"]))
    }


def iter_glyphs(text_page: Any) -> Iterator[Any]:
    """Yield the engine's own character records, which can be rewritten."""
    for glyphs in iter_lines_of_glyphs(text_page):
        yield from glyphs


def iter_lines_of_glyphs(text_page: Any, selected: Container[Key] | None = None) -> Iterator[list[Any]]:
    """Yield the engine's own character records of each line, or of selected ones (number of any block, line)."""
    for number, block in enumerate(text_page.this):
        for index, line in enumerate(block) if block.m_internal.type == _TEXT else ():
            if selected is None or (number, index) in selected:
                yield [char.m_internal for char in line]
