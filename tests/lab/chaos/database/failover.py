"""`make drill NAME=failover`: documents flow while the primary is killed and its standby promoted by hand.

The standby is a synchronous one, as docs/operating.md asks for. Nothing here reads a document: what is shown is that
nothing accepted is lost and nothing ends twice. Prints the report, exits 1 when a promise broke.
"""

import argparse
import json
import os
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store, open_store
from quire.storage.values.errors import StorageError
from quire.storage.values.ids import new_worker_id
from tests.conftest import SIGNING_KEY
from tests.lab.chaos.database.servers import FIRST_PORT, DatabaseServer, programs_in, server_folder
from tests.storage.scenes import submit, success

READERS = 3
PER_JOB = 5
GROUP = 4  # documents of one claim
LEASE = LeasePolicy(lease_s=4.0)
QUIET_S = 120.0  # seconds after the promotion in which all must have ended
PRIMARY = {
    "wal_level": "replica",
    "max_wal_senders": "4",
    "synchronous_commit": "on",
    "max_connections": "100",
}
STANDBY = {"hot_standby": "on", "max_connections": "100"}
_CHECK = """
select count(*) filter (where d.id is null) as lost, count(*) filter (where d.status <> 'succeeded') as not_ended,
  count(*) filter (where m.times <> 1) as not_metered_once, count(*) filter (where e.times <> 1) as not_told_once
from unnest(%s::text[]) as accepted(job_id)
left join documents d on d.job_id = accepted.job_id
left join lateral (select count(*) as times from meter where document_id = d.id) m on true
left join lateral (select count(*) as times from events
                   where document_id = d.id and kind = 'document.finished') e on true
"""


@dataclass
class FailoverLedger:
    """Accepted jobs, and the outage as clients saw it."""

    jobs: list[str] = field(default_factory=list)
    refused: int = 0
    refused_ends: int = 0
    first_after: float | None = None
    promoted_at: float | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs")
    parser.add_argument("--jobs", type=int, default=200)
    options = parser.parse_args()
    with server_folder() as folder:
        report = run(folder, programs_in(options.programs, folder), options.jobs)
    print(json.dumps(report, indent=1))
    return 0 if report["ok"] else 1


def run(folder: Path, programs: Path, jobs: int) -> dict[str, Any]:
    primary, standby = DatabaseServer(folder, programs), DatabaseServer(folder, programs, FIRST_PORT + 1)
    primary.make(PRIMARY)
    primary.start()
    with psycopg.connect(primary.dsn, autocommit=True) as connection:
        connection.execute("create database quire")
    migrate(f"host={folder} port={primary.port} user=quire dbname=quire")
    standby.copy_from(primary, STANDBY)
    standby.start()
    with psycopg.connect(primary.dsn, autocommit=True) as connection:
        connection.execute("alter system set synchronous_standby_names = '*'")
        connection.execute("select pg_reload_conf()")
        version = connection.info.server_version
    try:
        ledger = flow(folder, primary, standby, jobs)
        return report_on(both(folder, primary, standby), ledger, version)
    finally:
        standby.stop()
        primary.stop()


def both(folder: Path, primary: DatabaseServer, standby: DatabaseServer) -> str:
    """A DSN that names both servers and takes the one that may be written to."""
    return (
        f"host={folder},{folder} port={primary.port},{standby.port} user=quire dbname=quire"
        " target_session_attrs=read-write"
    )


def flow(folder: Path, primary: DatabaseServer, standby: DatabaseServer, jobs: int) -> FailoverLedger:
    """Submits `jobs` jobs while readers end them; after a third of them the primary dies."""
    store = open_store(both(folder, primary, standby), folder / "files", signing_key=SIGNING_KEY)
    ledger, stop = FailoverLedger(), threading.Event()
    readers = [threading.Thread(target=read, args=(store, ledger, stop)) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    taken_over = threading.Thread(target=take_over, args=(primary, standby, ledger))
    for number in range(jobs):
        if number == jobs // 3:
            taken_over.start()
        accept(store, ledger)
    taken_over.join()
    wait_for_end(store)
    stop.set()
    for reader in readers:
        reader.join()
    store.close()
    return ledger


def take_over(primary: DatabaseServer, standby: DatabaseServer, ledger: FailoverLedger) -> None:
    primary.kill()
    standby.promote()
    ledger.promoted_at = time.monotonic()


def accept(store: Store, ledger: FailoverLedger) -> None:
    """One job; tried until it is accepted, as a client would."""
    while True:
        try:
            ledger.jobs.append(submit(store, PER_JOB).id)
        except StorageError:
            ledger.refused += 1
            time.sleep(0.1)
            continue
        if ledger.promoted_at is not None and ledger.first_after is None:
            ledger.first_after = time.monotonic()
        return


def read(store: Store, ledger: FailoverLedger, stop: threading.Event) -> None:
    """A reader without a sandbox: groups are claimed and ended, an end that failed is said again."""
    queue = Queue(store.db, new_worker_id(), LEASE, store.signer)
    while not stop.is_set():
        try:
            claims = queue.claim_group(GROUP)
        except StorageError:
            stop.wait(0.1)
            continue
        if not claims:
            stop.wait(0.05)
            continue
        while not stop.is_set():
            try:
                ledger.refused_ends += finish(store, [success(claim, 1) for claim in claims]).count(False)
                break
            except StorageError:
                stop.wait(0.1)


def wait_for_end(store: Store) -> None:
    until = time.monotonic() + QUIET_S
    while time.monotonic() < until:
        try:
            left = store.db.fetch_all("select count(*) as left from documents where finished_at is null")
        except StorageError:
            left = []
        if left and left[0]["left"] == 0:
            return
        time.sleep(0.2)


def report_on(dsn: str, ledger: FailoverLedger, version: int) -> dict[str, Any]:
    with psycopg.connect(dsn, row_factory=psycopg.rows.dict_row) as connection:
        found = connection.execute(_CHECK, (ledger.jobs,)).fetchone()
        twice = connection.execute("select count(*) as n from jobs where n_succeeded <> n_total").fetchone()
    assert found is not None
    assert twice is not None
    broken = {**found, "jobs_with_wrong_counts": twice["n"]}
    gap = (ledger.first_after or 0) - (ledger.promoted_at or 0)
    return {
        "server": version,
        "accepted_documents": len(ledger.jobs) * PER_JOB,
        "refused_submits": ledger.refused,
        "ends_refused_by_the_fence": ledger.refused_ends,
        "seconds_from_promotion_to_the_next_accepted": round(gap, 2),
        "broken": broken,
        "load": os.getloadavg(),
        "ok": not any(broken.values()) and ledger.promoted_at is not None,
    }


if __name__ == "__main__":
    sys.exit(main())
