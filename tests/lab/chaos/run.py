"""`make drill NAME=kills`: documents flow while readers, children, API replicas and backends die.

Prints the report, writes bench-results/chaos.json, exits 1 when a promise broke.
Repeatable by seed up to the kernel's scheduling.
"""

import argparse
import dataclasses
import json
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.lab.bench.results import save_results
from tests.lab.chaos import checker, processes
from tests.lab.chaos.faults import Plan, Storm
from tests.lab.chaos.ledger import HealthWatch, Ledger
from tests.lab.chaos.papers import make_paper, make_papers
from tests.lab.chaos.service import Service, start, stop

CALM_S = 240.0


def main() -> int:
    arguments = _arguments()
    workdir = Path(tempfile.mkdtemp(prefix="qchaos-"))
    service = start(workdir, arguments.port)
    try:
        report = storm(service, arguments)
        report["memory_kill"] = kill_one_for_memory(service)
    finally:
        stop(service)
        shutil.rmtree(workdir, ignore_errors=True)
    save_results("chaos", report)
    print(json.dumps(report, indent=1))
    return 0 if report["ok"] and report["memory_kill"]["ok"] else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--stops", type=int, default=20)
    parser.add_argument("--backend-kills", type=int, default=20)
    parser.add_argument("--crashes", type=int, default=2, help="of the database")
    parser.add_argument("--over", type=float, default=180.0, help="seconds over which documents are submitted")
    parser.add_argument("--port", type=int, default=18700)
    return parser.parse_args()


def storm(service: Service, arguments: argparse.Namespace) -> dict[str, Any]:
    """Submit and break things side by side, wait for calm, then check."""
    ledger = Ledger(service.base_url, service.token)
    papers = make_papers(arguments.seed, arguments.documents)
    plan = Plan(
        kills=arguments.kills,
        stops=arguments.stops,
        backend_kills=arguments.backend_kills,
        crashes=arguments.crashes,
    )
    faults = Storm(service.session, service.dsn, plan, arguments.seed)
    client = threading.Thread(target=ledger.submit_all, args=(papers,), kwargs={"batch": 4, "over_s": arguments.over})
    began = time.monotonic()
    client.start()
    faults.run()
    client.join()
    calm_after = wait_for_calm(service.dsn)
    verdict = checker.check(service.dsn, ledger.accepted)
    return {
        "seed": arguments.seed,
        "documents": len(ledger.accepted),
        "faults": dict(faults.done),
        "refused_submits": ledger.refused,
        "seconds": round(time.monotonic() - began, 1),
        "calm_after_s": calm_after,
        "attempts": attempts(service.dsn),
        "verdict": dataclasses.asdict(verdict),
        "ok": verdict.ok() and calm_after is not None,
    }


def wait_for_calm(dsn: str) -> float | None:
    """Seconds until nothing is queued or running; None when something is stuck after CALM_S without progress."""
    began = moved = time.monotonic()
    left = checker.unfinished(dsn)
    while left:
        time.sleep(0.5)
        now_left = checker.unfinished(dsn)
        if now_left != left:
            left, moved = now_left, time.monotonic()
        if time.monotonic() - moved > CALM_S:
            return None
    return round(time.monotonic() - began, 1)


def attempts(dsn: str) -> dict[str, int]:
    """Count documents by number of charged starts."""
    import psycopg

    with psycopg.connect(dsn) as connection:
        rows = connection.execute("select attempts, count(*) from documents group by 1 order by 1").fetchall()
    return {str(starts): int(count) for starts, count in rows}


def kill_one_for_memory(service: Service) -> dict[str, Any]:
    """Kill a reader like the out-of-memory killer (SIGKILL), each time it reads one long document."""
    watch = HealthWatch(service.base_url)
    thread = threading.Thread(target=watch.run)
    thread.start()
    ledger = Ledger(service.base_url, service.token)
    ledger.submit_all([make_paper(0, 9999, pages=1500)], batch=1, over_s=0)
    (document_id,) = ledger.accepted
    kills = 0
    deadline = time.monotonic() + 600
    while kills < 12 and time.monotonic() < deadline and _state(service.dsn, document_id)[0] in ("queued", "running"):
        victim = _reader_of(service, document_id)
        if victim is not None:
            kills += processes.send(victim, signal.SIGKILL)
        time.sleep(0.2)
    watch.stop.set()
    thread.join()
    status, error = _state(service.dsn, document_id)
    return {
        "reader_kills": kills,
        "document": status,
        "error": error,
        "health": dict(Counter(asked=watch.asked, errors_5xx=watch.errors_5xx, no_answer=watch.no_answer)),
        "ok": status == "failed" and error == "worker-killed" and watch.errors_5xx == 0,
    }


def _reader_of(service: Service, document_id: str) -> processes.Process | None:
    """The reader that holds the document: its child is the one burning CPU; any reader while the phase is `reading`."""
    import psycopg

    with psycopg.connect(service.dsn) as connection:
        row = connection.execute(
            "select worker from tasks where document_id = %s and state = 'running' and phase = 'reading'", [document_id]
        ).fetchone()
    if row is None:
        return None
    busy = [p for p in processes.children(service.session) if _cpu_seconds(p.pid) > 0.3]
    parents = {p.parent for p in busy}
    servers = [p for p in processes.processes_of_session(service.session) if p.pid in parents]
    owners = {p.parent for p in servers}
    return next((p for p in processes.readers(service.session) if p.pid in owners), None)


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def _state(dsn: str, document_id: str) -> tuple[str, str | None]:
    import psycopg

    with psycopg.connect(dsn) as connection:
        row = connection.execute("select status, error from documents where id = %s", [document_id]).fetchone()
    assert row is not None
    return str(row[0]), row[1]


if __name__ == "__main__":
    sys.exit(main())
