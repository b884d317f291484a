"""Measures a claim in an old deployment: 64 pollers, a million finished documents, churned tables.

Run: `python -m tests.lab.bench.queue.bench_claim [--rows N] [--pollers N]`. A database as in production (fsync on).
The pollers live in processes of 16 threads and do what readers do: claim, hold the document for a while, finish it
durably, and look again after a jittered second when the queue is empty. Figures go to bench-results/claim.json.
"""

import argparse
import multiprocessing
import os
import random
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from quire.storage.postgres.database import Database
from quire.storage.queue.claiming import CLAIM
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import GROUP_BYTES, LeasePolicy, Queue
from quire.storage.store import Store, open_store
from quire.storage.values.ids import new_worker_id
from tests.lab.bench.queue.bench_queue import KEY, _done, _submit, bench_database
from tests.lab.bench.results import save_results

THREADS = 16
POLL_S = 1.0
READING_S = 0.5
"""A small document's stay with its reader: 64 of them finish 128 documents a second."""
JOB = 100
TARGET_MS = 20.0
BACKUP_CHURN = 2000
"""Documents that end while one snapshot stays open: nothing they leave behind can be cleared before it closes."""

_AGE = (
    """insert into jobs (id, tenant, org, key_name, n_total, n_succeeded, created_at, started_at, finished_at)
       select 'job_' || lpad(n::text, 26, '0'), 'acme', 'main', 'acme', %(job)s, %(job)s, now(), now(), now()
       from generate_series(1, %(rows)s / %(job)s) n""",
    """insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, format, status,
                              attempt, attempts, published_attempt, manifest, pages, route_counts, finished_at)
       select 'doc_' || lpad(n::text, 26, '0'), 'job_' || lpad((n / %(job)s + 1)::text, 26, '0'), 'acme', 'main',
              'acme', n %% %(job)s, n || '.pdf', md5(n::text) || md5(n::text), 20000, 'pdf', 'succeeded', 1, 1, 1,
              '{"tree.json": {"bytes": 1000}}', 3, '{"fast": 3}', now()
       from generate_series(1, %(rows)s) n""",
    """insert into meter (document_id, run, tenant, org, key_name, month, pages, bytes)
       select id, 1, tenant, org, key_name, date_trunc('month', now())::date, 3, bytes from documents""",
    """insert into events (id, kind, tenant, org, job_id, document_id, body, fanned_out)
       select 'evt_' || right(id, 26), 'document.succeeded', tenant, org, job_id, id, '{}', true from documents""",
    """insert into tasks (document_id, job_id, tenant, priority, vtime)
       select id, job_id, tenant, 1, position from documents""",
    "update tasks set state = 'running', lease_until = now() + interval '1 hour', attempt = 1",
    "delete from tasks",
)
"""Rows as a finished corpus leaves them; every task was queued, held and removed, and no vacuum has come by yet."""
VACUUM_S = 130.0  # seconds: autovacuum looks at a database once a minute
_VACUUMED = "select from pg_stat_user_tables where relname = 'tasks' and autovacuum_count > 0"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--pollers", type=int, default=64)
    arguments.add_argument("--seconds", type=float, default=30.0)
    options = arguments.parse_args()
    with bench_database() as (dsn, workdir):
        results: dict[str, Any] = {"rows": options.rows, "pollers": options.pollers, "load_before": os.getloadavg()}
        _fill(dsn, options.rows)
        results["server"] = measure_server(dsn, workdir)
        results["first_after_churn_ms"] = results["server"].pop("first")
        results["vacuumed_after_s"] = _wait_for_vacuum(dsn)
        results["vacuumed"] = measure_server(dsn, workdir)
        for name, rate in (("idle", 0.0), ("busy", 0.8)):
            results[name] = measure(dsn, workdir, options.pollers, options.seconds, rate)
        with _snapshot(dsn):
            results["beside_a_backup"] = measure_server(dsn, workdir, rounds=BACKUP_CHURN)
        results["load_after"] = os.getloadavg()
    _report(results)


def _fill(dsn: str, rows: int) -> None:
    started = time.perf_counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in _AGE:
            connection.execute(statement, {"rows": rows, "job": JOB})
    print(f"{rows} finished documents in {time.perf_counter() - started:.0f} s", flush=True)


def _wait_for_vacuum(dsn: str) -> float:
    """Seconds until PostgreSQL has cleared the dead entries by itself; -1 when we had to after VACUUM_S."""
    started = time.perf_counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        while not connection.execute(_VACUUMED).fetchone():
            if time.perf_counter() - started > VACUUM_S:
                connection.execute("vacuum analyze tasks")
                return -1
            time.sleep(1)
    return round(time.perf_counter() - started)


