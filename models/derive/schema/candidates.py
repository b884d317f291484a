"""Finds labelled texts in a tree: pairs, lone labels with the text next to them, headings, table rows and prose.

In: fragments and the phrases of the schema. Out: candidates, each a label and the text that it may name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise

from quire.models.cdom.table import Table
from quire.models.cdom.tree import Block, BlockId, BlockType, Tree
from quire.models.derive.fields.bills import SUMMED, find_stated_currency
from quire.models.derive.fields.extracted_field import ExtractedField, locate_value
from quire.models.derive.fields.fields import DocumentTexts
from quire.models.derive.fields.fragments import HEADS, Fragment, Neighbours
from quire.models.derive.fields.labels import begins_label, name_key
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import MAX_LABEL, Pair, is_bare, lone_label
from quire.models.derive.fields.values import EMAIL
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import PhraseIndex
from quire.models.derive.schema.prose import MAX_TEXT, find_measures, find_stated
from quire.models.derive.schema.sources import TextSource, source_of
from quire.models.derive.schema.tables import YEAR, TableView
from quire.models.derive.schema.typed import plain_number

EXACT = 0.85
"""Fit from which a text without a colon is a label."""
MAX_INLINE_VALUE = 60  # characters behind a label without a colon
RIGHT, BELOW, NEXT, INLINE, ROW, HEADING, PROSE = 0.85, 0.75, 0.55, 0.75, 0.7, 0.55, 0.6
"""Confidence (0..1) in a label by where its value stands."""
LEAST_FIGURES = 2
"""Digits of a word behind a label that are its value: `Address line 2` is a label as a whole."""
CHOSEN = 0.96
"""Least confidence in the total that was chosen from all labelled amounts."""
_SUMMED = frozenset({Key.TOTAL, Key.SUBTOTAL, Key.TAX})
MIN_NAME, CONTACTS = 2, 6  # words of a person's name, and first texts of a page of which one is an address for mail
_WORD = re.compile(r"\S+")
_FIGURE = re.compile(r"[\s.#]*(?:[A-Z]\w*\.?\s)?[^\w\s]?\d")
MIN_CHAIN, MAX_CHAIN = 12, 300  # characters of a text in which several labels are searched
MAX_LABEL_WORDS = 5
"""Words of a label; longer text is a sentence."""


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A label, the texts that it may name, the confidence in their relation (0..1) and the rule that found them.

    A value without a label of its own has the `key` of what it is. `is_told` says that the value is behind its label in
    one text or row, so that it may be a word that names something else: `Payment method: Invoice`.
    """

    label: str
    sources: tuple[TextSource, ...]
    confidence: float
    how: How
    key: str | None = None
    is_told: bool = False

    @property
    def order(self) -> int:
        """Return the reading order."""
        return self.sources[0].order


def find_candidates(
    tree: Tree, texts: DocumentTexts, whole: Sequence[Fragment], leaves: PhraseIndex[Leaf], *, is_known: bool = False
) -> list[ValueCandidate]:
    """Return the candidates in reading order; `whole` are all fragments, of which `texts` has those outside arrays.

    With `is_known` all labels of the schema are in the lexicon, so that the pairs of `texts` have them.
    """
    blocks = {block.id: block for block in tree.blocks}
    fragments, pairs = texts.fragments, texts.pairs
    candidates = [found for pair in pairs if (found := _of_pair(pair, blocks)) is not None]
    stated = [field for _, field in texts.unlabelled]
    if len(whole) > len(fragments) and all(field.canonical_key != Key.CURRENCY for field in stated):
        stated += [field for _, field in find_stated_currency(whole) if field is not None]
    orders = {(fragment.block_id, fragment.cell): fragment.order for fragment in reversed(whole)}
    candidates += [_of_field(field, How.PAIR, blocks, orders) for _, field in texts.ticked]
    candidates += [_of_field(field, How.LETTERHEAD, blocks, orders) for field in stated]
    paired = frozenset(pair.fragment.order for pair in pairs)
    if not is_known:
        candidates += _find_inline(fragments, leaves, paired)
    chained = list(_find_chained(fragments, leaves))
    candidates = [candidate for candidate in candidates if not _holds_label(candidate, chained)] + chained
    candidates += _find_beside(fragments, leaves, paired)
    if not is_known:
        candidates += _find_by_schema(tree, fragments, leaves, paired)
    return sorted(candidates, key=lambda candidate: candidate.order)


