"""Compares two trees and reports blocks that were added, removed, modified, moved or left unchanged.

Equal blocks are paired first, at any position. The others are paired by similarity between the same neighbours.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from quire.models.cdom.tree import Block, BlockId, Tree

SIMILAR = 0.5
"""Share of common words from which two blocks count as one modified block."""
MAX_CANDIDATES = 60
"""Blocks compared with each unpaired block, around its expected index."""
MAX_WORDS = 3000
"""Longer texts are compared as bags of words: sequence matching is quadratic."""


class Change(StrEnum):
    """Kind of change of a block."""

    ADDED = "added"
    REMOVED = "removed"
    MODIFIED = "modified"
    MOVED = "moved"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """A change of words: `op` is insert, delete or replace, `a` and `b` the words, `at` a word offset in `a`."""

    op: str
    at: int
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockChange:
    """Change of a block with id `a` in the first tree and `b` in the second; `similarity` 0..1."""

    change: Change
    a: BlockId | None = None
    b: BlockId | None = None
    similarity: float
    text_diff: tuple[TextChange, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSummary:
    """Numbers of blocks. A moved block is unchanged here: its text is the same."""

    added: int
    removed: int
    modified: int
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDiff:
    """Changes between two trees, with their counts."""

    summary: DiffSummary
    blocks: tuple[BlockChange, ...]


def compare_trees(a: Tree, b: Tree, *, max_unequal_words: int | None = None) -> TreeDiff:
    """Return the changes in the order of the second tree, with removed blocks at their former places.

    With more than `max_unequal_words` in the blocks of one tree that have no equal in the other, no block counts as
    modified: they are removed and added. That bounds the time by the length of the texts.
    """
    equal = _equal_pairs(a.blocks, b.blocks)
    kept = _longest_rising(equal)
    similar: dict[int, tuple[int, float]] = {}
    if max_unequal_words is None or _unequal_words(a.blocks, b.blocks, equal) <= max_unequal_words:
        similar = _similar_pairs(a.blocks, b.blocks, equal, kept)
    changes: list[tuple[tuple[float, int], BlockChange]] = []
    for i, j in equal.items():
        change = Change.UNCHANGED if i in kept else Change.MOVED
        changes.append(((j, 1), BlockChange(change=change, a=a.blocks[i].id, b=b.blocks[j].id, similarity=1.0)))
    for i, (j, similarity) in similar.items():
        changes.append(((j, 1), _modified(a.blocks[i], b.blocks[j], similarity)))
    placed = {**equal, **{i: j for i, (j, _) in similar.items()}}
    last = -1
    for i, block in enumerate(a.blocks):
        last = placed[i] if i in kept or i in similar else last
        if i not in placed:
            changes.append(((last + 0.5, i), BlockChange(change=Change.REMOVED, a=block.id, similarity=0.0)))
    for j in set(range(len(b.blocks))) - set(placed.values()):
        changes.append(((j, 1), BlockChange(change=Change.ADDED, b=b.blocks[j].id, similarity=0.0)))
    ordered = tuple(change for _, change in sorted(changes, key=lambda entry: entry[0]))
    return TreeDiff(summary=_summary(ordered), blocks=ordered)


def block_words(block: Block) -> list[str]:
    """Return the words of a block; for a table, those of its cells."""
    if block.table is not None and block.table.cells:
        return [word for cell in block.table.cells for word in cell.text.split()]
    return block.text.split()


def _equal_pairs(a: Sequence[Block], b: Sequence[Block]) -> dict[int, int]:
    """Pair blocks of the same type and words in order of appearance."""
    waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for j in range(len(b) - 1, -1, -1):
        waiting[(b[j].type, *block_words(b[j]))].append(j)
    pairs: dict[int, int] = {}
    for i, block in enumerate(a):
        places = waiting.get((block.type, *block_words(block)))
        if places:
            pairs[i] = places.pop()
    return pairs


def _unequal_words(a: Sequence[Block], b: Sequence[Block], equal: dict[int, int]) -> int:
    """Return the words of the blocks without an equal, of the tree that has more of them."""
    taken = set(equal.values())
    return max(
        sum(len(block_words(block)) for i, block in enumerate(a) if i not in equal),
        sum(len(block_words(block)) for j, block in enumerate(b) if j not in taken),
    )


def _longest_rising(pairs: dict[int, int]) -> set[int]:
    """Return the largest set of pairs that keep their order (patience sorting); the other blocks have moved."""
    tails: list[int] = []
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for i, j in pairs.items():
        place = bisect_left(tails, j)
        before[i] = ends[place - 1] if place else None
        tails[place : place + 1] = [j]
        ends[place : place + 1] = [i]
    kept: set[int] = set()
    last: int | None = ends[-1] if ends else None
    while last is not None:
        kept.add(last)
        last = before[last]
    return kept


def _similar_pairs(
    a: Sequence[Block], b: Sequence[Block], equal: dict[int, int], kept: set[int]
) -> dict[int, tuple[int, float]]:
    """Pair the other blocks of `a` with the most similar other block of `b` between the same unchanged neighbours."""
    taken = set(equal.values())
    anchors = sorted(kept)
    pairs: dict[int, tuple[int, float]] = {}
    for i in (i for i in range(len(a)) if i not in equal):
        place = bisect_left(anchors, i)
        low = equal[anchors[place - 1]] + 1 if place else 0
        high = equal[anchors[place]] if place < len(anchors) else len(b)
        middle = low + i - (anchors[place - 1] + 1 if place else 0)
        window = range(max(low, middle - MAX_CANDIDATES // 2), min(high, middle + MAX_CANDIDATES // 2))
        free = [j for j in window if j not in taken]
        scored = [(_similarity(a[i], b[j]), -j) for j in free]
        best, j = max(scored, default=(0.0, 0))
        if best >= SIMILAR:
            pairs[i] = (-j, round(best, 4))
            taken.add(-j)
    return pairs


def _similarity(a: Block, b: Block) -> float:
    """Return common words over all words (Dice), in order when the texts are short enough."""
    words_a, words_b = block_words(a), block_words(b)
    total = len(words_a) + len(words_b)
    if not total:
        return 1.0 if a.type is b.type else 0.0
    bag = 2 * (Counter(words_a) & Counter(words_b)).total() / total
    if bag < SIMILAR or max(len(words_a), len(words_b)) > MAX_WORDS:
        return bag
    return SequenceMatcher(None, words_a, words_b, autojunk=False).ratio()


def _modified(a: Block, b: Block, similarity: float) -> BlockChange:
    words_a, words_b = block_words(a), block_words(b)
    changes: tuple[TextChange, ...] | None = None
    if max(len(words_a), len(words_b)) <= MAX_WORDS:
        matcher = SequenceMatcher(None, words_a, words_b, autojunk=False)
        changes = tuple(
            TextChange(op=op, at=a0, a=" ".join(words_a[a0:a1]), b=" ".join(words_b[b0:b1]))
            for op, a0, a1, b0, b1 in matcher.get_opcodes()
            if op != "equal"
        )
    return BlockChange(change=Change.MODIFIED, a=a.id, b=b.id, similarity=similarity, text_diff=changes)


def _summary(changes: Sequence[BlockChange]) -> DiffSummary:
    count = Counter(change.change for change in changes)
    return DiffSummary(
        added=count[Change.ADDED],
        removed=count[Change.REMOVED],
        modified=count[Change.MODIFIED],
        unchanged=count[Change.UNCHANGED] + count[Change.MOVED],
    )
