"""`make cluster-demo`: a cluster of four machines on this host that is killed, cut and scaled while documents flow.

A head with its state on disk, two machines with CPUs and one with the label of a GPU machine, and the service with a
reader pool from zero. 300 PDFs go in by HTTP and 60 by `ray job submit`. Then a machine, Ray of another, the head and
the database die one after the other, a machine leaves and a new one joins. Prints the report, writes
bench-results/demo.json, exits 1 when a document was lost, ended twice, was metered twice, or waits for ever. Machines
share this host, so wall times say little.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from quire.cluster.machine.ports import is_free
from tests.lab.bench.client import Client
from tests.lab.chaos import checker
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for
from tests.lab.chaos.nodes import submit_all, wait_until_left
from tests.lab.chaos.papers import make_paper

SETTINGS = {
    "SVC_BACKGROUND": "1", "SVC_WORKERS_MIN": "0", "SVC_WORKERS_MAX": "4", "SVC_LEASE_S": "20", "SVC_BEAT_S": "5",
    "SVC_MAX_BATCH_FILES": "100",
}  # fmt: skip
AWAY_S = 15.0  # seconds without a head, and without a database


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--bulk", type=int, default=60)
    chosen = parser.parse_args()
    with on_this_host(SETTINGS, gcs_from=6590, http_from=8950) as machines:
        state = machines.folder / "head-state"
        machines.settings = SETTINGS | {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": str(state)}
        machines.dashboard_port = next(port for port in range(8500, 8600, 2) if is_free(port) and is_free(port + 1))
        machines.start()
        for name, labels in (("one", ()), ("two", ()), ("gpu", ("accelerator=cuda",))):
            machines.join(name, 2, *labels)
        machines.serve()
        report = run(machines, chosen.documents, chosen.bulk)
    return checker.tell(report, "demo")


def run(machines: Machines, documents: int, bulk: int) -> dict[str, Any]:
    """Send documents, disturb the cluster, and compare what came out with what was sent."""
    begun, load = time.monotonic(), os.getloadavg()
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    accepted = submit_all(client, documents // 10, 0)
    wait_until_left(machines.dsn, 0)
    first_s = round(time.monotonic() - begun)
    silent = {}
    disturbances = _list_disturbances(machines)
    share = documents // len(disturbances)
    with ThreadPoolExecutor(1) as side:
        job = side.submit(_extract_by_job, machines, bulk)
        for seed, (name, disturb) in enumerate(disturbances, start=1):
            accepted |= submit_all(client, share, seed)
            wait_until_left(machines.dsn, share * 3 // 4)
            print(f"{time.monotonic() - begun:.0f} s, {checker.unfinished(machines.dsn)} open: {name}", flush=True)
            disturb()
            silent[name] = _wait_for_answer(client)
        wait_until_left(machines.dsn, 0)
        bulk_facts = job.result()
    verdict = checker.check(machines.dsn, accepted)
    return {
        "documents": len(accepted), "load": [load[0], os.getloadavg()[0]], "took_s": round(time.monotonic() - begun),
        "first_documents_from_zero_readers_s": first_s, "api_silent_after_s": silent,
        "bulk": bulk_facts, "status": machines.quire("status", name="up").stdout.splitlines(),
        "ok": verdict.ok() and bulk_facts["read"] == bulk, "verdict": vars(verdict),
    }  # fmt: skip


def _list_disturbances(machines: Machines) -> list[tuple[str, Callable[[], object]]]:
    """Return what happens, each while documents are open."""

    def return_head() -> None:
        machines.kill("head")
        time.sleep(AWAY_S)
        machines.lead()

    return [
        ("machine killed", lambda: machines.kill("one")),
        ("machine joins", lambda: machines.join("three", 2)),
        ("Ray of a machine killed", lambda: machines.crash("two")),
        ("head killed and back", return_head),
        ("database killed and back", lambda: machines.restart_database(AWAY_S)),
        ("machine leaves", lambda: machines.leave("three")),
    ]


def _extract_by_job(machines: Machines, count: int) -> dict[str, Any]:
    """Run `bulk_extract` over `count` files on the same cluster; return its summary."""
    corpus = machines.folder / "corpus"
    corpus.mkdir()
    for number in range(count):
        paper = make_paper(3, number, pages=1)
        (corpus / paper.name).write_bytes(paper.data)
    line = ("python", "-m", "quire.cluster.jobs.bulk_extract", str(corpus), "-o", str(machines.folder / "results"))
    for _ in range(3):  # a job ends with its head; the next one resumes
        done = machines.submit(*line, "--to", "markdown", cwd=machines.folder)
        if done.returncode == 0:
            break
        wait_for(lambda: "head" in machines.running, 300, "the head does not come back")
        time.sleep(AWAY_S)
    summaries = [text for text in done.stdout.splitlines() if text.startswith("{") and text.endswith("}")]
    written = len(list(Path(machines.folder / "results").rglob("*.md")))
    return {
        "read": written,
        "last": json.loads(summaries[-1]) if summaries else done.stdout[-800:] + done.stderr[-800:],
    }


def _wait_for_answer(client: Client) -> float:
    """Return the seconds until the API answers."""
    started = time.monotonic()

    def answers() -> bool:
        with suppress(OSError, AssertionError):
            return bool(client.json("GET", "/v1/health"))
        return False

    wait_for(answers, 300, "the API does not come back")
    return round(time.monotonic() - started, 1)


if __name__ == "__main__":
    sys.exit(main())