def _find_by_schema(
    tree: Tree, fragments: Sequence[Fragment], leaves: PhraseIndex[Leaf], paired: frozenset[int]
) -> Iterator[ValueCandidate]:
    """Yield what only the phrases of the schema name: in rows, below headings and in sentences."""
    yield from _find_rows(fragments, tree, leaves, paired)
    yield from _find_under_headings(fragments, paired)
    yield from _find_person(fragments)
    for source in _read_sentences(fragments, {block.id: block for block in tree.blocks}):
        for found in chain(find_stated(source.text), find_measures(source.text, leaves)):
            yield ValueCandidate(found.label, (source.cut(found.start, found.end),), PROSE, How.PROSE)


def outside_rows(tree: Tree, whole: Sequence[Fragment], used: frozenset[tuple[BlockId, int]]) -> list[Fragment]:
    """Return the fragments outside the given rows of tables (block and row number), which arrays are read from."""
    blocks = {block.id: block for block in tree.blocks}
    return [fragment for fragment in whole if not _is_used(fragment, blocks, used)]


def _read_sentences(fragments: Sequence[Fragment], blocks: Mapping[BlockId, Block]) -> Iterator[TextSource]:
    """Yield the texts that may hold sentences: lines, and whole blocks of typewritten lines, whose sentences go on."""
    for (block_id, cell), members in groupby(fragments, key=lambda fragment: (fragment.block_id, fragment.cell)):
        lines, block = list(members), blocks[block_id]
        if cell is None and len(lines) > 1 and block.type is BlockType.CODE and len(block.text) <= MAX_TEXT:
            yield replace(source_of(lines[0]), start=0, text=block.text)
        else:
            yield from map(source_of, lines)


def _is_used(fragment: Fragment, blocks: Mapping[BlockId, Block], used: frozenset[tuple[BlockId, int]]) -> bool:
    table = blocks[fragment.block_id].table
    if fragment.cell is None or table is None:
        return False
    return (fragment.block_id, table.cells[fragment.cell].row) in used


def _of_pair(pair: Pair, blocks: Mapping[BlockId, Block]) -> ValueCandidate | None:
    place = locate_value(pair.fragment, pair.value, pair.key)
    if place is None:
        return None
    source = source_of(pair.fragment)
    cut = source.cut(place.start - source.start, place.end - source.start)
    block = blocks[pair.fragment.block_id]
    is_told = cut.start > source.start or pair.is_term or _ends_row(pair.fragment, block.table)
    return ValueCandidate(pair.key.strip(" :："), (cut,), pair.confidence, How.PAIR, is_told=is_told)


def _ends_row(fragment: Fragment, table: Table | None) -> bool:
    """Return True for the second of two texts of a row, unless other rows below it may have it as their head."""
    if fragment.cell is None or table is None:
        return False
    row = table.cells[fragment.cell].row
    return (row > 0 or table.rows == 1) and sum(bool(cell.text.strip()) for cell in table.cells if cell.row == row) == 2


def _of_field(
    field: ExtractedField, how: How, blocks: Mapping[BlockId, Block], orders: dict[tuple[BlockId, int | None], int]
) -> ValueCandidate:
    """Return a field as a candidate that is labelled by its canonical key, or by its label if it is ticked."""
    sources = []
    for place in (field.evidence, *field.further_evidence):
        block = blocks[place.block_id]
        cell = block.table.cells[place.cell] if place.cell is not None and block.table is not None else None
        text, box = (cell.text, cell.bbox or place.bbox) if cell is not None else (block.text, place.bbox)
        order = orders[place.block_id, place.cell]
        sources.append(
            TextSource(place.block_id, place.page, box, place.cell, place.start, text[place.start : place.end], order)
        )
    label = field.key if how is How.PAIR else field.canonical_key.replace("_", " ")
    confidence = max(field.confidence, CHOSEN) if field.canonical_key == Key.TOTAL else field.confidence
    if how is How.LETTERHEAD and field.canonical_key in _SUMMED and field.confidence == SUMMED:
        how = How.SUMS
    return ValueCandidate(label, tuple(sources), confidence, how, field.canonical_key if how is not How.PAIR else None)


