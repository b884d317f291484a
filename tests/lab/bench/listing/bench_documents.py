"""Measures a page of the document list among many documents: in the store, by filter, and on the last page.

Run: `python -m tests.lab.bench.listing.bench_documents [--rows N]`, on a separate database, filled as a finished corpus
leaves it.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from quire.storage.jobs.document_list import DocumentFilter, list_all_documents
from quire.storage.store import open_store
from quire.storage.values.rows import Scope
from quire.storage.values.states import DocumentStatus
from tests.lab.bench.queue.bench_claim import _fill
from tests.lab.bench.queue.bench_queue import KEY, bench_database

ROUNDS = 20


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=10_000)
    options = arguments.parse_args()
    with bench_database() as (dsn, workdir):
        _fill(dsn, options.rows)
        store = open_store(dsn, workdir, signing_key=KEY)
        scope = _largest_scope(store.db.fetch_all("select tenant, org, count(*) as n from documents group by 1, 2"))
        asked = {
            "first": DocumentFilter(),
            "name": DocumentFilter(name="99"),
            "nothing": DocumentFilter(name="no such name"),
            "status": DocumentFilter(status=DocumentStatus.SUCCEEDED, format="pdf"),
        }
        found = {name: _time(partial(list_all_documents, store, scope, wanted)) for name, wanted in asked.items()}
        cursor, pages = None, 0
        started = time.perf_counter()
        while True:
            page = list_all_documents(store, scope, DocumentFilter(), cursor=cursor)
            cursor, pages = page.next_cursor, pages + 1
            if cursor is None:
                break
        every = (time.perf_counter() - started) * 1000 / pages
        store.close()
    print(json.dumps({"rows": options.rows, "pages": pages, "mean_ms_a_page": round(every, 1), "p50_ms": found,
                      "load": os.getloadavg()}))  # fmt: skip


def _largest_scope(rows: list[dict[str, Any]]) -> Scope:
    most = max(rows, key=lambda row: row["n"])
    return Scope(tenant=most["tenant"], org=most["org"])


def _time(act: Callable[[], object]) -> float:
    took = []
    for _ in range(ROUNDS):
        before = time.perf_counter()
        act()
        took.append((time.perf_counter() - before) * 1000)
    return round(statistics.median(took), 1)


if __name__ == "__main__":
    main()
