"""Fonts whose map to characters is wrong: their letters are not as wide as the letters that the file states.

Short texts, as in a table, say nothing by their letters alone. Widths of letters are alike in nearly all fonts: they
correlate by .87 or more with the mean of a serif and a sans-serif font.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from quire.models.extract.formats.pdf.engine import mupdf
from quire.models.extract.formats.pdf.text.raw_lines import iter_spans, select_lines
from quire.models.extract.math.glyphs import sets_only_math

Widths = dict[str, float]
"""Letter → ems."""


@dataclass(frozen=True, slots=True)
class MapLimits:
    """Limits, measured on 340 fonts of 127 pages.

    Attributes:
        least: Distinct letters of a font that is judged.
        longest: Characters of such a font on a page; the letters of longer texts are judged as language.
        uneven: Deviation of the widths of its texts from those of the stated letters, times the root of the number of
            letters, above which single letters are measured, which is slow.
        enough: Distinct letters of a font that are measured.
        even: Least deviation of the widths, as a share of their mean; less is a typewriter font.
        wrong: Correlation with the stated letters below which a map is wrong; good fonts have .79 or more.
        doubtful: Correlation below which it is wrong if the letters at the same distance in the alphabet fit.
        fits: Least correlation of letters that fit.
        farthest: Greatest such distance.
        level: Points by which the ends of a letter's baseline may differ.
        most_fonts: Fonts of a page that are judged.
    """

    least: int = 10
    longest: int = 600
    uneven: float = 0.12
    enough: int = 16
    even: float = 0.05
    wrong: float = 0.4
    doubtful: float = 0.72
    fits: float = 0.85
    farthest: int = 3
    level: float = 0.01
    most_fonts: int = 200


LIMITS: Final = MapLimits()
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_SUBSET: Final = re.compile(r"\A[A-Z]{6}\+")
"""The mark of a subset, which the names in the dictionary lack."""
_USUAL: Final = ("Helvetica", "Times-Roman")


def find_wrong_maps(text_page: Any, blocks: list[dict[str, Any]], font_name: Callable[[Any], str]) -> frozenset[str]:
    """Return the names of the fonts whose letters have the widths of other letters.

    Args:
        text_page: The engine's text page.
        blocks: Its dictionary.
        font_name: Returns the name of an engine's font.
    """
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for span in iter_spans(blocks):
        own[span["font"]].append(span)
    judged = [font for font, spans in own.items() if not sets_only_math(font.lower()) and _is_doubtful(spans)]
    known: dict[str, set[str]] = {font: set() for font in judged[: LIMITS.most_fonts]}

    def adds_letters(span: dict[str, Any]) -> bool:
        own = known.get(span["font"])
        if own is None or len(own) >= LIMITS.enough:
            return False
        before = len(own)
        own.update(_LETTERS.intersection(span["text"]))
        return len(own) > before

    selected = select_lines(blocks, adds_letters)
    measured = _measure(text_page, selected, font_name)
    return frozenset(_SUBSET.sub("", font) for font, widths in measured.items() if _is_wrong(widths))


def _is_doubtful(spans: list[dict[str, Any]]) -> bool:
    """Return whether the texts of a font are few, with other proportions of their widths than the stated letters."""
    texts = [span["text"] for span in spans]
    if sum(map(len, texts)) > LIMITS.longest or len(_LETTERS.intersection("".join(texts))) < LIMITS.least:
        return False
    ratios: list[tuple[float, int]] = []
    for span, text in zip(spans, texts, strict=True):
        if text.isascii() and text == text.strip() and span["size"] > 0:
            usual = sum([_usual_widths()[ord(char)] for char in text])
            if usual > 0:
                ratios.append(((span["bbox"][2] - span["bbox"][0]) / span["size"] / usual, len(text)))
    if len(ratios) < 2:
        return False
    mean = sum([ratio * chars for ratio, chars in ratios]) / sum([chars for _, chars in ratios])
    squares = sum([(ratio / mean - 1) ** 2 * chars for ratio, chars in ratios]) if mean > 0 else 0.0
    return squares > LIMITS.uneven**2 * len(ratios)


def _measure(text_page: Any, selected: set[tuple[int, int]], font_name: Callable[[Any], str]) -> dict[str, Widths]:
    """Return the widths of the letters in the selected lines by font; turned letters are not measured."""
    widths: dict[str, Widths] = defaultdict(dict)
    names: dict[int, str] = {}
    for line in _find_lines(text_page, selected):
        glyph, seen = line.first_char, set[int]()
        while glyph:
            point = glyph.c
            if point not in seen and chr(point) in _LETTERS:
                seen.add(point)
                quad, size, address = glyph.quad, glyph.size, int(glyph.font.this)
                low, end = quad.ll, quad.lr
                if size > 0 and abs(low.y - end.y) < LIMITS.level:
                    name = names.get(address) or names.setdefault(address, font_name(glyph.font))
                    widths[name].setdefault(chr(point), (end.x - low.x) / size)
            glyph = glyph.next
    return widths


def _find_lines(text_page: Any, selected: set[tuple[int, int]]) -> Iterator[Any]:
    """Yield the engine's own records of the selected lines; those of other blocks are not made."""
    wanted: dict[int, set[int]] = defaultdict(set)
    for number, index in selected:
        wanted[number].add(index)
    block, number = text_page.this.m_internal.first_block, 0
    while block and wanted:
        indexes = wanted.pop(number, set())
        is_text = block.type == mupdf.FZ_STEXT_BLOCK_TEXT
        for index, line in enumerate(mupdf.FzStextBlock(block)) if indexes and is_text else ():
            if index in indexes:
                yield line.m_internal
        block, number = block.next, number + 1


def _is_wrong(widths: Widths) -> bool:
    own = np.array(list(widths.values()))
    if len(widths) < LIMITS.least or own.std() < LIMITS.even * own.mean():
        return False
    fit = max(_correlate(own, list(widths)), _correlate(own, [char.upper() for char in widths]))
    if fit < LIMITS.wrong:
        return True
    steps = [step for step in range(-LIMITS.farthest, LIMITS.farthest + 1) if step]
    return fit < LIMITS.doubtful and any(
        _correlate(own, [chr(ord(char) + step) for char in widths]) >= LIMITS.fits for step in steps
    )


def _correlate(own: npt.NDArray[np.float64], letters: list[str]) -> float:
    usual = np.array([_usual_widths()[ord(letter)] for letter in letters])
    return float(np.corrcoef(own, usual)[0, 1]) if usual.std() > 0 else 0.0


@cache
def _usual_widths() -> tuple[float, ...]:
    """Return the mean widths of the characters up to 127 in a sans-serif and a serif font, in ems."""
    fonts = [mupdf.fz_new_base14_font(name) for name in _USUAL]
    return tuple(
        sum(mupdf.fz_advance_glyph(font, mupdf.fz_encode_character(font, point), 0) for font in fonts) / len(fonts)
        for point in range(128)
    )
