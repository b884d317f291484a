"""The parts of a schema that are extracted: objects, arrays and leaves, built from an expanded schema."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.models.derive.schema.answer import SchemaRefused, pointer
from quire.models.derive.schema.checking import DEFAULT_LIMITS, Schema, SchemaLimits, validator_of

SCALARS = ("string", "number", "integer", "boolean")
_OF_PYTHON = {bool: "boolean", int: "integer", float: "number", str: "string"}
_FREE = frozenset({"type", "title", "description", "x-quire", "default", "examples", "deprecated", "readOnly"})
"""Keywords that set no bound beyond the type, which parsing guarantees."""
_BOUNDS = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
_OPEN_BOUNDS = (
    ("exclusiveMinimum", "exclusiveMaximum"), ("minimum", "exclusiveMaximum"), ("exclusiveMinimum", "maximum"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the schema's author says under `x-quire`: other labels, a text nearby, the page (1-based)."""

    labels: tuple[str, ...] = ()
    near: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaf:
    """One value of the schema: `path` below the root, `kinds` the JSON types it may have without null, in order."""

    path: tuple[str, ...]
    kinds: tuple[str, ...]
    format: str | None
    members: tuple[Any, ...]
    nullable: bool
    required: bool
    schema: Schema
    title: str
    description: str
    hints: Hints
    validator: Any = field(repr=False)

    @property
    def name(self) -> str:
        """Return the name of the property."""
        return self.path[-1] if self.path else ""

    @property
    def has_default(self) -> bool:
        """Return whether the schema states the value: a constant, or a valid default."""
        return "const" in self.schema or ("default" in self.schema and self.schema["default"] is not None)

    @property
    def default(self) -> Any:
        """Return the constant or the default."""
        return self.schema.get("const", self.schema.get("default"))

    def accepts(self, value: Any) -> bool:
        """Return whether the value is valid here; `value` has one of the leaf's types."""
        return self.validator is None or self.validator.is_valid(value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectNode:
    """Named parts."""

    path: tuple[str, ...]
    parts: Mapping[str, "Node"]
    required: bool
    title: str
    description: str
    hints: Hints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArrayNode:
    """Rows, or values of one kind; `most` is the highest number of items."""

    path: tuple[str, ...]
    item: "Node"
    required: bool
    most: int | None
    unique: bool
    title: str
    description: str
    hints: Hints

    @property
    def name(self) -> str:
        """Return the name of the property."""
        return self.path[-1] if self.path else ""


Node = Leaf | ObjectNode | ArrayNode


def build_nodes(schema: Schema, limits: SchemaLimits = DEFAULT_LIMITS) -> ObjectNode:
    """Return the root of an expanded schema.

    Raises:
        SchemaRefused: It is no object, has too many leaves, or a part that no value can fulfil.
    """
    root = _Builder(limits).build(schema, (), (), required=True)
    if not isinstance(root, ObjectNode):
        raise SchemaRefused("not-a-schema", "", "the schema must describe an object")
    return root


def leaves_of(node: Node) -> Iterator[Leaf]:
    """Yield the leaves that are in no array."""
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, ObjectNode):
        for part in node.parts.values():
            yield from leaves_of(part)


def arrays_of(node: Node) -> Iterator[ArrayNode]:
    """Yield the arrays that are in no other array."""
    if isinstance(node, ArrayNode):
        yield node
    elif isinstance(node, ObjectNode):
        for part in node.parts.values():
            yield from arrays_of(part)


def inner_array(node: Node) -> ArrayNode | None:
    """Return the first array of objects that is in the rows of an array, or None."""
    found = arrays_of(node.item) if isinstance(node, ArrayNode) else iter(())
    return next((array for array in found if isinstance(array.item, ObjectNode)), None)


