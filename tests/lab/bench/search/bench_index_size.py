"""An hour of replacing and deleting, compressed: `python -m tests.lab.bench.search.bench_index_size [--rounds 60]`.

Each round is a minute of a busy tenant: documents chunked again, deleted with their bytes, new ones in between, and the
upkeep the writer does in that time. Prints the directory's size and the live data (vectors, texts, facts).
"""

import argparse
import json
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quire.models.neural.embed.minilm import WIDTH
from quire.storage.index.opened import open_writer, place_index
from quire.storage.index.table.entries import DocumentChunks
from quire.storage.index.writer import ChunkIndexWriter
from quire.storage.values.rows import Scope
from tests.lab.bench.results import save_results
from tests.lab.bench.search.search_corpus import PER_DOCUMENT, batches, document_names, load_material

SCOPE = Scope(tenant="bench")
WRITES_A_ROUND = 10


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=1000)
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--changes", type=int, default=100, help="documents replaced, and half as many deleted")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), options.documents, options.rounds, options.changes)
    print(json.dumps(report, indent=2))
    save_results("index-size", report)


def run(folder: Path, documents: int, rounds: int, changes: int) -> dict[str, Any]:
    """The largest and the last share of directory to live data."""
    rng = np.random.default_rng(4)
    material = load_material(None)
    writer = open_writer(place_index(str(folder), folder, width=WIDTH))
    living: dict[str, int] = {}
    names = document_names(documents)
    for some in batches(material, SCOPE, names, rng):
        writer.write(some)
        living.update({one.document_id: live_bytes(one) for one in some})
    writer.compact()
    shares, chunks = [], 0
    started, cpu = time.monotonic(), time.process_time()
    for number in range(rounds):
        fresh = document_names(changes // 2, start=documents + number * changes)
        again = [str(name) for name in rng.choice(sorted(living), changes, replace=False)]
        written = [replace(material.document(SCOPE, name, rng), replace=name in living) for name in (*fresh, *again)]
        for at in range(0, len(written), len(written) // WRITES_A_ROUND):
            writer.write(written[at : at + len(written) // WRITES_A_ROUND])
        living.update({one.document_id: live_bytes(one) for one in written})
        chunks += len(written) * PER_DOCUMENT
        gone = [str(name) for name in rng.choice(sorted(living), changes // 2, replace=False)]
        erase(writer, gone)
        for name in gone:
            del living[name]
        writer.compact()
        shares.append(round(directory_bytes(folder) / sum(living.values()), 2))
    assert writer.table.count() == len(living) * PER_DOCUMENT
    writer.close()
    return {
        "rounds": rounds,
        "chunks_written": chunks,
        "documents_deleted": rounds * (changes // 2),
        "live_mb": round(sum(living.values()) / 1e6, 1),
        "directory_to_live_worst": max(shares),
        "directory_to_live_last": shares[-1],
        "seconds": round(time.monotonic() - started, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "load": os.getloadavg(),
    }


def erase(writer: ChunkIndexWriter, names: list[str]) -> None:
    writer.erase([(SCOPE, name) for name in names])


def live_bytes(document: DocumentChunks) -> int:
    """Of vectors, texts and facts as they are, without any index."""
    vectors = 0 if document.vectors is None else document.vectors.nbytes
    return vectors + sum(len(chunk.text.encode()) + len(json.dumps(chunk.facts)) for chunk in document.chunks)


def directory_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
