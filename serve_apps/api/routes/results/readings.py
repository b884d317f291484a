"""Documents with low reading confidence: the list for a reviewer, and the reviewer's decision about one.

Rows determine the listed documents; their doubtful blocks are read from the trees of the page shown.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from quire.models.cdom.tree import Block
from quire.models.derive.doubts import count_lost, find_doubts
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.shapes.bodies import Body
from quire.serve_apps.api.shapes.pages import Cursor, page_response
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.review.readings import DoubtfulReading, ReadingState, decide_reading, list_readings
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import ListPage

router = Operations("review")
_MOST_BLOCKS = 50
"""Doubtful blocks listed of a document; `blocks_below` counts all."""
_MOST_CHARS = 500
"""Characters of a block's text that are shown: enough to find it by."""
Below = Annotated[
    float | None,
    Query(ge=0, le=1, description="Documents with a block below this confidence. The default is SVC_REVIEW_BELOW."),
]
State = Annotated[ReadingState | None, Query(description="Only documents in this state. The default is any state.")]
Few = Annotated[int, Query(ge=1, le=100, description="Documents per page.")]


class DoubtfulBlock(Body):
    """A block that is likely wrong; `text` is cut after 500 characters."""

    block_id: str
    type: str
    page: int
    bbox: tuple[float, float, float, float] | None
    confidence: float
    text: str


class DoubtfulDocument(Body):
    """A document with blocks below the confidence bound or with lost text.

    `lowest_confidence` is 0 if text was lost. `lost` counts the lost characters, and `unknown` lists pages that could
    not be judged.
    """

    job_id: str
    document_id: str
    source_file: str
    lowest_confidence: float
    lost: int
    unknown: list[int]
    blocks_below: int
    blocks: list[DoubtfulBlock]
    state: ReadingState
    decided_by: str | None
    decided_at: datetime | None


class ReadingDecision(BaseModel):
    """Decision about a document's reading: `seen`, `accepted` (correct as read), or `waiting` to revoke either."""

    model_config = ConfigDict(extra="forbid")
    decision: ReadingState


class ReadingDecided(Body):
    """State of a document's reading after a decision."""

    document_id: str
    state: ReadingState
    decided_by: str | None
    decided_at: datetime | None


@router.operation("GET /v1/review/documents", "list_doubtful", READ, list[DoubtfulDocument])
async def read_doubtful(
    call: CallDep, below: Below = None, state: State = None, limit: Few = 50, cursor: Cursor = None
) -> Response:
    """List documents with blocks below a confidence or with lost text, most doubtful first."""
    bound = call.running.resources.review_below if below is None else below
    page = await call.running.sql.run(
        list_readings, call.store, call.scope, below=bound, state=state, limit=limit, cursor=cursor
    )
    items = await call.running.disk.run(_with_blocks, call, page.items, bound)
    return page_response(ListPage(tuple(items), page.next_cursor), _same)


@router.operation(f"POST {DOCUMENT}/review", "review_reading", WRITE, ReadingDecided)
async def review_reading(
    job_id: JobIdDep, document_id: DocumentIdDep, body: ReadingDecision, call: CallDep
) -> Response:
    """Say that a document was seen or is accepted as it was read; the word may be changed and is audited."""
    decided_at = await call.running.disk.run(
        decide_reading, call.store.db, call.scope, call.actor,
        job_id=job_id, document_id=document_id, state=body.decision,
    )  # fmt: skip
    by = call.actor.key_name if decided_at is not None else None
    return json_response(
        {"document_id": document_id, "state": body.decision, "decided_by": by, "decided_at": decided_at}
    )


def _same(item: dict[str, Any]) -> dict[str, Any]:
    return item


def _with_blocks(call: Call, listed: Sequence[DoubtfulReading], below: float) -> list[dict[str, Any]]:
    """Return each document with its doubtful blocks, without documents deleted in the meantime."""
    documents: list[dict[str, Any]] = []
    for document in listed:
        try:
            tree = call.running.trees.get(call.store, document.document_id, document.attempt)
        except NotFound:
            continue
        doubts = find_doubts(tree, below)
        documents.append(
            {
                "job_id": document.job_id,
                "document_id": document.document_id,
                "source_file": document.source_file,
                "lowest_confidence": document.lowest_confidence,
                "lost": count_lost(tree),
                "unknown": list(tree.coverage.unknown) if tree.coverage is not None else [],
                "blocks_below": len(doubts),
                "blocks": [_render(block) for block in doubts[:_MOST_BLOCKS]],
                "state": document.state,
                "decided_by": document.decided_by,
                "decided_at": document.decided_at,
            }
        )
    return documents


def _render(block: Block) -> dict[str, Any]:
    text = block.text or (" ".join(cell.text for cell in block.table.cells) if block.table is not None else "")
    return {
        "block_id": block.id,
        "type": block.type,
        "page": block.page,
        "bbox": block.bbox,
        "confidence": block.confidence,
        "text": text[:_MOST_CHARS],
    }
