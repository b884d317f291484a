"""Kills the sender, the target and the service's database while documents are sent, then compares target and service.

Run as `make drill NAME=targets ARGS="--documents 2000 --kills 200"`. Real processes and real SIGKILL: the target is a
PostgreSQL server with pgvector, the database another one. Meanwhile documents are published, changed, cut again and
deleted. Nothing may be lost, doubled or left.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psycopg

from quire.actors.background.target_records import TargetRecords, run_name
from quire.actors.background.target_sender import TargetSender
from quire.cluster.compose.targets import cut_again
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.storage.access.principals import set_principals
from quire.storage.index.rechunk import mark_chunked
from quire.storage.index.table.entries import KnownVectors
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.postgres.schema import migrate
from quire.storage.store import Store, open_store
from quire.storage.targets.backlog import TargetBacklog
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import DocumentId, Scope
from quire.storage.webhooks.outbox import fan_out
from tests.postgres import FAST
from tests.storage.scenes import ACME, ACTOR
from tests.storage.targets.scene import add_target, publish, the_target
from tests.storage.targets.sinks import PostgresAt

KEY = b"a signing key of the tests, long enough"
LEASE_S = 3.0  # seconds, shorter than a stop
CALM_S = 300.0  # seconds for the backlog to be sent after the last fault


def find_vectors(scope: Scope, documents: Sequence[str], texts: Sequence[str]) -> KnownVectors:
    return KnownVectors(range(len(texts)), [[float(len(text)), 1.0, 0.0] for text in texts])  # type: ignore[misc]


def send(dsn: str, workdir: str, target_dsn: str) -> None:
    """Run a sender in a process that is killed."""
    store = open_store(dsn, Path(workdir), signing_key=KEY)
    records = TargetRecords(store.artifacts, cut_again, find_vectors)
    backlog = TargetBacklog(store, lease_s=LEASE_S)
    sender = TargetSender(backlog, lambda _: PostgresAt(target_dsn), records.make, poll_s=0.05)
    sender.start()
    while os.getppid() != 1:
        with suppress(StorageError):
            fan_out(store.db)
        time.sleep(0.05)


class Work(threading.Thread):
    """Publishes documents and changes some of those before, until `documents` are published."""

    def __init__(self, store: Store, documents: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._store, self._left, self._random = store, documents, random.Random(seed)
        self._ids: list[str] = []
        self.done: Counter[str] = Counter()

    def run(self) -> None:
        while self._left > 0:
            try:
                ids = publish(self._store, min(10, self._left))
                self._left -= len(ids)
                self._ids += ids
                self.done["published"] += len(ids)
                self._change()
            except (StorageError, AssertionError):  # the database is down
                time.sleep(0.2)
            time.sleep(0.05)

    def _change(self) -> None:
        for document in self._random.sample(self._ids, min(3, len(self._ids))):
            act = self._random.choice(["principals", "chunker", "delete"])
            if act == "principals":
                set_principals(self._store.db, ACME, ACTOR, DocumentId(document), [str(self._random.random())])
            elif act == "chunker":
                mark_chunked(self._store.db, DocumentId(document), 1, str(self._random.random()), 1)
            else:
                delete_document(self._store.db, ACME, ACTOR, document)
                self._ids.remove(document)
            self.done[act] += 1


class Storm:
    """Sends one fault after the other."""

    def __init__(self, command: list[str], database: EmbeddedPostgres, target: EmbeddedPostgres, seed: int) -> None:
        self._command, self._database, self._target = command, database, target
        self._random = random.Random(seed)
        self._sender = subprocess.Popen(command)
        self.done: Counter[str] = Counter()

    def run(self, kills: int) -> None:
        faults = [self._kill_sender, self._stop_sender, self._kill_target, self._kill_database]
        names = self._random.choices(range(4), weights=[5, 1, 3, 1], k=kills)
        for name in names:
            time.sleep(self._random.uniform(0.2, 0.8))
            faults[name]()

    def end(self) -> None:
        self._sender.kill()
        self._sender.wait()

    def _kill_sender(self) -> None:
        self.end()
        self._sender = subprocess.Popen(self._command)
        time.sleep(self._random.uniform(1.0, 2.5))  # it imports, then sends for a moment
        self.done["kill sender"] += 1

    def _stop_sender(self) -> None:
        """Stop it for longer than its lease while another one works, then let it go on."""
        other = subprocess.Popen(self._command)
        self._sender.send_signal(signal.SIGSTOP)
        time.sleep(LEASE_S * 1.5)
        self._sender.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        other.kill()
        other.wait()
        self.done["stop sender past its lease"] += 1

    def _kill_target(self) -> None:
        self._kill_server(self._target)
        self.done["kill target"] += 1

    def _kill_database(self) -> None:
        self._kill_server(self._database)
        self.done["kill database"] += 1

    def _kill_server(self, server: EmbeddedPostgres) -> None:
        pid = server.pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        time.sleep(self._random.uniform(0.1, 1.0))
        server.start()


def wait_until_sent(store: Store) -> None:
    deadline = time.monotonic() + CALM_S
    while time.monotonic() < deadline:
        with suppress(StorageError):
            if not fan_out(store.db) and the_target(store).lag.documents == 0:
                return
        time.sleep(0.3)


def compare(store: Store, target_dsn: str) -> dict[str, int]:
    """Compare the rows of the target with the published documents, read from both directly."""
    wanted = {
        row["id"]: run_name(row["published_attempt"], row["chunker"])
        for row in store.db.fetch_all(
            "select id, published_attempt, chunker from documents where status = 'succeeded' and deleted_at is null"
        )
    }
    with psycopg.connect(target_dsn) as connection:
        rows = connection.execute("select document_id, run, chunk_id, principals from quire_chunks").fetchall()
    shown = {row["id"]: row["principals"] for row in store.db.fetch_all("select id, principals from documents")}
    held = Counter((document, chunk) for document, _, chunk, _ in rows)
    return {
        "documents": len(wanted),
        "rows": len(rows),
        "lost": len(wanted.keys() - {document for document, *_ in rows}),
        "doubled": sum(count - 1 for count in held.values()),
        "not deleted": len({document for document, *_ in rows} - wanted.keys()),
        "of an old run": sum(wanted.get(document, run) != run for document, run, *_ in rows),
        "with old principals": sum(shown[document] != principals for document, _, _, principals in rows),
        "waiting": the_target(store).lag.documents,
        "dead letters": the_target(store).dead_letters,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quire-chaos-") as folder:
        root = Path(folder)
        root.chmod(0o711)
        database, target = (EmbeddedPostgres(root / name, FAST) for name in ("database", "target"))
        try:
            dsn, target_dsn = database.start(), target.start()
            migrate(dsn)
            store = open_store(dsn, root / "workdir", signing_key=KEY)
            add_target(store)
            work = Work(store, given.documents, given.seed)
            work.start()
            storm = Storm(
                [sys.executable, "-m", "tests.lab.chaos.targets", dsn, str(root / "workdir"), target_dsn],
                database,
                target,
                given.seed,
            )
            storm.run(given.kills)
            work.join()
            wait_until_sent(store)
            storm.end()
            result = compare(store, target_dsn)
            store.close()
        finally:
            target.stop()
            database.stop()
    print(f"seed {given.seed} faults {dict(storm.done)} work {dict(work.done)}")
    print(result)
    return 0 if not any(count for name, count in result.items() if name not in ("documents", "rows")) else 1


if __name__ == "__main__":
    if len(sys.argv) == 4 and not sys.argv[1].startswith("--"):
        send(*sys.argv[1:])
    else:
        sys.exit(main())
