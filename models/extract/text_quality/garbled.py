"""Fonts whose text layer differs from their shapes (wrong or missing encodings), found by statistics of letters.

It uses only the text. A recogniser reads garbled lines and decides.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.math.glyphs import sets_only_math
from quire.models.extract.text_quality.statistics import LineLetters, Sums, measure_lines
from quire.models.extract.text_quality.symbol_fonts import symbol_font


@dataclass(frozen=True, slots=True, kw_only=True)
class GarbledLimits:
    """Limits, measured on 3,500 fonts of 1,062 good pages and on 200 pages with scrambled encodings.

    `surprise`: nats per triple of letters; good fonts have 2.0 to 3.2, shuffled ones 3.3 to 4.5. `triples`: minimum of
    a judged font; a font with fewer is judged with its family. `judged`: minimum share of letters in scripts with
    statistics. `digit_joins`: short codes, of fewer than `coded` triples, have more digits next to letters. `bad`:
    share of non-characters. `bad_runs`: share of those in runs (bullets are single). `sample`: characters of a font
    that are sampled, and of its other lines every `step`-th.
    """

    surprise: float = 3.4
    triples: float = 60
    judged: float = 0.6
    digit_joins: float = 0.08
    coded: float = 80
    bad: float = 0.15
    bad_count: float = 8
    bad_runs: float = 0.4
    sample: int = 300
    step: int = 8


LIMITS = GarbledLimits()


@dataclass(frozen=True, slots=True)
class GarbledText:
    """Garbled lines; `share` is their share of the page's characters."""

    lines: tuple[Line, ...] = ()
    share: float = 0.0


def find_garbled(lines: Sequence[Line], wrong: Set[str] = frozenset(), limits: GarbledLimits = LIMITS) -> GarbledText:
    """Return the lines whose font is garbled; all lines if their sum is garbled and each font has too few letters.

    The fonts in `wrong` are known to be garbled.

    A font with only a few labels is judged together with the other fonts of its family.
    """
    sample, fonts = _sample_lines(lines, limits)
    if not sample:
        return GarbledText()
    group = np.array([fonts[line.font] for line in sample])
    measured = _exclude_symbols(measure_lines([line.text for line in sample]), sample, list(fonts), group)
    sums = _by_group(measured, group, len(fonts))
    *judged, together = _judge(_pool_families(sums, list(fonts), limits), limits).tolist()
    alone = [is_garbled or font in wrong for is_garbled, font in zip(judged, fonts, strict=True)]
    verdict = alone if any(alone) or len(fonts) < 2 else [together] * len(fonts)
    if not any(verdict):
        return GarbledText()
    garbled = tuple(line for line in lines if verdict[fonts[line.font]])
    return GarbledText(garbled, _count(garbled) / max(1, _count(lines)))


_SUBSET = re.compile(r"[A-Z]{6}\+")
_STYLE = re.compile(
    r"(?:bold|italic|oblique|regular|medium|light|black|semi|demi|book|cond(?:ensed)?|mt|ps)+$", re.IGNORECASE
)
_BEFORE_STYLE = re.compile(r"[-,_ ]")
_MOST_REMEMBERED = 1024
"""Font names whose family is cached: more than any document has."""


@lru_cache(maxsize=_MOST_REMEMBERED)
def find_family(font: str) -> str:
    """Return the name of a font without its subset mark and style."""
    name = _BEFORE_STYLE.split(_SUBSET.sub("", font), maxsplit=1)[0]
    return (_STYLE.sub("", name) or name).casefold()


def _pool_families(sums: LineLetters, fonts: Sequence[str], limits: GarbledLimits) -> LineLetters:
    """Replace the sums of a font with too few triples by those of its family; the last row stays."""
    names = [find_family(font) for font in fonts]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if len(numbers) == len(names):
        return sums
    family = np.array([numbers[name] for name in names])
    is_short = sums.triples[:-1] < limits.triples
    columns = []
    for column in sums.columns():
        pooled = np.bincount(family, column[:-1], len(numbers))[family]
        columns.append(np.append(np.where(is_short, pooled, column[:-1]), column[-1]))
    return LineLetters(*columns)


def _count(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _sample_lines(lines: Sequence[Line], limits: GarbledLimits) -> tuple[list[Line], dict[str, int]]:
    """Return some lines of every font, and the fonts' numbers. A repeated label counts once."""
    fonts: dict[str, int] = {}
    seen: list[int] = []
    sample: dict[tuple[str, str], Line] = {}
    for index, line in enumerate(lines):
        font = fonts.setdefault(line.font, len(fonts))
        if font == len(seen):
            seen.append(0)
        key = (line.font, line.text)
        if key not in sample and (seen[font] < limits.sample or index % limits.step == 0):
            seen[font] += len(line.text)
            sample[key] = line
    return list(sample.values()), fonts


def _exclude_symbols(measured: LineLetters, lines: Sequence[Line], fonts: Sequence[str], group: Sums) -> LineLetters:
    """Drop letters in fonts of mathematics, which form no words, and signs of symbol fonts.

    Typewriter fonts print commands, keys and data, so they are dropped too if most of the text is in other fonts.
    """
    is_code = np.array([line.code for line in lines])
    letters = measured.letters.sum()
    is_left_out = is_code & (2 * measured.letters[is_code].sum() < letters)
    math = [sets_only_math(font.lower()) for font in fonts]
    signs = [symbol_font(font) is not None for font in fonts]
    if any(math) or is_left_out.any():
        words = np.where(np.array(math)[group] | is_left_out, 0.0, 1.0)
        measured = replace(measured, triples=measured.triples * words, nats=measured.nats * words)
    if any(signs):
        is_sign = np.array(signs)[group]
        bad, runs = np.where(is_sign, 0, measured.bad), np.where(is_sign, 0, measured.bad_runs)
        measured = replace(measured, bad=bad, bad_runs=runs)
    return measured


def _by_group(measured: LineLetters, group: Sums, groups: int) -> LineLetters:
    """Return the sums of each group, followed by the total."""
    both = np.concatenate([group, np.full(len(group), groups)])
    sums = [
        np.bincount(both, np.concatenate([column, column]), groups + 1).astype(np.float64)
        for column in measured.columns()
    ]
    return LineLetters(*sums)


def _judge(sums: LineLetters, limits: GarbledLimits) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return whether each group is garbled."""
    enough = (sums.triples >= limits.triples) & (sums.judged >= limits.judged * sums.letters)
    is_code = (sums.digit_joins > limits.digit_joins * sums.letters) & (sums.triples < limits.coded)
    wrong = enough & (sums.nats > limits.surprise * sums.triples) & ~is_code
    undecoded = (sums.bad >= limits.bad_count) & (sums.bad > limits.bad * (sums.bad + sums.letters))
    return np.asarray(wrong | (undecoded & (sums.bad_runs > limits.bad_runs * sums.bad)))
