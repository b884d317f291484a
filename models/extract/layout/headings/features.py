"""Features of the groups of lines of one page, relative to that page, for the learned heading decision.

Every feature is a pure function of one page's groups, so a page is read the same in every context.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quire.models.extract.layout.learned.counts import count_capitals, count_digits, count_letters, median
from quire.models.extract.layout.learned.forest import Matrix
from quire.models.extract.layout.lines.marks import Line, PageMarks

Group = list[Line]
Column = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

_NUMBERED = re.compile(r"(?:§+\s*)?(\d{1,3}(?:\.\d{1,3}){0,5})\.?[)]?\s+\S|([IVXLC]{1,6}|[A-Z])[.)]\s+\S")
_PART = re.compile(r"(?:chapter|part|section|appendix|article|annex|kapitel|teil|chapitre)\b", re.IGNORECASE)
_ITEM = re.compile(r"[•●○◦▪■□▫‣⁃∙·◆►▶➤➢✓✔❖\uf0b7\uf0a7\uf0d8–—*-]\s|\(?[a-z][.)]\s|\(\d{1,3}\)\s")
_DIGITS = re.compile(r"\d+")
_ENDS_IN_NUMBER = re.compile(r"\s[\divxlc]{1,5}\s*$")


@dataclass(frozen=True, slots=True)
class HeadingFeatureLimits:
    """Limits of the features of headings."""

    far: float = 30.0
    """Upper limit of gaps and distances, in body sizes."""
    short: int = 90
    """Maximum characters of a line as short as titles."""
    read: int = 100
    """Characters of a text that are used: the start of a title is sufficient."""


LIMITS = HeadingFeatureLimits()

_OPEN = re.compile(r"[@=$€£%|_]")

NAMES = (
    "size", "log_size", "tall", "style_share", "near_share", "larger_share", "is_main", "style_chars",
    "style_short", "style_stops", "style_groups", "other_font", "bold_lead", "bold", "italic", "bold_share",
    "color", "gap_up", "gap_down", "gap_difference", "gap_excess", "top", "bottom", "left", "indent", "width",
    "below_first", "lines", "chars", "words", "last_letter", "last_mark", "capital", "upper", "title_case",
    "digits", "numbered", "part", "item", "ends_number", "open_mark", "repeated", "large_share", "previous_size",
    "previous_bold", "previous_chars", "previous_style", "previous_float", "next_size", "next_bold", "next_chars",
    "next_style", "next_float", "next_lower", "lower_size", "lower_bold", "lower_chars", "lower_indent", "filled",
    "ruled", "centered", "beside", "page_chars", "page_groups",
)  # fmt: skip
"""Names in the order of the columns; the file of trees contains the same names."""


@dataclass(slots=True)
class _Facts:
    """Facts about each group alone, one value per group."""

    box: Column
    size: Column
    tall: Column
    chars: Column
    bold: Column
    italic: Column
    held: npt.NDArray[np.bool_]
    style: npt.NDArray[np.int64]
    font: list[str]
    color: npt.NDArray[np.int64]
    texts: list[str]


def find_features(groups: list[Group], marks: PageMarks, body: float, asked: Sequence[int]) -> Matrix:
    """Return one row per requested group (an index of one with text) and one column per name of `NAMES`.

    `body` is the size of running text in points.
    """
    facts = _find_facts(groups)
    rows = np.asarray(asked, dtype=np.int64)
    unit = body or 10.0
    overlaps = _find_overlaps(facts, rows)
    columns = {
        **_find_styles(facts, unit, rows),
        **_find_places(facts, marks, unit, rows, overlaps),
        **_find_neighbours(facts, unit, rows, overlaps),
        **_find_words(groups, facts, rows),
        **_find_ground(facts, marks, unit, rows),
    }
    return np.ascontiguousarray(np.array([columns[name] for name in NAMES]).T, dtype=np.float32)


def _find_facts(groups: list[Group]) -> _Facts:
    main = [max(group, key=lambda line: len(line.text)) for group in groups]
    styles: dict[tuple[object, ...], int] = {}
    keys = [(line.font, round(line.size, 1), line.bold, line.italic, line.color) for line in main]
    held = [not group[0].text for group in groups]
    return _Facts(
        box=np.array(
            [
                (
                    min([line.x0 for line in group]),
                    min([line.y0 for line in group]),
                    max([line.x1 for line in group]),
                    max([line.y1 for line in group]),
                )
                for group in groups
            ]
        ),
        size=np.array([line.size for line in main]),
        tall=np.array([max([max(line.tall, line.size) for line in group]) for group in groups]),
        chars=np.array([float(sum([len(line.text) for line in group])) for group in groups]),
        bold=np.array([float(all([line.bold for line in group])) for group in groups]),
        italic=np.array([float(all([line.italic for line in group])) for group in groups]),
        held=np.array(held, dtype=bool),
        style=np.array(
            [-1 if is_held else styles.setdefault(key, len(styles)) for key, is_held in zip(keys, held, strict=True)],
            dtype=np.int64,
        ),
        font=[line.font for line in main],
        color=np.array([line.color for line in main], dtype=np.int64),
        texts=[" ".join([line.text for line in group]).strip() for group in groups],
    )


def _find_styles(facts: _Facts, unit: float, asked: Rows) -> dict[str, Column]:
    """Return features of the group's type in relation to the types of the page."""
    styles, weights, main = _measure_styles(facts)
    total = max(1.0, sum(weights.values()))
    example = int(np.argmax(facts.style == main))
    rows = []
    shares: dict[float, tuple[float, float]] = {}
    for index, size, style in zip(asked.tolist(), facts.size[asked].tolist(), facts.style[asked].tolist(), strict=True):
        own = styles[style]
        if size not in shares:
            near = sum([weight for other, weight in weights.items() if abs(other - size) <= 0.3])
            larger = sum([weight for other, weight in weights.items() if other - size > 0.3])
            shares[size] = near / total, larger / total
        rows.append(
            (
                own.chars / total,
                *shares[size],
                style == main,
                own.chars / own.groups,
                own.short / own.groups,
                own.stops / own.groups,
                min(own.groups, 20),
                facts.font[index] != facts.font[example],
            )
        )
    names = (
        "style_share", "near_share", "larger_share", "is_main", "style_chars", "style_short", "style_stops",
        "style_groups", "other_font",
    )  # fmt: skip
    columns = dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))
    size = np.maximum(facts.size[asked], 0.1) / unit
    bold = float(facts.chars[~facts.held & (facts.bold > 0)].sum())
    large = float(((facts.size > 1.1 * unit) & ~facts.held).mean())
    return columns | {
        "style_chars": np.log1p(columns["style_chars"]),
        "size": size,
        "log_size": np.log(size),
        "tall": facts.tall[asked] / unit,
        "bold": facts.bold[asked],
        "italic": facts.italic[asked],
        "bold_share": np.full(len(asked), bold / total),
        "color": (facts.color[asked] != facts.color[example]).astype(float),
        "large_share": np.full(len(asked), large),
    }


