"""Schemas: what is accepted, and the code and path of what is refused."""

import pickle
import time
from collections.abc import Callable
from typing import Any

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.derive.schema.answer import SchemaRefused
from quire.models.derive.schema.checking import SchemaLimits, expand_schema, matches
from quire.models.derive.schema.extract import extract_data, read_schema
from quire.models.derive.schema.nodes import leaves_of
from quire.models.derive.schema.typed import read_typed
from tests.builders import make_block, make_tree, table_block


def objects(**properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = objects(a=schema)
    return schema


def fan_out(levels: int) -> dict[str, Any]:
    """A short schema of ten to the power of `levels` leaves, by references to references."""
    parts: dict[str, Any] = {"d0": {"type": "string"}}
    for level in range(levels):
        parts[f"d{level + 1}"] = objects(**{f"p{n}": {"$ref": f"#/$defs/d{level}"} for n in range(10)})
    return {"$defs": parts, **parts[f"d{levels}"]}


REFUSED: dict[str, tuple[object, str, str]] = {
    "no object": ([], "not-a-schema", ""),
    "wrong keyword value": (objects(a={"type": "text"}), "not-a-schema", "/properties/a/type"),
    "root is no object": ({"type": "string"}, "not-a-schema", ""),
    "recursion": (
        {"$defs": {"a": objects(b={"$ref": "#/$defs/a"})}, **objects(a={"$ref": "#/$defs/a"})},
        "recursive-schema",
        "/properties/a/$ref/properties/b/$ref",
    ),
    "root reference": (objects(a={"$ref": "#"}), "recursive-schema", "/properties/a/$ref"),
    "remote reference": (objects(a={"$ref": "https://example.org/x"}), "unsupported-reference", "/properties/a/$ref"),
    "lost reference": (objects(a={"$ref": "#/$defs/x"}), "unsupported-reference", "/properties/a/$ref"),
    "many leaves": (
        objects(**{f"p{n}": {"type": "string"} for n in range(5000)}),
        "schema-too-large",
        "/properties/p4999",
    ),
    "many columns": (
        objects(rows={"type": "array", "items": objects(**{f"p{n}": {"type": "string"} for n in range(1001)})}),
        "schema-too-large",
        "/properties/rows/items/properties/p1000",
    ),
    "many by reference": (fan_out(8), "schema-too-large", "/properties/p0/$ref/properties/p0/$ref"),
    "deep": (deep(200), "schema-too-deep", "/properties/a" * 40),
    "very deep": (deep(900), "schema-too-deep", "/properties/a" * 40),
    "look-ahead": (objects(a={"type": "string", "pattern": "(?=x)"}), "pattern-refused", "/properties/a/pattern"),
    "large pattern": (
        objects(a={"type": "string", "pattern": "((x{1,900}){1,900}){1,900}"}),
        "pattern-refused",
        "/properties/a/pattern",
    ),
    "types": (objects(a={"allOf": [{"type": "string"}, {"type": "integer"}]}), "contradictory", "/properties/a/type"),
    "enum": (objects(a={"type": "string", "enum": [1, 2]}), "contradictory", "/properties/a/enum"),
    "type of an alternative": (
        objects(a={"type": "string", "anyOf": [{"type": "integer"}]}),
        "contradictory",
        "/properties/a/type",
    ),
    "type in rows": (
        objects(rows={"type": "array", "items": objects(a={"allOf": [{"type": "null"}, {"type": "number"}]})}),
        "contradictory",
        "/properties/rows/items/properties/a/type",
    ),
    "constant": (objects(a={"type": "string", "const": 5}), "contradictory", "/properties/a/const"),
    "open bounds": (
        objects(a={"type": "number", "exclusiveMinimum": 3, "maximum": 3}),
        "contradictory",
        "/properties/a/exclusiveMinimum",
    ),
    "lengths": (
        objects(a={"type": "string", "minLength": 2, "maxLength": 1}),
        "contradictory",
        "/properties/a/minLength",
    ),
    "back reference": (objects(a={"type": "string", "pattern": r"(a)\1"}), "pattern-refused", "/properties/a/pattern"),
    "pattern of names": (
        objects(a={"type": "object", "propertyNames": {"pattern": "(?<=x)"}}),
        "pattern-refused",
        "/properties/a/propertyNames/pattern",
    ),
    "bounds": (objects(a={"type": "number", "minimum": 5, "maximum": 3}), "contradictory", "/properties/a/minimum"),
    "false": (objects(a=False), "contradictory", "/properties/a"),
    "hint": (objects(a={"type": "string", "x-quire": {"page": 0}}), "wrong-hint", "/properties/a/x-quire/page"),
    "pattern properties": ({**objects(), "patternProperties": {}}, "unsupported-keyword", "/patternProperties"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unusable_schema_is_refused_with_its_path(name: str) -> None:
    schema, code, path = REFUSED[name]
    started = time.process_time()
    with pytest.raises(SchemaRefused) as refused:
        read_schema(schema)
    assert refused.value.code == code
    assert refused.value.path.startswith(path)
    assert time.process_time() - started < 2


def test_hostile_pattern_takes_linear_time() -> None:
    read_schema(objects(a={"type": "string", "pattern": "^(a+)+$"}))
    started = time.process_time()
    assert not matches("^(a+)+$", "a" * 5000 + "!")
    assert time.process_time() - started < 1


def test_enumeration_of_many_members_is_read_in_linear_time() -> None:
    members = [f"total {number}" for number in range(5_000)]
    (leaf,) = leaves_of(read_schema(objects(a={"enum": members})).root)
    started = time.process_time()
    readings = [read_typed(f"the total {number} of the year", leaf) for number in range(20)]
    assert [reading and reading.value for reading in readings] == members[:20]
    assert time.process_time() - started < 1


def test_enumeration_may_mix_numbers_and_texts_of_the_same_form() -> None:
    (leaf,) = leaves_of(read_schema(objects(a={"enum": [1, "1", "one", None, "—"]})).root)
    reading = read_typed("page 1", leaf)
    assert reading is not None
    assert reading.value == 1


def test_references_and_alternatives_become_leaves() -> None:
    schema = {
        "$defs": {
            "money": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "day": {"$anchor": "d", "type": "string"},
        },
        **objects(total={"$ref": "#/$defs/money", "title": "Sum"}, day={"$ref": "#d"}),
    }
    total, day = leaves_of(read_schema(schema).root)
    assert (total.kinds, total.nullable, total.title) == (("number",), True, "Sum")
    assert day.kinds == ("string",)


def test_schema_that_pydantic_writes_for_decimals_is_accepted() -> None:
    decimal = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"
    schema = objects(total={"anyOf": [{"type": "number"}, {"type": "string", "pattern": decimal}, {"type": "null"}]})
    assert "$ref" not in expand_schema(schema)
    assert [matches(decimal, text) for text in ("1.5", "+3", ".", "x")] == [True, True, False, False]


def nested(count: int, leaf: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """Return a schema of arrays five deep with about `count` leaves."""
    schema: dict[str, Any] = {}
    for level in range(5, -1, -1):
        own = {f"v{level}_{number}": leaf(1_000 * level + number) for number in range(count // 6)}
        schema = objects(**own, **({"rows": {"type": "array", "items": schema}} if schema else {}))
    return schema


LEAVES: dict[str, Callable[[int], dict[str, Any]]] = {
    "text": lambda number: {"type": "string", "description": f"value {number}"},
    "alternatives": lambda number: {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]},
    "pattern": lambda number: {"type": "string", "pattern": rf"\w{{1,60}}{number}"},
    "long pattern": lambda number: {"type": "string", "pattern": f"({'c' * 900}|{number})+$"},
    "members": lambda number: {"enum": [f"m{number}-{part}" for part in range(20)]},
}


@pytest.mark.parametrize("kind", LEAVES)
@pytest.mark.parametrize("count", [12, 990, 2_000])
def test_arrays_five_deep_are_answered_or_refused_within_a_second(kind: str, count: int) -> None:
    tree = make_tree(make_block(BlockType.PARAGRAPH, "v0 1: 17"), table_block([["v1 1", "v1 2"], ["3", "4"]]))
    started = time.process_time()
    code = ""
    try:
        assert extract_data(tree, read_schema(nested(count, LEAVES[kind]))).missing
    except SchemaRefused as refused:
        code = refused.code
    assert time.process_time() - started < 1.0
    assert code == "" if count < 900 else code in ("", "schema-too-large", "pattern-refused")


@pytest.mark.parametrize(
    ("values", "cost", "setting"), [(12, 5_000, "SVC_SCHEMA_VALUES"), (50, 9, "SVC_SCHEMA_PATTERN_COST")]
)
def test_limits_are_those_given_and_the_refusal_names_the_setting(values: int, cost: int, setting: str) -> None:
    schema = objects(**{f"p{n}": {"type": "string", "pattern": rf"\d{n}"} for n in range(20)})
    with pytest.raises(SchemaRefused, match=setting):
        read_schema(schema, limits=SchemaLimits(values, cost))
    assert pickle.loads(pickle.dumps(read_schema(schema, limits=SchemaLimits(20, 20)))).expanded == schema
