"""`python -m quire.cluster.jobs.reembed --embedder NEW`: computes vectors of another model in addition to the old ones.

The service continues to answer from the old vectors; the switch is its next start with SVC_EMBEDDER=NEW. Workers embed,
only this process writes. A killed job resumes with the documents that have no new vectors yet.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from quire.cluster.bootstrap.enabled import embeds
from quire.cluster.compose.search import ROLE, index_place
from quire.cluster.errors import StartRefused
from quire.cluster.jobs.work.patience import patiently
from quire.cluster.jobs.work.service import Service, find_service, with_store
from quire.cluster.jobs.work.spread import JobStopped, Progress, Row, connect, spread
from quire.configs.settings import Settings
from quire.models.neural.embed.load import check_embedder, load_embedder
from quire.models.neural.embed.sentence_model import EmbedderRefused
from quire.storage.index.reembed import Reembedding
from quire.storage.index.table.entries import DocumentChunks
from quire.storage.index.table.siblings import SiblingTables
from quire.storage.postgres.leases import RoleLease
from quire.storage.store import Store
from quire.storage.values.errors import StorageError
from quire.storage.values.ids import new_worker_id

if TYPE_CHECKING:
    from quire.storage.index.opened import IndexPlace
    from quire.storage.index.reembed import Reembedding

log = logging.getLogger("quire.jobs")
SLICE = 4_000
"""Documents whose texts are in this process at once."""
TEXTS = 64  # texts embedded at a time: a full batch of the model
WRITE_CHUNKS = 2_000  # vectors written in one commit: fewer commits make fewer files
CLAIM_S = 60.0  # seconds a worker's claim on a part holds without a sign of life
PASSES = 5
"""Passes over documents that arrive while the job runs; the service's reconciler embeds any after the last pass."""
_PUBLISHED = """
select count(*) as published from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null and coalesce(chunks, -1) <> 0
"""


class EmbedRow:
    """Worker whose row is texts; it returns their vectors as float32 bytes, row by row."""

    def __init__(self, embedder: str) -> None:
        self._model = load_embedder(embedder)

    def __call__(self, row: Row) -> Row:
        """Embed the texts of a row."""
        vectors = self._model.embed([str(text) for text in row["texts"]])
        return {"at": row["at"], "vectors": np.ascontiguousarray(vectors, np.float32).tobytes()}


def group_documents(documents: Sequence[DocumentChunks]) -> list[list[DocumentChunks]]:
    """Return groups of at least TEXTS chunks, so that each call is worth its overhead."""
    groups: list[list[DocumentChunks]] = []
    room = 0
    for document in documents:
        if room <= 0:
            groups.append([])
            room = TEXTS
        groups[-1].append(document)
        room -= len(document.chunks)
    return groups


def with_vectors(group: Sequence[DocumentChunks], data: bytes, width: int) -> list[DocumentChunks]:
    """Return each document with its part of the vectors. Raises `ValueError` if the counts differ."""
    vectors = np.frombuffer(data, np.float32).reshape(-1, width)
    cuts = np.cumsum([len(document.chunks) for document in group])
    if len(vectors) != cuts[-1]:
        raise ValueError(f"{len(vectors)} vectors for {cuts[-1]} chunks")
    parts = np.split(vectors, cuts[:-1])
    return [replace(document, vectors=part) for document, part in zip(group, parts, strict=True)]


def embed_slice(
    documents: Sequence[DocumentChunks], embedder: str, width: int, *, workers: int, cpus: float
) -> Iterator[list[DocumentChunks]]:
    """Yield the documents with vectors, group by group as they are ready."""
    groups = group_documents(documents)
    rows = [
        {"at": index, "texts": [chunk.text for document in group for chunk in document.chunks]}
        for index, group in enumerate(groups)
    ]
    for row in spread(rows, EmbedRow, (embedder,), workers=workers, cpus=cpus):
        yield with_vectors(groups[int(row["at"])], row["vectors"], width)


def write_in_batches(table: "Reembedding", groups: Iterator[list[DocumentChunks]]) -> Iterator[tuple[int, int]]:
    """Yield (documents, chunks) per commit; a commit takes some thousand chunks."""
    waiting: list[DocumentChunks] = []
    for group in groups:
        waiting += group
        if sum(len(document.chunks) for document in waiting) >= WRITE_CHUNKS:
            yield len(waiting), put(table, waiting)
            waiting = []
    if waiting:
        yield len(waiting), put(table, waiting)


def put(table: "Reembedding", documents: Sequence[DocumentChunks]) -> int:
    """Write documents to the table, waiting out outages, and return the number of chunks."""
    return patiently(lambda: table.put(documents))