def measure_server(dsn: str, workdir: Path, rounds: int = 200) -> dict[str, float]:
    """Milliseconds that one claim takes inside the server (EXPLAIN ANALYZE: planning and execution)."""
    store = open_store(dsn, workdir, signing_key=KEY)
    for _ in range(rounds // 100):
        _submit(store, "acme", 100)
    took = []
    params = {
        "scans": True, "worker": new_worker_id(), "lease_s": 30, "max_starts": 3, "max_lapses": 10,
        "most": 1, "budget": GROUP_BYTES,
    }  # fmt: skip
    for _ in range(rounds):
        with store.db.autocommit() as connection:
            told = connection.execute("explain (analyze, format json) " + CLAIM, params).fetchone()
            connection.execute("delete from tasks where state = 'running'")  # its document has ended
        assert told is not None
        plan = told["QUERY PLAN"][0]
        took.append(plan["Planning Time"] + plan["Execution Time"])
    _end_all(store)
    store.close()
    return _spread(took[1:]) | {"first": took[0]}


@contextmanager
def _snapshot(dsn: str) -> Iterator[None]:
    """A reader of long ago, as a backup is one."""
    database = Database(dsn)
    with database.transaction() as connection:
        connection.execute("set transaction isolation level repeatable read")
        connection.execute("select count(*) from jobs")
        yield
    database.close()


def _end_all(store: Store) -> None:
    with store.db.transaction() as connection:
        connection.execute("delete from tasks")


def measure(dsn: str, workdir: Path, pollers: int, seconds: float, share: float) -> dict[str, float]:
    """Claims of all pollers for a while, while `share` of what they can read arrives. Milliseconds, as readers see."""
    context = multiprocessing.get_context("spawn")
    begin = time.time() + 8  # processes start first
    answers: Any = context.Queue()
    arguments = (dsn, str(workdir), begin, seconds, answers)
    workers = [context.Process(target=_poll, args=arguments) for _ in range(max(1, pollers // THREADS))]
    for worker in workers:
        worker.start()
    store = open_store(dsn, workdir, signing_key=KEY)
    arriving = round(pollers * share / READING_S / 4)
    while time.time() < begin + seconds:
        if arriving and time.time() > begin - 1:
            _submit(store, random.choice(("acme", "beta")), arriving)
        time.sleep(0.25)
    told = [answers.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    _end_all(store)
    store.close()
    full = [ms for one in told for ms in one["full"]]
    empty = [ms for one in told for ms in one["empty"]]
    return {"documents": len(full), **_spread(full + empty)} | {f"found_{k}": v for k, v in _spread(full).items()}


def _spread(took: list[float]) -> dict[str, float]:
    if len(took) < 2:
        return {}
    cuts = statistics.quantiles(took, n=100)
    return {"claims": len(took), "p50": statistics.median(took), "p99": cuts[98], "max": max(took)}


def _poll(dsn: str, workdir: str, begin: float, seconds: float, answers: Any) -> None:
    """One process of pollers. Each reader process of the product keeps its own connections; so do these threads."""
    took: dict[str, list[float]] = {"full": [], "empty": []}
    threads = [threading.Thread(target=_read_on, args=(dsn, workdir, begin, seconds, took)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(took)


def _read_on(dsn: str, workdir: str, begin: float, seconds: float, took: dict[str, list[float]]) -> None:
    store = open_store(dsn, Path(workdir), signing_key=KEY, pool_size=1)
    queue = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer)
    queue.claim()  # connects and prepares
    time.sleep(max(0.0, begin - time.time()) + random.random() * POLL_S)
    while time.time() < begin + seconds:
        before = time.perf_counter()
        claim = queue.claim()
        took["empty" if claim is None else "full"].append((time.perf_counter() - before) * 1000)
        if claim is None:
            time.sleep(POLL_S * random.uniform(0.75, 1.25))
            continue
        time.sleep(READING_S * random.uniform(0.5, 1.5))
        finish(store, [_done(claim)])
    store.close()


def _report(results: dict[str, Any]) -> None:
    print(f"machine load before {results['load_before']}, after {results['load_after']}")
    first = results["first_after_churn_ms"]
    print(f"first claim over {results['rows']} dead entries that nobody has passed before: {first:.0f} ms")
    print(f"cleared by autovacuum {results['vacuumed_after_s']} s later")
    for name in ("server", "vacuumed", "idle", "busy", "beside_a_backup"):
        told = results[name]
        kept = "kept" if told["p99"] <= TARGET_MS else "MISSED"
        print(f"{name:18} {told['claims']:6.0f} claims  p50 {told['p50']:8.2f} ms  p99 {told['p99']:8.2f} ms  {kept}")
    save_results("claim", results)


if __name__ == "__main__":
    main()
