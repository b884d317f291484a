"""Lists what changed between two versions of a document: pages, blocks, table cells and fields.

Pure: two trees in, frozen data out. Blocks are paired by `quire.models.derive.diff`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockId, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.diff import BlockChange, Change, block_words, compare_trees
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.extracted_field import ExtractedField

MAX_UNEQUAL_WORDS = 20_000
"""Words of changed blocks, about 40 pages, up to which they are paired as modified. It bounds the time to a second."""
MAX_FIELD_CHARS = 2_000_000
"""Characters of a version up to which its fields are compared; 800 pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedBlock:
    """A block that was added, removed, modified or moved.

    `id`, `page` and `text` are of the new version, null for a removed block. `before_id`, `before_page` and `before`
    are of the earlier version, null for an added block. `before` is also null if that version is no longer stored.
    """

    change: Change
    id: BlockId | None = None
    page: int | None = None
    text: str | None = None
    before_id: BlockId | None = None
    before_page: int | None = None
    before: str | None = None
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCell:
    """A cell of a table that both versions have. `cell` and `before_cell` are indices into `table.cells`."""

    change: Change
    table: BlockId
    page: int
    cell: int | None = None
    row: int | None = None
    col: int | None = None
    text: str | None = None
    before_cell: int | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedField:
    """A labelled field whose value was added, removed or modified; `number` counts fields of the same key from 1."""

    change: Change
    canonical_key: str
    number: int
    value: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChanges:
    """Changes from the document `since`. `pages` are those of the new version with content that is new there."""

    since: str
    pages: tuple[int, ...]
    blocks: tuple[ChangedBlock, ...]
    cells: tuple[ChangedCell, ...]
    fields: tuple[ChangedField, ...]


def compare_versions(since: str, before: Tree, after: Tree) -> DocumentChanges:
    """Return what changed from `before`, the tree of the document `since`, to `after`. Running heads do not count."""
    before, after = _readable(before), _readable(after)
    old = {block.id: block for block in before.blocks}
    new = {block.id: block for block in after.blocks}
    changes = [
        change
        for change in compare_trees(before, after, max_unequal_words=MAX_UNEQUAL_WORDS).blocks
        if change.change is not Change.UNCHANGED
    ]
    return DocumentChanges(
        since=since,
        pages=find_changed_pages(before, after),
        blocks=tuple(_block(change, old, new) for change in changes),
        cells=tuple(cell for change in changes for cell in _cells(change, old, new)),
        fields=tuple(_fields(_find_fields(before), _find_fields(after))),
    )


def find_changed_pages(before: Tree, after: Tree) -> tuple[int, ...]:
    """Return the pages of `after` whose blocks are not those of any page of `before`."""
    known = Counter(_page_contents(before).values())
    changed: list[int] = []
    for number, content in _page_contents(after).items():
        known[content] -= 1
        if known[content] < 0:
            changed.append(number)
    return tuple(sorted(changed))


def without_texts(changes: DocumentChanges) -> DocumentChanges:
    """Return the changes without any text, so that they can be stored when the earlier version is deleted."""
    return replace(
        changes,
        blocks=tuple(replace(block, text=None, before=None) for block in changes.blocks),
        cells=tuple(replace(cell, text=None, before=None) for cell in changes.cells),
        fields=tuple(replace(field, value=None, before=None) for field in changes.fields),
    )


def with_texts(changes: DocumentChanges, after: Tree) -> DocumentChanges:
    """Return stored changes with the texts of the new version, `after`."""
    blocks = {block.id: block for block in after.blocks}
    values = {place: field.value for place, field in _numbered(_find_fields(_readable(after)))}
    return replace(
        changes,
        blocks=tuple(
            replace(block, text=_text(blocks[block.id])) if block.id in blocks else block for block in changes.blocks
        ),
        cells=tuple(_with_text(cell, blocks) for cell in changes.cells),
        fields=tuple(replace(field, value=values.get((field.canonical_key, field.number))) for field in changes.fields),
    )


def _find_fields(tree: Tree) -> list[ExtractedField]:
    """Return the fields of a tree, none of a very long one."""
    return find_fields(tree) if sum(len(_text(block)) for block in tree.blocks) <= MAX_FIELD_CHARS else []


def _readable(tree: Tree) -> Tree:
    return replace(tree, blocks=tuple(visible_blocks(tree)))


