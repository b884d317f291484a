"""Indexed chunks as Arrow rows of the chunk table."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from quire.storage.index.table.entries import DocumentChunks, chunk_key, scope_name

PRIMARY_KEY = {b"lance-schema:unenforced-primary-key": b"true"}
"""Without it two parallel upserts of one key leave two rows, and both calls succeed (measured)."""


def table_schema(width: int) -> pa.Schema:
    """Return the schema with vectors of length `width`; chunks stored without an embedder have a null one."""
    return pa.schema(
        [
            pa.field("key", pa.string(), nullable=False, metadata=PRIMARY_KEY),
            pa.field("scope", pa.string(), nullable=False),
            pa.field("document_id", pa.string(), nullable=False),
            pa.field("generation", pa.int64(), nullable=False),
            pa.field("batch", pa.int64(), nullable=False),
            pa.field("index", pa.int32(), nullable=False),
            pa.field("chunk_id", pa.string(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("facts", pa.string(), nullable=False),
            pa.field("language", pa.string()),
            pa.field("vector", pa.list_(pa.float32(), width)),
        ]
    )


def to_arrow(documents: Sequence[DocumentChunks], batch: int, width: int) -> pa.Table:
    """Return all chunks of a batch as rows; `batch` rises with every write, so that readers can fetch new rows only."""
    pairs = [(document, chunk) for document in documents for chunk in document.chunks]
    columns: dict[str, Any] = {
        "key": [chunk_key(d.document_id, d.generation, c.index) for d, c in pairs],
        "scope": [scope_name(d.scope) for d, _ in pairs],
        "document_id": [d.document_id for d, _ in pairs],
        "generation": [d.generation for d, _ in pairs],
        "batch": [batch] * len(pairs),
        "index": [c.index for _, c in pairs],
        "chunk_id": [c.chunk_id for _, c in pairs],
        "text": [storable(c.text) for _, c in pairs],
        "facts": [json.dumps(c.facts, separators=(",", ":")) for _, c in pairs],
        "language": [c.language for _, c in pairs],
        "vector": _vector_column(documents, width),
    }
    schema = table_schema(width)
    return pa.table(
        {name: pa.array(values, schema.field(name).type) for name, values in columns.items()}, schema=schema
    )


def storable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot store, by one replacement character each, so that offsets stay."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _vector_column(documents: Sequence[DocumentChunks], width: int) -> Any:
    if any(document.vectors is None for document in documents):
        rows: list[Any] = []
        for document in documents:
            rows += [None] * len(document.chunks) if document.vectors is None else list(document.vectors)
        return rows
    filled = [document.vectors for document in documents if document.vectors is not None and len(document.vectors)]
    flat = np.concatenate(filled).ravel() if filled else np.zeros(0, dtype=np.float32)
    return pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.float32()), width)
