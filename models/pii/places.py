"""Names places of flags independently of block ids: a decision holds for the same value in the same place.

In: a tree. Out: its flagged places, one per value; decisions by place become decisions by block and span. Knows no
store.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from quire.models.cdom.flags import PII_PREFIX, FlaggedPlace, is_pii_flag
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, FlagSpan, Tree
from quire.models.pii.confidence import judge_confidence
from quire.models.pii.kinds import Kind
from quire.models.pii.letters import letters
from quire.models.pii.normalise import normalise
from quire.models.pii.redact import WHOLE

_OF_WORDS = frozenset(PII_PREFIX + kind for kind in (Kind.PERSON, Kind.ADDRESS))
"""Flags of values that a document repeats in part."""
_WORD = re.compile(r"[^\W_]+")

PlaceDecisions = Mapping[tuple[str, str], str]
"""(place, flag) → approved | rejected."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A place, its number in its block's `flag_spans`, and the name that all places of its flag there had together."""

    place: FlaggedPlace
    span: int
    together: str


def find_places(tree: Tree) -> tuple[FlaggedPlace, ...]:
    """Every value that is flagged, in reading order. A flag without spans is one place: its block."""
    return tuple(flagged.place for flagged in _places(tree))


def decide_blocks(tree: Tree, decisions: PlaceDecisions) -> dict[tuple[str, str, int], str]:
    """Return the decision for each (block id, flag, number of the span) of this tree that has one.

    An older decision on all values of a block applies to each value without a newer decision.
    """
    if not decisions:
        return {}
    decided = {}
    for flagged in _places(tree):
        place, flag = flagged.place, flagged.place.flag
        decision = decisions.get((place.place, flag)) or decisions.get((flagged.together, flag))
        if decision is not None:
            decided[place.block_id, flag, flagged.span] = decision
    return decided


def find_spans(tree: Tree) -> dict[tuple[str, str, str], tuple[FlagSpan, ...]]:
    """(block id, flag, place) → the span of that place; none where the flag covers its whole block."""
    blocks = {str(block.id): block for block in tree.blocks}
    return {
        (flagged.place.block_id, flagged.place.flag, flagged.place.place): (
            blocks[flagged.place.block_id].flag_spans[flagged.span],
        )
        if flagged.span != WHOLE
        else ()
        for flagged in _places(tree)
    }


def _places(tree: Tree) -> Iterator[_Found]:
    """Yield the flagged places; equal blocks of one page are distinguished by counting."""
    seen: Counter[str] = Counter()
    wholes = _find_wholes(tree)
    engine = tree.pii.engine if tree.pii is not None else ""
    for block in tree.blocks:
        flags = [flag for flag in block.flags if is_pii_flag(flag)]
        if not flags:
            continue
        content, places = _content(block), BlockPlaces(block)
        seen[content] += 1
        begun = hashlib.sha256(f"[{json.dumps(content)}, {seen[content]}, ".encode())  # once: the text may be long
        for flag in flags:
            numbers = [number for number, span in enumerate(block.flag_spans) if span.flag == flag]
            together = _name(begun, flag, [block.flag_spans[number] for number in numbers])
            for number in numbers or [WHOLE]:
                span = block.flag_spans[number] if number != WHOLE else None
                place = FlaggedPlace(
                    block_id=block.id,
                    flag=flag,
                    place=_name(begun, flag, [span] if span is not None else []),
                    page=places.of_cell(None if span is None else span.cell).page,
                    order=block.order,
                    value=_value(block, flag, span, wholes),
                    confidence=judge_confidence(engine, flag, block.confidence),
                )
                yield _Found(place, number, together)


def _name(begun: "hashlib._Hash", flag: str, spans: Iterable[FlagSpan]) -> str:
    """Return the digest of the JSON list [content, occurrence, flag, spans], of which `begun` has the first two."""
    name = begun.copy()
    name.update(f"{json.dumps(flag)}, {json.dumps([[s.start, s.end, s.cell] for s in spans])}]".encode())
    return name.hexdigest()


def _value(block: Block, flag: str, span: FlagSpan | None, wholes: Mapping[tuple[str, ...], str]) -> str:
    """Return a digest that is equal for all spellings and parts of a value; it defines "everywhere"."""
    text = block.text if span is None else span_text(block, span)
    whole = wholes.get((flag, *_words(text)), letters(text)) if flag in _OF_WORDS else letters(text)
    return hashlib.sha256(json.dumps([flag, whole]).encode()).hexdigest()


def _find_wholes(tree: Tree) -> dict[tuple[str, ...], str]:
    """Return flag and words of a name or address -> the letters of the only longest value that holds these words.

    Names of accounts that begin alike, as in `ACME_miller`, are one value.
    """
    by_word: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    values = {
        (span.flag, *_words(span_text(block, span)))
        for block in tree.blocks
        for span in block.flag_spans
        if span.flag in _OF_WORDS
    }
    for flag, *words in values:
        for word in words:
            by_word[flag, word].add(tuple(words))
    wholes = {}
    for flag, *words in values:
        if not words:
            continue
        rarest = min((by_word[flag, word] for word in words), key=len)
        holders = [value for value in rarest if _holds(value, tuple(words))]
        longest = max(holders, key=len)
        if all(_holds(longest, other) for other in holders):
            wholes[flag, *words] = "".join(longest)
    return wholes


def _holds(value: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(value)} "


def _words(text: str) -> list[str]:
    begin, _, rest = text.partition("_")
    return [begin] if rest.isalpha() and begin.isalpha() else _WORD.findall(normalise(text).text.casefold())


def span_text(block: Block, span: FlagSpan) -> str:
    """Return the flagged text."""
    text = block.text if span.cell is None or block.table is None else block.table.cells[span.cell].text
    return text[span.start : span.end]


def _content(block: Block) -> str:
    cells = [[cell.row, cell.col, cell.text] for cell in block.table.cells] if block.table is not None else []
    return json.dumps([block.page, block.text, cells])