def _page_contents(tree: Tree) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Return type and words of the blocks of each page; a table over several pages counts with its rows there."""
    contents: dict[int, list[tuple[str, ...]]] = {page.number: [] for page in tree.pages}
    for block in tree.blocks:
        for page, words in _words_by_page(block):
            contents.setdefault(page, []).append((block.type, *words))
    return {number: tuple(blocks) for number, blocks in contents.items()}


def _words_by_page(block: Block) -> Iterator[tuple[int, list[str]]]:
    if block.table is None or not block.table.parts:
        yield block.page, block_words(block)
        return
    first = 0
    for part in block.table.parts:
        rows = range(first, first + part.rows)
        yield part.page, [word for cell in block.table.cells if cell.row in rows for word in cell.text.split()]
        first = rows.stop


def _text(block: Block) -> str:
    return " ".join(block_words(block)) if block.table is not None else block.text


def _block(change: BlockChange, old: dict[BlockId, Block], new: dict[BlockId, Block]) -> ChangedBlock:
    before = old[change.a] if change.a is not None else None
    after = new[change.b] if change.b is not None else None
    return ChangedBlock(
        change=change.change,
        id=change.b,
        page=after.page if after else None,
        text=_text(after) if after else None,
        before_id=change.a,
        before_page=before.page if before else None,
        before=_text(before) if before else None,
        similarity=change.similarity,
    )


def _cells(change: BlockChange, old: dict[BlockId, Block], new: dict[BlockId, Block]) -> Iterator[ChangedCell]:
    if change.change is not Change.MODIFIED or change.a is None or change.b is None:
        return
    before, after = old[change.a].table, new[change.b].table
    if before is None or after is None:
        return
    place = (change.b, new[change.b].page)
    old_rows, new_rows = _rows(before), _rows(after)
    matcher = SequenceMatcher(None, [_texts(row) for row in old_rows], [_texts(row) for row in new_rows], False)
    for op, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if op == "equal":
            continue
        paired = min(old_to - old_from, new_to - new_from)
        for offset in range(paired):
            yield from _row_cells(place, old_rows[old_from + offset], new_rows[new_from + offset])
        for row in old_rows[old_from + paired : old_to]:
            yield from _row_cells(place, row, [])
        for row in new_rows[new_from + paired : new_to]:
            yield from _row_cells(place, [], row)


IndexedCell = tuple[int, Cell]
"""A cell with its index in the table."""


def _rows(table: Table) -> list[list[IndexedCell]]:
    rows: dict[int, list[IndexedCell]] = defaultdict(list)
    for index, cell in enumerate(table.cells):
        rows[cell.row].append((index, cell))
    return [rows[number] for number in sorted(rows)]


def _texts(row: Sequence[IndexedCell]) -> tuple[str, ...]:
    return tuple(" ".join(cell.text.split()) for _, cell in row)


def _row_cells(
    place: tuple[BlockId, int], before: Sequence[IndexedCell], after: Sequence[IndexedCell]
) -> Iterator[ChangedCell]:
    """Compare the cells of two rows column by column."""
    old = {cell.col: (index, cell) for index, cell in before}
    new = {cell.col: (index, cell) for index, cell in after}
    for col in sorted(old.keys() | new.keys()):
        was, now = old.get(col), new.get(col)
        if was and now and was[1].text.split() == now[1].text.split():
            continue
        if not ((was and was[1].text.strip()) or (now and now[1].text.strip())):
            continue
        yield ChangedCell(
            change=Change.MODIFIED if was and now else Change.ADDED if now else Change.REMOVED,
            table=place[0],
            page=place[1],
            cell=now[0] if now else None,
            row=now[1].row if now else None,
            col=col,
            text=now[1].text if now else None,
            before_cell=was[0] if was else None,
            before=was[1].text if was else None,
        )


def _numbered(fields: Sequence[ExtractedField]) -> Iterator[tuple[tuple[str, int], ExtractedField]]:
    """Yield fields with their key and its number among the fields of the same key."""
    counts: Counter[str] = Counter()
    for field in fields:
        counts[field.canonical_key] += 1
        yield (field.canonical_key, counts[field.canonical_key]), field


def _fields(before: Sequence[ExtractedField], after: Sequence[ExtractedField]) -> Iterator[ChangedField]:
    old, new = dict(_numbered(before)), dict(_numbered(after))
    for place in dict.fromkeys((*new, *old)):
        was, now = old.get(place), new.get(place)
        if was and now and was.value == now.value:
            continue
        yield ChangedField(
            change=Change.MODIFIED if was and now else Change.ADDED if now else Change.REMOVED,
            canonical_key=place[0],
            number=place[1],
            value=now.value if now else None,
            before=was.value if was else None,
        )


def _with_text(cell: ChangedCell, blocks: dict[BlockId, Block]) -> ChangedCell:
    block = blocks.get(cell.table)
    if cell.cell is None or block is None or block.table is None or cell.cell >= len(block.table.cells):
        return cell
    return replace(cell, text=block.table.cells[cell.cell].text)
