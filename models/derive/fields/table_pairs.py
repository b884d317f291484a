"""Finds labelled pairs in tables: label and value cells in two columns, or a header and the only row under it.

Tables of many rows and columns are data, not fields. `totals` reads their total rows. Lines of a file without boxes
that a tab or blanks part in two are such a table too.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from quire.models.cdom.table import Table
from quire.models.cdom.tree import Block, BlockId, BlockType, Tree
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import name_key
from quire.models.derive.fields.pairs import MAX_LABEL, Pair, is_label

LEAST_ALIGNED = 2
"""Lines in a row that are parted in two, from which each is a label with its value."""
_GAP = re.compile(r"\t+|(?<=\S) {2,}(?=\S)")


def table_pairs(tree: Tree, fragments: Sequence[Fragment]) -> list[Pair]:
    """Return the pairs of all tables, of lines aligned like one and of terms, in reading order."""
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
        heads -= {row for row in heads if len(rows[row]) == 2 and any(map(str.isdigit, rows[row][1].text))}
        if len(rows) == 2 and table.cols > 2:
            pairs.extend(_header_over_values(*rows.values()))
        else:
            body = [row for number, row in rows.items() if number not in heads]
            pairs.extend(_label_value_rows(body, table))
            pairs.extend(pair for row in body for pair in _labelled_cells(row))
    pairs += [*_aligned_pairs(tree, fragments), *_terms(tree, fragments)]
    return sorted(pairs, key=lambda pair: pair.fragment.order)


def _terms(tree: Tree, fragments: Sequence[Fragment]) -> Iterator[Pair]:
    """Yield terms with what they are: bold list items with the only item below, bold lines in turn with short ones."""
    below: dict[BlockId, list[Block]] = defaultdict(list)
    for block in tree.blocks:
        if block.type is BlockType.LIST_ITEM and block.parent is not None:
            below[block.parent].append(block)
    named = [(term, below[term.id][0]) for term in tree.blocks if len(below.get(term.id, ())) == 1]
    run: list[tuple[Block, Block]] = []
    plain = [block for block in tree.blocks if block.bbox is None]
    for at in range(len(plain) - 1):
        term, value = plain[at], plain[at + 1]
        if _is_bold(term) and not _is_bold(value) and {term.type, value.type} == {BlockType.PARAGRAPH}:
            run.append((term, value))
        elif not (run and run[-1][1] is term and _is_bold(value)):
            named += run if len(run) >= LEAST_ALIGNED else ()
            run = []
    named += run if len(run) >= LEAST_ALIGNED else ()
    whole = {fragment.block_id: fragment for fragment in fragments}
    for term, value in named:
        is_short = len(value.text) <= MAX_LABEL and "\n" not in value.text
        if _is_bold(term) and is_short and value.id in whole and is_label(term.text):
            yield Pair(term.text.strip(), value.text.strip(), whole[value.id], 0.85, name_key(term.text), is_term=True)


def _is_bold(block: Block) -> bool:
    return any(span.bold and (span.start, span.end) == (0, len(block.text)) for span in block.spans)


def _aligned_pairs(tree: Tree, fragments: Sequence[Fragment]) -> Iterator[Pair]:
    by_place = {(fragment.block_id, fragment.start): fragment for fragment in fragments if fragment.cell is None}
    run: list[Pair] = []
    for block in tree.blocks:
        start = 0
        for line in block.text.split("\n") if block.table is None and block.bbox is None else ():
            gaps = list(_GAP.finditer(line))
            label, value = (line[: gaps[0].start()], line[gaps[0].end() :]) if len(gaps) == 1 else ("", "")
            place = start + gaps[0].end() if "\t" in line and gaps else start
            fragment = by_place.get((block.id, place))
            if fragment is not None and value.strip() and is_label(label) and not any(map(str.isdigit, label)):
                run.append(Pair(label.strip(), value.strip(), fragment, 0.85, name_key(label), is_term=True))
            elif line.strip():
                yield from run if len(run) >= LEAST_ALIGNED else ()
                run = []
            start += len(line) + 1
        if block.table is not None:
            yield from run if len(run) >= LEAST_ALIGNED else ()
            run = []
    yield from run if len(run) >= LEAST_ALIGNED else ()


def _label_value_rows(rows: Sequence[Sequence[Fragment]], table: Table) -> Iterator[Pair]:
    for row in rows:
        spans = table.cells[row[0].cell or 0].col_span > 1
        if len(row) == 2 and _is_label_cell(row[0].text, known_only=table.cols > 2 and not spans):
            yield _pair(row[0], row[1])
        elif len(row) == table.cols == 4 and all(_is_label_cell(row[at].text, known_only=True) for at in (0, 2)):
            yield _pair(row[0], row[1])
            yield _pair(row[2], row[3])


def _labelled_cells(row: Sequence[Fragment]) -> Iterator[Pair]:
    """Yield the cells of a row as pairs if each holds a label above its value."""
    lines = [fragment.raw.strip().split("\n") for fragment in row]
    if len(row) > 1 and all(len(parts) == 2 and is_label(parts[0]) for parts in lines):
        for fragment, (label, value) in zip(row, lines, strict=True):
            yield Pair(label.strip(), value.strip(), fragment, 0.85, name_key(label))


def _header_over_values(header: Sequence[Fragment], values: Sequence[Fragment]) -> Iterator[Pair]:
    known = [name_key(label.text) for label in header]
    if len(header) == len(values) and sum(key is not None for key in known) * 2 >= len(header):
        for label, value in zip(header, values, strict=True):
            yield _pair(label, value)


def _is_label_cell(text: str, *, known_only: bool) -> bool:
    return is_label(text) and (not known_only or text.endswith(":") or name_key(text) is not None)


def _pair(label: Fragment, value: Fragment) -> Pair:
    return Pair(label.text, value.text, value, 0.85, name_key(label.text))
