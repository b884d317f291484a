"""Finds labelled pairs in tables: label and value cells in two columns, or a header and the only row under it.

Tables of many rows and columns are data, not fields. `totals` reads their total rows.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from quire.models.cdom.tree import Tree
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import name_key
from quire.models.derive.fields.pairs import Pair, is_label


def table_pairs(tree: Tree, fragments: Sequence[Fragment]) -> list[Pair]:
    """Return the pairs of all tables, in reading order."""
    tables = {block.id: block.table for block in tree.blocks if block.table is not None}
    pairs: list[Pair] = []
    for block_id, group in groupby(fragments, key=lambda fragment: fragment.block_id):
        table = tables.get(block_id)
        if table is None or not table.cells:
            continue
        rows: dict[int, list[Fragment]] = {}
        for fragment in group:
            rows.setdefault(table.cells[fragment.cell or 0].row, []).append(fragment)
        heads = {row for row in rows if all(cell.header for cell in table.cells if cell.row == row)}
        if len(rows) == 2 and table.cols > 2:
            pairs.extend(_header_over_values(*rows.values()))
        else:
            pairs.extend(_label_value_rows([row for number, row in rows.items() if number not in heads], table.cols))
    return pairs


def _label_value_rows(rows: Sequence[Sequence[Fragment]], cols: int) -> Iterator[Pair]:
    for row in rows:
        if len(row) == 2 and _is_label_cell(row[0].text, known_only=cols > 2):
            yield _pair(row[0], row[1])
        elif len(row) == 4 and cols == 4 and all(_is_label_cell(row[index].text, known_only=True) for index in (0, 2)):
            yield _pair(row[0], row[1])
            yield _pair(row[2], row[3])


def _header_over_values(header: Sequence[Fragment], values: Sequence[Fragment]) -> Iterator[Pair]:
    known = [name_key(label.text) for label in header]
    if len(header) == len(values) and sum(key is not None for key in known) * 2 >= len(header):
        for label, value in zip(header, values, strict=True):
            yield _pair(label, value)


def _is_label_cell(text: str, *, known_only: bool) -> bool:
    return is_label(text) and (not known_only or text.endswith(":") or name_key(text) is not None)


def _pair(label: Fragment, value: Fragment) -> Pair:
    return Pair(label.text, value.text, value, 0.85, name_key(label.text))
