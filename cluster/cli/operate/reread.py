"""`quire reread`: read stored originals again whose trees an older reader made.

The command reads in its own sandbox, so the service needs no restart and keeps serving the old tree until the new one
is published. Nothing is metered. A document that cannot be read now keeps its old tree.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pydantic_core import to_json

from quire.actors.reader.outcome import read_facts
from quire.actors.reading.forkserver import ServerGone
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.recogniser import Recogniser
from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.cli.shared.database import runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.compose.values import make_tree_flagger, sandbox_limits
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Route, dump_tree, load_tree
from quire.models.cdom.version import READER_VERSION
from quire.models.derive.changes import compare_versions, without_texts
from quire.models.derive.chunks.chunking import chunker_name
from quire.models.derive.chunks.chunks import count_chunks
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.neural.ocr import make_recogniser
from quire.storage.objects.artifacts import ASSETS, CHANGES, TREE
from quire.storage.review.republish import OutdatedDocument, list_outdated, reserve_attempt, show_reread
from quire.storage.values.errors import NotFound, StorageError
from quire.storage.values.rows import ReadFacts

if TYPE_CHECKING:
    from collections.abc import Callable

    from quire.actors.sandbox.limits import SandboxLimits
    from quire.models.cdom.ports import RecognisePages
    from quire.models.cdom.tree import Tree
    from quire.storage.store import Store

_REREAD, _FAILED, _GONE, _VLM = "re-read", "failed", "gone", "skipped (read by the VLM tier)"
_RESULTS = (_REREAD, _FAILED, _GONE, _VLM)


@click.command()
@workdir_option
@click.option(
    "--older-than", "version", type=click.IntRange(min=1), default=READER_VERSION, show_default=True,
    help="Re-read documents whose reader version is below this number.",
)  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 64), help="Documents read in parallel; default: one per core.")
@click.option("--dry-run", is_flag=True, help="List the documents and change nothing.")
def reread(workdir: Path | None, version: int, jobs: int | None, dry_run: bool) -> None:
    """Read stored originals again whose trees were made by an older reader.

    A document that fails keeps its old tree; the exit status is then 1. Pages of the VLM tier are not read again.
    """
    runtime = runtime_of(workdir)
    try:
        store = open_runtime_store(runtime)
        outdated = list(list_outdated(store, version))
        if dry_run:
            for document in outdated:
                click.echo(f"{document.document_id}\t{document.source_file}")
            return
        recogniser = Recogniser(lambda: make_recogniser(langs=runtime.settings.ocr_langs))
        work = Reread(store, recogniser, make_tree_flagger(runtime.settings))
        with ProgressBar(len(outdated)).shown() as bar:
            run_readers(work, outdated, bar, sandbox_limits(runtime.settings), jobs or os.cpu_count() or 1)
        recogniser.close()
        store.close()
    except ServerGone as error:
        raise CommandStopped(f"the sandbox does not start on this machine: {error}") from None
    except StorageError as error:
        raise CommandStopped(str(error) or error.code) from None
    click.echo(", ".join(f"{work.results[name]} {name}" for name in _RESULTS))
    if work.results[_FAILED]:
        raise CommandStopped("some documents could not be read again; they keep their old trees")


@dataclass(slots=True)
class Reread:
    """Reads outdated documents and publishes their new trees; `results` counts the ends. Safe for several threads."""

    store: "Store"
    recogniser: "RecognisePages"
    flag_tree: "Callable[[Tree], Tree]"
    results: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, document: OutdatedDocument, reader: DocumentReader) -> str | None:
        """Read one document again.

        Returns:
            The error code if reading failed, else None.
        """
        result, error = self._run(document, reader)
        with self._lock:
            self.results[result] += 1
        return error

    def _run(self, document: OutdatedDocument, reader: DocumentReader) -> tuple[str, str | None]:
        if document.route_counts.get(Route.VLM.value):
            return _VLM, None
        try:
            with self.store.blobs.open(document.sha256) as original:
                read = reader.read_until_pixels(original, document.options)
        except NotFound:
            return _GONE, None
        outcome = read if isinstance(read, ReadOutcome) else recognise_document(read, self.recogniser)
        if outcome.tree is None:
            return _FAILED, str(outcome.error)
        return (_REREAD if self._publish(document, outcome, self.flag_tree(outcome.tree)) else _GONE), None

    def _publish(self, document: OutdatedDocument, outcome: ReadOutcome, tree: "Tree") -> bool:
        """Store the new attempt and show it; the attempt that is not shown afterwards is deleted."""
        attempt = reserve_attempt(self.store.db, document)
        if attempt is None:
            return False
        files = {TREE: dump_tree(tree)} | {ASSETS + name: content for name, content in outcome.assets.items()}
        files |= self._compare(document, tree)
        manifest = self.store.artifacts.put(document.document_id, attempt, files)
        chunks = count_chunks(tree, load_tokenizer())
        facts = ReadFacts(manifest=manifest, chunks=chunks, chunker=chunker_name(), **read_facts(tree))
        shown = show_reread(self.store.db, document, attempt, facts)
        self.store.artifacts.delete_attempt(document.document_id, document.attempt if shown else attempt)
        return shown

    def _compare(self, document: OutdatedDocument, tree: "Tree") -> dict[str, bytes]:
        """Return the list of changes from the old tree, which `GET .../changes` shows once that tree is gone."""
        try:
            before = load_tree(self.store.artifacts.read(document.document_id, document.attempt, TREE))
        except NotFound:  # published again or deleted meanwhile; the switch will fail too
            return {}
        return {CHANGES: to_json(without_texts(compare_versions(document.document_id, before, tree)))}


def run_readers(
    work: Reread, documents: list[OutdatedDocument], bar: ProgressBar, limits: "SandboxLimits", jobs: int
) -> None:
    """Read all `documents` with `jobs` sandboxed readers, one thread per reader."""
    waiting, lock = iter(documents), threading.Lock()

    def take() -> Iterator[OutdatedDocument]:
        while True:
            with lock:
                document = next(waiting, None)
            if document is None:
                return
            yield document

    def read_all() -> None:
        reader = DocumentReader(limits)
        try:
            for document in take():
                if error := work.run(document, reader):
                    bar.print_line(f"{document.document_id}: {error}: {document.source_file}")
                bar.step(document.source_file)
        finally:
            reader.close()

    with ThreadPoolExecutor(min(jobs, len(documents)) or 1) as threads:
        for done in [threads.submit(read_all) for _ in range(min(jobs, len(documents)))]:
            done.result()
