"""Extracted values as CSV and XLSX: one row per value with its text and page; a sheet per list of rows."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.models.export.tables.workbook import WorkbookSheet, write_workbook

_HEAD = ("path", "value", "text", "page", "confidence")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_TITLE = re.compile(r"[\[\]:*?/\\]")
MAX_TITLE = 31
"""Characters of a sheet's title in Excel."""


def list_leaves(data: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the JSON pointer and the value of each leaf of extracted data."""
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield from list_leaves(part, f"{path}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(data, list):
        for number, part in enumerate(data):
            yield from list_leaves(part, f"{path}/{number}")
    else:
        yield path, data


def values_to_csv(answer: Mapping[str, Any]) -> bytes:
    """Return the values of an extraction. Texts that a spreadsheet would take as formulas begin with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_HEAD)
    writer.writerows([_safe(cell) for cell in row] for row in _rows(answer))
    return out.getvalue().encode("utf-8", "replace")


def values_to_xlsx(answer: Mapping[str, Any]) -> bytes:
    """Return the workbook of an extraction: all values, and a sheet per list of rows. Formulas are never written."""
    sheets = [WorkbookSheet("Values", _HEAD, list(_rows(answer)))]
    titles = {"values"}
    for path, rows in _lists(answer["data"]):
        head = list(dict.fromkeys(name for row in rows for name, _ in list_leaves(row)))
        lines = [dict(list_leaves(row)) for row in rows]
        title = _NOT_TITLE.sub(" ", path).strip()[-MAX_TITLE:] or "Rows"
        if title.lower() not in titles:
            titles.add(title.lower())
            names = [name.lstrip("/") for name in head]
            sheets.append(WorkbookSheet(title, names, [[_cell(line.get(name)) for name in head] for line in lines]))
    return write_workbook(sheets)


def _rows(answer: Mapping[str, Any]) -> Iterator[tuple[str | float, ...]]:
    for path, value in list_leaves(answer["data"]):
        evidence = answer["evidence"].get(path, {})
        places = evidence.get("places", [])
        yield (
            path, _cell(value), evidence.get("verbatim", ""), places[0]["page"] if places else "",
            evidence.get("confidence", ""),
        )  # fmt: skip


def _lists(data: object, path: str = "") -> Iterator[tuple[str, Sequence[Any]]]:
    if isinstance(data, Mapping):
        for name, part in data.items():
            yield from _lists(part, f"{path}/{name}")
    elif isinstance(data, list) and data and all(isinstance(row, Mapping) for row in data):
        yield path, data


def _cell(value: object) -> str | float:
    if isinstance(value, bool) or value is None:
        return "" if value is None else json.dumps(value)
    return value if isinstance(value, int | float | str) else json.dumps(value)


def _safe(cell: str | float) -> str | float:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
