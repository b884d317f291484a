"""Selects the part of a served tree on one page: its blocks, and of a multi-page table the rows on that page.

The tree is in JSON objects; the result is block objects for a view of the page.
"""

from collections.abc import Iterator
from typing import Any

from quire.models.cdom.flags import is_pii_flag

JsonObject = dict[str, Any]


def blocks_of_page(tree: JsonObject, number: int) -> list[JsonObject]:
    """Return the blocks of a page (1-based). A table in parts has that part's box, rows, and `part` (`at` of `of`)."""
    return [seen for block in tree["blocks"] for seen in _on_page(block, number)]


def flagged_pages(tree: JsonObject) -> frozenset[int]:
    """Return the pages (1-based) on which a block or a cell is flagged as personal data."""
    return frozenset(page for block in tree["blocks"] for page in _flagged(block))


def _flagged(block: JsonObject) -> Iterator[int]:
    flags = {flag for flag in block["flags"] if is_pii_flag(flag)}
    if not flags:
        return
    parts = (block.get("table") or {}).get("parts") or []
    spans = [span for span in block.get("flag_spans") or [] if span["flag"] in flags]
    cells = {span["cell"] for span in spans} - {None}
    if not parts or not cells or flags - {span["flag"] for span in spans}:
        yield from (part["page"] for part in parts) if parts else (block["page"],)
        return
    rows = {block["table"]["cells"][cell]["row"] for cell in cells}
    first = 0
    for part in parts:
        if not rows.isdisjoint(range(first, first + part["rows"])):
            yield part["page"]
        first += part["rows"]


def _on_page(block: JsonObject, number: int) -> Iterator[JsonObject]:
    parts = (block.get("table") or {}).get("parts") or []
    if not parts:
        if block["page"] == number:
            yield block
        return
    first = 0
    for index, part in enumerate(parts):
        if part["page"] == number:
            table = _cut(block["table"], range(first, first + part["rows"]))
            yield block | {"bbox": part["bbox"], "table": table, "part": {"at": index + 1, "of": len(parts)}}
            return
        first += part["rows"]


def _cut(table: JsonObject, rows: range) -> JsonObject:
    """Return these rows of a table, with the checks whose last cell is in them; a check keeps that cell alone."""
    kept = {index: cell for index, cell in enumerate(table["cells"]) if cell["row"] in rows}
    places = {index: place for place, index in enumerate(kept)}
    return table | {
        "rows": len(rows),
        "cells": [cell | {"row": cell["row"] - rows.start} for cell in kept.values()],
        "checks": [
            check | {"cells": [places[check["cells"][-1]]]}
            for check in table.get("checks") or []
            if check["cells"] and check["cells"][-1] in places
        ],
    }
