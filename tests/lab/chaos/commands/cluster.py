"""`make cluster-demo`: a cluster of four machines on this host that is killed, cut and scaled while documents flow.

A head with its state on disk, two machines with CPUs and one with the label of a GPU machine, and the service with a
reader pool from zero. 300 PDFs go in by HTTP and 60 by `ray job submit`. Then a machine, Ray of another, the head and
the database die one after the other, a machine leaves and a new one joins. Prints the report, writes
bench-results/demo.json, exits 1 when a document was lost, ended twice, was metered twice, or waits for ever. Machines
share this host, so wall times say little.

`--rounds 20` instead kills a machine, the GPU machine and the head (which returns) twenty times each while documents
flow. After each head it waits until no replica has changed for a minute and reports resources held by no process.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from quire.cluster.machine.ports import is_free
from tests.lab.bench.client import Client
from tests.lab.chaos import checker
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for
from tests.lab.chaos.nodes import submit_all, wait_until_left
from tests.lab.chaos.papers import Paper, make_paper
from tests.lab.sim.dashboard import watch

SETTINGS = {
    "SVC_BACKGROUND": "1", "SVC_WORKERS_MIN": "0", "SVC_WORKERS_MAX": "4", "SVC_LEASE_S": "20", "SVC_BEAT_S": "5",
    "SVC_MAX_BATCH_FILES": "100", "SVC_METRICS": "1",
}  # fmt: skip
AWAY_S = 15.0  # seconds without a head, and without a database


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--bulk", type=int, default=60)
    parser.add_argument("--pictures", type=Path, metavar="PAGE", help="write what the dashboard shows of it as HTML")
    parser.add_argument("--rounds", type=int, default=0, help="of kills of a machine, the GPU machine and the head")
    chosen = parser.parse_args()
    with on_this_host(SETTINGS, gcs_from=6590, http_from=8950) as machines:
        state = machines.folder / "head-state"
        machines.settings = SETTINGS | {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": str(state)}
        machines.dashboard_port = next(port for port in range(8500, 8600, 2) if is_free(port) and is_free(port + 1))
        machines.start()
        for name, labels in (("one", ()), ("two", ()), ("gpu", ("accelerator=cuda",))):
            machines.join(name, 2, *labels)
        machines.serve()
        pictures: Any = nullcontext()
        if chosen.pictures:
            pictures = watch(machines.http_port, machines.dashboard_port + 100, machines.folder, chosen.pictures)
        with pictures:
            if chosen.rounds:
                report = kill_in_rounds(machines, chosen.documents, chosen.rounds)
            else:
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
            accepted |= _submit_patiently(client, share, seed)
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


def kill_in_rounds(machines: Machines, documents: int, rounds: int) -> dict[str, Any]:
    """Kill a machine, the GPU machine and the head in turn while documents flow; count resources held by no process."""
    begun, load = time.monotonic(), os.getloadavg()
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    accepted: dict[str, Paper] = {}
    held: list[list[str]] = []
    share = max(1, documents // (3 * rounds))
    with _Silence(client) as silence:
        for number in range(rounds):
            for name, labels in (("one", ()), ("gpu", ("accelerator=cuda",)), ("head", None)):
                accepted |= _submit_patiently(client, share, len(accepted))
                machines.kill(name)
                time.sleep(AWAY_S)
                if labels is None:
                    machines.lead()
                else:
                    machines.join(name, 2, *labels)
                print(f"{time.monotonic() - begun:.0f} s, round {number}, {name}: {silence.longest_s}", flush=True)
            wait_until_left(machines.dsn, 0)
            held.append(_wait_for_held(client))
            print(f"{time.monotonic() - begun:.0f} s, round {number}: held {held[-1]}", flush=True)
    verdict = checker.check(machines.dsn, accepted)
    return {
        "documents": len(accepted), "load": [load[0], os.getloadavg()[0]], "took_s": round(time.monotonic() - begun),
        "rounds": rounds, "rounds_with_held": sum(map(bool, held)), "held": held,
        "api_silent_s": silence.longest_s, "ok": verdict.ok() and not any(held), "verdict": vars(verdict),
    }  # fmt: skip


def _submit_patiently(client: Client, documents: int, seed: int) -> dict[str, Paper]:
    """Submit as a program does that tries again; a refused job is not in the ledger."""
    while True:
        try:
            return submit_all(client, documents, seed)
        except (OSError, HTTPException, AssertionError):
            time.sleep(1)


def _wait_for_held(client: Client) -> list[str]:
    """Return warnings of resources held by no process, after 70 s for replicas to change and a minute of rest."""
    time.sleep(130)
    _wait_for_answer(client, "/v1/health?deep=true")
    warnings = client.json("GET", "/v1/health?deep=true")["cluster"]["warnings"]
    return [text for text in warnings if "held by no process" in text]


class _Silence:
    """Asks for the health four times a second, and keeps the longest time without any answer, an error's included."""

    def __init__(self, client: Client) -> None:
        self._client, self._ended = client, threading.Event()
        self.longest_s = 0.0
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "_Silence":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _ask(self) -> None:
        answered = time.monotonic()
        while not self._ended.wait(0.25):
            with suppress(OSError, HTTPException):
                connection = self._client.connect()
                connection.timeout = 2
                self._client.call(connection, "GET", "/v1/health")
                answered = time.monotonic()
            self.longest_s = max(self.longest_s, round(time.monotonic() - answered, 1))


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


def _wait_for_answer(client: Client, path: str = "/v1/health") -> float:
    """Return the seconds until the API answers as it should."""
    started = time.monotonic()

    def answers() -> bool:
        with suppress(OSError, AssertionError):
            return bool(client.json("GET", path))
        return False

    wait_for(answers, 300, "the API does not come back")
    return round(time.monotonic() - started, 1)


if __name__ == "__main__":
    sys.exit(main())
