"""`python -m tests.lab.chaos.head`: the head of a cluster dies while documents flow, and comes back.

Two machines with two readers each and a head, whose state is in a folder (`RAY_gcs_storage=rocksdb`). The head is
killed outright when a fifth of the documents has ended and started again some seconds later by the same command;
`quire up` is not run again. Prints what the others ended without it, how long the API was away and whether the cluster
works as before (a job, `quire up` again, `quire status`), writes bench-results/head.json, exits 1 when a document was
lost, ended twice, was metered twice or waits for ever.
"""

import argparse
import os
import sys
import time
from contextlib import suppress
from typing import Any

from tests.lab.bench.client import Client
from tests.lab.chaos import checker
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for
from tests.lab.chaos.nodes import submit_all, wait_until_left

SETTINGS = {"SVC_WORKERS": "4", "SVC_LEASE_S": "20", "SVC_BEAT_S": "5", "SVC_MAX_BATCH_FILES": "100"}
AWAY_S = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--away", type=float, default=AWAY_S)
    arguments = parser.parse_args()
    with on_this_host(SETTINGS) as machines:
        state = machines.folder / "head-state"
        machines.settings = SETTINGS | {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": str(state)}
        machines.start()
        for name in ("one", "two"):
            machines.join(name, 2)
        machines.serve()
        report = run(machines, arguments.documents, arguments.seed, arguments.away)
    return checker.tell(report, "head")


def run(machines: Machines, documents: int, seed: int, away_s: float) -> dict[str, Any]:
    """Submit, kill the head, start it again, wait for calm, submit again, check."""
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    report: dict[str, Any] = {"documents": documents, "load": os.getloadavg()}
    accepted = submit_all(client, documents, seed)
    wait_until_left(machines.dsn, documents * 4 // 5)
    left = checker.unfinished(machines.dsn)
    machines.kill("head")
    killed = time.monotonic()
    time.sleep(away_s)
    report["ended_without_head"] = left - checker.unfinished(machines.dsn)
    machines.lead()
    report["head_back_after_s"] = round(time.monotonic() - killed, 1)
    wait_for(lambda: _answers(client), 300, "the API does not come back")
    report["api_back_after_s"] = round(time.monotonic() - killed, 1)
    wait_until_left(machines.dsn, 0)
    accepted |= submit_all(client, documents // 10, seed + 1)
    wait_until_left(machines.dsn, 0)
    machines.serve()
    report["status"] = machines.quire("status", name="up").stdout.splitlines()
    verdict = checker.check(machines.dsn, accepted)
    return report | {"ok": verdict.ok(), "verdict": vars(verdict)}


def _answers(client: Client) -> bool:
    with suppress(OSError, AssertionError):
        return bool(client.json("GET", "/v1/health"))
    return False


if __name__ == "__main__":
    sys.exit(main())
