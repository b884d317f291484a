"""A schema as a form: one row per wanted value, kept in the address, so that trying it stores nothing.

`field`, `kind`, `list` and `about` of the query repeat, one of each per row. Rows that name the same list become an
array of objects.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

KINDS: dict[str, dict[str, str]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "date": {"type": "string", "format": "date"},
    "yes or no": {"type": "boolean"},
}
"""What a person calls a type, and its JSON Schema."""
MAX_ROWS = 100  # lines of a form, as many as an address can hold
MOST_SUGGESTED = 30  # pairs, and columns, that a document suggests
EMPTY_ROWS, MORE_ROWS = 1, 5
"""Rows that a form has for further values, by itself and where more are asked for."""
_OF_VALUE = {"date": "date", "number": "number", "amount": "number", "boolean": "yes or no"}
_NUMBER = re.compile(r"[-+(]?[\d.,' \u00a0\u202f]*\d[\d.,]*\)?[ \u00a0]?%?")
_NOT_NAME = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class FormRow:
    """A wanted value: its label as printed, its kind, the list that it is part of, and a description."""

    label: str = ""
    kind: str = "text"
    list: str = ""
    about: str = ""


def read_rows(query: QueryParams) -> list[FormRow]:
    """Return the rows of the address after the button `do` that was pressed; rows without a label are dropped."""
    columns = (query.getlist(name) for name in ("field", "kind", "list", "about"))
    rows = [
        FormRow(label.strip(), kind if kind in KINDS else "text", part.strip(), about.strip())
        for label, kind, part, about in zip(*columns, strict=False)
    ]
    act, _, stated = query.get("do", "").partition(" ")
    at = int(stated) if stated.isascii() and stated.isdecimal() else len(rows)
    if act == "remove" and at < len(rows):
        del rows[at]
    elif act in ("up", "down") and at < len(rows):
        row = rows.pop(at)
        rows.insert(max(0, at - 1 if act == "up" else at + 1), row)
    return [row for row in rows if row.label][:MAX_ROWS]


def to_query(rows: Iterable[FormRow]) -> list[tuple[str, str]]:
    """Return the parameters of an address that hold the rows."""
    return [
        pair
        for row in rows
        for pair in (("field", row.label), ("kind", row.kind), ("list", row.list), ("about", row.about))
    ]


def to_schema(rows: Iterable[FormRow]) -> dict[str, Any]:
    """Return the JSON Schema of the rows."""
    top: dict[str, Any] = {}
    for row in rows:
        properties = top
        if row.list:
            part = top.setdefault(_find_name(row.list, top, "items"), {"title": row.list, "type": "array"})
            properties = part.setdefault("items", {"type": "object", "properties": {}})["properties"]
        stated = {"title": row.label, **KINDS[row.kind]} | ({"description": row.about} if row.about else {})
        properties[_find_name(row.label, properties, "")] = stated
    return {"type": "object", "properties": top}


def _find_name(label: str, taken: Mapping[str, Any], key: str) -> str:
    """Return a property's name for a label, that of an array (`key`) with this title if there is one."""
    name = _NOT_NAME.sub("_", label.casefold()).strip("_") or "value"
    number, found = 1, name
    while found in taken and not (key in taken[found] and taken[found].get("title") == label):
        number += 1
        found = f"{name}_{number}"
    return found


def from_schema(schema: Mapping[str, Any]) -> list[FormRow] | None:
    """Return the rows of a schema, or None for one that this form cannot state."""
    rows: list[FormRow] = []
    for name, part in schema.get("properties", {}).items():
        items = part.get("items") if isinstance(part, Mapping) and part.get("type") == "array" else None
        if isinstance(items, Mapping) and items.get("type") == "object":
            title = str(part.get("title") or name)
            inner = [_read_leaf(leaf, stated, title) for leaf, stated in items.get("properties", {}).items()]
        else:
            inner = [_read_leaf(name, part, "")]
        rows += [row for row in inner if row is not None]
        if None in inner:
            return None
    is_whole = set(schema) <= {"type", "properties", "title", "description", "$schema"}
    return rows if rows and is_whole and len(rows) <= MAX_ROWS else None


def _read_leaf(name: str, stated: object, inside: str) -> FormRow | None:
    if not isinstance(stated, Mapping) or not set(stated) <= {"type", "format", "title", "description"}:
        return None
    look = {key: stated[key] for key in ("type", "format") if key in stated}
    kind = next((kind for kind, parts in KINDS.items() if parts == look), None)
    if kind is None:
        return None
    return FormRow(str(stated.get("title") or name), kind, inside, str(stated.get("description") or ""))


def suggest_rows(fields: Iterable[Mapping[str, Any]], tree: Mapping[str, Any]) -> list[FormRow]:
    """Return rows for the pairs of a document and for the columns of its largest table.

    Args:
        fields: Pairs of label and value, as `GET …/fields` answers.
        tree: The document's tree.
    """
    rows = {
        field["key"].strip(" :"): FormRow(field["key"].strip(" :"), _OF_VALUE.get(field["value_type"], "text"))
        for field in fields
    }
    tables = [block["table"] for block in tree["blocks"] if block.get("table") and block["table"]["cells"]]
    largest = max(tables, key=lambda table: table["rows"], default=None)
    heads = [cell for cell in largest["cells"] if cell.get("header") and cell["text"].strip()] if largest else []
    last = max((cell["row"] for cell in heads), default=0)
    columns = [
        FormRow(" ".join(cell["text"].split()), _find_kind(largest["cells"], cell), "Rows")
        for cell in heads
        if largest and cell["row"] == last
    ]
    return [*list(rows.values())[:MOST_SUGGESTED], *columns[:MOST_SUGGESTED]]


def _find_kind(cells: Iterable[Mapping[str, Any]], head: Mapping[str, Any]) -> str:
    """Return `number` for a column most of whose cells are one."""
    texts = [cell["text"].strip() for cell in cells if cell["col"] == head["col"] and cell["row"] > head["row"]]
    numbers = sum(_NUMBER.fullmatch(text) is not None for text in texts)
    return "number" if 2 * numbers > len(texts) else "text"
