"""Two trees side by side: rows of blocks in the order of the second, equal runs folded, changed words marked.

Pure: trees in, plain rows for a template out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from quire.models.cdom.tree import Block, Tree
from quire.models.derive.diff import BlockChange, Change, DiffSummary, TextChange, block_words, compare_trees

SHOWN_ROWS = 1_000
"""Maximum changed rows on one page, for fast layout. The summary counts all of them."""
_LONG_RUN = 3  # equal blocks in a row that are worth folding; fewer are their neighbours' context
_SHOWN_EQUAL = 100  # equal blocks of one folded run


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of a text; `changed`: the other side lacks it or differs."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class ComparedBlock:
    """One block of one side."""

    id: str
    type: str
    page: int
    words: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Two blocks shown side by side; None if a side has no block."""

    change: str
    left: ComparedBlock | None
    right: ComparedBlock | None


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """Consecutive rows; `folded`: `count` equal ones that are not shown."""

    folded: bool
    count: int
    rows: tuple[ComparedRow, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison. `moved` blocks count as unchanged in the summary; `cut`: not all rows are shown."""

    summary: DiffSummary
    moved: int
    runs: tuple[ComparedRun, ...]
    cut: bool


def compare_for_page(trees: tuple[Tree, Tree]) -> Comparison:
    """Return the changes from the first to the second tree, prepared for display."""
    a, b = ({str(block.id): block for block in tree.blocks} for tree in trees)
    diff = compare_trees(*trees)
    moved = sum(change.change is Change.MOVED for change in diff.blocks)
    runs, cut = _cut(list(_runs(diff.blocks)))
    return Comparison(diff.summary, moved, tuple(_shown(run, a, b) for run in runs), cut)


def _runs(changes: Sequence[BlockChange]) -> Iterator[list[BlockChange]]:
    """Yield runs of equal and of changed blocks; a short run of equal blocks joins its neighbours."""
    waiting: list[BlockChange] = []
    for equal, group in groupby(changes, key=lambda change: change.change is Change.UNCHANGED):
        run = list(group)
        if equal and len(run) > _LONG_RUN:
            if waiting:
                yield waiting
            waiting = []
            yield run
        else:
            waiting += run
    if waiting:
        yield waiting


def _cut(runs: list[list[BlockChange]]) -> tuple[list[list[BlockChange]], bool]:
    """Return the runs with as many open rows as a page holds, and whether some were left out."""
    kept: list[list[BlockChange]] = []
    rows_left = SHOWN_ROWS
    for run in runs:
        if not _is_folded(run):
            if rows_left <= 0:
                return kept, True
            kept.append(run[:rows_left])
            if len(run) > rows_left:
                return kept, True
            rows_left -= len(run)
        else:
            kept.append(run)
    return kept, False


def _is_folded(run: Sequence[BlockChange]) -> bool:
    return len(run) > _LONG_RUN and all(change.change is Change.UNCHANGED for change in run)


def _shown(run: Sequence[BlockChange], a: dict[str, Block], b: dict[str, Block]) -> ComparedRun:
    folded = _is_folded(run)
    return ComparedRun(
        folded, len(run), tuple(_row(change, a, b) for change in (run[:_SHOWN_EQUAL] if folded else run))
    )


def _row(change: BlockChange, a: dict[str, Block], b: dict[str, Block]) -> ComparedRow:
    left = None if change.a is None else a[str(change.a)]
    right = None if change.b is None else b[str(change.b)]
    ours, theirs = _marked(change, left, right)
    return ComparedRow(change.change.value, _side(left, ours), _side(right, theirs))


def _side(block: Block | None, words: tuple[Words, ...]) -> ComparedBlock | None:
    return None if block is None else ComparedBlock(str(block.id), block.type.value, block.page, words)


def _marked(
    change: BlockChange, left: Block | None, right: Block | None
) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
    """Return the texts of both sides with differences marked, or whole texts if no words were matched."""
    if left is None or right is None or change.text_diff is None:
        return _whole(left), _whole(right)
    words = block_words(left)
    return _pieces(words, change.text_diff, mine=True), _pieces(words, change.text_diff, mine=False)


def _whole(block: Block | None) -> tuple[Words, ...]:
    return () if block is None else (Words(" ".join(block_words(block)), False),)


def _pieces(words: Sequence[str], changes: Sequence[TextChange], *, mine: bool) -> tuple[Words, ...]:
    """Return the text of one side: the common words of `a` and, at each change, the words of this side."""
    pieces: list[Words] = []
    position = 0
    for change in changes:
        pieces.append(Words(" ".join(words[position : change.at]), False))
        pieces.append(Words(change.a if mine else change.b, True))
        position = change.at + len(change.a.split())
    pieces.append(Words(" ".join(words[position:]), False))
    return tuple(piece for piece in pieces if piece.text)
