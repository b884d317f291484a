"""One-page documents from accepted to succeeded, without HTTP, without search: rate, statements, CPU of each part.

Run: `python -m tests.lab.bench.bench_small [--documents N] [--readers N]`. A separate database, as in production (fsync
on), readers as the service composes them, each in a process. Figures go to bench-results/small.json.
"""

import argparse
import json
import multiprocessing
import os
import resource
import time
from collections import Counter
from datetime import UTC, datetime
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import psycopg

from quire.cluster.runtime import Runtime
from quire.configs.parsing import parse_settings
from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.store import open_store
from quire.storage.values.rows import Actor, NewDocument, Scope
from quire.storage.values.states import Priority
from tests.lab.bench.bench_service import paper
from tests.lab.bench.processes import cpu_seconds, family
from tests.lab.bench.queue.bench_queue import KEY, UNLIMITED, _server_cpu_s, bench_database
from tests.lab.bench.results import save_results
from tests.lab.bench.statements import count_statements

ACTOR = Actor(key_name="acme:write")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=1000)
    arguments.add_argument("--job", type=int, default=10)
    arguments.add_argument("--pages", type=int, default=1)
    arguments.add_argument("--readers", type=int, default=2)
    options = arguments.parse_args()
    with bench_database() as (dsn, workdir):
        found = measure(dsn, workdir, options)
    print(json.dumps(found, indent=1))
    save_results("small", found)


def measure(dsn: str, workdir: Path, options: argparse.Namespace) -> dict[str, Any]:
    documents: int = options.documents
    said, taken = submit(dsn, workdir, documents, options.job, options.pages)
    context = multiprocessing.get_context("spawn")
    answers: Queue[Any] = context.Queue()
    stop = context.Event()
    runtime = _runtime(dsn, workdir)
    workers = [context.Process(target=_read, args=(runtime, stop, answers)) for _ in range(options.readers)]
    server = _server_cpu_s(workdir)
    for worker in workers:
        worker.start()
    rate = _watch(dsn, documents)
    server = _server_cpu_s(workdir) - server
    stop.set()
    parts = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    told: Counter[str] = sum((part["statements"] for part in parts), Counter())
    with psycopg.connect(dsn) as connection:
        rows = connection.execute("select status, count(*) from documents group by 1").fetchall()
        states = {str(status): int(count) for status, count in rows}
    return {
        "documents": documents,
        "states": states,
        "per_second": rate,
        "intake_s": taken,
        "intake_statements_each": _each(said, documents),
        "reading_statements_each": _each(told, documents),
        "statements_each": round(sum((said + told).values()) / documents, 3),
        "cpu_ms_each": {
            "database": round(server * 1000 / documents, 2),
            "reader": round(sum(part["own"] for part in parts) * 1000 / documents, 2),
            "sandbox": round(sum(part["children"] for part in parts) * 1000 / documents, 2),
        },
        "load": os.getloadavg(),
    }


def submit(dsn: str, workdir: Path, documents: int, size: int, pages: int) -> tuple[Counter[str], float]:
    """All of them accepted; statements and seconds."""
    papers = [paper(pages, f"small{number}") for number in range(documents)]
    said = count_statements()
    store = open_store(dsn, workdir, signing_key=KEY)
    before = time.perf_counter()
    for at in range(0, documents, size):
        files = []
        for number, content in enumerate(papers[at : at + size]):
            writer = store.blobs.new_writer()
            writer.write(content)
            files.append(NewDocument(name=f"{at + number}.pdf", blob=writer.commit(), options=ReadOptions()))
        submit_job(store, Scope(tenant="acme"), ACTOR, Submission(files, priority=Priority.JOB, quota=UNLIMITED))
    store.close()
    return Counter(said), time.perf_counter() - before


def _runtime(dsn: str, workdir: Path) -> Runtime:
    from quire.serve_apps.access.development import development_license

    _, keys = development_license(workdir, datetime.now(UTC))
    return Runtime(
        settings=parse_settings(os.environ, workdir=workdir),
        dsn=dsn,
        dsn_file=workdir / "dsn",
        base_url="http://127.0.0.1:8000",
        license_file=workdir / "license" / "development.token",
        license_keys=keys,
        signing_key=KEY,
    )


def _read(runtime: Runtime, stop: Any, answers: Any) -> None:
    """Run a reader in a separate process until stopped."""
    from quire.cluster.compose.reading import make_reader
    from quire.models.neural.fakes import ScriptedRecogniser

    said = count_statements()
    reader = make_reader(runtime, ScriptedRecogniser())
    reader.start()
    started = cpu_seconds(family(os.getpid()) - {os.getpid()})  # the fork server's imports: once, however many come
    before = resource.getrusage(resource.RUSAGE_SELF)
    stop.wait()
    after = resource.getrusage(resource.RUSAGE_SELF)
    reader.drain(20)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answers.put({"statements": said, "own": own, "children": children.ru_utime + children.ru_stime - started})


def _watch(dsn: str, documents: int) -> float:
    """Documents a second, from the tenth part finished to the last."""
    query = """select count(*), extract(epoch from max(finished_at) - percentile_disc(0.1) within group
               (order by finished_at))::float8 from documents where finished_at is not null"""
    with psycopg.connect(dsn, autocommit=True) as connection:
        while True:
            done, took = connection.execute(query).fetchall()[0]
            if done == documents:
                return float(round(documents * 0.9 / took, 1))
            time.sleep(0.5)


def _each(said: Counter[str], documents: int) -> dict[str, float]:
    return {name: round(count / documents, 3) for name, count in said.most_common() if count / documents >= 0.005}


if __name__ == "__main__":
    main()
