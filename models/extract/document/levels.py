"""Heading levels of a document, from its outline, section numbers and styles; also its title."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from quire.models.cdom.tree import BlockType, Route
from quire.models.extract import HOME
from quire.models.extract.contract import OutlineEntry, PageContent
from quire.models.extract.document.draft import Draft
from quire.models.extract.layout.learned.counts import median
from quire.models.extract.layout.learned.forest import Forest, Matrix, load_forest
from quire.models.extract.layout.text.stacks import PARTS, find_part

_NUMBERED = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)\.?\s+\D")
_LINES = frozenset({BlockType.LIST_ITEM, BlockType.PARAGRAPH})
_LONGEST_LINE = 100
"""Characters of a bold line that may head a section."""
_SIZE_STEP = 0.3
"""Sizes closer than this (points) are one size."""
_PLAIN_SIZE = 10.0
"""Points: the size of running text where a document states none."""

Style = tuple[float, bool]

NAMES = (
    "size", "of_largest", "rank", "ranks", "ranks_below", "bold", "italic", "same", "count", "same_share", "depth",
    "same_depth", "any_depth", "to_upper", "to_lower", "same_first", "first", "rank_step", "first_size", "first_rank",
    "top", "chars", "upper", "same_upper", "page", "pages", "same_start", "upper_first", "first_font", "largest",
    "body", "same_chars",
)  # fmt: skip
"""Names of the feature columns, in order; the tree files carry the same names."""


@dataclass(slots=True)
class _Headings:
    """Features of all headings: one value per heading."""

    sizes: list[float]
    ranks: list[int]
    depths: list[int]
    uppers: list[bool]
    chars: list[int]
    body: float


def find_depth(text: str) -> int | None:
    """Return the depth of a decimal section number at the start of a heading, or None without one."""
    match = _NUMBERED.match(text)
    return match.group(1).count(".") + 1 if match else None


def style_of(draft: Draft) -> Style:
    """Return the font size and boldness of a heading."""
    return (draft.block.look.size, draft.block.look.bold)


def rank_styles(headings: list[Draft], step: float = _SIZE_STEP) -> dict[Style, int]:
    """Rank (1 = highest) every style: larger first, bold before light; nearly equal sizes share a rank."""
    ranks: dict[Style, int] = {}
    rank, last = 0, None
    for style in sorted({style_of(draft) for draft in headings}, key=lambda style: (-style[0], not style[1])):
        if last is None or last[0] - style[0] > step or last[1] != style[1]:
            rank += 1
        ranks[style], last = rank, style
    return ranks


def find_level_features(headings: list[Draft]) -> Matrix:
    """Return a row of features for each heading in reading order, with a column for each of `NAMES`."""
    ranks = rank_styles(headings)
    bodies = [draft.page.body_size for draft in headings]
    body = median(bodies) or _PLAIN_SIZE
    facts = _Headings(
        sizes=[draft.block.look.size / body for draft in headings],
        ranks=[ranks[style_of(draft)] for draft in headings],
        depths=[find_depth(draft.block.text) or 0 for draft in headings],
        uppers=[draft.block.text.isupper() for draft in headings],
        chars=[len(draft.block.text) for draft in headings],
        body=body,
    )
    by_rank: dict[int, list[int]] = {}
    for index, rank in enumerate(facts.ranks):
        by_rank.setdefault(rank, []).append(index)
    return np.array([_make_row(headings, facts, by_rank, index) for index in range(len(headings))], dtype=np.float32)


def _make_row(headings: list[Draft], facts: _Headings, by_rank: dict[int, list[int]], index: int) -> list[float]:
    draft, rank, size = headings[index], facts.ranks[index], facts.sizes[index]
    same, count, first = by_rank[rank], len(headings), headings[0]
    upper, lower = by_rank.get(rank - 1), by_rank.get(rank + 1)
    largest = max(facts.sizes[by_rank[1][0]], size) or 1.0
    height = draft.page.height or 1.0
    return [
        size, size / largest, rank, len(by_rank), len(by_rank) - rank, draft.block.look.bold, draft.block.look.italic,
        len(same), count, len(same) / count, facts.depths[index], _mean([facts.depths[i] for i in same]),
        any(facts.depths), size / (facts.sizes[upper[0]] or 1.0) if upper else 2.0,
        facts.sizes[lower[0]] / (size or 1.0) if lower else 0.0, same[0] == 0, index == 0,
        facts.ranks[index - 1] - rank if index else 9.0, facts.sizes[0], facts.ranks[0], draft.top / height,
        facts.chars[index], facts.uppers[index], _mean([facts.uppers[i] for i in same]),
        draft.page.number - first.page.number, headings[-1].page.number - first.page.number, same[0],
        upper is not None and upper[0] < index, draft.block.look.font == first.block.look.font, largest, facts.body,
        _mean([facts.chars[i] for i in same]),
    ]  # fmt: skip


def _mean(values: list[int] | list[bool]) -> float:
    return sum(values) / len(values)


WEIGHTS = {level: HOME / "document" / f"level_{level}.npz" for level in (2, 3)}
"""Trees for "at least this deep"; deeper levels come only from numbers and outlines."""
_DEEPEST = 6
"""The deepest level of a heading: HTML and Markdown have six."""
_COARSE_STEP = 0.6
"""Recognised sizes closer than this (points) are one size."""
_EVEN = 0.5
"""Mean probability from which the headings of a style are deeper."""
_CLEARLY = 1.15
"""Ratio of sizes that is a visible difference."""
_MOST_KICKERS = 2
"""Headings above a title."""
_LEAST_WITH_TITLE = 3
"""Headings of a document with a title: of two, either may be a section."""


@cache
def level_forests() -> dict[int, Forest]:
    """Return the trees of this version, by level."""
    return {level: load_forest(path) for level, path in WEIGHTS.items()}


def set_levels(drafts: list[Draft], pages: list[PageContent], outline: tuple[OutlineEntry, ...]) -> None:
    """Give every heading without a stated level one of 1..6, and make the first page's largest heading the title."""
    _drop_small(drafts, _find_body(pages))
    _complete_numbering(drafts)
    headings = [draft for draft in drafts if draft.type is BlockType.HEADING and draft.level is None]
    if not headings:
        return
    is_printed = all(draft.page.route is Route.FAST for draft in headings)
    ranks = rank_styles(headings) if is_printed else rank_styles(headings, _COARSE_STEP)
    depths = _find_depths(headings, ranks)
    levels = _learned_levels(headings, ranks) if is_printed and not depths else {}
    stated = {(_normalise(entry.title), entry.page): min(entry.level, _DEEPEST) for entry in outline}
    for draft in headings:
        from_outline = stated.get((_normalise(draft.block.text), draft.page.number))
        depth, rank = find_depth(draft.block.text), ranks[style_of(draft)]
        if from_outline is not None:
            draft.level = from_outline
        elif depth is not None and depths:
            draft.level = min(depth, _DEEPEST)
        else:
            draft.level = levels.get(rank) or _level_of(rank, depths)
    _nest_parts(headings, [ranks[style_of(draft)] for draft in headings], set(stated))
    _find_title(drafts, headings, ranks, is_learned=bool(levels))


