"""`python -m quire.cluster.jobs.rechunk`: chunks published documents again that another chunker version cut.

Works on a service's store, on the service's own Ray cluster: the new chunks replace the old ones in the search index in
one commit, then the document's row stores its chunker. A killed job resumes with the documents still outdated.
"""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.compose.indexing import served_indexer
from quire.cluster.errors import StartRefused
from quire.cluster.jobs.work.patience import patiently
from quire.cluster.jobs.work.service import Service, find_service, index_is_here, with_store
from quire.cluster.jobs.work.spread import JobStopped, Progress, Row, connect, spread
from quire.models.cdom.ports import EmbeddingFailed, IndexDocument, Tokenizer
from quire.models.cdom.tree import load_tree
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.storage.index.rechunk import ChunkedDocument, list_outdated, mark_chunked
from quire.storage.objects.artifacts import TREE
from quire.storage.postgres.database import Database
from quire.storage.store import Store
from quire.storage.values.errors import NotFound, StorageError
from quire.storage.values.rows import DocumentId, Scope

log = logging.getLogger("quire.jobs")
BATCH = 16  # documents of one row of work
NO_CHUNKER = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RechunkParts:
    """Parts of a `Rechunker`. Without an `index` chunks are only counted."""

    store: Store
    tokenizer: Tokenizer
    index: IndexDocument | None


class Rechunker:
    """Chunks one document after the other."""

    def __init__(self, parts: RechunkParts) -> None:
        self._parts, self._chunker = parts, chunker_name()

    def rechunk(self, document: ChunkedDocument) -> str:
        """Chunk one document; return `chunked`, `gone` or `failed`."""
        store, index = self._parts.store, self._parts.index
        try:
            tree = load_tree(patiently(lambda: store.artifacts.read(document.document_id, document.attempt, TREE)))
        except NotFound:  # deleted or republished meanwhile
            return "gone"
        except ValueError:
            log.warning("document %s has no tree that can be read", document.document_id)
            return "failed"
        chunks = chunk_tree(tree, self._parts.tokenizer)
        owner = (document.scope.tenant, document.scope.org)
        try:
            if index is not None:
                patiently(
                    lambda: index.index_document(owner, document.document_id, document.attempt, chunks, replace=True)
                )
        except EmbeddingFailed:
            log.warning("the chunks of document %s cannot be embedded", document.document_id)
            return "failed"
        marked = patiently(
            lambda: mark_chunked(store.db, document.document_id, document.attempt, self._chunker, len(chunks))
        )
        return "chunked" if marked else "gone"


class RechunkRow:
    """Worker whose row is documents as JSON; it returns counts by result."""

    def __init__(self, service: Service) -> None:
        runtime = service.runtime()
        index = served_indexer(runtime.settings)
        self._work = Rechunker(
            RechunkParts(store=open_runtime_store(runtime), tokenizer=load_tokenizer(), index=index)
        ).rechunk

    def __call__(self, row: Row) -> Row:
        """Chunk the documents of a row."""
        done = Counter(self._work(document) for document in load_documents(row["documents"]))
        return {name: done[name] for name in ("chunked", "gone", "failed")}


def dump_documents(documents: Sequence[ChunkedDocument]) -> str:
    """Return documents as JSON, with only the values that a worker uses."""
    return json.dumps(
        [[document.scope.tenant, document.scope.org, document.document_id, document.attempt] for document in documents]
    )


def load_documents(text: str) -> list[ChunkedDocument]:
    """Return the documents of their JSON."""
    return [
        ChunkedDocument(Scope(tenant=tenant, org=org), DocumentId(document_id), attempt, None, None)
        for tenant, org, document_id, attempt in json.loads(text)
    ]


def find_outdated(db: Database, chunker: str) -> Iterator[ChunkedDocument]:
    """Yield published documents that another chunker cut, in order of id."""
    last = ""
    while page := list_outdated(db, chunker, after=last):
        last = page[-1].document_id
        yield from page


def rechunk_all(service: Service, workers: int | None, *, everything: bool, dry_run: bool) -> dict[str, Any]:
    """Chunk all outdated documents and return the summary. Raises `JobStopped`, `StorageError`."""
    runtime = service.runtime()
    current = NO_CHUNKER if everything else chunker_name()
    documents = with_store(runtime, lambda store: list(find_outdated(store.db, current)))
    summary = {"chunker": chunker_name(), "documents": len(documents)}
    if dry_run or not documents:
        return summary
    connect()
    if runtime.settings.rag_db is not None and not index_is_here(runtime):
        raise JobStopped("the service does not run on this Ray cluster, so its search index cannot be reached")
    rows = [
        {"documents": dump_documents(documents[start : start + BATCH])} for start in range(0, len(documents), BATCH)
    ]
    progress, done = Progress(len(documents)), Counter[str]()
    for row in spread(rows, RechunkRow, (service,), workers=workers, cpus=service.cpus):
        counts = {name: int(value) for name, value in row.items()}
        progress.step(sum(counts.values()), counts)
        done.update(counts)
    return summary | {name: done[name] for name in ("chunked", "gone", "failed")}


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also documents that today's chunker cut.")
@click.option("--workdir", type=click.Path(path_type=Path), help="Of a service on this machine; else that of the node.")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Documents cut at once; one per CPU by default.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(everything: bool, workdir: Path | None, workers: int | None, dry_run: bool) -> None:
    """Chunk outdated documents again, in the index and in all outputs."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        summary = rechunk_all(find_service(workdir), workers, everything=everything, dry_run=dry_run)
    except (JobStopped, StorageError) as error:
        raise click.ClickException(f"stopped, run it again to go on: {error or type(error).__name__}") from None
    except StartRefused as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(summary))


if __name__ == "__main__":
    main()