def _find_inline(
    fragments: Iterable[Fragment], leaves: PhraseIndex[Leaf], paired: frozenset[int]
) -> Iterator[ValueCandidate]:
    """Yield lines that begin with words of the schema and go on with a short value, without a colon."""
    for fragment in fragments:
        if fragment.order in paired or len(fragment.text) > MAX_LABEL + MAX_INLINE_VALUE:
            continue
        if lone_label(fragment.text) is not None or _is_alone(fragment.text, leaves, LEAST_FIGURES):
            continue
        words = list(_WORD.finditer(fragment.raw))[: MAX_LABEL_WORDS + 1]
        for count in range(min(len(words) - 1, MAX_LABEL_WORDS), 0, -1):
            label = fragment.raw[: words[count - 1].end()]
            value = fragment.raw[words[count].start() :]
            is_stated = len(value) > 1 and (fragment.type not in HEADS or any(map(str.isdigit, value)))
            if is_stated and '"' not in label and _is_alone(label, leaves):
                source = source_of(fragment)
                places = (source.cut(words[count].start(), len(source.text)),)
                is_told = words[count].start() - words[count - 1].end() > 1 or name_key(fragment.text) is None
                yield ValueCandidate(label.strip(" .:"), places, INLINE, How.LINE, is_told=is_told)
                break


def _find_chained(fragments: Iterable[Fragment], leaves: PhraseIndex[Leaf]) -> Iterator[ValueCandidate]:
    """Yield the values of texts that hold several labels, each with its value: `Date 3 May Number 12 Due 1 June`."""
    for fragment in fragments:
        if fragment.cell is not None or not MIN_CHAIN <= len(fragment.text) <= MAX_CHAIN:
            continue
        words = list(_WORD.finditer(fragment.raw))
        labels: list[tuple[int, int]] = []
        number = 0
        while number < len(words):
            count = _label_length(fragment.raw, words, number, leaves)
            if count:
                labels.append((words[number].start(), words[number + count - 1].end()))
            number += count or 1
        labels = list(_drop_parts_of_values(fragment.raw, labels))
        if len(labels) < 2:
            continue
        source = source_of(fragment)
        for (start, end), (stop, _) in pairwise([*labels, (len(fragment.raw), 0)]):
            value = fragment.raw[end:stop]
            skipped = len(value) - len(value.lstrip(" :.#"))
            if value[skipped:].strip():
                label = fragment.raw[start:end].strip(" .:#")
                yield ValueCandidate(label, (source.cut(end + skipped, stop),), INLINE, How.LINE)


