"""Assigns candidates to leaves: by how well the label names the leaf, the type of the text, and its surroundings."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.models.derive.fields.fields import PARTIES
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import name_key
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.pairs import lone_label
from quire.models.derive.schema.answer import How, Missing, ValuePlace
from quire.models.derive.schema.candidates import ValueCandidate
from quire.models.derive.schema.columns import CENT
from quire.models.derive.schema.nodes import Leaf, ObjectNode
from quire.models.derive.schema.phrases import Fit, PhraseIndex, leaf_key, names_other
from quire.models.derive.schema.sources import TextSource
from quire.models.derive.schema.typed import read_typed

MAX_ANCHOR = 60  # characters of a text that may head a part of the page
ANCHOR_REACH = 12  # fragments behind such a text that belong to it
ANCHOR_FIT = 0.85
"""Minimum fit of a label that anchors others."""
NEAR_REACH = 8  # fragments around the text that a hint names
OWN, FOREIGN, NEAR, FAR = 0.15, -0.15, 0.2, -0.2
"""Added to the score below the head of the leaf's own object, of another object, and near or far from a hint."""
SURE = 0.8  # score from which a value is taken although others fit as well
TIED = 0.001
"""Scores that differ by less are equal."""
NAMED = 0.85
"""Fit below which a label that the lexicon knows as another key's does not name a leaf."""
LABELLED_PARTY = 0.9  # confidence from which a name at its place outweighs a label
_SUM = (Key.SUBTOTAL, Key.TAX, Key.TOTAL)
SHARED_FIT = 0.99  # fit from which two leaves may cite the same text


