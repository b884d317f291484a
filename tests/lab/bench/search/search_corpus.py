"""Corpus for measuring searches: synthetic documents that look real to both engines, in an index and in SQL.

In comes a folder with docs.jsonl (id, text) or nothing; out come documents whose words follow real texts and whose
vectors are between real ones, so that a query has neighbours as close as in a real collection.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quire.models.neural.embed.minilm import WIDTH, MiniLm
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk, Vectors
from quire.storage.postgres.database import Database
from quire.storage.values.rows import DocumentId, Scope

PER_DOCUMENT = 10
BATCH = 500
WORDS = 120
NOISE = 0.02
_SEED = """
with job as (
  insert into jobs (id, tenant, org, key_name, n_total, n_succeeded) values (%(job)s, %(tenant)s, %(org)s,
    'bench', cardinality(%(ids)s::text[]), cardinality(%(ids)s::text[]))
)
insert into documents (id, job_id, tenant, org, key_name, source_file, status, attempt, published_attempt, chunks)
select id, %(job)s, %(tenant)s, %(org)s, 'bench', id, 'succeeded', 1, 1, %(chunks)s from unnest(%(ids)s::text[]) as id
"""
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True, slots=True)
class Material:
    """Texts as words, and unit vectors of them."""

    texts: list[list[str]]
    vectors: Vectors

    def document(self, scope: Scope, name: str, rng: np.random.Generator) -> DocumentChunks:
        """One of PER_DOCUMENT chunks."""
        passages = [" ".join(self.words(rng, WORDS // 3) for _ in range(3)) for _ in range(PER_DOCUMENT)]
        return make_document(scope, name, passages, self.near(rng, PER_DOCUMENT))

    def near(self, rng: np.random.Generator, count: int) -> Vectors:
        """Vectors between real ones, with a little noise: as close to each other as real ones are."""
        first, second = (self.vectors[rng.integers(0, len(self.vectors), count)] for _ in range(2))
        share = rng.random((count, 1)).astype(np.float32)
        mixed = share * first + (1 - share) * second
        mixed += NOISE * rng.standard_normal(mixed.shape, dtype=np.float32)
        return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), dtype=np.float32)

    def words(self, rng: np.random.Generator, count: int) -> str:
        """A stretch of a text."""
        source = self.texts[int(rng.integers(0, len(self.texts)))]
        at = int(rng.integers(0, max(1, len(source) - count)))
        return " ".join(source[at : at + count])


def load_material(data: Path | None, most: int = 400) -> Material:
    """Real texts and their vectors when there is a collection; else words by Zipf's law."""
    if data is not None:
        texts = [document["text"] for document in read_lines(data / "docs.jsonl")][:most]
        return Material([text.split() for text in texts], MiniLm(threads=2).embed(texts))
    rng = np.random.default_rng(3)
    words = [[f"w{min(rank, 50_000)}" for rank in rng.zipf(1.3, 150)] for _ in range(most)]
    vectors = rng.standard_normal((most, WIDTH)).astype(np.float32)
    return Material(words, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def make_document(
    scope: Scope, name: str, texts: Sequence[str], vectors: Vectors, section: str = "Part"
) -> DocumentChunks:
    """A document's first generation with these passages, all below one heading."""
    facts = {"section_path": [section], "pages": [1, 1], "block_ids": ["b1"], "bboxes": []}
    chunks = [
        IndexedChunk(index=index, chunk_id=f"c{index}", text=text, facts=facts, language="en")
        for index, text in enumerate(texts)
    ]
    return DocumentChunks(scope=scope, document_id=DocumentId(name), generation=1, chunks=chunks, vectors=vectors)


def document_names(count: int, start: int = 0) -> list[str]:
    """Well-formed document ids."""
    return [f"doc_{_base32(number)}" for number in range(start, start + count)]


def _base32(number: int) -> str:
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(LETTERS[digit])
    return "".join(reversed(digits))


def batches(
    material: Material, scope: Scope, names: Sequence[str], rng: np.random.Generator
) -> Iterator[list[DocumentChunks]]:
    """The documents of these names, BATCH at a time."""
    for at in range(0, len(names), BATCH):
        yield [material.document(scope, name, rng) for name in names[at : at + BATCH]]


def fill(
    write: Callable[[Sequence[DocumentChunks]], object], batches: Iterator[list[DocumentChunks]]
) -> dict[str, float]:
    """Write everything; what writing alone took, in seconds of wall clock and of CPU, and the chunks."""
    wall = cpu = 0.0
    chunks = 0
    for batch in batches:
        started, used = time.perf_counter(), time.process_time()
        write(batch)
        wall, cpu = wall + time.perf_counter() - started, cpu + time.process_time() - used
        chunks += sum(len(document.chunks) for document in batch)
    return {"chunks": chunks, "wall_s": wall, "cpu_s": cpu}


def publish(db: Database, scope: Scope, ids: Sequence[str], chunks: int = PER_DOCUMENT) -> None:
    """Rows of a finished job with these documents, as if they had been read."""
    job = "job_" + _base32(int.from_bytes(os.urandom(15)))
    with db.transaction() as conn:
        conn.execute(_SEED, {"job": job, "tenant": scope.tenant, "org": scope.org, "ids": list(ids), "chunks": chunks})


def read_lines(path: Path) -> list[dict[str, Any]]:
    """JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
