"""`make drill NAME=disk` (as root: it mounts a small file system): the disk of the database is full, then has room.

Twice: for rows, where the server refuses, and for its log, where it stops and is started again as the supervisor does.
Uploads must be refused and readers must wait; afterwards everything accepted is there and ends once. Exits 1 otherwise.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.store import Store, open_store
from quire.storage.values.errors import StorageError
from tests.conftest import SIGNING_KEY
from tests.storage.scenes import submit, success, worker

SIZE_MB = 260  # of the file system: an empty database takes a quarter of it
FULL_S = 10.0  # seconds of work on a full disk
SOON_S = 60.0  # seconds after which work must go on
OPEN = 100  # documents accepted before


def main() -> int:
    reports = []
    for log in (False, True):
        with small_disk() as disk, tempfile.TemporaryDirectory() as files:
            reports.append({"full_for": "log" if log else "rows", **run(disk, Path(files), log=log)})
    print(json.dumps(reports, indent=1))
    return 0 if all(report["ok"] for report in reports) else 1


@contextmanager
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="qd", dir="/tmp") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=711", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def run(disk: Path, files: Path, *, log: bool) -> dict[str, Any]:
    server = EmbeddedPostgres(disk / "w")
    try:
        dsn = server.start()
        migrate(dsn)
        store = open_store(dsn, files, signing_key=SIGNING_KEY)
        accepted: list[str] = [submit(store, OPEN).id]
        with taken_up(disk):
            if log:
                use_up_log(dsn)
            said = work(store, accepted)
            went_on = server.is_running()
        again_s = until_accepted(store, server, accepted)
        told = settle(store, accepted)
        store.close()
    finally:
        server.stop()
    kept_its_word = not told["lost"] and told["ended"] == told["metered"] == told["documents"]
    return {"said": said, "server_ran_on": went_on, "accepts_again_after_s": again_s, **told, "ok": kept_its_word}


@contextmanager
def taken_up(disk: Path) -> Iterator[None]:
    """No byte is free."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 16))
    try:
        yield
    finally:
        ballast.unlink()


def use_up_log(dsn: str) -> None:
    """The log wants a new file; for want of room the server stops."""
    with suppress(psycopg.Error), psycopg.connect(dsn, autocommit=True) as connection:
        for _ in range(20):
            connection.execute("select pg_switch_wal()")
            connection.execute("select pg_logical_emit_message(true, 'a', 'word')")


def work(store: Store, accepted: list[str]) -> dict[str, int]:
    """Count the answers to uploads and to a reader meanwhile."""
    said, queue = Counter[str](), worker(store)
    until = time.monotonic() + FULL_S
    while time.monotonic() < until:
        try:
            accepted.append(submit(store, 50).id)
            said["accepted"] += 1
        except StorageError as error:
            said[f"upload: {error}"] += 1
        try:
            said["ended"] += sum(finish(store, [success(one) for one in queue.claim_group(4)]))
        except StorageError as error:
            said[f"reader: {error}"] += 1
        time.sleep(0.1)
    return dict(said)


def until_accepted(store: Store, server: EmbeddedPostgres, accepted: list[str]) -> float:
    started = time.monotonic()
    while True:
        try:
            accepted.append(submit(store).id)
            return round(time.monotonic() - started, 1)
        except StorageError:
            assert time.monotonic() - started < SOON_S, "there is room, and nothing is accepted"
        if not server.is_running():
            server.start()  # as the supervisor does
        time.sleep(0.2)


def settle(store: Store, accepted: list[str]) -> dict[str, int]:
    """Everything is read; what is there."""
    queue = worker(store)
    while claims := queue.claim_group(8):
        finish(store, [success(one) for one in claims])
    found = store.db.fetch_all(
        "select count(*) as documents, count(*) filter (where status = 'succeeded') as ended,"
        " (select count(*) from meter) as metered from documents"
    )[0]
    there = {row["id"] for row in store.db.fetch_all("select id from jobs")}
    return {**found, "lost": len(set(accepted) - there)}


if __name__ == "__main__":
    sys.exit(main())
