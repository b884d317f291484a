"""Features of a finished table's cells: fill, kind, and how their texts begin and end."""

import re
from collections import Counter
from dataclasses import dataclass, field

from quire.models.extract.layout.tables.data_rows import FIGURE
from quire.models.extract.layout.tables.grid import Grid, Slot, join_words

_LONG = 40
"""Characters of a cell that holds more than a label."""
_MARKER = re.compile(r"(?:[•●○◦▪■□–—\-*·►]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d+\])(?:\s|$)")
_GLUED = re.compile(r"\d[.,]*%?\s+[$€£]?\d[\d.,]*%?(?:\s|$)")
_LEADERS = re.compile(r"\.\s?\.\s?\.\s?\.")

CELL_NAMES = (
    "rows", "cols", "slots", "filled", "words", "chars", "chars_most", "chars_median", "long", "numeric",
    "numeric_columns", "consistent", "first_col_numeric", "first_row_numeric", "first_row_filled", "first_col_filled",
    "last_row_filled", "last_col_filled", "least_col_filled", "first_row_bold", "body_bold", "stops", "hyphens",
    "lower", "glued", "many_lines", "spans", "body_spans", "row_spans", "markers", "leaders", "lone_rows",
    "widest_share", "colons", "first_col_chars", "last_col_chars", "repeats", "header_rows",
)  # fmt: skip


KnownKinds = dict[str, tuple[str, ...]]
"""Cache of the kinds of a page's cell texts, because its candidates share most of their cells."""


@dataclass(slots=True)
class CellCounts:
    """Counts over the cells of a table, added text by text."""

    width: int
    known: KnownKinds
    words: int = 0
    filled: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.filled, self.numbers, self.chars = [0] * self.width, [0] * self.width, [0] * self.width

    def add(self, slot: Slot, text: str, *, is_first_row: bool) -> None:
        """Count one filled cell."""
        kinds, count = self.kinds, len(text)
        self.seen.add(text)
        self.lengths.append(count)
        self.filled[slot.col] += 1
        self.chars[slot.col] += count
        own, bold = self.known.get(text), slot.words[0].bold
        if own is None:
            own = self.known[text] = _kinds_of(text)
        is_number = "numeric" in own
        self.words += len(slot.words)
        for name in own:
            kinds[name] += 1
        if slot.words[-1].base - slot.words[0].base > 0.5 * slot.words[0].size:
            kinds["lines"] += 1
        if is_first_row:
            kinds["first_numeric"] += is_number
            kinds["first_bold"] += bold
        else:
            self.numbers[slot.col] += is_number
            kinds["body_bold"] += bold


def _kinds_of(text: str) -> tuple[str, ...]:
    """Return the counted kinds of a cell's text."""
    kinds = {
        "numeric": FIGURE.fullmatch(text) is not None,
        "stops": text[-1] in ".;,!?" and len(text) > 12,
        "hyphens": text[-1] in "-‐",
        "colons": text[-1] == ":",
        "lower": text[0].islower(),
        "glued": _GLUED.search(text) is not None,
        "leaders": _LEADERS.search(text) is not None,
    }
    return tuple(name for name, holds in kinds.items() if holds)


def cell_features(grid: Grid, known: KnownKinds) -> list[float]:
    """Return the features `CELL_NAMES`; `known` caches results by text."""
    texts = [[(slot, join_words(slot.words)) for slot in row] for row in grid.rows]
    height, width = len(grid.rows), grid.width
    counts = CellCounts(width, known)
    spans = body_spans = row_spans = lone = 0
    head = max(1, grid.header_rows)
    for index, row in enumerate(texts):
        full = [entry for entry in row if entry[1]]
        if len(row) < width:
            spanning = sum([slot.col_span > 1 for slot, _ in row])
            spans += spanning
            body_spans += spanning if index >= head else 0
        row_spans += sum([slot.row_span > 1 for slot, _ in row])
        lone += len(full) < 2
        for slot, text in full:
            counts.add(slot, text, is_first_row=not index)
    slots = sum(map(len, texts))
    lengths, kinds = sorted(counts.lengths), counts.kinds
    cells, total = len(lengths) or 1, sum(lengths) or 1
    first_full = sum([bool(text) for _, text in texts[0]])
    shares = [
        number / max(1, count - bool(first))
        for number, count, first in zip(counts.numbers, counts.filled, _first_row(texts, width), strict=True)
    ]
    markers = sum([bool(row and row[0][1] and _MARKER.match(row[0][1])) for row in texts])
    return [
        height, width, slots, cells / max(1, slots), counts.words, total / cells, lengths[-1] if lengths else 0,
        lengths[len(lengths) // 2] if lengths else 0, sum([entry > _LONG for entry in lengths]) / cells,
        kinds["numeric"] / cells, sum([share >= 0.6 for share in shares]) / width,
        sum([max(share, 1 - share) for share in shares]) / width, shares[0],
        kinds["first_numeric"] / max(1, first_full),
        first_full / max(1, len(texts[0])), counts.filled[0] / height,
        sum([bool(text) for _, text in texts[-1]]) / max(1, len(texts[-1])), counts.filled[-1] / height,
        min(counts.filled) / height, kinds["first_bold"] / max(1, first_full),
        kinds["body_bold"] / max(1, cells - first_full), kinds["stops"] / cells, kinds["hyphens"] / cells,
        kinds["lower"] / cells, kinds["glued"] / cells, kinds["lines"] / cells, spans / height, body_spans / height,
        row_spans, markers / height, kinds["leaders"] / cells, lone / height, max(counts.chars) / total,
        kinds["colons"] / cells, counts.chars[0] / max(1, counts.filled[0]),
        counts.chars[-1] / max(1, counts.filled[-1]), len(counts.seen) / cells, grid.header_rows,
    ]  # fmt: skip


def _first_row(texts: list[list[tuple[Slot, str]]], width: int) -> list[bool]:
    out = [False] * width
    for slot, text in texts[0]:
        out[slot.col] = bool(text)
    return out
