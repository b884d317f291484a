"""A folder as a source, for the tests of sync and of its fence."""

import hashlib
from pathlib import Path

from quire.models.cdom.original import ReadOptions
from quire.storage.queue.publish import finish
from quire.storage.sources.gate import SourceGate, SourceKind
from quire.storage.sources.removed_files import delete_retired
from quire.storage.sources.sources import (
    NewSource,
    register_source,
)
from quire.storage.sources.sync import Reading, SyncReport, sync_source
from quire.storage.store import Store
from tests.storage.scenes import ACME, ACTOR, UNLIMITED, success, worker

READING = Reading(options=ReadOptions(), quota=UNLIMITED)


class Place:
    """A folder behind the fence, registered as a source."""

    def __init__(self, store: Store, root: Path, **asked: object) -> None:
        self.store, self.root = store, root
        self.gate = SourceGate(workdir=store.workdir, root=root, max_bytes=1000)
        new = NewSource(name="s", kind=SourceKind.DIRECTORY, location=str(root), **asked)  # type: ignore[arg-type]
        self.id = register_source(store.db, self.gate, ACME, ACTOR, new).id

    def write(self, path: str, content: str = "") -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content or path)
        return target

    def sync(self, reading: Reading = READING) -> SyncReport:
        return sync_source(self.store, self.gate, ACME, ACTOR, self.id, reading)

    def counts(self, reading: Reading = READING) -> tuple[int, int, int, int]:
        report = self.sync(reading)
        return report.added, report.changed, report.removed, report.unchanged

    def read_all(self) -> None:
        """A reader finishes everything that is queued; what was retired meanwhile goes."""
        queue = worker(self.store)
        while (claim := queue.claim()) is not None:
            finish(self.store, [success(claim)])
        delete_retired(self.store.db)

    def live(self) -> list[str]:
        """Content hashes of the documents that are not deleted."""
        rows = self.store.db.fetch_all("select sha256 from documents where deleted_at is null order by sha256")
        return [row["sha256"] for row in rows]

    def expected(self) -> list[str]:
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.stat().st_size)