def _nest_parts(headings: list[Draft], ranks: list[int], stated: set[tuple[str, int]]) -> None:
    """Put headings of one style below each other where the words and numbers before them say so.

    Parts, chapters, articles and numbered clauses count as one below the other if each first one follows a higher one.
    """
    depths = [find_part(draft.block.text) for draft in headings]
    if all(depth is None for depth in depths):
        return
    depths = [
        len(PARTS) if depth is None and find_depth(draft.block.text) == 1 else depth
        for depth, draft in zip(depths, headings, strict=True)
    ]
    by_rank: dict[int, dict[int, int]] = {}
    for index, (rank, depth) in enumerate(zip(ranks, depths, strict=True)):
        if depth is not None:
            by_rank.setdefault(rank, {})[index] = depth
    for rank, own in sorted(by_rank.items()):
        kinds = list(dict.fromkeys(own.values()))
        levels = {headings[index].level or 1 for index in own}
        if len(kinds) < 2 or len(own) < _LEAST_WITH_TITLE or kinds != sorted(kinds) or len(levels) > 1:
            continue
        if any((_normalise(headings[index].block.text), headings[index].page.number) in stated for index in own):
            continue
        (base,) = levels
        for index, draft in enumerate(headings):
            if index in own:
                draft.level = min(base + kinds.index(own[index]), _DEEPEST)
            elif ranks[index] > rank and (draft.level or 1) > base:
                draft.level = min((draft.level or 1) + len(kinds) - 1, _DEEPEST)