@dataclass(frozen=True, slots=True)
class ValueSignals:
    """What speaks for a value, all 0..1.

    The fit of its label to the leaf, the relation of label and text, the share of the text that the value takes, the
    lead over the best other value, and whether no other value fits at all.
    """

    fit: float
    relation: float = 1.0
    share: float = 1.0
    lead: float = 1.0
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a leaf with its places, the text there, a score (0..1), and the signals behind the score."""

    value: Any
    places: tuple[ValuePlace, ...]
    verbatim: str
    score: float
    how: How
    signals: ValueSignals | None = None


@dataclass(frozen=True, slots=True)
class _Scored:
    leaf: Leaf
    fit: float
    order: int
    choice: Choice
    label: str


def read_sources(sources: Sequence[TextSource], leaf: Leaf) -> tuple[Any, tuple[ValuePlace, ...], str] | None:
    """Return the value of a leaf from texts that belong together, its places and the text there; None for no value."""
    if len(sources) > 1 and leaf.kinds[:1] == ("string",) and not leaf.format and not leaf.members:
        value = " ".join(" ".join(source.text.split()) for source in sources)
        if leaf.accepts(value):
            places = tuple(source.place(0, len(source.text)) for source in sources)
            return value, places, " ".join(source.text.strip() for source in sources)
    for source in sources:
        reading = read_typed(source.text, leaf)
        if reading is not None:
            place = source.place(reading.start, reading.end)
            start = place.start - source.start
            return reading.value, (place,), source.text[start : start + place.end - place.start]
    if len(sources) > 1 and leaf.format == "date":  # a day in one cell of a head and its year in the one below
        verbatim = " ".join(source.text.strip() for source in sources)
        reading = read_typed(verbatim, leaf)
        if reading is not None:
            return reading.value, tuple(source.place(0, len(source.text)) for source in sources), verbatim
    return None


class Assignment:
    """The best candidate of each leaf, and why the others have none."""

    def __init__(
        self,
        leaves: Sequence[Leaf],
        index: PhraseIndex[Leaf],
        objects: PhraseIndex[ObjectNode],
        candidates: Sequence[ValueCandidate],
        fragments: Sequence[Fragment],
    ) -> None:
        self.chosen: dict[Leaf, Choice] = {}
        self.reasons: dict[Leaf, Missing] = dict.fromkeys(leaves, Missing.NO_LABEL)
        self._anchors = _find_anchors(fragments, objects) if objects.named else []
        self._near = _find_near(fragments, leaves)
        scored = [entry for candidate in candidates for entry in self._score(candidate, index)]
        self._choose(sorted(scored, key=_rank))
        self._drop_part_of_tax()

    def _score(self, candidate: ValueCandidate, index: PhraseIndex[Leaf]) -> Iterator[_Scored]:
        for fit in index.fits(candidate.label):
            leaf = fit.owner
            if candidate.key is not None and leaf_key(leaf) is not None and leaf_key(leaf) != candidate.key:
                continue
            if fit.score < NAMED and names_other(candidate.label, leaf_key(leaf)):
                continue
            if leaf.hints.page is not None and leaf.hints.page != candidate.sources[0].page:
                continue
            found = read_sources(candidate.sources, leaf)
            if found is None:
                if fit.score >= SURE:
                    self.reasons[leaf] = Missing.NOT_OF_TYPE
                continue
            value, places, verbatim = found
            is_free = isinstance(value, str) and not leaf.members
            if is_free and (_names_leaf(verbatim, leaf, index) or (not candidate.is_told and _is_label(verbatim))):
                continue
            if leaf_key(leaf) in PARTIES and not _may_be_name(verbatim):
                continue
            whole = sum(len(source.text.strip()) for source in candidate.sources)
            signals = ValueSignals(fit.score, candidate.confidence, min(1.0, len(verbatim) / max(1, whole)))
            score = self._rate(fit, candidate, signals)
            choice = Choice(value, places, verbatim, score, candidate.how, signals)
            yield _Scored(leaf, fit.score, candidate.order, choice, candidate.label.casefold())

    def _rate(self, fit: Fit[Leaf], candidate: ValueCandidate, signals: ValueSignals) -> float:
        leaf = fit.owner
        if candidate.how is How.SUMS or (
            candidate.how is How.LETTERHEAD and candidate.key in PARTIES and candidate.confidence >= LABELLED_PARTY
        ):
            return 1.0
        score = fit.score * (0.5 + 0.5 * candidate.confidence)
        if leaf.kinds[:1] != ("string",) or leaf.format:
            score *= 0.8 + 0.2 * signals.share
        score += self._context(leaf, candidate.order)
        if leaf.hints.near is not None:
            near = any(abs(candidate.order - order) <= NEAR_REACH for order in self._near[leaf.hints.near])
            score += NEAR if near else FAR
        return max(0.0, min(1.0, score))

    def _context(self, leaf: Leaf, order: int) -> float:
        """Return the bonus or deduction for the last head of an object above the candidate."""
        if len(leaf.path) < 2:
            return 0.0
        index = bisect_right(self._anchors, (order, ("\U0010ffff",))) - 1
        if index < 0 or order - self._anchors[index][0] > ANCHOR_REACH:
            return 0.0
        return OWN if self._anchors[index][1] == leaf.path[:-1] else FOREIGN

    def _choose(self, scored: Sequence[_Scored]) -> None:
        used: set[tuple[str, int | None, int, int]] = set()
        by_leaf: dict[Leaf, list[_Scored]] = defaultdict(list)
        for entry in scored:
            by_leaf[entry.leaf].append(entry)
        for entry in scored:
            place = entry.choice.places[0]
            key = (place.block_id, place.cell, place.start, place.end)
            if entry.leaf in self.chosen or self.reasons.get(entry.leaf) in _UNDECIDED:
                continue
            if key in used and entry.fit < SHARED_FIT:
                continue
            tied = _find_tied(entry, by_leaf[entry.leaf])
            if tied:
                same = all(other.label == entry.label for other in tied)
                self.reasons[entry.leaf] = Missing.SEVERAL_DISAGREE if same else Missing.AMBIGUOUS
                continue
            used.add(key)
            self.chosen[entry.leaf] = _compare(entry.choice, by_leaf[entry.leaf])

    def _drop_part_of_tax(self) -> None:
        """Leave out a tax that is one of several: net amount and total are found by a sum that it does not fill."""
        leaves = {key: leaf for leaf in self.chosen if (key := leaf_key(leaf)) in _SUM}
        if len(leaves) == len(_SUM):
            net, tax, total = (self.chosen[leaves[key]] for key in _SUM)
            numbers = [part.value for part in (net, tax, total) if isinstance(part.value, int | float)]
            is_summed = net.how is total.how is How.SUMS and tax.how is not How.SUMS and len(numbers) == len(leaves)
            if is_summed and abs(numbers[0] + numbers[1] - numbers[2]) > CENT:
                del self.chosen[leaves[Key.TAX]]
                self.reasons[leaves[Key.TAX]] = Missing.SEVERAL_DISAGREE


def _rank(entry: _Scored) -> tuple[bool, float, int]:
    return entry.choice.how is not How.SUMS, -entry.choice.score, entry.order


def _may_be_name(text: str) -> bool:
    """Return False for a text that is mostly figures, a part of a sentence, or another label with its value."""
    letters = sum(map(str.isalpha, text))
    is_sentence = text[:1].islower() or any(mark in text for mark in '":("')
    return letters >= 2 and 2 * letters >= len(text.replace(" ", "")) and not is_sentence


def _is_label(text: str) -> bool:
    """Return True for a text that is a label by its form."""
    return lone_label(text) is not None or (name_key(text) is not None and not any(map(str.isdigit, text)))


def _names_leaf(text: str, leaf: Leaf, index: PhraseIndex[Leaf]) -> bool:
    """Return True for the name of another leaf of the schema."""
    fits = index.fits(text) if len(text) <= MAX_ANCHOR else ()
    return bool(fits) and fits[0].score >= SHARED_FIT and all(fit.owner is not leaf for fit in fits)


def _compare(choice: Choice, scored: Sequence[_Scored]) -> Choice:
    """Return the choice with its lead over the best other value in its signals."""
    assert choice.signals is not None
    others = [entry.choice.score for entry in scored if entry.choice.value != choice.value]
    lead = max(0.0, choice.score - max(others)) if others else 1.0
    return replace(choice, signals=replace(choice.signals, lead=lead, alone=not others))


_UNDECIDED = (Missing.AMBIGUOUS, Missing.SEVERAL_DISAGREE)


def _find_tied(entry: _Scored, others: Sequence[_Scored]) -> list[_Scored]:
    """Return, for a doubtful label, those of the same score that lead to other values."""
    if entry.choice.score >= SURE:
        return []
    near = [other for other in others if abs(other.choice.score - entry.choice.score) < TIED]
    return [other for other in near if other.choice.value != entry.choice.value]


def _find_anchors(fragments: Sequence[Fragment], objects: PhraseIndex[ObjectNode]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the texts that head an object's part of the page, as reading order and path of the object."""
    anchors = []
    for fragment in fragments:
        label = fragment.text.split(":")[0]
        fits = objects.fits(label) if len(label) <= MAX_ANCHOR else ()
        if fits and fits[0].score >= ANCHOR_FIT:
            anchors.append((fragment.order, fits[0].owner.path))
    return anchors


def _find_near(fragments: Sequence[Fragment], leaves: Sequence[Leaf]) -> Mapping[str, list[int]]:
    texts = {leaf.hints.near for leaf in leaves if leaf.hints.near is not None}
    return {
        text: [fragment.order for fragment in fragments if text.casefold() in fragment.text.casefold()]
        for text in texts
    }
