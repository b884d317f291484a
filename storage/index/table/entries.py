"""Indexed chunks as plain values, which readers pass to the index writer. Imports no index engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.storage.values.rows import DocumentId, Scope

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedChunk:
    """A chunk as searched. `facts` are shown with a hit: section_path, pages, block_ids, bboxes."""

    index: int
    chunk_id: str
    text: str
    facts: dict[str, Any] = field(default_factory=dict)
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChunks:
    """Chunks of one generation of a document, in order: all, or some of a long one, whose first write has chunk 0.

    `vectors` has a row per chunk, or None without a model.

    `replace`: the same commit deletes indexed chunks of this generation that are not among these.
    """

    scope: Scope
    document_id: DocumentId
    generation: int
    chunks: Sequence[IndexedChunk]
    vectors: Vectors | None
    replace: bool = False


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Vectors that the index already has for some of a list of texts: `indices` into that list, and their vectors."""

    indices: Sequence[int]
    vectors: Sequence[Vectors]


def generation_name(document_id: str, generation: int) -> str:
    """Return the name of one generation of a document, shared by all its chunks."""
    return f"{document_id}.{generation}"


def chunk_key(document_id: str, generation: int, index: int) -> str:
    """Return the primary key, so that the same chunk of the same attempt replaces itself."""
    return f"{document_id}.{generation}.{index}"


def split_key(key: str) -> tuple[str, int, int]:
    """Return document, generation and index of a chunk's key."""
    document, generation, index = key.rsplit(".", 2)
    return document, int(generation), int(index)


def first_key(key: str) -> str:
    """Return the key of the first chunk of a chunk's generation: where that is written again, all of it is.

    A long document is written in several commits.
    """
    return f"{key.rpartition('.')[0]}.0"


def scope_name(scope: Scope) -> str:
    """Return the name of (tenant, org); both are validated names without a slash."""
    return f"{scope.tenant}/{scope.org}"


def parse_scope(name: str) -> Scope:
    """Return the scope of a `scope_name`."""
    tenant, _, org = name.partition("/")
    return Scope(tenant=tenant, org=org)
