"""Kinds of cell texts, by which a grid's features are counted."""

import re
from typing import Final

from quire.models.extract.core import cells
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.signs import is_figure
from quire.models.extract.layout.tables.grid import join_words

_MARKER: Final = re.compile(r"(?:[•●○◦▪■□–—\-*·►]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d+\])(?:\s|$)")
_GLUED: Final = re.compile(r"\d[.,]*%?\s+[$€£]?\d[\d.,]*%?(?:\s|$)")
_LEADERS: Final = re.compile(r"\.\s?\.\s?\.\s?\.")

KnownKinds = dict[str, int]
"""Cache of the kinds of a page's cell texts, because its candidates share most of their cells."""


def cell_features(grid: Grid, known: KnownKinds) -> list[float]:
    """Return the features `CELL_NAMES`; `known` caches results by text."""
    return cells.cell_features(grid, known, _kinds_of, join_words)


def _kinds_of(text: str) -> int:
    """Return the kinds `cells.KIND_NAMES` of a cell's text as bits."""
    last = text[-1]
    kinds = (
        is_figure(text),
        last in ".;,!?" and len(text) > 12,
        last in "-‐",
        last == ":",
        text[0].islower(),
        _GLUED.search(text) is not None,
        _LEADERS.search(text) is not None,
        _MARKER.match(text) is not None,
    )
    return sum([holds << bit for bit, holds in enumerate(kinds)])
