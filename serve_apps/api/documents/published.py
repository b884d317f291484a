"""The published tree of a document as a value, redacted on request; the input of every derivation and export.

Parsed trees are cached for a while, because callers often request several derivations of one document. Redaction is
Tree → Tree before any other step, so no output can skip it; the masked tree is computed for each request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Query
from pydantic_core import to_json

from quire.models.cdom.tree import Tree
from quire.models.cdom.visible import count_left_out
from quire.models.derive.chunks.chunking import settings_of
from quire.models.derive.chunks.chunks import ChunkSettings
from quire.serve_apps.api.context.deps import SCAN_WAIT_S, Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.documents.redacting import locate_scanned, redact_for
from quire.serve_apps.api.documents.trees import HIDDEN_NAME
from quire.storage.jobs.documents import locate_tree
from quire.storage.values.rows import DocumentId

LEFT_OUT = "X-Left-Out"
ScanWait = Annotated[
    float, Query(ge=0, le=600, description="Seconds to wait for the search for names, before the answer is 202.")
]


async def read_redacted(
    call: CallDep,
    redacted: Annotated[
        bool, Query(description="Mask all personal data that was not rejected. Returns 409 if the scan did not finish.")
    ] = False,
    wait: ScanWait = SCAN_WAIT_S,
) -> bool:
    """Return whether personal data is masked, and note in the call how long it waits for the scan."""
    call.scan_wait_s = wait
    return redacted


Redacted = Annotated[bool, Depends(read_redacted)]


@dataclass(frozen=True, slots=True)
class Published:
    """A caller's document, ready to be shown. `name` is hidden when redacted; `chunking`: settings of the index."""

    call: Call
    document_id: DocumentId
    attempt: int
    name: str
    redacted: bool
    tree: Tree
    chunking: ChunkSettings

    async def derive(self, make: Callable[[Tree], object]) -> bytes:
        """Return `make(tree)` as bytes: text in UTF-8, bytes unchanged, other values as JSON. `make` must be picklable.

        It runs in a thread, because derivations are pure and may take milliseconds; for very large trees in a process.

        Raises:
            OverLimit: The work exceeded its limits.
            Overloaded: The lane is full.
        """
        running = self.call.running
        lane = running.heavy if running.work.is_heavy(self.tree) else running.disk
        return await lane.run(running.work.run, partial(rendered, make), self.tree)

    def omitted_header(self, *, furniture: bool = False) -> dict[str, str]:
        """Return a header that counts the omitted blocks by reason, or no header if the output is complete."""
        counts = count_left_out(self.tree, furniture=furniture)
        return {LEFT_OUT: ", ".join(f"{reason}={count}" for reason, count in counts.items())} if counts else {}


def rendered(make: Callable[[Tree], object], tree: Tree) -> bytes:
    """Return `make(tree)` as bytes: text in UTF-8, bytes unchanged, other values as JSON."""
    result = make(tree)
    if isinstance(result, bytes):
        return result
    return result.encode("utf-8", "replace") if isinstance(result, str) else to_json(result)


async def find_published(call: CallDep, job_id: JobIdDep, document_id: DocumentIdDep, redacted: Redacted) -> Published:
    """Return the published tree of a document.

    Raises:
        NotFound: The document is unknown, foreign, deleted or unfinished.
        PiiIncomplete: A redacted tree was requested and its scan is not finished.
    """
    if redacted:
        where = await locate_scanned(call, job_id, document_id)
    else:
        where = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    tree = await call.running.disk.run(call.running.trees.get, call.store, document_id, where.attempt)
    if redacted:
        tree = await call.running.disk.run(redact_for, call.store, document_id, tree)
    name = HIDDEN_NAME if redacted else where.source_file
    chunking = settings_of(where.chunker, call.running.resources.chunking)
    return Published(call, document_id, where.attempt, name, redacted, tree, chunking)


PublishedDep = Annotated[Published, Depends(find_published)]
