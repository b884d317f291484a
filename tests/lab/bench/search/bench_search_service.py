"""Search through HTTP at size: `python -m tests.lab.bench.search.bench_search_service [--chunks 100000] [--data D]`.

Fills an index in a folder, publishes its documents in the database of a separate service, and searches. `--tenants 10`
puts a tenth of the chunks into the tenant that asks, `--beside 1000000` adds another tenant.
`--kept FOLDER` keeps the index for the next run.
Prints wall-clock p50 and p99 per mode and CPU per question; writes bench-results/search-service.json.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from quire.models.cdom.search import SearchMode
from quire.models.neural.embed.minilm import WIDTH
from quire.storage.index.opened import open_writer, place_index
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Scope
from tests.lab.bench.bench_service import service
from tests.lab.bench.client import Client
from tests.lab.bench.processes import cpu_seconds, family, memory_mb
from tests.lab.bench.results import save_results
from tests.lab.bench.search.search_corpus import (
    PER_DOCUMENT,
    Material,
    batches,
    document_names,
    fill,
    load_material,
    publish,
)

MINE, LARGE = Scope(tenant="default"), Scope(tenant="large")
LARGE_KEY = "a-key-of-the-large-tenant"
WARM = 10


def main() -> None:
    options = _options()
    material = load_material(options.data)
    report: dict[str, Any] = {
        "chunks": options.chunks,
        "tenants": options.tenants,
        "beside": options.beside,
        "load_before": os.getloadavg(),
    }
    with tempfile.TemporaryDirectory(prefix="qs", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        index = options.kept or Path(folder) / "index"
        owned = owned_documents(options.chunks, options.tenants, options.beside)
        report["indexing"] = fill_index(index, owned, material)
        (index / "deployment.json").unlink(missing_ok=True)  # of a kept index: names the database of the run before
        variables = {"SVC_RAG_DB": str(index), "SVC_SEARCH_MEMORY_MB": str(options.memory_mb), "SVC_WORKERS": "1"}
        variables |= {"SVC_API_KEYS": f"large={LARGE_KEY}"} if options.beside else {}
        with service(options.proxy, Path(folder) / "w", **variables) as (client, roots, _):
            seed_database(Path(folder) / "w", owned)
            time.sleep(options.settle)
            report |= ask_all(client, roots, material, options.questions)
            if options.beside:
                large = Client(client.base_url, LARGE_KEY)
                report["large_tenant"] = ask_all(large, roots, material, options.questions)
    report["load_after"] = os.getloadavg()
    print(json.dumps(report, indent=2))
    save_results("search-service", report)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--tenants", type=int, default=1)
    parser.add_argument("--beside", type=int, default=0, help="chunks of one more tenant")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--memory-mb", type=int, default=512)
    parser.add_argument("--proxy", choices=("ray", "haproxy"), default="ray")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--settle", type=float, default=30, help="seconds for what a start compares and compacts")
    return parser.parse_args()


def owned_documents(chunks: int, tenants: int, beside: int = 0) -> list[tuple[Scope, list[str]]]:
    """Each tenant, the one that asks first, with the names of its documents."""
    each = chunks // PER_DOCUMENT // tenants
    others = [Scope(tenant=f"other{number}") for number in range(1, tenants)]
    owned = [(scope, document_names(each, start=number * each)) for number, scope in enumerate((MINE, *others))]
    return [*owned, (LARGE, document_names(beside // PER_DOCUMENT, start=each * tenants))] if beside else owned


def fill_index(index: Path, owned: list[tuple[Scope, list[str]]], material: Material) -> dict[str, float] | None:
    """Everything written, then the chores the service would do in its first minutes. None when it is there already."""
    writer = open_writer(place_index(str(index), index, width=WIDTH))
    try:
        rng = np.random.default_rng(7)
        missing = [(scope, names) for scope, names in owned if writer.table.count(scope) != len(names) * PER_DOCUMENT]
        if not missing:
            return None
        written = [fill(writer.write, batches(material, scope, names, rng)) for scope, names in missing]
        started = time.perf_counter()
        writer.compact()
        writer.index_vectors()
        wall, cpu = (sum(one[name] for one in written) for name in ("wall_s", "cpu_s"))
        chunks = sum(one["chunks"] for one in written)
        return {
            "chunks_per_wall_s": round(chunks / wall),
            "chunks_per_cpu_s": round(chunks / cpu),
            "upkeep_s": round(time.perf_counter() - started, 1),
        }
    finally:
        writer.close()


def seed_database(workdir: Path, owned: list[tuple[Scope, list[str]]]) -> None:
    db = Database((workdir / "run" / "dsn").read_text().strip())
    try:
        for scope, names in owned:
            publish(db, scope, names)
        with db.autocommit() as conn:
            conn.execute("analyze documents")
    finally:
        db.close()


def ask_all(client: Client, roots: set[int], material: Material, questions: int) -> dict[str, Any]:
    """Latency per mode of questions never asked before, of some asked again, and the memory of it all."""
    rng = np.random.default_rng(11)
    asked = [material.words(rng, 8) for _ in range(questions + WARM)]
    connection = client.connect()
    latency = {}
    for mode in SearchMode:
        for q in asked[:WARM]:
            ask(client, connection, q, mode)
        before = cpu_seconds(family(*roots))
        walls = sorted(timed_ask(client, connection, f"{q} {mode}", mode) for q in asked[WARM:])
        used = (cpu_seconds(family(*roots)) - before) / questions * 1000
        again = [timed_ask(client, connection, asked[0], mode) for _ in range(30)]
        latency[mode.value] = {
            "p50": round(walls[len(walls) // 2], 1),
            "p99": round(walls[int(len(walls) * 0.99)], 1),
            "least": round(walls[0], 1),
            "cpu": round(used, 1),
            "asked_again_p50": round(statistics.median(again), 1),
        }
    nothing = sorted(timed_get(client, connection, "/v1/health") for _ in range(100))
    return {
        "latency_ms": latency,
        "no_op_p50_ms": round(nothing[50], 1),
        "memory_mb": round(memory_mb(family(*roots))),
    }


def timed_ask(client: Client, connection: HTTPConnection, q: str, mode: SearchMode) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    ask(client, connection, q, mode)
    return (time.perf_counter() - started) * 1000


def ask(client: Client, connection: HTTPConnection, q: str, mode: SearchMode) -> None:
    status, answer = client.call(connection, "GET", f"/v1/search?q={quote(q)}&mode={mode}")
    assert status == 200, answer[:300]
    hits = json.loads(answer)
    assert len(hits) == 5, q
    assert {hit["mode"] for hit in hits} == {mode.value}, hits[0]["mode"]


def timed_get(client: Client, connection: HTTPConnection, path: str) -> float:
    started = time.perf_counter()
    client.call(connection, "GET", path)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
