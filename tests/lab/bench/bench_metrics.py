"""Measures the database time of GET /metrics with a million finished documents.

Run: `python -m tests.lab.bench.bench_metrics [--rows N]`. Uses a separate database, filled as a finished corpus leaves
it.
"""

import argparse
import json
import os
import statistics
import time

from quire.storage.jobs.measures import measure
from quire.storage.queue.counters import fold_counters
from quire.storage.store import open_store
from tests.lab.bench.queue.bench_claim import _fill
from tests.lab.bench.queue.bench_queue import KEY, _submit, bench_database

ROUNDS = 30


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    options = arguments.parse_args()
    with bench_database() as (dsn, workdir):
        _fill(dsn, options.rows)
        store = open_store(dsn, workdir, signing_key=KEY)
        with store.db.autocommit() as conn:
            conn.execute("insert into counters values ('documents', 'succeeded', %s)", (options.rows,))
            conn.execute("vacuum analyze")  # as autovacuum leaves it
        _submit(store, "acme", 200)
        fold_counters(store.db)
        took = []
        for _ in range(ROUNDS):
            before = time.perf_counter()
            measure(store.db)
            took.append((time.perf_counter() - before) * 1000)
        store.close()
    print(json.dumps({"rows": options.rows, "p50_ms": statistics.median(took), "max_ms": max(took),
                      "load": os.getloadavg()}))  # fmt: skip


if __name__ == "__main__":
    main()
