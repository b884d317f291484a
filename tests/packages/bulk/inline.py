"""Replaces the cluster in a job's tests: `spread` in this process, and a service that is only a runtime file."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from quire.actors.reader.pii_scan import scan
from quire.cluster.bootstrap.finding import load_settings
from quire.cluster.jobs.work.duplicates import SignParts, pair_bucket
from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.ledger import WorkBlock, find_items
from quire.cluster.jobs.work.pipeline import BlockReader
from quire.cluster.jobs.work.service import Service
from quire.cluster.jobs.work.spread import Row
from quire.cluster.jobs.work.to_service import ServiceJob, ServiceOutput, ServiceParts
from quire.cluster.runtime import Runtime, write_runtime
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.derive.near_duplicates import find_dropped
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.neural.fakes import ScriptedRecogniser
from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from quire.storage.values.rows import Scope
from tests.conftest import SIGNING_KEY
from tests.storage.scenes import ACME, UNLIMITED


class InlineSpread:
    """Rows done one after the other, the last one first; `dies_at` = the row at which the job is killed (from 1)."""

    def __init__(self) -> None:
        self.dies_at = 0
        self.rows = 0

    def __call__(
        self, rows: Sequence[Row], make: Callable[..., Callable[[Row], Row]], arguments: tuple[Any, ...], *,
        in_order: bool = False, **_: object,
    ) -> Iterator[Row]:  # fmt: skip
        work = make(*arguments)
        self.rows = 0
        try:
            for row in rows if in_order else reversed(rows):
                self.rows += 1
                if self.rows == self.dies_at:
                    raise KeyboardInterrupt
                yield work(row)
        finally:
            work.close()  # type: ignore[attr-defined]


def find_duplicates_here(folder: str, parts: Sequence[str], *, workers: int | None = None) -> set[int]:
    """`find_duplicates` in this process, with the workers of the cluster."""
    if not parts:
        return set()
    signed = SignParts(folder, 3)(pa.table({"part": range(len(parts)), "name": list(parts)}))
    buckets = [signed.filter(pa.compute.equal(signed["bucket"], number)) for number in range(3)]
    return find_dropped(tuple(row.values()) for bucket in buckets for row in pair_bucket(bucket).to_pylist())


def make_service(store: Store, dsn: str) -> Service:
    """The deployment of these fixtures, as jobs find one."""
    settings = load_settings({"SVC_WORKDIR": str(store.workdir)})
    runtime = Runtime(
        settings=settings, dsn=dsn, dsn_file=Path("/dev/null"), base_url="", license_file=Path("/dev/null"),
        signing_key=SIGNING_KEY,
    )  # fmt: skip
    return Service(runtime_file=str(write_runtime(runtime)))


def publish_folder(store: Store, corpus: Path, *, scope: Scope = ACME, name: str = "c", per_job: int = 100) -> None:
    """Every document below, read and published in blocks of so many."""
    _, items = find_items(str(corpus), None)
    items.sort(key=lambda item: item.name)
    job = ServiceJob(source="", corpus=name, scope=scope, ocr=OcrMode.AUTO, service=Service())
    parts = ServiceParts(store=store, quota=lambda: UNLIMITED, tokenizer=load_tokenizer(), index=None)
    flag = make_flagger("regex")
    reader = BlockReader(
        open_folder(str(corpus)), ServiceOutput(job, ReadOptions(), parts), ReadOptions(), ScriptedRecogniser,
        finish=lambda outcome: scan(outcome, flag),
    )  # fmt: skip
    try:
        for at in range(0, len(items), per_job):
            reader.read_block(WorkBlock(str(at), tuple(items[at : at + per_job])))
    finally:
        reader.close()
