"""Measures the queue: claim + done (durable) with 8 claimers, one claim when idle, fairness between two tenants.

Run: `python -m tests.lab.bench.queue.bench_queue [--documents N]`. It starts a separate database as in production
(fsync on) and prints a table; figures go to bench-results/queue.json together with the load of the machine.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store, open_store
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import Actor, Claim, NewDocument, PageQuota, Scope, StoredBlob, Succeeded
from quire.storage.values.states import Priority
from tests.lab.bench.results import save_results

KEY = b"the signing key of a bench run"
UNLIMITED = PageQuota(max_pages_per_month=None)
MANIFEST = {"tree.json": {"sha256": "0" * 64, "bytes": 1000}}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=4000)
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--group", type=int, default=16)
    arguments.add_argument("--job", type=int, default=10)
    options = arguments.parse_args()
    with bench_database() as (dsn, workdir):
        results = {
            "load_before": os.getloadavg(),
            "claim_done": measure_claim_done(
                dsn, workdir, options.documents, options.processes, claimers=8, group=options.group, job=options.job
            ),
            "idle_claim_ms": measure_idle_claim(dsn, workdir),
            "fairness": measure_fairness(dsn, workdir),
            "load_after": os.getloadavg(),
        }
    _report(results)


def measure_claim_done(
    dsn: str, workdir: Path, documents: int, processes: int, claimers: int, *, group: int, job: int
) -> dict[str, float]:
    """Documents a second from claim to durable end: `claimers` threads over `processes`, jobs of `job` documents."""
    store = open_store(dsn, workdir, signing_key=KEY)
    for _ in range(documents // job):
        _submit(store, "acme", job)
    started, client, server = time.perf_counter(), _children_cpu_s(), _server_cpu_s(workdir)
    workers = [
        multiprocessing.get_context("spawn").Process(
            target=_work, args=(dsn, str(workdir), claimers // processes, group)
        )
        for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    waiting = store.db.fetch_all("select count(*) as n from tasks")[0]["n"]
    row = store.db.fetch_all(
        """select count(*) as n, extract(epoch from max(finished_at) - min(started_at))::float8 as seconds
           from documents where status = 'succeeded'"""
    )[0]
    server_ms = (_server_cpu_s(workdir) - server) * 1000 / row["n"]
    client_ms = (_children_cpu_s() - client) * 1000 / row["n"]
    store.close()
    return {
        "documents": row["n"],
        "left": waiting,
        "per_second": row["n"] / row["seconds"],
        "wall_s": time.perf_counter() - started,
        "server_cpu_ms_each": server_ms,
        "client_cpu_ms_each": client_ms,  # with the start of the processes
    }


def measure_idle_claim(dsn: str, workdir: Path, rounds: int = 200) -> dict[str, float]:
    """Milliseconds of one claim that finds one task on an otherwise empty queue."""
    store = open_store(dsn, workdir, signing_key=KEY)
    queue = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer)
    took = []
    for _ in range(rounds):
        _submit(store, "acme", 1)
        before = time.perf_counter()
        claim = queue.claim()
        took.append((time.perf_counter() - before) * 1000)
        assert claim is not None
        finish(store, [_done(claim)])
    store.close()
    return {"p50": statistics.median(took), "p99": statistics.quantiles(took, n=100)[98]}


def measure_fairness(dsn: str, workdir: Path, flood: int = 2000, few: int = 20) -> dict[str, float]:
    """One tenant floods, another sends a few: at which claim is the last of the few taken (ideal: 2 × few)?"""
    store = open_store(dsn, workdir, signing_key=KEY)
    for _ in range(flood // 200):
        _submit(store, "flood", 200)
    _submit(store, "few", few)
    queue = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer)
    position = taken = 0
    while taken < few:
        claim = queue.claim()
        assert claim is not None
        position += 1
        taken += claim.scope.tenant == "few"
        finish(store, [_done(claim)])
    store.close()
    return {"last_of_few_at": position, "ideal": 2 * few, "behind": flood}


def _work(dsn: str, workdir: str, claimers: int, group: int) -> None:
    """One process with several claimers."""
    store = open_store(dsn, Path(workdir), signing_key=KEY, pool_size=claimers + 1)
    queue = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer)
    threads = [threading.Thread(target=_claim_and_finish, args=(queue, store, group)) for _ in range(claimers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()


def _claim_and_finish(queue: Queue, store: Store, group: int) -> None:
    """As a reader does with small documents: claimed together, ended together."""
    while claims := queue.claim_group(group):
        assert all(finish(store, [_done(claim) for claim in claims]))


def _done(claim: Claim) -> Succeeded:
    return Succeeded(claim=claim, manifest=MANIFEST, format="pdf", pages=1, route_counts={"fast": 1}, confidence=1.0)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _server_cpu_s(workdir: Path) -> float:
    """CPU seconds of the living processes that work in the data folder (Linux; elsewhere 0)."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd").startswith(str(workdir)):
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                ticks += sum(map(int, fields[11:15]))  # its own, and of backends that have ended
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _submit(store: Store, tenant: str, documents: int) -> None:
    writer = store.blobs.new_writer()
    writer.write(b"%PDF-1.7")
    blob: StoredBlob = writer.commit()
    files = [NewDocument(name=f"{n}.pdf", blob=blob, options=ReadOptions()) for n in range(documents)]
    submit_job(
        store, Scope(tenant=tenant), Actor(key_name=tenant), Submission(files, priority=Priority.JOB, quota=UNLIMITED)
    )


@contextmanager
def bench_database() -> Iterator[tuple[str, Path]]:
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        Path(folder).chmod(0o711)
        postgres = EmbeddedPostgres(Path(folder))
        try:
            dsn = postgres.start()
            migrate(dsn)
            yield dsn, Path(folder)
        finally:
            postgres.stop()


def _report(results: dict[str, Any]) -> None:
    done, idle, fairness = results["claim_done"], results["idle_claim_ms"], results["fairness"]
    cpu = f"CPU each: server {done['server_cpu_ms_each']:.2f} ms, client {done['client_cpu_ms_each']:.2f} ms"
    print(f"machine load before {results['load_before']}, after {results['load_after']}")
    print(f"claim + done, durable, 8 claimers   {done['per_second']:8.0f} /s   ({done['documents']} documents; {cpu})")
    print(f"claim on an idle queue              {idle['p50']:8.2f} ms p50   {idle['p99']:.2f} ms p99")
    print(f"last of 20 behind a flood of 2000   {fairness['last_of_few_at']:8.0f}. claim   (ideal {fairness['ideal']})")
    save_results("queue", results)


if __name__ == "__main__":
    main()