@dataclass(slots=True)
class GroupStyle:
    """Common data of the groups with one look."""

    chars: float = 0.0
    groups: int = 0
    short: int = 0
    stops: int = 0


def _measure_styles(facts: _Facts) -> tuple[list[GroupStyle], dict[float, float], int]:
    """Return the styles of the page, its characters by size, and the number of the style with most characters."""
    styles = [GroupStyle() for _ in range(int(facts.style.max()) + 1)]
    weights: dict[float, float] = {}
    for number, chars, size, text in zip(
        facts.style.tolist(), facts.chars.tolist(), facts.size.tolist(), facts.texts, strict=True
    ):
        if number >= 0:
            style = styles[number]
            style.chars += chars
            style.groups += 1
            style.short += chars <= LIMITS.short
            style.stops += text.endswith((".", ";", ","))
            weights[size] = weights.get(size, 0.0) + chars
    return styles, weights, max(range(len(styles)), key=lambda number: styles[number].chars)


def _find_overlaps(facts: _Facts, asked: Rows) -> npt.NDArray[np.bool_]:
    """Return which groups (columns) are above or below the requested ones (rows), without themselves."""
    every = facts.box.T
    x0, _, x1, _ = facts.box[asked].T
    overlaps: npt.NDArray[np.bool_] = (x0[:, None] < every[2]) & (x1[:, None] > every[0])
    overlaps[np.arange(len(asked)), asked] = False
    return overlaps


