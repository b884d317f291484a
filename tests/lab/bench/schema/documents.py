"""Cases from any documents: the schema asks for what the document's own labels and heads name. There is no truth.

They show whether values stand in their evidence, on documents that no generator made.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import Format
from quire.models.cdom.table import Table
from quire.models.cdom.tree import Tree
from quire.models.derive.document_fields import find_fields
from quire.models.derive.fields.values import find_amounts
from tests.lab.bench.schema.cases import SchemaCase, read_tree

PICTURES = (".png", ".jpg", ".jpeg")
SUFFIXES = (".pdf", ".docx", *PICTURES)
MAX_NAMES = 40  # labels of one schema
MAX_TABLES = 5  # arrays of one schema
MAX_COLUMNS = 12
_TYPES: dict[str, dict[str, str]] = {
    "date": {"type": "string", "format": "date"},
    "amount": {"type": "number"},
    "number": {"type": "number"},
}


def documents(folder: Path, cache: Path | None = None) -> Iterator[SchemaCase]:
    """Yield a case for every document below a folder that can be read."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES):
        data = path.read_bytes()
        try:
            kind = Format.PNG if path.suffix.lower() in PICTURES else Format.PDF  # pages of pictures are recognised
            tree = read_tree(data, kind, cache)
        except ExtractError:
            continue
        schema = describe_labels(tree)
        if schema["properties"]:
            yield SchemaCase("documents", f"{path.parent.parent.name}/{path.name}", tree, schema, {})


def describe_labels(tree: Tree) -> dict[str, Any]:
    """Return a schema of the labels and heads of a tree."""
    properties: dict[str, Any] = {}
    for number, field in enumerate(find_fields(tree)[:MAX_NAMES]):
        properties[f"p{number}"] = {"title": field.key, **_TYPES.get(field.value_type, {"type": "string"})}
    tables = [block.table for block in tree.blocks if block.table is not None and block.table.rows > 1]
    for number, table in enumerate(tables[:MAX_TABLES]):
        columns = _describe_columns(table)
        if columns:
            item = {"type": "object", "properties": columns}
            properties[f"t{number}"] = {"type": "array", "items": item}
    return {"type": "object", "properties": properties}


def _describe_columns(table: Table) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for cell in table.cells:
        if cell.row == 0 and cell.text.strip() and len(columns) < MAX_COLUMNS:
            below = [other.text for other in table.cells if other.col == cell.col and other.row > 0 and other.text]
            counted = sum(next(find_amounts(text), None) is not None for text in below)
            kind = "number" if counted > len(below) / 2 else "string"
            columns[f"c{cell.col}"] = {"type": kind, "title": cell.text[:60]}
    return columns
