"""Finds the values of arrays of scalars: parts of a labelled text, or the list under a heading that names them."""

import re
from collections.abc import Sequence

from quire.models.cdom.tree import BlockType
from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.schema.answer import How
from quire.models.derive.schema.assign import Choice, ValueSignals, read_sources
from quire.models.derive.schema.candidates import ValueCandidate
from quire.models.derive.schema.nodes import ArrayNode, Leaf
from quire.models.derive.schema.phrases import PhraseIndex
from quire.models.derive.schema.sources import TextSource, source_of

LEAST_FIT = 0.8
"""Minimum fit of a label to the name of an array."""
_BULLET = re.compile(r"(?:[•●○◦▪■□▫‣∙·*–—-]|\(?\d{1,3}[.)])\s+")
_PART = re.compile(r"[^,;|•\n]+")


def find_values(
    array: ArrayNode,
    leaf: Leaf,
    index: PhraseIndex[ArrayNode],
    candidates: Sequence[ValueCandidate],
    fragments: Sequence[Fragment],
) -> list[Choice]:
    """Return the values of the list or text whose label fits the array best; numbers keep their decimal commas."""
    best: list[Choice] = []
    best_fit = 0.0
    for number, fragment in enumerate(fragments):
        fit = _fit(fragment.text, array, index)
        if fit > best_fit:
            values = _read_all([source for source in _list_under(fragments, number)], leaf, fit, How.LIST)
            if values:
                best, best_fit = values, fit
    for candidate in candidates:
        fit = _fit(candidate.label, array, index)
        if fit > best_fit and candidate.how is not How.HEADING:
            values = _read_all(_parts(candidate.sources[0], leaf), leaf, fit * candidate.confidence, candidate.how)
            if values:
                best, best_fit = values, fit
    return best


def _fit(label: str, array: ArrayNode, index: PhraseIndex[ArrayNode]) -> float:
    if len(label) > 60:
        return 0.0
    return next((fit.score for fit in index.fits(label) if fit.owner is array and fit.score >= LEAST_FIT), 0.0)


def _list_under(fragments: Sequence[Fragment], number: int) -> list[TextSource]:
    sources = []
    for fragment in fragments[number + 1 :]:
        if fragment.type is not BlockType.LIST_ITEM:
            break
        source = source_of(fragment)
        bullet = _BULLET.match(source.text)
        sources.append(source.cut(bullet.end() if bullet else 0, len(source.text)))
    return sources


def _parts(source: TextSource, leaf: Leaf) -> list[TextSource]:
    pattern = _PART if leaf.kinds[:1] == ("string",) else re.compile(r"[^;|•\n]+")
    return [source.cut(match.start(), match.end()) for match in pattern.finditer(source.text) if match.group().strip()]


def _read_all(sources: Sequence[TextSource], leaf: Leaf, score: float, how: How) -> list[Choice]:
    choices = []
    for source in sources:
        found = read_sources((source,), leaf)
        if found is not None:
            value, places, verbatim = found
            choices.append(Choice(value, places, verbatim, score, how, ValueSignals(score)))
    return choices