def _drop_parts_of_values(text: str, labels: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the labels without words of a value: behind `Subject:` a label has a colon too, or a figure behind a value.

    So `Subject: Email with attachment` has one label, and `No.: 12 Date 3 May` has two.
    """
    end = 0
    has_colons = False
    for start, stop in labels:
        has_colon = text[:stop].endswith(":") or text[stop:].lstrip().startswith(":")
        is_behind_value = bool(text[end:start].strip(" :.#")) and bool(_FIGURE.match(text[stop:]))
        if not has_colons or has_colon or is_behind_value:
            yield start, stop
            end = stop
        has_colons = has_colons or has_colon


def _holds_label(candidate: ValueCandidate, chained: Sequence[ValueCandidate]) -> bool:
    """Return True for a value that goes on over the next label of its text."""
    own = candidate.sources[0]
    end = own.start + len(own.text)
    return candidate.how in (How.PAIR, How.LINE) and any(
        other.sources[0].block_id == own.block_id and other.sources[0].cell is None
        and own.start < other.sources[0].start - len(other.label) and other.sources[0].start < end
        for other in chained
    )  # fmt: skip


def _label_length(text: str, words: Sequence[re.Match[str]], number: int, leaves: PhraseIndex[Leaf]) -> int:
    """Return how many words from one on are a label: of the schema, or of the lexicon and written as one."""
    first = text[words[number].start() : words[number].end()]
    if not first[:1].isupper() and not first[:1].isdigit():
        return 0
    if not leaves.begins(first) and not begins_label(first):
        return 0
    for count in range(min(MAX_LABEL_WORDS, len(words) - number), 0, -1):
        last = words[number + count - 1]
        label = text[words[number].start() : last.end()]
        if any(map(str.isdigit, label)):
            continue
        bare = label.strip(" .:#")
        if _is_exact(bare, leaves) or (name_key(bare) is not None and not is_bare(bare)):
            return count
    return 0


def _is_alone(label: str, leaves: PhraseIndex[Leaf], least_figures: int = 1) -> bool:
    """Return True for a label of the schema, but not for one with its value: a word of figures, rates excepted.

    Phrases have no figures, so that `Order date 19/10/2026` fits one.
    """
    words = label.split()
    values = (at for at, word in enumerate(words) if sum(map(str.isdigit, word)) >= least_figures)
    value = next((at for at in values if words[at][-1] not in "%)"), 0)
    return _is_exact(label, leaves) and not (value and _is_exact(" ".join(words[:value]), leaves))


def _is_exact(label: str, leaves: PhraseIndex[Leaf]) -> bool:
    return leaves.names(label, EXACT)


def _find_beside(
    fragments: Sequence[Fragment], leaves: PhraseIndex[Leaf], paired: frozenset[int]
) -> Iterator[ValueCandidate]:
    """Yield lone labels of the schema with the text right of them, below them or, without boxes, behind them."""
    labels = {
        fragment.order
        for fragment in fragments
        if len(fragment.text) <= MAX_LABEL
        and (_is_alone(fragment.text, leaves, LEAST_FIGURES) or lone_label(fragment.text))
    }
    following = {fragment.order: after for fragment, after in pairwise(fragments)}
    for _, group in groupby(fragments, key=lambda fragment: fragment.page):
        page = list(group)
        wanted = [f for f in page if f.order in labels and f.order not in paired and _is_alone(f.text, leaves)]
        neighbours = Neighbours(page) if wanted else None
        for label in wanted:
            if neighbours is None or label.bbox is None:
                nearby = [(following.get(label.order), NEXT)]
            else:
                nearby = [(neighbours.right_of(label), RIGHT), (neighbours.below(label, lines=2.5), BELOW)]
            for value, confidence in nearby:
                if value is not None and value.order not in labels and not _is_word_for_value(value.text):
                    yield ValueCandidate(label.text.strip(" :："), (source_of(value),), confidence, How.PAIR)
                    break


def _is_word_for_value(text: str) -> bool:
    """Return True for a word that names a value and is none, even where it needs a colon to be a label."""
    return name_key(text) is not None and not any(map(str.isdigit, text))


def _find_rows(
    fragments: Iterable[Fragment], tree: Tree, leaves: PhraseIndex[Leaf], paired: frozenset[int]
) -> Iterator[ValueCandidate]:
    """Yield rows of tables that a label of the schema begins, each with its last cell or that of the newest year."""
    tables = {block.id: block for block in tree.blocks if block.table is not None}
    cells = (fragment for fragment in fragments if fragment.cell is not None)
    for block_id, group in groupby(cells, key=lambda fragment: fragment.block_id):
        table = tables[block_id].table
        assert table is not None
        years: dict[int, str] | None = None
        for _, members in groupby(group, key=lambda fragment: table.cells[fragment.cell or 0].row):
            row = list(members)
            if len(row) > 1 and leaves.fits(row[0].text):
                if years is None and len(row) > 2:
                    years = _years_of(tables[block_id])
                value = max(row[:0:-1], key=lambda cell: _year_of(cell, table, years or {}))
                yield ValueCandidate(row[0].text.strip(" :："), (source_of(value),), ROW, How.TABLE)


def _years_of(block: Block) -> dict[int, str]:
    """Return the years that head columns."""
    return {
        col: max(year for source in head for year in YEAR.findall(source.text))
        for col, head in TableView(block).find_periods(()).items()
    }


def _year_of(cell: Fragment, table: Table, years: Mapping[int, str]) -> tuple[str, int]:
    """Return the year of a number, and its column from the right: of several of a year the first one counts."""
    col = table.cells[cell.cell or 0].col
    year = years.get(col, "") if plain_number(cell.text) is not None else ""
    return (year, -col) if year else ("", 0)


def _find_under_headings(fragments: Sequence[Fragment], paired: frozenset[int]) -> Iterator[ValueCandidate]:
    for heading, value in pairwise(fragments):
        if (
            value.order not in paired
            and heading.type in HEADS
            and value.type not in HEADS
            and len(heading.text) <= MAX_LABEL
        ):
            yield ValueCandidate(heading.text.strip(" :："), (source_of(value),), HEADING, How.HEADING)


def _find_person(fragments: Sequence[Fragment]) -> Iterator[ValueCandidate]:
    """Yield the title of a document above an address for mail: the name of the person whose it is."""
    title = fragments[0] if fragments else None
    words = title.text.split() if title is not None and title.type in HEADS else []
    if title is None or not MIN_NAME <= len(words) <= MAX_LABEL_WORDS or not _may_be_person(words):
        return
    if any(EMAIL.search(fragment.text) for fragment in fragments[1:CONTACTS] if "@" in fragment.text):
        yield ValueCandidate("name", (source_of(title),), RIGHT, How.HEADING, str(Key.NAME))


def _may_be_person(words: Sequence[str]) -> bool:
    return words[0][:1].isupper() and words[-1][:1].isupper() and not any(map(str.isdigit, "".join(words)))
