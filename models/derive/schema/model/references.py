"""Turns a language model's references into choices: each value is cut from the tree and typed as the rules do it.

A reference that leads nowhere, whose quote is not there, or whose text is not of the leaf's type is refused. Whatever
the answer holds beyond references is ignored.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.models.cdom.tree import BlockId, Tree
from quire.models.derive.schema.answer import ExtractedData, How, pointer
from quire.models.derive.schema.assign import Choice, read_sources
from quire.models.derive.schema.extract import GivenChoices, ReadSchema, extract_data
from quire.models.derive.schema.model.digest import HiddenRanges, TreeDigest
from quire.models.derive.schema.model.filling import fill_missing, find_doubtful
from quire.models.derive.schema.nodes import ArrayNode, Leaf, ObjectNode, arrays_of, leaves_of
from quire.models.derive.schema.rows import (
    ArrayRows,
    read_metric_row,
    read_named_rows,
    read_rows_of_lines,
)
from quire.models.derive.schema.sources import TextSource
from quire.models.derive.schema.tables import ColumnHeads
from quire.models.derive.schema.typed import read_typed

MAX_REFERENCES = 5_000
"""References of one answer that are read."""
MODEL_SCORE = 0.8
"""Score of a choice that a model made, and fit of a head that it named."""


class WrongForm(Exception):
    """The model's answer is not JSON of the form that was asked for."""


@dataclass(frozen=True, slots=True)
class _Reference:
    field: str
    text: str
    words: tuple[int, int] | None
    quote: str


@dataclass(frozen=True, slots=True)
class _TableMap:
    """Columns of an array: the leaf of each, a reference to its head, and the head's words in a line of text."""

    field: str
    columns: tuple[tuple[str, str, str], ...]


def check_answer(answer: str) -> None:
    """Check the form of a model's answer. Raises `WrongForm`."""
    _read_answer(answer)


def extract_referred(
    tree: Tree,
    schema: ReadSchema,
    answers: Sequence[str],
    hidden: HiddenRanges,
    given: GivenChoices,
    rules: ExtractedData | None = None,
    *,
    complete: bool = True,
) -> ExtractedData:
    """Return the values that the answers refer to; of several for one leaf the first that holds is taken.

    With the answer of the rules, the references only settle what it lacks or is not sure of. `given` come first.
    `complete`: the model saw the whole document and was asked for all of that.

    Raises:
        WrongForm: An answer is not of the form that was asked for.
    """
    resolver = _Resolver(tree, schema, hidden)
    for answer in answers:
        references, tables = _read_answer(answer)
        resolver.add(references, tables)
    chosen = resolver.choices(find_doubtful(schema, rules) if rules is not None else None)
    merged = replace(
        chosen,
        values={**chosen.values, **given.values},
        refused=chosen.refused | given.refused,
        with_rules=False,
    )
    referred = extract_data(tree, schema, merged)
    return fill_missing(schema, rules, referred, complete=complete) if rules is not None else referred


