"""Search: quality on a judged collection, latency at size, indexing and embedding rates.

Run: `python -m tests.lab.bench.search.bench_search [--data FOLDER] [--chunks 100000]`. FOLDER holds docs.jsonl and
queries.jsonl (id, title, text) and qrels.tsv (query, document, grade), as Cranfield. Prints a table and writes
bench-results/search.json.
"""

import argparse
import json
import math
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quire.actors.search.embedder import Embedder
from quire.models.cdom.search import SearchMode, SearchRequest
from quire.models.neural.embed.minilm import WIDTH, MiniLm
from quire.storage.index.opened import IndexPlace, open_search, open_writer, place_index
from quire.storage.index.search import IndexSearch
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import Vectors
from quire.storage.index.vectors.scope_vectors import Blocks
from quire.storage.index.vectors.table_vectors import TableVectors
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from tests.lab.bench.queue.bench_queue import bench_database
from tests.lab.bench.results import save_results
from tests.lab.bench.search.search_corpus import (
    PER_DOCUMENT,
    batches,
    document_names,
    fill,
    load_material,
    make_document,
    publish,
    read_lines,
)

SCOPE = Scope(tenant="bench")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--chunks", type=int, default=100_000)
    arguments.add_argument("--memory-mb", type=int, default=512)
    options = arguments.parse_args()
    results: dict[str, Any] = {"load_before": os.getloadavg()}
    with bench_database() as (dsn, _):
        db = Database(dsn)
        if options.data:
            results["quality"] = measure_quality(db, options.data)
            results["embedding"] = measure_embedding(options.data)
        if options.chunks:
            results["size"] = measure_size(db, options.chunks, options.data, options.memory_mb)
        db.close()
    results["load_after"] = os.getloadavg()
    print(json.dumps(results, indent=2))
    save_results("search", results)


def measure_quality(db: Database, data: Path) -> dict[str, float]:
    """nDCG@10 per mode, through the product's own search."""
    documents, queries = read_lines(data / "docs.jsonl"), read_lines(data / "queries.jsonl")
    scope = Scope(tenant="quality")
    model = MiniLm(threads=2)
    with tempfile.TemporaryDirectory() as folder:
        place = place_index(folder, Path(folder), width=WIDTH)
        writer = open_writer(place)
        vectors = model.embed([document["text"] for document in documents])
        names = dict(zip(document_names(len(documents)), (str(document["id"]) for document in documents), strict=True))
        publish(db, scope, list(names), 1)
        writer.write(
            [
                make_document(scope, name, [document["text"]], vectors[row : row + 1], document["title"])
                for row, (name, document) in enumerate(zip(names, documents, strict=True))
            ]
        )
        search = open_search(place, db, memory_bytes=1 << 29)
        judged = _judgements(data / "qrels.tsv", {str(query["id"]) for query in queries})
        asked = model.embed([query["text"] for query in queries])
        results = {}
        for mode in SearchMode:
            run = {
                str(query["id"]): [
                    names[hit.document_id] for hit in _ask(search, scope, query["text"], vector, mode, 100)
                ]
                for query, vector in zip(queries, asked, strict=True)
            }
            results[mode.value] = round(_ndcg(run, judged), 4)
        writer.close()
    return results


def measure_embedding(data: Path) -> dict[str, float]:
    """Texts per CPU second: the bare model on one call, and the embedder pool fed by many callers."""
    texts = [document["text"] for document in read_lines(data / "docs.jsonl")[:192]]
    model = MiniLm(threads=1)
    model.embed(texts[:8])
    bare = _cpu(lambda: model.embed(texts))
    embedder = Embedder(model)
    embedder.start()
    pooled = _cpu(lambda: _through(embedder, texts))
    embedder.drain(5)
    return {"bare_per_cpu_s": round(len(texts) / bare, 1), "pool_per_cpu_s": round(len(texts) / pooled, 1)}


def _through(embedder: Embedder, texts: list[str]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as callers:
        list(callers.map(lambda at: embedder.embed(texts[at : at + 6]), range(0, len(texts), 6)))


def measure_size(db: Database, chunks: int, data: Path | None, memory_mb: int) -> dict[str, Any]:
    """Indexing with vectors given, then latency per mode."""
    rng = np.random.default_rng(7)
    material = load_material(data)
    with tempfile.TemporaryDirectory() as folder:
        place = place_index(folder, Path(folder), width=WIDTH)
        writer = open_writer(place)
        names = document_names(chunks // PER_DOCUMENT)
        publish(db, SCOPE, names)
        filled = fill(writer.write, batches(material, SCOPE, names, rng))
        started = time.perf_counter()
        writer.compact()
        indexed = writer.index_vectors()
        compacted = time.perf_counter() - started
        search = open_search(place, db, memory_bytes=memory_mb << 20)
        pairs = [(material.words(rng, 8), material.near(rng, 1)[0]) for _ in range(200)]
        latency = {mode.value: _latency(search, pairs, mode) for mode in SearchMode}
        recall = _recall(place, pairs) if indexed else None
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        writer.close()
    return {
        "chunks": chunks,
        "indexing_per_wall_s": round(chunks / filled["wall_s"]),
        "indexing_per_cpu_s": round(chunks / filled["cpu_s"]),
        "compact_s": round(compacted, 2),
        "vector_index": indexed,
        "vector_index_recall_at_10": recall,
        "latency_ms": latency,
        "directory_mb": round(size / 1e6),
    }


def _recall(place: IndexPlace, pairs: Sequence[tuple[str, Vectors]]) -> float:
    """Share of the exact ten nearest chunks that the ANN index finds, over 50 questions."""
    table = ChunkTable(place.uri, width=place.width)
    block = Blocks(table, budget=1 << 40, width=place.width).get(SCOPE)
    assert block is not None
    shares = []
    for _, vector in pairs[:50]:
        exact = {key for key, _ in block.nearest(vector, 10)}
        found = {key for key, _ in TableVectors(table, SCOPE).nearest(vector, 10)}
        shares.append(len(exact & found) / len(exact))
    return round(statistics.fmean(shares), 3)


def _latency(search: IndexSearch, pairs: Sequence[tuple[str, Vectors]], mode: SearchMode) -> dict[str, float]:
    _ask(search, SCOPE, *pairs[0], mode, 5)
    walls, cpu = [], time.process_time()
    for text, vector in pairs:
        started = time.perf_counter()
        _ask(search, SCOPE, text, vector, mode, 5)
        walls.append((time.perf_counter() - started) * 1000)
    cuts = statistics.quantiles(walls, n=100)
    used = (time.process_time() - cpu) / len(pairs) * 1000
    return {"p50": round(cuts[49], 1), "p99": round(cuts[98], 1), "cpu": round(used, 1)}


def _ask(search: IndexSearch, scope: Scope, text: str, vector: Vectors, mode: SearchMode, limit: int) -> Any:
    return search.search(
        SearchRequest(tenant=scope.tenant, org=scope.org, q=text, mode=mode, limit=limit), lambda: vector
    )


def _judgements(path: Path, queries: set[str]) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")[:3]
        if query in queries and int(grade) > 0:
            judged[query][document] = int(grade)
    return judged


def _ndcg(run: dict[str, list[str]], judged: dict[str, dict[str, int]]) -> float:
    def gain(grades: Sequence[int]) -> float:
        return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades[:10]))

    return statistics.fmean(
        gain([grades.get(document, 0) for document in run.get(query, [])]) / gain(sorted(grades.values(), reverse=True))
        for query, grades in judged.items()
    )


def _cpu(act: Callable[[], Any]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


if __name__ == "__main__":
    main()
