"""Checks a JSON Schema (draft 2020-12) and expands its references, within bounds.

The result holds no reference, so nothing is ever fetched. Its patterns run in time linear in the text by the
engine of pydantic-core, which has neither look-around nor back references.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema import ValidationError as Invalid
from jsonschema.exceptions import SchemaError as WrongSchema
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

from quire.models.derive.schema.answer import SchemaRefused, pointer

Schema = Mapping[str, Any]

MAX_NODES = 5  # subschemas for each allowed value, after references are expanded
MAX_DEPTH = 40  # nested subschemas


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    """Limits of a schema, with which its time grows.

    `values`: leaves. `pattern_cost`: cost of compiling its patterns, each once, in units of about .06 ms.
    """

    values: int = 1_000
    pattern_cost: int = 5_000

    def check_values(self, count: int, path: tuple[str | int, ...]) -> None:
        """Check a number of values.

        Raises:
            SchemaRefused: There are more than allowed.
        """
        if count > self.values:
            detail = f"a schema has at most {self.values} values (SVC_SCHEMA_VALUES)"
            raise SchemaRefused("schema-too-large", pointer(*path), detail)


DEFAULT_LIMITS = SchemaLimits()
CHECKED = SchemaLimits(10**9, 10**9)
"""Limits of a schema that was checked before."""
_ONE = frozenset(
    {
        "items", "contains", "not", "if", "then", "else", "propertyNames",
        "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
    }
)  # fmt: skip
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAPS = frozenset({"properties", "dependentSchemas"})
_DROPPED = frozenset({"$defs", "definitions", "$id", "$anchor", "$schema", "$ref", "$comment", "$vocabulary"})
_REFUSED = frozenset({"patternProperties", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"})


MAX_PATTERN = 1000  # characters
_COSTLY = re.compile(
    r"\\(?:(?P<large>[wWpP])|(?P<small>[dD])|.)|\{(?:\d{0,4},)?(?P<most>\d{1,4})\}|(?P<end>\))", re.DOTALL
)
_DECIMAL = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"
"""The pattern that pydantic writes for decimals, which looks ahead."""
_EQUIVALENT = {_DECIMAL: r"^[+-]?(?:\d+\.?\d*|\.\d+)$"}
"""Patterns of known generators, and what they match without looking ahead."""


@lru_cache(maxsize=2_000)
def _compile(pattern: str) -> SchemaValidator:
    wanted = _EQUIVALENT.get(pattern, pattern)
    return SchemaValidator(core_schema.str_schema(pattern=wanted, regex_engine="rust-regex"))


def check_pattern(pattern: str, path: str) -> None:
    """Check that a pattern is one the engine can match.

    Raises:
        SchemaRefused: It is too long, too large, wrong, or needs to look around or back.
    """
    if len(pattern) > MAX_PATTERN:
        raise SchemaRefused("pattern-refused", path, f"a pattern has at most {MAX_PATTERN} characters")
    try:
        _compile(pattern)
    except SchemaError:
        raise SchemaRefused(
            "pattern-refused", path, "the pattern is wrong, too large, or uses look-around or back references"
        ) from None


def _cost_of(pattern: str) -> int:
    """Return what compiling a pattern costs: letters of all scripts cost most, as often as they are repeated."""
    cost, outer, repeats = len(pattern) // 100, 1, 1
    for found in reversed(list(_COSTLY.finditer(pattern))):
        if found["most"]:
            repeats = max(1, int(found["most"]))
            continue
        if found["end"]:
            outer *= repeats
        elif found["large"] or found["small"]:
            cost += (6 if found["large"] else 1) * outer * repeats
        repeats = 1
    return cost


def matches(pattern: str, text: str) -> bool:
    """Return whether the pattern matches anywhere in the text, as JSON Schema defines it."""
    try:
        _compile(pattern).validate_python(text)
    except ValidationError:
        return False
    return True


def _match_pattern(validator: object, pattern: str, instance: object, schema: object) -> Iterator[Invalid]:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield Invalid(f"does not match {pattern}")


DataValidator = extend(Draft202012Validator, {"pattern": _match_pattern})
"""Validates data against an expanded schema."""
FORMATS = FormatChecker(("date", "email", "idn-email", "ipv4", "ipv6", "uuid"))


def validator_of(schema: Schema) -> Any:
    """Return the validator of an expanded schema."""
    return DataValidator(dict(schema), format_checker=FORMATS)


def expand_schema(schema: object, limits: SchemaLimits = DEFAULT_LIMITS) -> dict[str, Any]:
    """Return the checked schema without references.

    Raises:
        SchemaRefused: It is no schema of an object, recursive, too large, refers to another document or uses a pattern
            or keyword that is not supported.
    """
    if not isinstance(schema, dict):
        raise SchemaRefused("not-a-schema", "", "expected a JSON Schema as an object")
    try:
        expanded = _Expansion(schema, limits).expand(schema, (), ())
        beyond = next(islice(_leaf_paths(expanded), limits.values, None), None)
        if beyond is not None:  # before the slow check
            limits.check_values(limits.values + 1, beyond)
        Draft202012Validator.check_schema(_drop_repeats(expanded, set()), format_checker=None)
    except WrongSchema as error:
        raise SchemaRefused("not-a-schema", pointer(*error.absolute_path), _shorten(error.message)) from None
    except RecursionError:
        raise SchemaRefused("schema-too-deep", "", f"a schema nests at most {MAX_DEPTH} levels") from None
    return expanded


def _drop_repeats(node: Any, seen: set[str]) -> Any:
    """Return the schema with parts that repeat others, apart from their names, as `true`: they need no second check."""
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("properties"), dict):
        return {**node, "properties": {name: _drop_repeats(part, seen) for name, part in node["properties"].items()}}
    if isinstance(node.get("items"), dict):
        return {**node, "items": _drop_repeats(node["items"], seen)}
    key = repr({word: value for word, value in node.items() if word not in _NAMES or not isinstance(value, str)})
    if key in seen:
        return True
    seen.add(key)
    lists = {word: node[word] for word in _LISTS & node.keys() if isinstance(node[word], list)}
    return {**node, **{word: [_drop_repeats(part, seen) for part in parts] for word, parts in lists.items()}}


_NAMES = frozenset({"title", "description"})


def _leaf_paths(node: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of at least some of the values that a schema, which may be wrong, describes."""
    if isinstance(node, dict) and isinstance(node.get("properties"), dict):
        for name, part in node["properties"].items():
            yield from _leaf_paths(part, (*path, "properties", name))
    elif isinstance(node, dict) and "items" in node:
        yield from _leaf_paths(node["items"], (*path, "items"))
    else:
        yield path


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"


