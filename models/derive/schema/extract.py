"""Extracts values by a JSON Schema from a tree: reads the schema once, then any number of trees.

Deterministic and pure: the same tree and schema give the same answer.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from quire.models.cdom.tree import Tree
from quire.models.derive.fields.fields import DocumentTexts, read_texts
from quire.models.derive.fields.fragments import Fragment, tree_fragments
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.roles import Role
from quire.models.derive.schema.answer import ExtractedData, How, LeafEvidence, Missing, pointer
from quire.models.derive.schema.assign import Assignment, Choice, ValueSignals, read_sources
from quire.models.derive.schema.candidates import find_candidates, outside_rows
from quire.models.derive.schema.checking import CHECKED, DEFAULT_LIMITS, SchemaLimits, expand_schema, validator_of
from quire.models.derive.schema.columns import CENT, role_of
from quire.models.derive.schema.lists import find_values
from quire.models.derive.schema.nodes import (
    ArrayNode,
    Leaf,
    Node,
    ObjectNode,
    arrays_of,
    build_nodes,
    inner_array,
    leaves_of,
)
from quire.models.derive.schema.phrases import HINT, PhraseIndex, Words, leaf_key, phrases_of, plain_words
from quire.models.derive.schema.rows import (
    ArrayRows,
    Row,
    TableRowId,
    find_metrics,
    find_rows,
    group_rows,
    read_sections,
)
from quire.models.derive.schema.sources import TreeTexts
from quire.models.derive.schema.verify import DOUBTED, Rate, is_verified, rate_features, read_features

Named = TypeVar("Named", Leaf, ArrayNode, ObjectNode)
_BUILT = frozenset(
    {
        "type", "properties", "items", "required", "title", "description", "x-quire", "default", "examples", "enum",
        "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf", "maxItems", "uniqueItems", "deprecated", "readOnly", "writeOnly",
    }
)  # fmt: skip
"""Keywords that hold for all data as it is built, apart from required values that were not found."""


_NO_ROWS = ArrayRows([], frozenset(), How.TABLE, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenChoices:
    """Choices that the rules do not make: references of a language model, and places that a person corrected.

    `values` by JSON pointer into the data, lists and rows by array; they take the place of what the rules find.
    `refused` are pointers whose reference led to no value. Without `with_rules` nothing else is extracted.
    """

    values: Mapping[str, Choice] = field(default_factory=dict)
    lists: Mapping[ArrayNode, list[Choice]] = field(default_factory=dict)
    rows: Mapping[ArrayNode, ArrayRows] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    with_rules: bool = True


GIVEN = {How.MODEL: 0.8, How.CORRECTED: 1.0, How.SUMS: 0.97}
"""Confidence of choices that the rules do not make, which is assumed, and of parts of a sum that holds."""
NOTHING_GIVEN = GivenChoices()
"""The rules alone decide."""


@dataclass(frozen=True, slots=True)
class ReadSchema:
    """A checked schema with its parts and their phrases."""

    expanded: Mapping[str, Any]
    root: ObjectNode
    leaves: PhraseIndex[Leaf]
    columns: PhraseIndex[Leaf]
    objects: PhraseIndex[ObjectNode]
    lists: PhraseIndex[ArrayNode]
    is_simple: bool
    labels: Mapping[str, Sequence[str]]

    def __reduce__(self) -> tuple[object, ...]:
        """Return what builds the schema again in another process, as validators cannot be sent."""
        return read_schema, (self.expanded, self.labels, CHECKED)


def read_schema(
    schema: object, labels: Mapping[str, Sequence[str]] = MappingProxyType({}), limits: SchemaLimits = DEFAULT_LIMITS
) -> ReadSchema:
    """Return the schema, ready for extraction.

    `labels` are further labels by pointer to the leaf, without the numbers of rows (`/lines/price`).

    Raises:
        SchemaRefused: The schema cannot be used.
    """
    expanded = expand_schema(schema, limits)
    root = build_nodes(expanded, limits)
    arrays = list(arrays_of(root))
    return ReadSchema(
        expanded=expanded,
        root=root,
        leaves=PhraseIndex(
            entry for leaf in leaves_of(root) for entry in _entries(leaf, _leaf_phrases(leaf, root), labels)
        ),
        columns=PhraseIndex(
            entry
            for array in arrays
            for leaf in (*leaves_of(array.item), *_inner_leaves(array))
            for entry in _entries(leaf, phrases_of(leaf), labels)
        ),
        objects=PhraseIndex(entry for node in _objects_of(root) for entry in _entries(node, phrases_of(node), labels)),
        lists=PhraseIndex(entry for array in arrays for entry in _entries(array, phrases_of(array), labels)),
        is_simple=_is_simple(expanded),
        labels={path: tuple(texts) for path, texts in labels.items()},
    )


def _inner_leaves(array: ArrayNode) -> tuple[Leaf, ...]:
    inner = inner_array(array)
    return tuple(leaves_of(inner.item)) if inner is not None else ()


def _entries(
    node: Named, phrases: Mapping[Words, float], labels: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Named, Words, float]]:
    """Yield the phrases of a part of the schema, and of the labels that corrections taught."""
    yield from ((node, words, weight) for words, weight in phrases.items())
    yield from ((node, words, HINT) for label in labels.get(pointer(*node.path), ()) if (words := plain_words(label)))


def _objects_of(node: Node) -> Iterator[ObjectNode]:
    if isinstance(node, ObjectNode):
        if node.path:
            yield node
        for part in node.parts.values():
            yield from _objects_of(part)


def _leaf_phrases(leaf: Leaf, root: ObjectNode) -> dict[Words, float]:
    """Return the leaf's phrases; an object's name is also named by the words for the object."""
    phrases = phrases_of(leaf)
    if leaf.name == "name" and len(leaf.path) > 1:
        parent = next(node for node in _objects_of(root) if node.path == leaf.path[:-1])
        for words, weight in phrases_of(parent).items():
            phrases.setdefault(words, 0.95 * weight)
    return phrases


def _is_simple(schema: Any) -> bool:
    """Return whether the schema has only keywords that hold by the way data is built."""
    if not isinstance(schema, dict):
        return True
    if schema.keys() - _BUILT:
        alternatives = [part for key in ("anyOf", "oneOf") for part in schema.get(key, ())]
        if schema.keys() - _BUILT - {"anyOf", "oneOf"} or any("properties" in part for part in alternatives):
            return False
    parts = [*schema.get("properties", {}).values(), schema.get("items")]
    return all(_is_simple(part) for part in parts)


def extract_data(
    tree: Tree,
    schema: ReadSchema,
    given: GivenChoices = NOTHING_GIVEN,
    *,
    rate: Rate = rate_features,
    texts: DocumentTexts | None = None,
) -> ExtractedData:
    """Return the values of the schema that the tree holds, with their evidence, and why others are missing.

    `rate` gives the confidence of a value from its features. `texts` is what the tree's texts state, if it was read for
    a schema whose labels are all in the lexicon.
    """
    return _Extraction(tree, schema, given, rate, texts).run()


def whole_fragments(tree: Tree) -> list[Fragment]:
    """Return the fragments of a tree; the running heads of a single page hold its letterhead."""
    return tree_fragments(tree, furniture=len(tree.pages) == 1)


@dataclass(slots=True)
class _Extraction:
    tree: Tree
    schema: ReadSchema
    given: GivenChoices = NOTHING_GIVEN
    rate: Rate = rate_features
    texts: DocumentTexts | None = None
    evidence: dict[str, LeafEvidence] = field(default_factory=dict)
    missing: dict[str, Missing] = field(default_factory=dict)
    _complete: bool = True
    _rows: dict[ArrayNode, ArrayRows] = field(default_factory=dict)
    _lists: dict[ArrayNode, list[Choice]] = field(default_factory=dict)

    def run(self) -> ExtractedData:
        texts, schema = TreeTexts(self.tree), self.schema
        found = self._apply_rules() if self.given.with_rules else self._without_rules()
        self._lists.update(self.given.lists)
        self._rows.update(self.given.rows)
        data = self._build_object(schema.root, found, texts)
        self._doubt_sums(data)
        valid = self._complete if schema.is_simple else validator_of(schema.expanded).is_valid(data)
        return ExtractedData(data=data, evidence=self.evidence, missing=self.missing, valid=valid)

    def _doubt_sums(self, data: Mapping[str, Any]) -> None:
        """Lower the confidence in all parts of a sum that does not hold: net and tax, quantity times price."""
        heads = {key: pointer(*leaf.path) for leaf in leaves_of(self.schema.root) if (key := leaf_key(leaf)) in _SUM}
        values = {key: _value_at(data, path) for key, path in heads.items()}
        total, tax = (values.get(key) for key in (Key.TOTAL, Key.TAX))
        if isinstance(total, int | float) and isinstance(tax, int | float) and 0 < total <= tax:
            self._doubt([heads[Key.TAX]])
        elif len(values) == len(_SUM) and _differs(values[Key.SUBTOTAL], values[Key.TAX], values[Key.TOTAL], plus=True):
            self._doubt(heads.values())
        for array, found in self._rows.items():
            leaves = {role: leaf for leaf in leaves_of(array.item) if (role := role_of(leaf)) in _PRODUCT}
            for number in range(len(found.rows)) if len(leaves) == len(_PRODUCT) else ():
                paths = {role: _row_path(array, number) + _path_in_row(array, leaf) for role, leaf in leaves.items()}
                parts = [_value_at(data, paths[role]) for role in _PRODUCT]
                if _differs(*parts, plus=False):
                    self._doubt(paths.values())

    def _doubt(self, paths: Iterable[str]) -> None:
        for path in paths:
            stated = self.evidence.get(path)
            if stated is not None and stated.how is not How.CORRECTED:
                self.evidence[path] = replace(stated, confidence=min(DOUBTED, stated.confidence))

    def _apply_rules(self) -> Assignment:
        schema = self.schema
        whole = self.texts.fragments if self.texts is not None else whole_fragments(self.tree)
        self._find_rows(whole)
        used = frozenset[TableRowId]().union(*(found.used for found in self._rows.values()))
        texts = self.texts
        if texts is None or used:
            texts = read_texts(self.tree, outside_rows(self.tree, whole, used), is_bill=True)
        is_known, fragments = self.texts is not None, texts.fragments
        candidates = find_candidates(self.tree, texts, whole, schema.leaves, is_known=is_known)
        for array in arrays_of(schema.root):
            if isinstance(array.item, Leaf):
                self._lists[array] = find_values(array, array.item, schema.lists, candidates, fragments)
        return Assignment(list(leaves_of(schema.root)), schema.leaves, schema.objects, candidates, fragments)

    def _without_rules(self) -> Assignment:
        return Assignment(list(leaves_of(self.schema.root)), self.schema.leaves, self.schema.objects, (), ())

    def _find_rows(self, fragments: Sequence[Fragment]) -> None:
        """Find the rows of each array of objects; of arrays that claim the same table the best named gets it."""
        self._rows |= find_metrics(self.tree, list(arrays_of(self.schema.root)), self.schema.lists)
        for array in arrays_of(self.schema.root):
            if isinstance(array.item, ObjectNode) and array not in self._rows:
                outer, inner = list(leaves_of(array.item)), list(_inner_leaves(array))
                found = find_rows(self.tree, inner or outer, self.schema.columns, outer if inner else ())
                if not found.rows and not inner:
                    found = read_sections(fragments, array, self.schema.lists, outer)
                self._rows[array] = group_rows(self.tree, found, outer, self.schema.columns) if inner else found
        taken: set[TableRowId] = set()
        for array, found in sorted(self._rows.items(), key=lambda entry: -entry[1].score):
            if found.used & taken:
                self._rows[array] = _NO_ROWS
            taken |= found.used

    def _build_object(self, node: ObjectNode, found: Assignment, texts: TreeTexts) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, part in node.parts.items():
            if isinstance(part, Leaf):
                self._put_leaf(data, part, pointer(*part.path), found.chosen.get(part), found.reasons[part], texts)
            elif isinstance(part, ArrayNode):
                values = self._build_array(part, texts)
                if values or part.required:
                    data[name] = values
            else:
                inner = self._build_object(part, found, texts)
                if part.required or any(value is not None and value != [] for value in inner.values()):
                    data[name] = inner
        return data

    def _put_leaf(
        self, data: dict[str, Any], leaf: Leaf, path: str, choice: Choice | None, reason: Missing, texts: TreeTexts
    ) -> None:
        if path in self.given.values:
            choice = self.given.values[path]
        elif choice is None and path in self.given.refused:
            reason = Missing.UNVERIFIED
        if choice is not None and not is_verified(choice, leaf, texts):
            choice, reason = None, Missing.UNVERIFIED
        if choice is not None:
            data[leaf.name] = choice.value
            self.evidence[path] = self._evidence(choice, leaf, texts)
        elif leaf.has_default:
            data[leaf.name] = leaf.default
            self.evidence[path] = LeafEvidence(places=(), verbatim="", confidence=1.0, how=How.DEFAULT)
        else:
            self.missing[path] = reason
            if leaf.nullable or leaf.required:
                data[leaf.name] = None
            self._complete = self._complete and (leaf.nullable or not leaf.required)

    def _evidence(self, choice: Choice, leaf: Leaf, texts: TreeTexts) -> LeafEvidence:
        rated = GIVEN.get(choice.how) or self.rate(read_features(choice, leaf, texts))
        places = tuple(map(texts.narrow, choice.places))
        return LeafEvidence(places=places, verbatim=choice.verbatim, confidence=rated, how=choice.how)

    def _build_array(self, array: ArrayNode, texts: TreeTexts) -> list[Any]:
        values: list[Any] = []
        seen: set[str] = set()
        rows = self._rows.get(array, _NO_ROWS)
        for row in rows.rows:
            start = len(self.evidence), len(self.missing)
            value = self._build_row(array, array.item, _row_path(array, len(values)), row, rows, texts)
            self._keep(array, values, value, seen, start)
        for choice in self._lists.get(array, ()):
            if isinstance(array.item, Leaf) and is_verified(choice, array.item, texts):
                start = len(self.evidence), len(self.missing)
                self.evidence[pointer(*array.path, len(values))] = self._evidence(choice, array.item, texts)
                self._keep(array, values, choice.value, seen, start)
        if not values:
            refused = pointer(*array.path) in self.given.refused
            self.missing[pointer(*array.path)] = Missing.UNVERIFIED if refused else _why_empty(array)
        return values

    def _keep(self, array: ArrayNode, values: list[Any], value: Any, seen: set[str], start: tuple[int, int]) -> None:
        """Append a value unless the array is full or must not repeat it; then drop the evidence added for it."""
        key = json.dumps(value, sort_keys=True) if array.unique else ""
        if (array.most is not None and len(values) >= array.most) or (array.unique and key in seen):
            for kept, count in ((self.evidence, start[0]), (self.missing, start[1])):
                for path in list(kept)[count:]:
                    kept.pop(path)
            return
        seen.add(key)
        values.append(value)

    def _build_row(
        self, array: ArrayNode, node: Node, prefix: str, row: Row, rows: ArrayRows, texts: TreeTexts
    ) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, part in node.parts.items() if isinstance(node, ObjectNode) else ():
            if isinstance(part, Leaf):
                path = prefix + _path_in_row(array, part)
                choice, reason = _read_cell(row.cells.get(part), part, row.fit, rows)
                self._put_leaf(data, part, path, choice, reason, texts)
            elif isinstance(part, ObjectNode):
                inner = self._build_row(array, part, prefix, row, rows, texts)
                if part.required or any(value is not None for value in inner.values()):
                    data[name] = inner
            else:
                path = prefix + _path_in_row(array, part)
                data[name] = [
                    self._build_row(part, part.item, f"{path}/{number}", inner_row, rows, texts)
                    for number, inner_row in enumerate(row.inner if part is inner_array(array) else ())
                ]
                if not data[name]:
                    self.missing[path] = Missing.NOT_SUPPORTED
        return data


_SUM = (Key.SUBTOTAL, Key.TAX, Key.TOTAL)
_PRODUCT = (Role.QUANTITY, Role.PRICE, Role.AMOUNT)


def _value_at(data: Any, path: str) -> Any:
    """Return the value at a JSON pointer; None for none."""
    for part in path.split("/")[1:]:
        if isinstance(data, list):
            data = data[int(part)] if int(part) < len(data) else None
        else:
            data = data.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(data, dict) else None
    return data


def _differs(first: Any, second: Any, result: Any, *, plus: bool) -> bool:
    """Return whether three numbers break a sum or a product; False where one is missing."""
    if not all(isinstance(part, int | float) and not isinstance(part, bool) for part in (first, second, result)):
        return False
    made = first + second if plus else first * second
    return bool(abs(made - result) > CENT + 0.005 * abs(made) * (not plus))


def _why_empty(array: ArrayNode) -> Missing:
    """Return why an array has no items: arrays that only hold arrays of arrays are not read."""
    if isinstance(array.item, Leaf) or any(leaves_of(array.item)) or _inner_leaves(array):
        return Missing.NO_ROWS
    return Missing.NOT_SUPPORTED


@lru_cache(maxsize=1)
def _row_path(array: ArrayNode, number: int) -> str:
    return pointer(*array.path, number)


@lru_cache(maxsize=1_000)
def _path_in_row(array: ArrayNode, part: Leaf | ArrayNode) -> str:
    return pointer(*part.path[len(array.path) :])


def _read_cell(sources: Any, leaf: Leaf, fit: float, rows: ArrayRows) -> tuple[Choice | None, Missing]:
    if sources is None:
        return None, Missing.NO_LABEL if leaf in rows.columns else Missing.NO_COLUMN
    found = read_sources(sources, leaf)
    if found is None:
        return None, Missing.NOT_OF_TYPE
    value, places, verbatim = found
    whole = sum(len(source.text.strip()) for source in sources)
    fit = rows.fits.get(leaf, fit)
    signals = ValueSignals(fit, share=min(1.0, len(verbatim) / max(1, whole)))
    return Choice(value, places, verbatim, fit, rows.how, signals), Missing.NO_LABEL