def _clip(values: Column, low: float, high: float) -> Column:
    """Return the values limited to a range; `np.clip` takes four times as long for so few."""
    return np.minimum(np.maximum(values, low), high)


def _find_places(
    facts: _Facts, marks: PageMarks, unit: float, asked: Rows, overlaps: npt.NDArray[np.bool_]
) -> dict[str, Column]:
    """Return features of the group's place and its distance from the text above and below."""
    every = facts.box.T
    x0, y0, x1, y1 = facts.box[asked].T
    slack, far = 0.3 * unit, LIMITS.far * unit
    up = np.where(overlaps & (every[3] <= y0[:, None] + slack), y0[:, None] - every[3], far).min(axis=1)
    down = np.where(overlaps & (every[1] >= y1[:, None] - slack), every[1] - y1[:, None], far).min(axis=1)
    up, down = _clip(up / unit, -1, LIMITS.far), _clip(down / unit, -1, LIMITS.far)
    middle = (y0 + y1)[:, None] / 2
    beside = (~overlaps) & (every[1] < middle) & (every[3] > middle)
    near = up[up < LIMITS.far]
    width, height = max(1.0, marks.width), max(1.0, marks.height)
    left, right = float(every[0].min()), float(every[2].max())
    return {
        "gap_up": up,
        "gap_down": down,
        "gap_difference": up - down,
        "gap_excess": up - (median(near.tolist()) if len(near) else 0.0),
        "top": y0 / height,
        "bottom": y1 / height,
        "left": x0 / width,
        "indent": _clip((x0 - left) / unit, 0, LIMITS.far),
        "width": (x1 - x0) / width,
        "below_first": _clip((y0 - float(every[1].min())) / unit, 0, 2 * LIMITS.far),
        "centered": _clip(np.abs((x0 + x1) - (left + right)) / unit, 0, LIMITS.far),
        "beside": np.minimum(beside.sum(axis=1) - 1.0, 5.0),
    }


def _find_neighbours(facts: _Facts, unit: float, asked: Rows, overlaps: npt.NDArray[np.bool_]) -> dict[str, Column]:
    """Return features of the previous and next groups in reading order, and of the one right below."""
    previous, following = np.maximum(asked - 1, 0), np.minimum(asked + 1, len(facts.size) - 1)
    every = facts.box.T
    x0, _, _, y1 = facts.box[asked].T
    under = overlaps & (every[1] >= y1[:, None] - 0.3 * unit)
    lower = np.where(under, every[1], np.inf).argmin(axis=1)
    lower = np.where(under.any(axis=1), lower, asked)
    out: dict[str, Column] = {}
    size = np.maximum(facts.size[asked], 0.1)
    for name, other in (("previous", previous), ("next", following), ("lower", lower)):
        out[f"{name}_size"] = _clip(facts.size[other] / size, 0, 5)
        out[f"{name}_bold"] = facts.bold[other] - facts.bold[asked]
        out[f"{name}_chars"] = np.where(other == asked, -1.0, np.log1p(facts.chars[other]))
        out[f"{name}_style"] = (facts.style[other] == facts.style[asked]).astype(float)
        out[f"{name}_float"] = facts.held[other].astype(float)
    out["lower_indent"] = _clip((facts.box[lower, 0] - x0) / unit, -LIMITS.far, LIMITS.far)
    out["next_lower"] = np.array([float(facts.texts[index][:1].islower()) for index in following])
    return out


