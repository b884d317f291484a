"""Styles of synthetic tables: fonts, rules, shades, distances, with the defaults of common programs."""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf

FAMILIES = {"sans": ("helv", "hebo"), "serif": ("tiro", "tibo"), "mono": ("cour", "cobo")}
"""Light and bold of the fonts that every viewer has."""


def measure(text: str, font: str, size: float) -> float:
    """Width of a text in points."""
    words = text.split(" ")
    return size * (sum(_measure_word(word, font) for word in words) + (len(words) - 1) * _measure_word(" ", font))


@lru_cache(maxsize=100_000)
def _measure_word(word: str, font: str) -> float:
    """Width of a word at a size of one point."""
    return float(_load_font(font).text_length(word, 1))


@lru_cache
def _load_font(name: str) -> Any:
    return pymupdf.Font(name)


@dataclass(frozen=True, slots=True)
class TableStyle:
    """Rules: `above`, `head`, `rows`, `below` across, `inner` and `sides` down; widths in points, 0 for none.

    `pad_x`, `pad_y` are a cell's paddings in points, `leading` the distance of its lines in ems. `zebra` shades every
    second row, `band` the head, with `shade` (0..1).
    """

    family: str = "sans"
    size: float = 10.0
    leading: float = 1.2
    pad_x: float = 4.0
    pad_y: float = 2.0
    above: float = 0.0
    head: float = 0.0
    rows: float = 0.0
    below: float = 0.0
    inner: float = 0.0
    sides: float = 0.0
    ink: float = 0.0
    zebra: bool = False
    band: bool = False
    shade: float = 0.92
    bold_head: bool = True
    bold_key: bool = False
    is_middle: bool = False
    stretch: bool = True
    """Over the whole width, or as narrow as its texts."""


def choose_style(random: Random, family: str, size: float) -> TableStyle:
    """A style: a maker's default or a mix."""
    style = TableStyle(
        family=family,
        size=size,
        leading=random.choice([1.1, 1.15, 1.2, 1.25, 1.35, 1.45, 1.5, 1.6, 1.75]),
        pad_x=random.choice([2.8, 4.0, 5.4, 6.0, 8.0]),
        pad_y=random.choice([0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0]),
        ink=random.choice([0.0, 0.0, 0.3, 0.6, 0.85]),
        shade=random.choice([0.85, 0.92, 0.96]),
        bold_head=random.random() < 0.6,
        bold_key=random.random() < 0.2,
        is_middle=random.random() < 0.2,
        stretch=random.random() < 0.65,
    )
    width = random.choice([0.4, 0.5, 0.75, 1.0])
    kind = random.choice(_KINDS)
    changed = replace(style, **_dress(kind, width, edge=random.choice([0.0, width])))
    least = 1.5 if kind == "head" else 2.0 if kind == "none" and style.leading > 1.4 else 0.0
    return replace(changed, pad_y=max(changed.pad_y, least))


_KINDS = (
    "word", "word", "office", "pandoc", "pandoc", "web", "grid", "open-grid", "rows", "rows", "columns", "box",
    "head", "head", "head", "booktabs", "booktabs", "zebra", "zebra", "band", "band", "light", "none", "none", "none",
)  # fmt: skip


def _dress(kind: str, width: float, edge: float) -> dict[str, Any]:
    """Set the properties of a style's kind; `edge` is the width of the rules of some tables."""
    kinds: dict[str, dict[str, Any]] = {
        "word": {"leading": 1.15, "pad_x": 5.4, "pad_y": 0.0, "ink": 0.0, "stretch": True, **_frame(0.5)},
        "office": {"leading": 1.15, "pad_x": 2.8, "pad_y": 2.8, "ink": 0.0, "stretch": True, **_frame(0.1)},
        "pandoc": {
            "leading": 1.2,
            "pad_x": 6.0,
            "pad_y": 2 * edge,
            "ink": 0.0,
            "above": 0.8,
            "head": 0.5,
            "below": 0.8,
        },
        "web": {"pad_x": 9.0, "pad_y": 4.5, "leading": 1.5, "ink": 0.85, "zebra": True, **_frame(0.75)},
        "grid": _frame(width),
        "open-grid": {"head": width, "rows": width, "inner": width},
        "rows": {"rows": width, "head": width, "below": edge, "above": edge},
        "columns": {"inner": width, "sides": edge},
        "box": {"above": width, "below": width, "sides": width, "head": edge},
        "head": {"head": width},
        "booktabs": {"above": 2 * width, "head": width, "below": 2 * width},
        "zebra": {"zebra": True, "above": edge, "head": edge, "below": edge},
        "band": {"band": True, "rows": 0.4 * edge, "below": edge},
        "light": {"rows": 0.4, "ink": 0.9, "head": 0.4, "inner": edge},
        "none": {},
    }
    return kinds[kind]


def _frame(width: float) -> dict[str, float]:
    return dict.fromkeys(("above", "head", "rows", "below", "inner", "sides"), width)