def _learned_levels(headings: list[Draft], ranks: dict[Style, int]) -> dict[int, int]:
    """Return rank of a style → level, by the mean probability of its headings."""
    rows = find_level_features(headings)
    heading_ranks = [ranks[style_of(draft)] for draft in headings]
    levels = dict.fromkeys(heading_ranks, 1)
    for forest in level_forests().values():
        chances = forest.probabilities(rows)
        for rank in levels:
            own_chances = [
                chance for chance, heading_rank in zip(chances, heading_ranks, strict=True) if heading_rank == rank
            ]
            levels[rank] += int(sum(own_chances) > _EVEN * len(own_chances))
    _keep_apart(levels, headings, heading_ranks)
    return levels


def _keep_apart(levels: dict[int, int], headings: list[Draft], ranks: list[int]) -> None:
    """Make a style deeper than a repeated one that is clearly larger."""
    sizes = {rank: draft.block.look.size for rank, draft in zip(ranks, headings, strict=True)}
    for upper, lower in pairwise(sorted(levels)):
        if ranks.count(upper) > 1 and sizes[upper] >= _CLEARLY * sizes[lower] and levels[lower] <= levels[upper]:
            levels[lower] = min(levels[upper] + 1, _DEEPEST)


def _find_body(pages: list[PageContent]) -> float:
    """Return the body size of most pages, weighted by their text."""
    weights: Counter[float] = Counter()
    for page in pages:
        weights[page.body_size] += sum(len(block.text) for block in page.blocks)
    return max(weights.items(), key=lambda item: (item[1], item[0]))[0] if weights else 0.0


def _drop_small(drafts: list[Draft], body: float) -> None:
    """Make light headings text unless they are larger than the document's body (on a page of small type)."""
    for draft in drafts:
        look = draft.block.look
        is_open = draft.type is BlockType.HEADING and draft.level is None and draft.page.body_size < 0.95 * body
        if is_open and look.size and look.size < 1.05 * body and not look.bold and not find_depth(draft.block.text):
            draft.type = BlockType.PARAGRAPH


def _complete_numbering(drafts: list[Draft]) -> None:
    """Make a bold line a heading if the section number before or after its own heads a section in the same type."""
    numbers: dict[tuple[float, str], set[tuple[int, ...]]] = {}
    for draft in drafts:
        if draft.type is BlockType.HEADING and (number := _read_number(draft)):
            numbers.setdefault((draft.block.look.size, draft.block.look.font), set()).add(number)
    if not numbers:
        return
    for draft in drafts:
        look = draft.block.look
        if draft.type not in _LINES or not look.bold or look.lines > 1 or len(draft.block.text) > _LONGEST_LINE:
            continue
        known, number = numbers.get((look.size, look.font), set()), _read_number(draft)
        if number and number not in known and not known.isdisjoint(_neighbours(number)):
            draft.type, draft.level = BlockType.HEADING, None
            known.add(number)


def _read_number(draft: Draft) -> tuple[int, ...]:
    match = _NUMBERED.match(draft.block.text)
    return tuple(map(int, match.group(1).split("."))) if match else ()


