"""Run by hand: `python -m tests.lab.chaos.uploads [PORT] [UPLOADS]`. The API dies at a random byte of uploads.

Afterwards every job in the database must have its originals, every job that the client was given must be there, and the
sweeper must leave no unreferenced file.
"""

import http.client
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from quire.storage.store import open_store
from quire.storage.upkeep.reconcile import reconcile
from tests.lab.bench.client import form
from tests.lab.bench.processes import family
from tests.lab.chaos.service import Service, start, stop

CLIENTS = 4


def main() -> int:
    port, uploads = (int(text) for text in (sys.argv[1:] + ["18391", "500"][len(sys.argv) - 1 :]))
    workdir = Path(tempfile.mkdtemp(prefix="qu", dir="/tmp"))
    workdir.chmod(0o711)
    service = start(workdir, port, SVC_WORKERS="0")
    try:
        facts = storm(service, uploads)
    finally:
        stop(service)
        shutil.rmtree(workdir, ignore_errors=True)
    print(json.dumps(facts, indent=1))
    return 1 if facts["jobs_without_original"] or facts["lost"] or facts["orphans_after_sweep"] else 0


def storm(service: Service, uploads: int) -> dict[str, int]:
    """Report the uploads sent, the kills, the accepted jobs, and the errors found afterwards."""
    told: set[str] = set()
    left, lock, ended = iter(range(uploads)), threading.Lock(), threading.Event()
    kills = [0]

    def send() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            job = _upload(service, random.randbytes(random.randint(1, 2_000_000)))
            if job:
                told.add(job)

    clients = [threading.Thread(target=send) for _ in range(CLIENTS)]
    killer = threading.Thread(target=_kill_at_random, args=(service, ended, kills))
    for thread in (*clients, killer):
        thread.start()
    for thread in clients:
        thread.join()
    ended.set()
    killer.join()
    return {"uploads": uploads, "kills": kills[0], "accepted": len(told)} | _judge(service, told)


def _kill_at_random(service: Service, ended: threading.Event, kills: list[int]) -> None:
    """Only what answers is killed: replicas killed while they start are brought back ever more slowly."""
    while not ended.wait(random.uniform(0.2, 2.0)):
        if _answers(service):
            time.sleep(random.uniform(0, 0.5))
            for pid in _replicas(service):
                os.kill(pid, signal.SIGKILL)
                kills[0] += 1


def _judge(service: Service, told: set[str]) -> dict[str, int]:
    with psycopg.connect(service.dsn) as connection:
        jobs = {row[0] for row in connection.execute("select id from jobs")}
        kept = {row[0] for row in connection.execute("select distinct sha256 from documents where sha256 is not null")}
    store = open_store(service.dsn, service.workdir, signing_key=bytes(32))
    time.sleep(1.1)
    try:
        missing = reconcile(store, repair=False).missing_originals
        partials = store.blobs.sweep(1.0)
        orphans = reconcile(store, grace_s=1.0).orphan_blobs
    finally:
        store.close()
    files = sum(path.is_file() for path in (service.workdir / "blobs").rglob("*"))
    return {
        "jobs": len(jobs),
        "lost": len(told - jobs),
        "jobs_without_original": len(missing),
        "partial_files_swept": partials,
        "orphans_swept": len(orphans),
        "orphans_after_sweep": files - len(kept),
    }


def _replicas(service: Service) -> list[int]:
    found = []
    for pid in family(service.session):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"ServeReplica:api:api" in command:
            found.append(pid)
    return found


def _answers(service: Service) -> bool:
    parts = urlsplit(service.base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=2)
    try:
        connection.request("GET", "/v1/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _upload(service: Service, content: bytes) -> str | None:
    """The job's id when a 201 came back."""
    parts = urlsplit(service.base_url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    body, kind = form("files", [b"%PDF-1.7\n" + content])
    try:
        connection.request("POST", "/v1/jobs", body, {"X-API-Key": service.token, "Content-Type": kind})
        answer = connection.getresponse()
        data = answer.read()
        return str(json.loads(data)["id"]) if answer.status == 201 else None
    except (OSError, http.client.HTTPException):
        time.sleep(0.2)
        return None
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