class _Expansion:
    """One run over a schema, which counts the subschemas that it makes."""

    def __init__(self, root: dict[str, Any], limits: SchemaLimits) -> None:
        self._root, self._limits, self._nodes = root, limits, 0
        self._patterns: set[str] = set()
        self._cost = 0

    def expand(self, node: object, path: tuple[str | int, ...], open_refs: tuple[str, ...]) -> dict[str, Any]:
        if node is True:
            return {}
        if not isinstance(node, dict):
            detail = "false allows no value" if node is False else "expected a schema"
            raise SchemaRefused("contradictory" if node is False else "not-a-schema", pointer(*path), detail)
        self._count(path)
        for keyword in _REFUSED & node.keys():
            raise SchemaRefused("unsupported-keyword", pointer(*path, keyword), f"{keyword} is not supported")
        expanded = self._expand_reference(node, path, open_refs)
        for keyword, value in node.items():
            if keyword not in _DROPPED:
                expanded[keyword] = self._expand_keyword(keyword, value, (*path, keyword), open_refs)
        return expanded

    def _count(self, path: tuple[str | int, ...]) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES * self._limits.values:
            detail = (
                f"a schema has at most {MAX_NODES} parts for each of {self._limits.values} values (SVC_SCHEMA_VALUES)"
            )
            raise SchemaRefused("schema-too-large", pointer(*path), detail)
        if len(path) > 2 * MAX_DEPTH:
            raise SchemaRefused("schema-too-deep", pointer(*path), f"a schema nests at most {MAX_DEPTH} levels")

    def _add_cost(self, pattern: str, path: tuple[str | int, ...]) -> None:
        if pattern not in self._patterns and len(pattern) <= MAX_PATTERN:
            self._patterns.add(pattern)
            self._cost += _cost_of(pattern)
        if self._cost > self._limits.pattern_cost:
            most = f"{self._limits.pattern_cost} (SVC_SCHEMA_PATTERN_COST)"
            detail = f"the patterns cost more than {most} to compile; repeat \\w, \\p and \\d less often"
            raise SchemaRefused("pattern-refused", pointer(*path), detail)

    def _expand_reference(
        self, node: dict[str, Any], path: tuple[str | int, ...], open_refs: tuple[str, ...]
    ) -> dict[str, Any]:
        reference = node.get("$ref")
        if reference is None:
            return {}
        here = (*path, "$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise SchemaRefused("unsupported-reference", pointer(*here), "a reference must begin with #")
        if reference in open_refs or reference == "#":
            raise SchemaRefused("recursive-schema", pointer(*here), "a schema must not refer to itself")
        return self.expand(self._find(reference, here), here, (*open_refs, reference))

    def _find(self, reference: str, path: tuple[str | int, ...]) -> object:
        found: Any = self._root
        if not reference.startswith("#/"):
            anchored = (part for part in _subschemas(self._root) if part.get("$anchor") == reference[1:])
            found = next(anchored, None)
        for part in unquote(reference).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list):
                found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
            else:
                found = found.get(key) if isinstance(found, dict) else None
        if found is None:
            raise SchemaRefused("unsupported-reference", pointer(*path), "the reference leads nowhere")
        return found

    def _expand_keyword(self, keyword: str, value: Any, path: tuple[str | int, ...], open_refs: tuple[str, ...]) -> Any:
        if keyword == "pattern" and isinstance(value, str):
            self._add_cost(value, path)
            check_pattern(value, pointer(*path))
        if keyword in _MAPS and isinstance(value, dict):
            return {name: self.expand(part, (*path, name), open_refs) for name, part in value.items()}
        if keyword in _LISTS and isinstance(value, list):
            return [self.expand(part, (*path, index), open_refs) for index, part in enumerate(value)]
        if keyword in _ONE and isinstance(value, dict):
            return self.expand(value, path, open_refs)
        return value


def _subschemas(node: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 2 * MAX_DEPTH:
        return
    if isinstance(node, dict):
        yield node
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from _subschemas(child, depth + 1)
