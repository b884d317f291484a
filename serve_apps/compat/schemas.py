"""Arguments of tools: JSON Schema for the caller to see, and the check that what came fits it."""

import re
from typing import Any

Schema = dict[str, Any]
ID: Schema = {"type": "string", "pattern": "^[a-z]+_[a-z2-7]{26}$", "description": "As given by parse or search."}
_LONGEST = 8192


class InvalidArguments(ValueError):
    """What was sent does not fit the tool's schema."""


def text(description: str) -> Schema:
    return {"type": "string", "minLength": 1, "description": description}


def number(description: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def choice(description: str, *values: str) -> Schema:
    return {"type": "string", "enum": list(values), "description": description}


def object_schema(takes: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    return {"type": "object", "properties": takes, "required": list(required), "additionalProperties": False}


def check_arguments(given: object, takes: dict[str, Schema], required: tuple[str, ...]) -> dict[str, Any]:
    """The arguments, known to fit. Raises InvalidArguments."""
    if not isinstance(given, dict):
        raise InvalidArguments("arguments must be an object")
    for name in required:
        if name not in given:
            raise InvalidArguments(f"{name} is missing")
    for name, value in given.items():
        if name not in takes:
            raise InvalidArguments(f"there is no argument {str(name)[:50]}")
        if not _fits(value, takes[name]):
            raise InvalidArguments(f"{name} does not fit: {takes[name]['description']}")
    return given


def _fits(value: object, schema: Schema) -> bool:
    if schema["type"] == "integer":
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return is_number and schema["minimum"] <= value <= schema["maximum"]
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST:
        return False
    return ("enum" not in schema or value in schema["enum"]) and re.search(schema.get("pattern", ""), value) is not None
