"""The tables of documents as a list: title, heads with their types, and the first rows, to write queries from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

SAMPLED = 3
"""First rows of a table that are shown."""
MAX_TEXT = 80  # characters of a sampled text


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogColumn:
    """A column: `head` as queries name it, its levels, and what most of its cells hold (number, date or text)."""

    head: str
    head_path: list[str]
    type: str
    unit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogTable:
    """A table: `rows` without heads, `sections` that head groups of rows, `sample` the texts of the first rows."""

    document_id: str
    source_file: str
    table_id: str
    page: int
    title: str
    scale: float
    rows: int
    columns: list[CatalogColumn]
    sections: list[str] = field(default_factory=list)
    sample: list[list[str]] = field(default_factory=list)


def catalog_tables(cells: Iterable[Mapping[str, Any]]) -> Iterator[CatalogTable]:
    """Yield the tables of one document from its cells, in the form of `SCHEMA`."""
    for table_id, members in groupby(cells, key=lambda cell: cell["table"]):
        found = list(members)
        body = [cell for cell in found if not cell["header"]]
        numbers = sorted({cell["row"] for cell in body})
        columns: dict[int, list[Mapping[str, Any]]] = {}
        for cell in body:
            columns.setdefault(cell["col"], []).append(cell)
        rows: dict[int, dict[int, str]] = {}
        for cell in body:
            if cell["row"] in numbers[:SAMPLED]:
                rows.setdefault(cell["row"], {})[cell["col"]] = cell["text"][:MAX_TEXT]
        yield CatalogTable(
            document_id=found[0]["document_id"],
            source_file=found[0]["source_file"],
            table_id=table_id,
            page=min(cell["page"] for cell in found),
            title=found[0]["title"],
            scale=found[0]["scale"],
            rows=len(numbers),
            columns=[_column(columns[col], col) for col in sorted(columns)],
            sections=list(dict.fromkeys(cell["section"] for cell in body if cell["section"])),
            sample=[[texts.get(col, "") for col in sorted(columns)] for _, texts in sorted(rows.items())],
        )


def _column(cells: list[Mapping[str, Any]], col: int) -> CatalogColumn:
    filled = [cell for cell in cells if cell["text"].strip()]
    counts = {kind: sum(cell[kind] is not None for cell in filled) for kind in ("date", "number")}
    kind = next((kind for kind, count in counts.items() if filled and 2 * count >= len(filled)), "text")
    head = next((cell for cell in cells if cell["head"]), cells[0])
    unit = next((cell["unit"] for cell in filled if cell["unit"]), None)
    name = head["head"] or f"column_{col + 1}"
    return CatalogColumn(head=name, head_path=list(head["head_path"]), type=kind, unit=unit)
