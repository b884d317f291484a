"""`make drill NAME=upgrade`: a store of 0.9.20 opens in this version while its readers go on; and back.

1. The code of then (from the history) makes a store: documents read, waiting, and held by a reader that is gone.
2. A dump is taken, and a checksum of everything.
3. Readers of then go on reading while this version's migrations run; readers of this version join and end the rest.
   Everything is counted: nothing lost, nothing ended or metered twice.
4. Rollback: the dump goes into an empty database, everything is what it was, and the code of then reads on.
Prints the report, exits 1 when a promise broke.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psycopg

from quire.storage.postgres.schema import HEAD, check_schema, migrate
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store, open_store
from quire.storage.values.ids import new_worker_id
from tests.lab.chaos.database import released
from tests.lab.chaos.database.checksums import files_of, tables_of
from tests.lab.chaos.database.servers import DatabaseServer, programs_in, server_folder
from tests.storage.scenes import submit, success

RELEASED = "bf5c4e95"
"""The last commit whose changelog begins with 0.9.20."""
OLD_READERS = 2
QUIET_S = 120.0  # seconds in which all must have ended
_CHECK = """
select count(*) as documents, count(*) filter (where d.status <> 'succeeded') as not_ended,
  count(*) filter (where m.times is distinct from 1) as not_metered_once,
  count(*) filter (where e.times is distinct from 1) as not_told_once,
  (select count(*) from jobs where n_succeeded <> n_total) as jobs_with_wrong_counts
from documents d
left join lateral (select count(*) as times from meter where document_id = d.id) m on true
left join lateral (select count(*) as times from events
                   where document_id = d.id and kind = 'document.finished') e on true
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs")
    parser.add_argument("--released", default=RELEASED, help="a commit of the history")
    parser.add_argument("--jobs", type=int, default=200)
    options = parser.parse_args()
    with server_folder() as folder:
        server = DatabaseServer(folder, programs_in(options.programs, folder))
        server.make({"max_connections": "100"})
        server.start()
        try:
            report = run(folder, server, check_out(options.released, folder / "then"), options.jobs)
        finally:
            server.stop()
    print(json.dumps(report | {"load": os.getloadavg()}, indent=1))
    return 0 if report["ok"] else 1


def check_out(commit: str, folder: Path) -> Path:
    """The sources of a commit, with the script that drives them."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    (folder / "released.py").write_text(Path(released.__file__).read_text())
    return folder


def run(folder: Path, server: DatabaseServer, then: Path, jobs: int) -> dict[str, Any]:
    dsn, files = new_database(server, "quire"), folder / "files"
    filled = told(start(then, "fill", dsn, files, jobs))
    before = {"tables": tables_of(dsn), "files": files_of(files)}
    dump = dump_of(server, dsn, folder)
    upgraded = upgrade(then, dsn, files, jobs)
    rolled = roll_back(then, server, dump, files, before)
    return {
        "released": then.name,
        "filled": filled,
        **upgraded,
        "rollback": rolled,
        "ok": not any(upgraded["broken"].values()) and rolled["same"] and not any(rolled["broken"].values()),
    }


def upgrade(then: Path, dsn: str, files: Path, jobs: int) -> dict[str, Any]:
    """Migrates while readers of then read and jobs come in; readers of now join."""
    running = [start(then, "read", dsn, files) for _ in range(OLD_READERS)]
    try:
        while not (files / "reading").exists():
            time.sleep(0.1)
        began = time.monotonic()
        migrate(dsn)
        took_s = time.monotonic() - began
        work_together(dsn, files, jobs // 4)
    finally:
        (files / "stop").touch()
    return {
        "schema": HEAD,
        "migration_s": round(took_s, 2),
        "readers_of_then": [told(one) for one in running],
        "broken": broken(dsn, (jobs + jobs // 4) * released.PER_JOB),
    }


def work_together(dsn: str, files: Path, jobs: int) -> None:
    """Submit jobs, and run a current reader next to the old readers until nothing is left."""
    store, stop = open_store(dsn, files, signing_key=released.KEY), threading.Event()
    check_schema(store.db)
    for _ in range(jobs):
        submit(store, released.PER_JOB)
    reader = threading.Thread(target=read, args=(store, stop))
    reader.start()
    wait_for_end(store)
    stop.set()
    reader.join()
    store.close()


def roll_back(then: Path, server: DatabaseServer, dump: Path, files: Path, before: dict[str, Any]) -> dict[str, Any]:
    """Restore the dump into an empty database and check that the old code continues there."""
    dsn = new_database(server, "rolled")
    call(server, "pg_restore", f"--dbname={dsn}", "--exit-on-error", "--single-transaction", dump)
    there = files_of(files)
    same = tables_of(dsn) == before["tables"] and {name: there.get(name) for name in before["files"]} == before["files"]
    (files / "stop").unlink()
    running = start(then, "read", dsn, files)
    store = open_store(dsn, files, signing_key=released.KEY)
    documents = store.db.fetch_all("select count(*) as n from documents")[0]["n"]
    try:
        wait_for_end(store)
    finally:
        store.close()
        (files / "stop").touch()
    return {"same": same, "reader": told(running), "broken": broken(dsn, documents)}


def read(store: Store, stop: threading.Event) -> None:
    queue = Queue(store.db, new_worker_id(), LeasePolicy(lease_s=4.0), store.signer)
    while not stop.is_set():
        claims = queue.claim_group(4)
        if claims:
            finish(store, [success(one) for one in claims])
        else:
            stop.wait(0.05)


def wait_for_end(store: Store) -> None:
    until = time.monotonic() + QUIET_S
    while store.db.fetch_all("select from documents where finished_at is null limit 1"):
        assert time.monotonic() < until, "documents wait for ever"
        time.sleep(0.2)


def broken(dsn: str, documents: int) -> dict[str, int]:
    with psycopg.connect(dsn, row_factory=psycopg.rows.dict_row) as connection:
        found = connection.execute(_CHECK).fetchone()
    assert found is not None
    return {"lost": documents - found.pop("documents"), **found}


def start(then: Path, act: str, dsn: str, files: Path, *rest: int) -> "subprocess.Popen[str]":
    """Start the old code in a separate process."""
    command = [sys.executable, "released.py", act, dsn, str(files), *map(str, rest)]
    variables = {**os.environ, "PYTHONPATH": str(then)}
    return subprocess.Popen(command, cwd=then, env=variables, stdout=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> dict[str, int]:
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0, "the code of then failed"
    answer: dict[str, int] = json.loads(out)
    return answer


def new_database(server: DatabaseServer, name: str) -> str:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return f"host={server.folder} port={server.port} user=quire dbname={name}"


def dump_of(server: DatabaseServer, dsn: str, folder: Path) -> Path:
    dump = folder / "database.dump"
    call(server, "pg_dump", f"--dbname={dsn}", "--format=custom", f"--file={dump}")
    return dump


def call(server: DatabaseServer, program: str, *arguments: object) -> None:
    subprocess.run([str(server.programs / program), *map(str, arguments)], check=True)


if __name__ == "__main__":
    sys.exit(main())
