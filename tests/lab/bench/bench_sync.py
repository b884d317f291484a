"""Measures a sync of many unchanged files, and checks that exactly the changed files are found.

Run as python -m tests.lab.bench.bench_sync [files]. Real files, a real database.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from quire.models.cdom.original import ReadOptions
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.sources.sources import NewSource, register_source
from quire.storage.sources.sync import Reading, SyncReport, sync_source
from quire.storage.store import Store, open_store
from quire.storage.values.rows import Actor, PageQuota, Scope
from tests.postgres import test_server

CHANGED = 100
ROUNDS = 3
SCOPE, ACTOR = Scope(tenant="acme"), Actor(key_name="acme:admin")
READING = Reading(options=ReadOptions(), quota=PageQuota(max_pages_per_month=None))


def main(files: int) -> dict[str, object]:
    """Print wall clock and CPU seconds of this process, and the load average."""
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "work", signing_key=b"k" * 32)
        root = Path(folder) / "root"
        for number in range(files):
            path = root / str(number % 100) / f"{number}.pdf"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"%PDF-1.7 " + str(number).encode())
        gate = SourceGate(workdir=store.workdir, root=root)
        new = NewSource(name="bench", kind=SourceKind.DIRECTORY, location=str(root))
        source_id = register_source(store.db, gate, SCOPE, ACTOR, new).id
        first = _timed(store, gate, source_id)
        unchanged = [_timed(store, gate, source_id) for _ in range(ROUNDS)]
        for number in range(CHANGED):
            (root / str(number % 100) / f"{number}.pdf").write_text(f"changed {number}")
        changed = _timed(store, gate, source_id)
        store.close()
    assert all(report.unchanged == files for report, _, _ in unchanged)
    return {
        "files": files,
        "first_s": round(first[1], 2),
        "unchanged_s": sorted(round(wall, 2) for _, wall, _ in unchanged),
        "unchanged_cpu_s": sorted(round(cpu, 2) for _, _, cpu in unchanged),
        "changed_found": (changed[0].changed, changed[0].added, changed[0].unchanged),
        "load": [round(number, 1) for number in os.getloadavg()],
    }


def _timed(store: Store, gate: SourceGate, source_id: str) -> tuple[SyncReport, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    report = sync_source(store, gate, SCOPE, ACTOR, source_id, READING)
    return report, time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
