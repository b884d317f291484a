"""Settles what the rules left without a value or are not sure of by what a language model referred to.

Values that the rules are sure of stay. Of those that the model was asked for and did not refer to, the doubtful ones
are left out, and the others are stated with less confidence.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from quire.models.derive.schema.answer import ExtractedData, LeafEvidence, Missing, pointer
from quire.models.derive.schema.checking import validator_of
from quire.models.derive.schema.extract import ReadSchema
from quire.models.derive.schema.nodes import ArrayNode, Leaf, ObjectNode, arrays_of

SURE = 0.98
"""Confidence (0..1) from which a value of the rules is not asked for: about one in five is below it."""
FOUND = 0.9
"""Share of the values in a document that a model is assumed to refer to."""
LEAST = 0.5
"""Least confidence of a value that a model does not confirm."""


def find_doubtful(schema: ReadSchema, rules: ExtractedData) -> frozenset[str]:
    """Return the pointers of the leaves and arrays that a model is asked for.

    Those without a value, those whose value is doubtful, and arrays in which a column misses or any value is doubtful.
    """
    doubtful = {path for path, evidence in rules.evidence.items() if evidence.confidence < SURE}
    doubtful |= {path for path, reason in rules.missing.items() if "/0/" not in path or reason is Missing.NO_COLUMN}
    arrays = [pointer(*array.path) for array in arrays_of(schema.root)]
    return frozenset(doubtful | {array for array in arrays if any(path.startswith(f"{array}/") for path in doubtful)})


def fill_missing(
    schema: ReadSchema, rules: ExtractedData, referred: ExtractedData, *, complete: bool = True
) -> ExtractedData:
    """Return the rules' answer with the referred values of the leaves and arrays that it lacks or is not sure of.

    `complete`: the model saw the whole document and all that is doubtful.
    """
    filling = _Filling(rules, referred, find_doubtful(schema, rules), complete)
    data = filling.fill(schema.root, rules.data, referred.data)
    return ExtractedData(
        data=data,
        evidence=filling.evidence,
        missing=filling.missing,
        valid=filling.stays_valid(schema) or validator_of(schema.expanded).is_valid(data),
    )


@dataclass(slots=True)
class _Filling:
    rules: ExtractedData
    referred: ExtractedData
    doubtful: frozenset[str]
    complete: bool
    evidence: dict[str, LeafEvidence] = field(default_factory=dict)
    missing: dict[str, Missing] = field(default_factory=dict)
    lowered: dict[str, LeafEvidence] = field(default_factory=dict)
    _has_new_rows: bool = False
    _has_lost: bool = False

    def fill(self, node: ObjectNode, rules: dict[str, Any], referred: dict[str, Any]) -> dict[str, Any]:
        """Return the parts of an object in the order of the schema, and note their evidence."""
        data: dict[str, Any] = {}
        for name, part in node.parts.items():
            if isinstance(part, ObjectNode):
                given = referred.get(name, {})
                inner = self.fill(part, rules.get(name, given), given)
                if name in rules or any(value is not None and value != [] for value in inner.values()):
                    data[name] = inner
                continue
            path = pointer(*part.path)
            is_new = path in self.doubtful and _has_value(part, referred.get(name))
            is_new = is_new and _count_values(referred[name]) >= _count_values(rules.get(name))
            if is_new and referred[name] == rules.get(name) and self._is_surer(path):
                is_new = False
            self._has_new_rows |= is_new and isinstance(part, ArrayNode)
            if isinstance(part, Leaf) and name not in referred and self._is_refuted(path):
                self.missing[path] = Missing.SEVERAL_DISAGREE
                if part.nullable or part.required:
                    data[name] = None
                self._has_lost |= part.required and not part.nullable
                continue
            answer = self.referred if is_new else self.rules
            self._note([path] if isinstance(part, Leaf) else _paths_below(path, answer), answer)
            chosen = referred if is_new else rules
            if name in chosen:
                data[name] = chosen[name]
        return data

    def _is_surer(self, path: str) -> bool:
        """Return whether the rules are surer of a value that a model found as well."""
        stated, found = self.rules.evidence.get(path), self.referred.evidence.get(path)
        return stated is not None and found is not None and stated.confidence > found.confidence

    def _is_refuted(self, path: str) -> bool:
        """Lower the confidence of a value that the model was asked for and found nothing; return whether it falls."""
        stated = self.rules.evidence.get(path)
        if stated is None or not self.referred.evidence or path not in self.doubtful:
            return False
        if not self.complete or self.referred.missing.get(path) is Missing.UNVERIFIED:
            return False
        kept = stated.confidence * (1 - FOUND)
        confidence = round(kept / (kept + 1 - stated.confidence), 4)
        self.lowered[path] = replace(stated, confidence=confidence)
        return confidence < LEAST

    def stays_valid(self, schema: ReadSchema) -> bool:
        """Return True if the values added cannot break a schema that the rules' answer fulfils."""
        return schema.is_simple and self.rules.valid and not self._has_new_rows and not self._has_lost

    def _note(self, paths: Iterable[str], answer: ExtractedData) -> None:
        for path in paths:
            if path in answer.evidence:
                self.evidence[path] = self.lowered.get(path, answer.evidence[path])
            elif path in answer.missing:
                refused = self.referred.missing.get(path) is Missing.UNVERIFIED
                self.missing[path] = Missing.UNVERIFIED if refused else answer.missing[path]


def _paths_below(path: str, answer: ExtractedData) -> list[str]:
    """Return the pointers of an array and of what is in it."""
    return [key for key in (*answer.evidence, *answer.missing) if key == path or key.startswith(path + "/")]


def _count_values(value: Any) -> int:
    """Return the number of values in a part of the data."""
    if isinstance(value, dict):
        return sum(map(_count_values, value.values()))
    return sum(map(_count_values, value)) if isinstance(value, list) else int(value is not None)


def _has_value(part: Leaf | ArrayNode, value: Any) -> bool:
    return value is not None and not (isinstance(part, ArrayNode) and not value)