def _find_words(groups: list[Group], facts: _Facts, asked: Rows) -> dict[str, Column]:
    """Return features of the text alone."""
    bare = [_DIGITS.sub("#", text) for text in facts.texts]
    same = Counter(bare)
    rows = np.array(
        [
            (*_read_text(facts.texts[index]), same[bare[index]] > 1, _bold_lead(groups[index][0]), len(groups[index]))
            for index in asked
        ],
        dtype=np.float64,
    )
    names = (
        "words", "last_letter", "last_mark", "capital", "upper", "title_case", "digits", "numbered", "part", "item",
        "ends_number", "open_mark", "repeated", "bold_lead", "lines",
    )  # fmt: skip
    return dict(zip(names, rows.T, strict=True)) | {
        "chars": np.log1p(facts.chars[asked]),
        "page_chars": np.full(len(asked), np.log1p(facts.chars.sum())),
        "page_groups": np.full(len(asked), float(min(len(groups), 100))),
    }


def _read_text(text: str) -> tuple[float, ...]:
    head = text[: LIMITS.read]
    words = head.split()
    letters = max(1, count_letters(head))
    numbered = _NUMBERED.match(head)
    depth = 0.0 if numbered is None else 0.5 if numbered[1] is None else 1.0 + numbered[1].count(".")
    last = text[-1]
    return (
        float(len(words)),
        float(last.isalpha()),
        1.0 if last == "." else 2.0 if last in ",;-" else 3.0 if last == ":" else 4.0 if last in "?!" else 0.0,
        float(head[0].isupper()),
        count_capitals(head) / letters,
        sum(word[0].isupper() for word in words) / max(1, len(words)),
        count_digits(head) / len(head),
        depth,
        float(bool(_PART.match(head))),
        float(bool(_ITEM.match(head))),
        float(bool(_ENDS_IN_NUMBER.search(text[-12:]))),
        float(bool(_OPEN.search(head))),
    )


def _bold_lead(line: Line) -> float:
    return 1.0 if line.runs and line.runs[0].start == 0 and line.runs[0].bold else 0.0


def _find_ground(facts: _Facts, marks: PageMarks, unit: float, asked: Rows) -> dict[str, Column]:
    """Return features of shading behind the group, and of a rule right under or over it."""
    filled, ruled = np.zeros(len(asked)), np.zeros(len(asked))
    x0, y0, x1, y1 = facts.box[asked].T
    if marks.fills:
        boxes = np.array([(fill.x0, fill.y0, fill.x1, fill.y1) for fill in marks.fills]).T
        inside = (
            (boxes[0][None] <= x0[:, None] + 1)
            & (boxes[2][None] >= x1[:, None] - 1)
            & (boxes[1][None] <= y0[:, None] + 2)
            & (boxes[3][None] >= y1[:, None] - 2)
            & ((boxes[3] - boxes[1])[None] < 3 * (y1 - y0)[:, None] + unit)
        )
        filled = inside.any(axis=1).astype(float)
    rules = [*marks.horizontals, *marks.dashes]
    if rules:
        edges = np.array([(rule.x0, rule.x1, rule.y0) for rule in rules]).T
        across = (edges[0][None] < x1[:, None]) & (edges[1][None] > x0[:, None])
        under = across & (np.abs(edges[2][None] - y1[:, None]) < 0.7 * unit)
        over = across & (np.abs(edges[2][None] - y0[:, None]) < 0.7 * unit)
        ruled = under.any(axis=1) + 2.0 * over.any(axis=1)
    return {"filled": filled, "ruled": ruled}