class _Builder:
    def __init__(self, limits: SchemaLimits) -> None:
        self._limits, self._leaves = limits, 0

    def build(
        self,
        schema: Schema,
        path: tuple[str, ...],
        at: tuple[str | int, ...],
        *,
        required: bool,
        nullable: bool = False,
    ) -> Node:
        """Return the node; `at` is its place in the schema."""
        schema = _merge_all(schema, at)
        types = _types_of(schema, at)
        nullable = nullable or "null" in types or None in schema.get("enum", ())
        alternatives = next((schema[key] for key in ("anyOf", "oneOf") if schema.get(key)), None)
        if alternatives is not None:
            return self._build_alternatives(schema, alternatives, path, at, required=required, nullable=nullable)
        _check_bounds(schema, at)
        if "object" in types:
            needed = schema.get("required", ())
            parts = {
                name: self.build(part, (*path, name), (*at, "properties", name), required=name in needed)
                for name, part in schema.get("properties", {}).items()
            }
            return ObjectNode(path=path, parts=parts, required=required, **_words(schema, at))
        if "array" in types:
            item = self.build(schema.get("items", {}), path, (*at, "items"), required=True)
            return ArrayNode(
                path=path, item=item, required=required, most=schema.get("maxItems"),
                unique=bool(schema.get("uniqueItems")), **_words(schema, at),
            )  # fmt: skip
        return self._make_leaf(schema, types, path, at, required=required, nullable=nullable)

    def _build_alternatives(
        self, schema: Schema, alternatives: list[Schema], path: tuple[str, ...], at: tuple[str | int, ...],
        *, required: bool, nullable: bool,
    ) -> Node:  # fmt: skip
        base = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        merged = [_merge_all({"allOf": [base, part]}, at) for part in alternatives]
        types = [_types_of(part, at) for part in merged]
        nullable = nullable or any("null" in kinds for kinds in types)
        for part, kinds in zip(merged, types, strict=True):
            if {"object", "array"} & set(kinds):
                return self.build(part, path, at, required=required, nullable=nullable)
        scalar = tuple(dict.fromkeys(kind for kinds in types for kind in kinds if kind != "null"))
        whole = dict(schema)
        for key in ("format", "enum"):
            values = [part[key] for part in merged if key in part]
            if values and key not in whole:
                whole[key] = values[0] if key == "format" else [member for value in values for member in value]
        return self._make_leaf(whole, scalar, path, at, required=required, nullable=nullable, validated=schema)

    def _make_leaf(
        self, schema: Schema, types: tuple[str, ...], path: tuple[str, ...], at: tuple[str | int, ...],
        *, required: bool, nullable: bool, validated: Schema | None = None,
    ) -> Leaf:  # fmt: skip
        self._leaves += 1
        self._limits.check_values(self._leaves, at)
        checked = schema if validated is None else validated
        bound = validator_of(checked) if checked.keys() - _FREE else None
        members = tuple(member for member in schema.get("enum", ()) if member is not None)
        if members and bound is not None and not any(map(bound.is_valid, members)):
            raise SchemaRefused("contradictory", pointer(*at, "enum"), "no member is valid")
        if "const" in schema and not validator_of(checked).is_valid(schema["const"]):
            raise SchemaRefused("contradictory", pointer(*at, "const"), "the constant is not valid")
        if "default" in schema and not validator_of(checked).is_valid(schema["default"]):
            schema = {key: value for key, value in schema.items() if key != "default"}
        return Leaf(
            path=path, kinds=tuple(kind for kind in types if kind in SCALARS), format=schema.get("format"),
            members=members, nullable=nullable, required=required, schema=schema, validator=bound, **_words(schema, at),
        )  # fmt: skip


def _merge_all(schema: Schema, at: tuple[str | int, ...]) -> Schema:
    """Return the schema with its `allOf` merged in: properties together, types in common."""
    if not schema.get("allOf"):
        return schema
    merged: dict[str, Any] = {}
    for part in [{key: value for key, value in schema.items() if key != "allOf"}, *schema["allOf"]]:
        part = _merge_all(part, at)
        for key, value in part.items():
            if key == "properties":
                merged[key] = {**merged.get(key, {}), **value}
            elif key == "required":
                merged[key] = [*merged.get(key, ()), *value]
            elif key == "type" and key in merged:
                merged[key] = _common_types(merged[key], value, at)
            else:
                merged.setdefault(key, value)
    return merged


def _common_types(first: Any, second: Any, at: tuple[str | int, ...]) -> list[str]:
    kinds, others = ([value] if isinstance(value, str) else list(value) for value in (first, second))
    common = [kind for kind in kinds if kind in others or (kind == "integer" and "number" in others)]
    common += [kind for kind in others if kind == "integer" and "number" in kinds and kind not in common]
    if not common:
        raise SchemaRefused("contradictory", pointer(*at, "type"), "no value has all of these types")
    return common


def _types_of(schema: Schema, at: tuple[str | int, ...]) -> tuple[str, ...]:
    stated = schema.get("type")
    if stated is not None:
        return (stated,) if isinstance(stated, str) else tuple(stated)
    if "properties" in schema:
        return ("object",)
    if "items" in schema or "prefixItems" in schema:
        return ("array",)
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    known = dict.fromkeys("null" if value is None else _OF_PYTHON.get(type(value), "string") for value in values)
    return tuple(known) or ("string",)


def _check_bounds(schema: Schema, at: tuple[str | int, ...]) -> None:
    for low, high in _BOUNDS:
        if low in schema and high in schema and schema[low] > schema[high]:
            raise SchemaRefused("contradictory", pointer(*at, low), f"{low} is above {high}")
    for low, high in _OPEN_BOUNDS:
        if low in schema and high in schema and schema[low] >= schema[high]:
            raise SchemaRefused("contradictory", pointer(*at, low), f"{low} leaves no value below {high}")


def _words(schema: Schema, at: tuple[str | int, ...]) -> dict[str, Any]:
    return {
        "title": str(schema.get("title", "")),
        "description": str(schema.get("description", "")),
        "hints": _read_hints(schema.get("x-quire", {}), (*at, "x-quire")),
    }


def _read_hints(stated: Any, at: tuple[str | int, ...]) -> Hints:
    """Return the author's hints.

    Raises:
        SchemaRefused: They are not of the documented form.
    """
    if not isinstance(stated, dict) or stated.keys() - {"labels", "near", "page"}:
        raise SchemaRefused("wrong-hint", pointer(*at), "x-quire has labels, near and page")
    labels, near, page = stated.get("labels", []), stated.get("near"), stated.get("page")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels) or len(labels) > 50:
        raise SchemaRefused("wrong-hint", pointer(*at, "labels"), "expected at most 50 texts")
    if near is not None and not isinstance(near, str):
        raise SchemaRefused("wrong-hint", pointer(*at, "near"), "expected a text")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
        raise SchemaRefused("wrong-hint", pointer(*at, "page"), "expected a page from 1 upwards")
    return Hints(labels=tuple(labels), near=near, page=page)
