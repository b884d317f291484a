"""`python -m tests.lab.chaos.nodes`: machines of a cluster die and leave while documents flow.

Three machines with two readers each. One is killed outright when a fifth of the documents has ended, one leaves on
SIGTERM at two fifths, and a new one joins. The third is then cut off for longer than a lease and than Ray waits for a
node, and comes back in the belief that it still holds its documents. Prints the report, writes
bench-results/nodes.json, exits 1 when a document was lost, ended twice, was metered twice or waits for ever. Machines
share this host, so wall times say little.
"""

import argparse
import os
import sys
import time
from typing import Any

import psycopg

from tests.lab.bench.client import Client
from tests.lab.chaos import checker
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for
from tests.lab.chaos.papers import Paper, make_paper

SETTINGS = {
    "SVC_WORKERS": "6", "SVC_LEASE_S": "6", "SVC_BEAT_S": "2", "SVC_RETRY_DELAYS_S": "1,2", "SVC_MAX_BATCH_FILES": "100"
}  # fmt: skip
JOB = 50
PARTED_S = 60.0
"""A lease here is 6 seconds; Ray takes a node for dead after about half a minute without a word."""
CALM_S = 10.0
"""After which the killed machine's leases have ended and its documents are with others."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with on_this_host(SETTINGS) as machines:
        machines.start()
        for name in ("one", "two", "three"):
            machines.join(name, 2)
        machines.serve()
        report = run(machines, arguments.documents, arguments.seed)
    return checker.tell(report, "nodes")


def run(machines: Machines, documents: int, seed: int) -> dict[str, Any]:
    """Submit all, lose machines on the way, wait for calm, check."""
    begun, load = time.monotonic(), os.getloadavg()
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    accepted = submit_all(client, documents, seed)
    report: dict[str, Any] = {"documents": len(accepted), "load_before": load}
    wait_until_left(machines.dsn, documents * 4 // 5)
    report["running_at_kill"] = _running(machines.dsn)
    machines.kill("one")
    time.sleep(CALM_S)
    wait_until_left(machines.dsn, documents * 3 // 5)
    before = _lapses(machines.dsn)
    report["left_with"] = machines.leave("two")
    report["lapses_by_leaving"] = _lapses(machines.dsn) - before
    machines.join("four", 2)
    wait_until_left(machines.dsn, 0)
    accepted |= submit_all(client, documents, seed + 1)
    report["parting"] = _cut_off(machines, "three", documents)
    wait_until_left(machines.dsn, 0)
    report["documents"] = len(accepted)
    verdict = checker.check(machines.dsn, accepted)
    return report | {
        "took_s": round(time.monotonic() - begun), "load_after": os.getloadavg(), "ok": verdict.ok(),
        "read_again": _read_again(machines.dsn), "verdict": vars(verdict),
    }  # fmt: skip


def _cut_off(machines: Machines, name: str, documents: int) -> dict[str, int]:
    """A machine is away for PARTED_S while documents flow; what it held then, and what the others ended meanwhile."""
    wait_until_left(machines.dsn, documents * 4 // 5)
    running, left = _running(machines.dsn), checker.unfinished(machines.dsn)
    machines.part(name)
    time.sleep(PARTED_S)
    ended = left - checker.unfinished(machines.dsn)
    machines.rejoin(name)
    return {"running": running, "left": left, "ended_without_it": ended}


def submit_all(client: Client, documents: int, seed: int) -> dict[str, Paper]:
    accepted: dict[str, Paper] = {}
    for first in range(0, documents, JOB):
        papers = [make_paper(seed, n, pages=1 + n % 3) for n in range(first, min(first + JOB, documents))]
        job = client.submit([paper.data for paper in papers])
        rows = client.json("GET", f"/v1/jobs/{job}/documents?limit={JOB}")
        assert len(rows) == len(papers)
        accepted |= {row["document_id"]: papers[int(row["source_file"].removesuffix(".pdf"))] for row in rows}
    return accepted


def wait_until_left(dsn: str, left: int, seconds: float = 900) -> None:
    wait_for(lambda: checker.unfinished(dsn) <= left, seconds, f"more than {left} documents are still open")


def _running(dsn: str) -> int:
    return _count(dsn, "select count(*) from tasks where state = 'running'")


def _lapses(dsn: str) -> int:
    """Documents that were claimed more than once so far: their reader went without giving them back."""
    return _count(dsn, "select count(*) from tasks where state = 'running' and lapses + starts > 1") + _read_again(dsn)


def _read_again(dsn: str) -> int:
    return _count(dsn, "select count(*) from documents where published_attempt > 1")


def _count(dsn: str, sql: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    sys.exit(main())
