"""Reads a corrected value from its place in a tree, and finds the label next to it that names it in other documents."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import BlockId, Tree
from quire.models.derive.fields.fragments import Fragment, Neighbours, tree_fragments
from quire.models.derive.fields.pairs import MAX_LABEL, read_inline
from quire.models.derive.schema.answer import How, Missing, ValuePlace, pointer
from quire.models.derive.schema.assign import Choice, read_sources
from quire.models.derive.schema.extract import GivenChoices, ReadSchema
from quire.models.derive.schema.nodes import Leaf, ObjectNode, arrays_of, leaves_of
from quire.models.derive.schema.sources import TextSource, cell_source

MAX_LABEL_WORDS = 5
"""Words of a label that is taught; a longer text is a sentence."""
_PARTS = re.compile(r"[;|\t]|\s{2,}")
_EDGES = " \t:：.#=*-–"


class NotCorrected(Exception):
    """A place cannot give the value; `code` gives the reason, `field` the part of the correction."""

    def __init__(self, code: str, field: str, text: str) -> None:
        super().__init__(text)
        self.code, self.field = code, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPlace:
    """A place in a tree that holds the value at `path` (JSON pointer into the data); `verbatim` is its text."""

    path: str
    block_id: str
    cell: int | None
    start: int
    end: int
    verbatim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtValue:
    """A corrected value, its place with the text there, and the label that names it, None if none is near.

    `leaf` is the JSON pointer to the leaf without the numbers of rows.
    """

    path: str
    value: object
    place: ValuePlace
    verbatim: str
    leaf: str
    label: str | None


def read_correction(
    tree: Tree, schema: ReadSchema, path: str, block_id: str, cell: int | None, text: str | None
) -> TaughtValue:
    """Return the value at a place and the label that it teaches; `text` is the part of the place that holds it.

    Raises:
        NotCorrected: The schema has no such leaf, the tree no such place, or the text is not of the leaf's type.
    """
    leaf, array = find_leaf(schema, path)
    source = _find_source(tree, block_id, cell)
    if source is None:
        raise NotCorrected("no-such-place", "block_id", "the document has no such block or cell")
    start, end = _find_text(source.text, text)
    found = read_sources((source.cut(start, end),), leaf)
    if found is None:
        raise NotCorrected(Missing.NOT_OF_TYPE, "block_id", "the text at this place is not of the value's type")
    value, (place, *_), verbatim = found
    return TaughtValue(
        path=path,
        value=value,
        place=place,
        verbatim=verbatim,
        leaf=pointer(*leaf.path),
        label=find_label(tree, place, in_rows=array),
    )


def find_leaf(schema: ReadSchema, path: str) -> tuple[Leaf, bool]:
    """Return the leaf at a JSON pointer into the data, and whether it is a column of rows. Raises `NotCorrected`."""
    for leaf in leaves_of(schema.root):
        if pointer(*leaf.path) == path:
            return leaf, False
    for array in arrays_of(schema.root):
        head = pointer(*array.path)
        match = re.fullmatch(r"/\d{1,6}(/.*)?", path[len(head) :]) if path.startswith(head) else None
        if match is not None:
            wanted = head + (match[1] or "")
            for leaf in leaves_of(array.item):
                if pointer(*leaf.path) == wanted:
                    return leaf, isinstance(array.item, ObjectNode)
    raise NotCorrected("no-such-leaf", "path", "the schema has no value at this path")


def apply_corrections(tree: Tree, schema: ReadSchema, corrections: Iterable[CorrectedPlace]) -> GivenChoices:
    """Return the corrected values as choices; corrections that no longer fit the schema or the tree are left out."""
    values: dict[str, Choice] = {}
    for correction in corrections:
        try:
            leaf, _ = find_leaf(schema, correction.path)
        except NotCorrected:
            continue
        source = _find_source(tree, correction.block_id, correction.cell)
        if source is None or source.text[correction.start : correction.end] != correction.verbatim:
            continue
        found = read_sources((source.cut(correction.start, correction.end),), leaf)
        if found is not None:
            value, places, verbatim = found
            values[correction.path] = Choice(value, places, verbatim, 1.0, How.CORRECTED)
    return GivenChoices(values=values)


def find_label(tree: Tree, place: ValuePlace, *, in_rows: bool) -> str | None:
    """Return the label of a place: its column's head in rows, else the words before, left of or above it."""
    if in_rows:
        return _column_head(tree, place)
    fragments = tree_fragments(tree)
    target = next((fragment for fragment in fragments if _holds(fragment, place)), None)
    if target is None:
        return None
    before = _PARTS.split(target.raw[: place.start - target.start].strip(_EDGES))[-1]
    nearby = [before, *_texts_beside(fragments, target)]
    return next((label for text in nearby if (label := _as_label(text)) is not None), None)


def _texts_beside(fragments: Sequence[Fragment], target: Fragment) -> Iterable[str]:
    """Yield the text left of a fragment, above it, and before it where there are no boxes."""
    page = next(list(group) for number, group in groupby(fragments, key=lambda f: f.page) if number == target.page)
    neighbours = Neighbours(page)
    others = [fragment for fragment in page if len(fragment.text) <= MAX_LABEL and fragment is not target]
    yield from (other.text for other in others if neighbours.right_of(other) is target)
    yield from (other.text for other in others if neighbours.below(other, lines=2.5) is target)
    before = [other for other in others if other.order == target.order - 1]
    if target.bbox is None or target.cell is not None:
        yield from (other.text for other in before)


def _holds(fragment: Fragment, place: ValuePlace) -> bool:
    same = (fragment.block_id, fragment.cell) == (place.block_id, place.cell)
    return same and fragment.start <= place.start < fragment.start + len(fragment.raw)


def _column_head(tree: Tree, place: ValuePlace) -> str | None:
    table = next((block.table for block in tree.blocks if block.id == place.block_id), None)
    if table is None or place.cell is None:
        return None
    column = table.cells[place.cell].col
    above = [cell for cell in table.cells if cell.col <= column < cell.col + cell.col_span and cell.text.strip()]
    heads = [cell for cell in above if cell.header and cell.row < table.cells[place.cell].row]
    first = min(heads or above, key=lambda cell: cell.row, default=None)
    return _as_label(first.text) if first is not None and first.row < table.cells[place.cell].row else None


def _as_label(text: str) -> str | None:
    label = " ".join(text.strip(_EDGES).split())
    if not any(letter.isalpha() for letter in label) or len(label) > MAX_LABEL:
        return None
    return label if len(label.split()) <= MAX_LABEL_WORDS else None


def _find_source(tree: Tree, block_id: str, cell: int | None) -> TextSource | None:
    block = next((block for block in tree.blocks if block.id == BlockId(block_id)), None)
    if block is None:
        return None
    places = BlockPlaces(block)
    if cell is None:
        part = places.of_cell(None)
        return TextSource(block.id, part.page, part.bbox, None, 0, block.text, block.order) if block.text else None
    cells = block.table.cells if block.table is not None else ()
    return cell_source(block, places, cell) if 0 <= cell < len(cells) else None


def _find_text(whole: str, text: str | None) -> tuple[int, int]:
    """Return the range of a text in a place; without one the value behind a single label, else the whole.

    Raises:
        NotCorrected: The text is not there.
    """
    if text is None:
        pairs: Sequence[tuple[str, str]] = read_inline(whole)
        text = pairs[0][1] if len(pairs) == 1 else whole.strip()
    start = whole.find(text.strip())
    if start < 0 or not text.strip():
        raise NotCorrected("no-such-text", "text", "the text does not stand at this place")
    return start, start + len(text.strip())