class _Resolver:
    def __init__(self, tree: Tree, schema: ReadSchema, hidden: HiddenRanges) -> None:
        self._tree, self._digest = tree, TreeDigest(tree, hidden)
        self._leaves = {pointer(*leaf.path): leaf for leaf in leaves_of(schema.root)}
        self._arrays = {pointer(*array.path): array for array in arrays_of(schema.root)}
        self._values: dict[str, Choice] = {}
        self._lists: dict[ArrayNode, list[Choice]] = defaultdict(list)
        self._heads: dict[ArrayNode, dict[BlockId, ColumnHeads]] = defaultdict(dict)
        self._lines: dict[ArrayNode, ArrayRows] = {}
        self._refused: set[str] = set()

    def add(self, references: Sequence[_Reference], tables: Sequence[_TableMap]) -> None:
        """Resolve the references of one answer."""
        for reference in references:
            leaf, array = self._leaves.get(reference.field), self._arrays.get(reference.field)
            if leaf is not None and reference.field not in self._values:
                choice = self._resolve(reference, leaf)
                if choice is not None:
                    self._values[reference.field] = choice
                else:
                    self._refused.add(reference.field)
            elif array is not None and isinstance(array.item, Leaf):
                choice = self._resolve(reference, array.item)
                if choice is not None:
                    self._lists[array].append(choice)
                else:
                    self._refused.add(reference.field)
        for table in tables:
            array = self._arrays.get(table.field)
            if array is None or not isinstance(array.item, ObjectNode):
                continue
            is_read = self._add_metric(array, table)
            if is_read is None:
                is_read = self._add_table(array, table) or self._add_lines(array, table)
            if not is_read:
                self._refused.add(table.field)

    def choices(self, wanted: Collection[str] | None) -> GivenChoices:
        """Return what was resolved, of the wanted pointers only if given."""
        rows: dict[ArrayNode, ArrayRows] = {
            array: found for array, found in self._lines.items() if wanted is None or pointer(*array.path) in wanted
        }
        for array, heads in self._heads.items():
            found = replace(read_named_rows(self._tree, heads), how=How.MODEL)
            if found.rows and (wanted is None or pointer(*array.path) in wanted):
                rows[array] = found
        return GivenChoices(
            values={path: choice for path, choice in self._values.items() if wanted is None or path in wanted},
            lists={
                array: choices
                for array, choices in self._lists.items()
                if wanted is None or pointer(*array.path) in wanted
            },
            rows=rows,
            refused=frozenset(self._refused),
        )

    def _resolve(self, reference: _Reference, leaf: Leaf) -> Choice | None:
        source = self._digest.find_source(reference.text)
        cut = self._digest.cut(source, reference.words, reference.quote) if source is not None else None
        read = read_sources((cut,), leaf) if cut is not None else None
        if read is None:
            return None
        value, places, verbatim = read
        return Choice(value, places, verbatim, MODEL_SCORE, How.MODEL)

    def _add_table(self, array: ArrayNode, table: _TableMap) -> bool:
        """Add the head that a model named; return whether its columns are those of one table."""
        leaves = {pointer(*leaf.path): leaf for leaf in leaves_of(array.item)}
        columns: dict[int, Leaf] = {}
        words: dict[int, str] = {}
        block_id: BlockId | None = None
        first_row = 0
        for field, reference, _ in table.columns:
            source, block = self._digest.find_source(reference), self._digest.find_block(reference)
            leaf = leaves.get(field)
            if source is None or block is None or block.table is None or source.cell is None or leaf is None:
                continue
            if block_id not in (None, block.id):
                continue
            cell = block.table.cells[source.cell]
            block_id = block.id
            if cell.col not in columns and leaf not in columns.values():
                columns[cell.col], words[cell.col] = leaf, cell.text
                is_data = leaf.kinds[:1] != ("string",) and read_typed(cell.text, leaf) is not None
                first_row = max(first_row, cell.row if is_data else cell.row + cell.row_span)
        if block_id is None:
            return False
        self._heads[array].setdefault(block_id, ColumnHeads(first_row, columns, words, MODEL_SCORE * len(columns)))
        return True

    def _add_metric(self, array: ArrayNode, table: _TableMap) -> bool | None:
        """Add the row of a table that a model named for values by period, if it has any; None for other rows."""
        for _, reference, _ in table.columns:
            source, block = self._digest.find_source(reference), self._digest.find_block(reference)
            if source is not None and block is not None and block.table is not None and source.cell is not None:
                number = block.table.cells[source.cell].row
                found = read_metric_row(self._tree, array, block.id, number, MODEL_SCORE)
                if found is not None and found.rows:
                    self._lines.setdefault(array, replace(found, how=How.MODEL))
                return None if found is None else bool(found.rows)
        return None

    def _add_lines(self, array: ArrayNode, table: _TableMap) -> bool:
        """Add the rows below a line of text whose words a model named as columns; return whether there are any."""
        leaves = {pointer(*leaf.path): leaf for leaf in leaves_of(array.item)}
        columns: dict[Leaf, TextSource] = {}
        for field, reference, quote in table.columns:
            source, leaf = self._digest.find_source(reference), leaves.get(field)
            words = self._digest.cut(source, None, quote) if source is not None and source.cell is None else None
            if words is not None and leaf is not None and leaf not in columns:
                columns[leaf] = words
        if len({words.block_id for words in columns.values()}) != 1:
            return False
        is_data = any(
            leaf.kinds[:1] != ("string",) and read_typed(words.text, leaf) is not None
            for leaf, words in columns.items()
        )
        found = read_rows_of_lines(self._tree, columns, is_data=is_data, fit=MODEL_SCORE)
        if found.rows:
            self._lines.setdefault(array, replace(found, how=How.MODEL))
        return bool(found.rows)


def _read_answer(answer: str) -> tuple[list[_Reference], list[_TableMap]]:
    try:
        stated = json.loads(answer)
    except (ValueError, RecursionError):
        raise WrongForm("not JSON") from None
    if not isinstance(stated, dict):
        raise WrongForm("not an object")
    references = [
        _Reference(_text(entry, "field"), _text(entry, "reference"), _read_words(entry), _text(entry, "quote"))
        for entry in _entries(stated, "values")
    ]
    tables = [
        _TableMap(
            _text(entry, "field"),
            tuple(
                (_text(column, "field"), _text(column, "reference"), _text(column, "quote"))
                for column in _entries(entry, "columns")
            ),
        )
        for entry in _entries(stated, "tables")
    ]
    return references, tables


def _entries(stated: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    entries = stated.get(name, [])
    if not isinstance(entries, list):
        raise WrongForm(f"{name} is not a list")
    for entry in entries[:MAX_REFERENCES]:
        if not isinstance(entry, dict):
            raise WrongForm(f"an entry of {name} is not an object")
        yield entry


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name, "")
    return value if isinstance(value, str) else ""


def _read_words(entry: Mapping[str, Any]) -> tuple[int, int] | None:
    first, last = entry.get("first"), entry.get("last")
    if first is None and last is None:
        return None
    if not isinstance(first, int) or not isinstance(last, int):
        return (0, 0)
    return first, last