def reembed_all(service: Service, embedder: str | None, workers: int | None, *, dry_run: bool) -> dict[str, Any]:
    """Embed all documents and return the summary. Raises `JobStopped`, `StorageError`, `EmbedderRefused`."""
    settings = new_settings(service, embedder)
    if not embeds(settings):
        raise JobStopped("there is no search index with vectors: SVC_RAG_DB is not set, or the embedder is none")
    place = index_place(settings)
    if dry_run:
        left = with_store(service.runtime(), lambda store: count_left(store, place))
        return {"embedder": settings.embedder, "documents": left}
    own = place.table == index_place(service.runtime().settings).table
    count = workers or connect()

    def fill(store: Store) -> dict[str, Any]:
        with Writing(store, ROLE if own else f"reembed {place.table}") as writing:
            return fill_table(store, place, settings.embedder, writing.check, workers=count, cpus=service.cpus)

    return with_store(service.runtime(), fill)


def fill_table(
    store: Store, place: "IndexPlace", embedder: str, check: Callable[[], None], *, workers: int, cpus: float
) -> dict[str, Any]:
    """Run passes until nothing is left, or PASSES of them; return the summary.

    `check` raises if another process may write.
    """
    table = Reembedding(store.db, place)
    documents = chunks = 0
    try:
        for _ in range(PASSES):
            todo = table.todo()
            progress = Progress(len(todo))
            for start in range(0, len(todo), SLICE):
                texts = table.texts(todo[start : start + SLICE])
                groups = embed_slice(texts, embedder, place.width, workers=workers, cpus=cpus)
                check()
                for done, written in write_in_batches(table, groups):
                    check()
                    progress.step(done, {"chunks": written})
                    documents, chunks = documents + done, chunks + written
            check()
            left = table.settle()
            if not left:
                break
    finally:
        table.close()
    return {"embedder": embedder, "documents": documents, "chunks": chunks, "left": left}


class Writing:
    """A context in which only this process writes a table. A killed writer's claim ends after CLAIM_S."""

    def __init__(self, store: Store, role: str) -> None:
        self._lease = RoleLease(store.db, role, new_worker_id(), ttl_s=CLAIM_S)
        self._end, self._sure_until = threading.Event(), 0.0
        self._thread = threading.Thread(target=self._hold, name="hold-role", daemon=True)

    def __enter__(self) -> "Writing":
        until = time.monotonic() + CLAIM_S * 1.5
        while not self._acquired():
            if time.monotonic() >= until:
                raise JobStopped("another process writes these vectors; a service that runs embeds its own by itself")
            time.sleep(CLAIM_S / 60)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self._lease.release()

    def check(self) -> None:
        """Raise `JobStopped` if another process may have taken over."""
        if time.monotonic() >= self._sure_until:
            raise JobStopped("another process may write these vectors now")

    def _acquired(self) -> bool:
        asked = time.monotonic()
        is_held = self._lease.acquire()
        self._sure_until = asked + CLAIM_S if is_held else 0.0
        return is_held

    def _hold(self) -> None:
        while not self._end.wait(CLAIM_S / 5):
            with suppress(StorageError):
                if not self._acquired():
                    return


def new_settings(service: Service, embedder: str | None) -> Settings:
    """Return the service's settings with the other model. Raises `EmbedderRefused`."""
    settings = service.runtime().settings
    if embedder is None:
        return settings
    check_embedder(embedder)
    return settings.model_copy(update={"embedder": embedder})


def count_left(store: Store, place: "IndexPlace") -> int:
    """Return the number of documents to embed, without creating a missing table."""
    if place.table in SiblingTables(place.uri, "", place.storage_options).names():
        table = Reembedding(store.db, place)
        try:
            return len(table.todo())
        finally:
            table.close()
    row = store.db.fetch_one(_PUBLISHED)
    return int(row["published"]) if row else 0


def drop_old(service: Service) -> dict[str, Any]:
    """Delete the tables of models that the service does not run on."""

    def drop(store: Store) -> list[str]:
        table = Reembedding(store.db, index_place(service.runtime().settings))
        try:
            return table.drop_others()
        finally:
            table.close()

    return {"dropped": with_store(service.runtime(), drop)}


@click.command()
@click.option("--embedder", help="The new SVC_EMBEDDER; the service's own by default.")
@click.option(
    "--drop-others", is_flag=True, help="Only remove vectors of models the service does not run on (any more)."
)
@click.option("--workdir", type=click.Path(path_type=Path), help="Of a service on this machine; else that of the node.")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Texts embedded at once; one call per CPU by default.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(embedder: str | None, drop_others: bool, workdir: Path | None, workers: int | None, dry_run: bool) -> None:
    """Fill the vectors of another model while the old ones serve."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        service = find_service(workdir)
        summary = drop_old(service) if drop_others else reembed_all(service, embedder, workers, dry_run=dry_run)
    except EmbedderRefused as error:
        raise click.UsageError(f"--embedder: {error}") from None
    except (JobStopped, StorageError) as error:
        raise click.ClickException(f"stopped, run it again to go on: {error or type(error).__name__}") from None
    except StartRefused as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary))


if __name__ == "__main__":
    main()
