"""What one indexed chunk is, as plain values: what readers hand to the index writer. Imports no index engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from storage.values.rows import DocumentId, Scope

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedChunk:
    """A chunk as searched. `facts` is what a hit shows besides the text: section_path, pages, block_ids, bboxes."""

    index: int
    chunk_id: str
    text: str
    facts: dict[str, Any] = field(default_factory=dict)
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChunks:
    """Everything one generation of a document puts into the index. `vectors` has a row per chunk, or is None.

    `replace`: what the index holds of this generation goes in the same commit, unless it is among these chunks.
    """

    scope: Scope
    document_id: DocumentId
    generation: int
    chunks: Sequence[IndexedChunk]
    vectors: Vectors | None
    replace: bool = False


def generation_name(document_id: str, generation: int) -> str:
    """One word for all chunks of one generation of a document."""
    return f"{document_id}.{generation}"


def chunk_key(document_id: str, generation: int, index: int) -> str:
    """The primary key: the same chunk of the same attempt replaces itself."""
    return f"{document_id}.{generation}.{index}"


def split_key(key: str) -> tuple[str, int, int]:
    """Document, generation and index of a chunk's key."""
    document, generation, index = key.rsplit(".", 2)
    return document, int(generation), int(index)


def scope_name(scope: Scope) -> str:
    """One word for (tenant, org): both are validated names without a slash."""
    return f"{scope.tenant}/{scope.org}"


def parse_scope(name: str) -> Scope:
    """The scope of `scope_name`."""
    tenant, _, org = name.partition("/")
    return Scope(tenant=tenant, org=org)
