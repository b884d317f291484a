"""Measures erasing in a large index: `python -m tests.lab.bench.search.bench_purge [--chunks 1000000 --tenants 10]`.

Fills an index in a folder (`--kept FOLDER` keeps it for the next run), then erases as the janitor's passes do: one
document, a job of one tenant, and as many documents spread over everything. Wall clock and CPU seconds of the table and
of the keyword indexes; afterwards it checks that nothing is left. Writes bench-results/purge.json.
Only the first run on a fill counts: what it erases is put back into the newest files, all of it together.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from quire.models.neural.embed.minilm import WIDTH
from quire.storage.index.opened import open_writer, place_index
from quire.storage.index.writer import ChunkIndexWriter
from quire.storage.values.rows import Scope
from tests.lab.bench.results import save_results
from tests.lab.bench.search.bench_search_service import fill_index, owned_documents
from tests.lab.bench.search.search_corpus import PER_DOCUMENT, batches, load_material
from tests.storage.index.library import masked_rows

PASS = 500
"""Documents of one pass of the janitor: `PURGES_PER_PASS` of cluster/compose/search.py."""
Documents = Sequence[tuple[Scope, str]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--chunks", type=int, default=1_000_000)
    arguments.add_argument("--tenants", type=int, default=10)
    arguments.add_argument("--documents", type=int, default=PASS, help="of a job, and of those spread over everything")
    arguments.add_argument("--kept", type=Path)
    options = arguments.parse_args()
    material = load_material(None)
    with tempfile.TemporaryDirectory(prefix="qp") as folder:
        place = options.kept or Path(folder) / "index"
        report: dict[str, Any] = {"chunks": options.chunks, "tenants": options.tenants, "load_before": os.getloadavg()}
        report["indexing"] = fill_index(place, owned_documents(options.chunks, options.tenants), material)
        writer = open_writer(place_index(str(place), place, width=WIDTH))
        report["erasing"] = erase_all(writer, options.chunks, options.tenants, options.documents)
        put_back(writer, options.chunks, options.tenants, options.documents)
        writer.close()
    report["load_after"] = os.getloadavg()
    print(json.dumps(report, indent=2))
    save_results("purge", report)


def chosen(chunks: int, tenants: int, documents: int) -> dict[str, Documents]:
    """Choose documents to erase: one from the middle, the newest job of one tenant, some of every tenant and age."""
    owned = owned_documents(chunks, tenants)
    scope, names = owned[tenants // 2]
    other, others = owned[0]
    rng = np.random.default_rng(5)
    spread = [
        (one, str(name)) for one, all_of in owned for name in rng.choice(all_of[:-documents], documents // tenants)
    ]
    return {
        "one document": [(scope, names[len(names) // 2])],
        "a tenant's job": [(other, name) for name in others[-documents:]],
        "spread over everything": sorted(set(spread) - {(scope, names[len(names) // 2])}, key=lambda pair: pair[1]),
    }


def erase_all(writer: ChunkIndexWriter, chunks: int, tenants: int, documents: int) -> dict[str, dict[str, float]]:
    """Seconds of each erasure; asserts that it was one."""
    found: dict[str, dict[str, float]] = {}
    left = writer.table.count()
    for name, gone in chosen(chunks, tenants, documents).items():
        with part_times(writer) as parts:
            started, cpu = time.perf_counter(), time.process_time()
            writer.erase(gone)
            wall, used = time.perf_counter() - started, time.process_time() - cpu
        left -= len(gone) * PER_DOCUMENT
        assert writer.table.count() == left, "rows are left, or too many went"
        assert masked_rows(writer.upkeep) == 0, "bytes of erased rows are left in the table"
        found[name] = {"documents": len(gone), "wall_s": round(wall, 1), "cpu_s": round(used, 1), **parts}
        print(name, found[name], os.getloadavg(), flush=True)
    return found


@contextmanager
def part_times(writer: ChunkIndexWriter) -> Iterator[dict[str, float]]:
    """Wall-clock seconds of the table's share."""
    parts = {"table_s": 0.0}
    erase: Callable[[], None] = writer.upkeep.erase

    def timed() -> None:
        started = time.perf_counter()
        erase()
        parts["table_s"] = round(parts["table_s"] + time.perf_counter() - started, 1)

    writer.upkeep.erase = timed  # type: ignore[method-assign]
    try:
        yield parts
    finally:
        writer.upkeep.erase = erase  # type: ignore[method-assign]


def put_back(writer: ChunkIndexWriter, chunks: int, tenants: int, documents: int) -> None:
    """The index is as full as before, for the next run on a folder that is kept."""
    rng, material = np.random.default_rng(6), load_material(None)
    gone: dict[Scope, list[str]] = {}
    for scope, name in {pair for some in chosen(chunks, tenants, documents).values() for pair in some}:
        gone.setdefault(scope, []).append(name)
    for scope, names in sorted(gone.items(), key=lambda pair: pair[0].tenant):
        for some in batches(material, scope, sorted(names), rng):
            writer.write(some)
    writer.compact()


if __name__ == "__main__":
    main()
