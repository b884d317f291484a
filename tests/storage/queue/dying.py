"""A process that does one act of the commit protocol and is killed at a named point. Run by test_crash.py."""

import sys
from pathlib import Path

from quire.storage.queue.publish import finish
from quire.storage.store import open_store
from quire.storage.upkeep.erase import purge_some
from quire.storage.values import crash_points as crash
from quire.storage.values.rows import Succeeded
from tests.conftest import SIGNING_KEY
from tests.storage.scenes import claim, submit, worker

dsn, workdir, act, point = sys.argv[1:]
store = open_store(dsn, Path(workdir), signing_key=SIGNING_KEY)
crash.arm(point)
match act:
    case "submit":
        submit(store)
    case "read":
        taken = claim(worker(store))
        manifest = store.artifacts.put(taken.document_id, taken.attempt, {"a.json": b"a", "tree.json": b"{}"})
        finish(store, [Succeeded(claim=taken, manifest=manifest, format="pdf", pages=2)])
    case "purge":
        purge_some(store)
