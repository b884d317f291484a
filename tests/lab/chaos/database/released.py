"""Run inside a checkout of an older version, by its own code: `python released.py fill|read|verify DSN FILES …`.

Only names that version 0.9.20 has already are used here. `read` ends documents until the file FILES/stop is there.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from quire.storage.postgres.schema import migrate
from quire.storage.queue.publish import finish
from quire.storage.queue.queue import LeasePolicy, Queue
from quire.storage.store import Store, open_store
from quire.storage.values.errors import StorageError
from quire.storage.values.ids import new_worker_id
from tests.storage.scenes import submit, success

KEY = b"k" * 32
PER_JOB = 5
HELD = 7
"""Documents that a reader of then holds and never ends."""


def fill(store: Store, jobs: int) -> dict[str, int]:
    """Jobs, half of whose documents are read; some are held by a reader that will never come back."""
    for _ in range(jobs):
        submit(store, PER_JOB)
    ended = 0
    queue = Queue(store.db, new_worker_id(), LeasePolicy(), store.signer)
    while ended < jobs * PER_JOB // 2:
        taken = queue.claim()
        assert taken is not None
        files = {"tree.json": taken.document_id.encode()}
        manifest = store.artifacts.put(taken.document_id, taken.attempt, files)
        ended += finish(store, [replace(success(taken), manifest=manifest)]).count(True)
    dead = Queue(store.db, new_worker_id(), LeasePolicy(lease_s=2.0), store.signer)
    return {"ended": ended, "held": sum(dead.claim() is not None for _ in range(HELD))}


def read(store: Store, stop: Path) -> dict[str, int]:
    """Claims and ends one by one; a fault of the database is tried again, as a reader does."""
    queue = Queue(store.db, new_worker_id(), LeasePolicy(lease_s=4.0), store.signer)
    told = {"ended": 0, "refused_by_the_fence": 0, "faults": 0}
    while not stop.exists():
        try:
            taken = queue.claim()
            if taken is None:
                time.sleep(0.05)
                continue
            time.sleep(0.02)
            ended = finish(store, [success(taken)])[0]
            told["ended" if ended else "refused_by_the_fence"] += 1
            (stop.parent / "reading").touch()
        except StorageError:
            told["faults"] += 1
            time.sleep(0.1)
    return told


def main() -> None:
    act, dsn, files, *rest = sys.argv[1:]
    if act == "fill":
        migrate(dsn)
    store = open_store(dsn, Path(files), signing_key=KEY)
    try:
        print(json.dumps(fill(store, int(rest[0])) if act == "fill" else read(store, Path(files) / "stop")))
    finally:
        store.close()


if __name__ == "__main__":
    main()
