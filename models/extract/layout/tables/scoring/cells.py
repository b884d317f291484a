"""Features of a finished table's cells: how full they are, of what kind, how their texts begin and end."""

import re

from models.extract.layout.tables.data_rows import FIGURE
from models.extract.layout.tables.grid import Grid, Slot, join_words

_LONG = 40
"""Characters of a cell that holds more than a label."""
_MARKER = re.compile(r"(?:[•●○◦▪■□–—\-*·►]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d+\])(?:\s|$)")
_GLUED = re.compile(r"\d[\d.,]*%?\s+[$€£]?\d[\d.,]*%?(?:\s|$)")
_LEADERS = re.compile(r"\.\s?\.\s?\.\s?\.")

CELL_NAMES = (
    "rows", "cols", "slots", "filled", "words", "chars", "chars_most", "chars_median", "long", "numeric",
    "numeric_columns", "consistent", "first_col_numeric", "first_row_numeric", "first_row_filled", "first_col_filled",
    "last_row_filled", "last_col_filled", "least_col_filled", "first_row_bold", "body_bold", "stops", "hyphens",
    "lower", "glued", "many_lines", "spans", "body_spans", "row_spans", "markers", "leaders", "lone_rows",
    "widest_share", "colons", "first_col_chars", "last_col_chars", "repeats", "header_rows",
)  # fmt: skip


def cell_features(grid: Grid) -> list[float]:
    """The values of `CELL_NAMES`."""
    texts = [[(slot, join_words(slot.words)) for slot in row] for row in grid.rows]
    height, width = len(grid.rows), grid.width
    filled_in_col, numeric_in_col, chars_in_col = [0] * width, [0] * width, [0] * width
    lengths: list[int] = []
    slots = numeric = stops = hyphens = lower = glued = lines = spans = body_spans = row_spans = leaders = 0
    lone = words = colons = bold_first = bold_body = first_numeric = 0
    seen: set[str] = set()
    for index, row in enumerate(texts):
        full = 0
        for slot, text in row:
            slots += 1
            spanning = slot.col_span > 1
            spans += spanning
            body_spans += spanning and index >= max(1, grid.header_rows)
            row_spans += slot.row_span > 1
            if not text:
                continue
            full += 1
            seen.add(text)
            count = len(text)
            lengths.append(count)
            words += len(slot.words)
            is_number = bool(FIGURE.fullmatch(text))
            numeric += is_number
            filled_in_col[slot.col] += 1
            chars_in_col[slot.col] += count
            last = text[-1]
            stops += last in ".;,!?" and count > 12
            hyphens += last in "-‐"
            colons += last == ":"
            lower += text[0].islower()
            glued += _GLUED.search(text) is not None
            leaders += _LEADERS.search(text) is not None
            lines += slot.words[-1].base - slot.words[0].base > 0.5 * slot.words[0].size
            bold = slot.words[0].bold
            if index:
                numeric_in_col[slot.col] += is_number
                bold_body += bold
            else:
                first_numeric += is_number
                bold_first += bold
        lone += full < 2
    cells = len(lengths) or 1
    first_full = sum(bool(text) for _, text in texts[0])
    body = max(1, cells - first_full)
    shares = [
        number / max(1, count - bool(first))
        for number, count, first in zip(numeric_in_col, filled_in_col, _first_row(texts, width), strict=True)
    ]
    lengths.sort()
    markers = sum(bool(row and row[0][1] and _MARKER.match(row[0][1])) for row in texts)
    total = sum(lengths) or 1
    return [
        height, width, slots, cells / max(1, slots), words, total / cells, lengths[-1] if lengths else 0,
        lengths[len(lengths) // 2] if lengths else 0, sum(one > _LONG for one in lengths) / cells, numeric / cells,
        sum(share >= 0.6 for share in shares) / width, sum(max(s, 1 - s) for s in shares) / width, shares[0],
        first_numeric / max(1, first_full), first_full / max(1, len(texts[0])), filled_in_col[0] / height,
        sum(bool(text) for _, text in texts[-1]) / max(1, len(texts[-1])), filled_in_col[-1] / height,
        min(filled_in_col) / height, bold_first / max(1, first_full), bold_body / body, stops / cells, hyphens / cells,
        lower / cells, glued / cells, lines / cells, spans / height, body_spans / height, row_spans, markers / height,
        leaders / cells, lone / height, max(chars_in_col) / total, colons / cells,
        chars_in_col[0] / max(1, filled_in_col[0]), chars_in_col[-1] / max(1, filled_in_col[-1]),
        len(seen) / cells, grid.header_rows,
    ]  # fmt: skip


def _first_row(texts: list[list[tuple[Slot, str]]], width: int) -> list[bool]:
    out = [False] * width
    for slot, text in texts[0]:
        out[slot.col] = bool(text)
    return out
