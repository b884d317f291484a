"""GET …/export/finetune: a job's chunks as fine-tune JSONL, streamed; memory holds one document at a time."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Annotated

from fastapi import Depends, Query
from starlette.responses import StreamingResponse

from quire.models.cdom.chunk import Chunk
from quire.models.derive.chunks.chunking import settings_of
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.finetune import FinetuneOptions, Split, Style, export_lines, parse_split, parse_style
from quire.models.derive.finetune_template import MAX_TEMPLATE_CHARS
from quire.models.pii.redact import require_scan
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import SCAN_WAIT_S, Call, CallDep, JobIdDep
from quire.serve_apps.api.documents.published import ScanWait, read_redacted
from quire.serve_apps.api.documents.redacting import redact_for, scan_all
from quire.storage.jobs.documents import PublishedTree, locate_trees
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId

router = Operations("exports")
LINES_AT_ONCE = 64  # lines of JSON sent in one piece
Chars = Annotated[int | None, Query(ge=0)]
OwnForm = Annotated[
    str | None,
    Query(
        max_length=MAX_TEMPLATE_CHARS,
        description="The form of a record in place of a style: a JSON object whose texts are Jinja templates.",
    ),
]


async def read_redacted_by_default(
    call: CallDep,
    redacted: Annotated[
        bool,
        Query(
            description="Mask all personal data that was not rejected, because records leave the service. "
            "Returns 409 if a scan did not finish."
        ),
    ] = True,
    wait: ScanWait = SCAN_WAIT_S,
) -> bool:
    """Return whether personal data is masked, as it is unless the caller refuses; see `read_redacted`."""
    return await read_redacted(call, redacted, wait)


def read_options(
    style: Annotated[str, Query(json_schema_extra={"enum": list(Style)})] = "completion",
    dedup: bool = False,
    min_chars: Chars = None,
    max_chars: Chars = None,
    language: Annotated[str | None, Query(min_length=2, max_length=16)] = None,
    split: Annotated[str | None, Query(json_schema_extra={"enum": [*Split, None]})] = None,
    val_ratio: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] = 0.05,
    template: OwnForm = None,
) -> FinetuneOptions:
    """Return the filters of a fine-tuning export; all are off by default.

    Raises:
        UnknownStyle: The style does not exist.
        UnknownSplit: The split does not exist.
        InvalidTemplate: The template cannot be used.
    """
    return FinetuneOptions(
        style=parse_style(style),
        dedup=dedup,
        min_chars=min_chars,
        max_chars=max_chars,
        language=language,
        split=parse_split(split) if split is not None else None,
        val_ratio=val_ratio,
        template=template,
    )


@router.operation(
    "GET /v1/jobs/{job_id}/export/finetune",
    "export_finetune",
    READ,
    media_type="application/x-ndjson",
    response_class=StreamingResponse,
)
async def export_finetune(
    job_id: JobIdDep,
    call: CallDep,
    options: Annotated[FinetuneOptions, Depends(read_options)],
    redacted: Annotated[bool, Depends(read_redacted_by_default)],
) -> StreamingResponse:
    """Export the job's succeeded documents as fine-tune JSONL, one record per line. The split is reproducible.

    Personal data is masked unless `redacted=false`.
    """
    trees = await call.running.sql.run(locate_trees, call.store.db, call.scope, job_id)
    if redacted:
        trees = await scan_all(call, trees)
        await call.running.disk.run(_require_scans, call, trees)
    lines = export_lines(_chunks(call, trees, redacted), options)
    return StreamingResponse(call.running.streams.iterate(_joined(lines)), media_type="application/x-ndjson")


def _require_scans(call: Call, trees: list[tuple[DocumentId, PublishedTree]]) -> None:
    """Check all scans first, because a stream that has begun cannot answer 409 any more."""
    for document_id, where in trees:
        require_scan(call.running.trees.get(call.store, document_id, where.attempt))


def _chunks(call: Call, trees: list[tuple[DocumentId, PublishedTree]], redacted: bool) -> Iterator[tuple[str, Chunk]]:
    resources = call.running.resources
    for document_id, where in trees:
        try:
            tree = call.running.trees.get(call.store, document_id, where.attempt)
        except NotFound:
            continue  # deleted while we stream
        tree = redact_for(call.store, document_id, tree) if redacted else tree
        settings = settings_of(where.chunker, resources.chunking)
        cut = partial(chunk_tree, tokenizer=resources.tokenizer, settings=settings)
        for chunk in call.running.work.run(cut, tree):
            yield document_id, chunk


def _joined(lines: Iterator[str]) -> Iterator[str]:
    while some := "".join(islice(lines, LINES_AT_ONCE)):
        yield some
