"""Kills dispatchers while a receiver fails a third of the time, then compares what arrived with what happened.

Run as `python -m tests.lab.chaos.webhooks`. Real processes, real SIGKILL, a real receiver on loopback; retries are
hurried.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.storage.store import Store, open_store
from quire.storage.values.ids import new_event_id, new_worker_id
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.states import EventKind
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox
from quire.storage.webhooks.receivers import register_webhook
from quire.storage.webhooks.signatures import new_secret
from tests.postgres import test_server
from tests.storage.receivers import Received, Receiver, receiving

EVENTS, KILLS, SEED = 2000, 50, 20261120
KEY = b"a signing key of the tests, long enough"
ACME = Scope(tenant="acme")


def dispatch(dsn: str, workdir: str) -> None:
    """Run the dispatcher in a process that is killed."""
    store = open_store(dsn, Path(workdir), signing_key=KEY)
    outbox = StoreOutbox(store, new_worker_id(), lease_s=2)
    dispatcher = Dispatcher(outbox, Egress(["127.0.0.1"]).post, threads=8, poll_s=0.05)
    dispatcher.start()
    while os.getppid() != 1:
        time.sleep(0.2)


def add_events(store: Store) -> None:
    with store.db.transaction() as conn:
        conn.execute(
            """insert into events (id, kind, tenant, org, job_id, document_id, run, body)
               select id, 'document.finished', 'acme', 'default', 'job', 'doc' || n, 1,
                      convert_to('{"n":' || n || '}', 'UTF8')
               from unnest(%s::text[]) with ordinality as e(id, n)""",
            ([new_event_id() for _ in range(EVENTS)],),
        )


def left(store: Store) -> int:
    """Events and deliveries that are still on their way; failed tries are due again at once, and none is the last."""
    with store.db.autocommit() as conn:
        conn.execute(
            "update deliveries set next_attempt_at = now(), attempt = 1 where state = 'pending' and error is not null "
            "and next_attempt_at > now() + interval '3 seconds'"
        )
        row = conn.execute(
            """select (select count(*) from events where not fanned_out)
                    + (select count(*) from deliveries where state <> 'delivered') as n"""
        ).fetchone()
    assert row is not None
    return int(row["n"])


def run(store: Store, dsn: str, workdir: str, receiver: Receiver) -> int:
    """Kills until the count is reached and everything arrived; returns the kills."""
    chance, kills, deadline = random.Random(SEED), 0, time.monotonic() + 400
    command = [sys.executable, "-m", "tests.lab.chaos.webhooks", dsn, workdir]
    process = subprocess.Popen(command)
    while (left(store) or kills < KILLS) and time.monotonic() < deadline:
        time.sleep(0.9 + chance.random() * 0.6)
        if kills < KILLS:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            process = subprocess.Popen(command)
    process.kill()
    process.wait()
    return kills


def main() -> int:
    chance = random.Random(SEED)

    def answer(_: Received) -> tuple[int, dict[str, str]]:
        return (500, {}) if chance.random() < 1 / 3 else (200, {})

    with test_server() as server, server.database() as dsn, tempfile.TemporaryDirectory() as workdir:
        store = open_store(dsn, Path(workdir), signing_key=KEY)
        with receiving(answer) as receiver:
            register_webhook(
                store, ACME, Actor(key_name="acme"), receiver.url, [EventKind.DOCUMENT_FINISHED], new_secret()
            )
            add_events(store)
            kills = run(store, dsn, workdir, receiver)
        undelivered = left(store)
        store.close()
    arrived = Counter(got.headers["webhook-id"] for got in receiver.got)
    bodies = {(got.headers["webhook-id"], got.body) for got in receiver.got}
    print(
        f"events {EVENTS} kills {kills} arrived {len(arrived)} undelivered {undelivered} requests {len(receiver.got)}"
    )
    return 0 if len(arrived) == len(bodies) == EVENTS and not undelivered else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        dispatch(*sys.argv[1:])
    else:
        sys.exit(main())