def _neighbours(number: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (*number[:-1], number[-1] - 1), (*number[:-1], number[-1] + 1)


def _find_depths(headings: list[Draft], ranks: dict[Style, int]) -> dict[int, int]:
    """Return rank of a style → depth of its section numbers, if numbers of several depths show that they matter."""
    votes: dict[int, Counter[int]] = {}
    for draft in headings:
        depth = find_depth(draft.block.text)
        if depth is not None:
            votes.setdefault(ranks[style_of(draft)], Counter())[depth] += 1
    depths = {rank: min(counts, key=lambda depth: (-counts[depth], depth)) for rank, counts in votes.items()}
    several = sum(len(counts) for counts in votes.values()) > 1 and len({d for c in votes.values() for d in c}) > 1
    return depths if several else {}


def _level_of(rank: int, depths: dict[int, int]) -> int:
    """Return the level of an unnumbered heading: that of numbered ones with its style, else by rank."""
    if rank in depths:
        return min(depths[rank], _DEEPEST)
    above = [depth for numbered_rank, depth in depths.items() if numbered_rank < rank]
    if above:
        return min(max(above) + 1, _DEEPEST)
    return min(rank, _DEEPEST)


def _find_title(drafts: list[Draft], headings: list[Draft], ranks: dict[Style, int], *, is_learned: bool) -> None:
    """Make the first heading the title if it is on the first page and alone in the highest rank.

    Smaller lines above it, in a style that no heading below it has, name its kind and do not count.
    Numbered sections in the title's style are ignored. Ranks then count from the title; learned levels stay.
    """
    first = next((index for index, draft in enumerate(headings) if ranks[style_of(draft)] == 1), 0)
    below = {ranks[style_of(draft)] for draft in headings[first:]}
    if first > _MOST_KICKERS or not _are_kickers(headings[:first], headings[first]):
        return
    if any(ranks[style_of(draft)] in below for draft in headings[:first]):
        return
    title, rivals = headings[first], [draft for draft in headings[first + 1 :] if ranks[style_of(draft)] == 1]
    if len(headings) < _LEAST_WITH_TITLE or ranks[style_of(title)] != 1:
        return
    if any(find_depth(draft.block.text) is None for draft in rivals):
        return
    if title.page.number != drafts[0].page.number or find_depth(title.block.text) is not None:
        return
    title.type, title.level = BlockType.TITLE, None
    others = [draft for draft in headings if draft is not title]
    if is_learned:
        return
    if others and min(draft.level or 1 for draft in others) > 1 and not any(find_depth(d.block.text) for d in others):
        for draft in others:
            draft.level = (draft.level or 2) - 1


def _are_kickers(above: list[Draft], title: Draft) -> bool:
    """Return whether headings above a title are clearly smaller lines right above it that name its kind."""
    return all(
        draft.page.number == title.page.number
        and _CLEARLY * draft.block.look.size <= title.block.look.size
        and draft.block.look.lines == 1
        and find_depth(draft.block.text) is None
        for draft in above
    )


def _normalise(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


@dataclass(frozen=True, slots=True)
class StatedLevelLimits:
    """Thresholds for ignoring one level that all headings share."""

    least: int = 4
    """Headings: a document with fewer may really have one level."""
    larger: float = 1.15
    """Ratio to the smallest heading's size from which a heading is at a higher level."""


LIMITS = StatedLevelLimits()


def free_flat_levels(drafts: list[Draft]) -> bool:
    """Remove a level that all tagged headings share if their sizes differ; return whether it was removed."""
    tagged = [draft for draft in drafts if draft.type is BlockType.HEADING and draft.block.tagged]
    sizes = [draft.block.look.size for draft in tagged]
    if len(tagged) < LIMITS.least or len({draft.level for draft in tagged}) > 1:
        return False
    if tagged[0].level is None or max(sizes) < LIMITS.larger * min(sizes):
        return False
    for draft in tagged:
        draft.level = None
    return True
