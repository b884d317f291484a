"""Personal data awaiting a person's word: a job's pending flags, the inbox over all jobs, and the decision.

Which flags wait is known from rows; their texts are read from the trees of the page shown.
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from models.cdom.flags import FlaggedPlace
from models.cdom.tree import Block
from models.pii.places import find_places
from models.pii.review import in_context
from serve_apps.access.scopes import DOCUMENT
from serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from serve_apps.api.http.refusals import UnknownFlag
from serve_apps.api.shapes.bodies import Body
from serve_apps.api.shapes.pages import Cursor, Limit, page_response
from serve_apps.api.shapes.rendering import json_response
from storage.jobs.documents import locate_tree
from storage.review.reviews import Decided, FlagState, PendingFlag, decide, list_inbox, list_pending
from storage.values.errors import NotFound
from storage.values.paging import ListPage
from storage.values.rows import DocumentId, JobId

router = APIRouter(tags=["review"])
BlockIdPath = Annotated[str, Path(max_length=64, description="A block's id in the tree, such as b12.")]


class SpanBody(Body):
    """Characters of `text`; end exclusive."""

    start: int
    end: int


class ReviewItem(Body):
    """A flag on a block. `text` is the block's, or its flagged cells' one a line."""

    document_id: str
    block_id: str
    page: int
    bbox: tuple[float, float, float, float] | None
    flag: str
    text: str
    spans: list[SpanBody]
    state: FlagState


class InboxItem(ReviewItem):
    job_id: str
    source_file: str


class DecisionBody(BaseModel):
    """What a reviewer says: approved masks the flag on redacted outputs, rejected keeps it as a false positive."""

    model_config = ConfigDict(extra="forbid")
    flag: str = Field(min_length=1, max_length=64, examples=["pii:email"])
    decision: Literal[FlagState.APPROVED, FlagState.REJECTED]


class DecidedBody(Body):
    document_id: str
    block_id: str
    flag: str
    state: FlagState
    decided_by: str
    decided_at: datetime


@router.get("/v1/jobs/{job_id}/review", responses={200: {"model": list[ReviewItem]}})
async def read_pending(job_id: JobIdDep, call: CallDep) -> Response:
    """The job's flagged blocks awaiting a decision, in reading order."""
    pending = await call.running.sql.run(list_pending, call.store.db, call.scope, job_id)
    items = await call.running.disk.run(_in_context, call, pending)
    return json_response([_render(block, one) for one, block in items])


@router.get("/v1/review", responses={200: {"model": list[InboxItem]}})
async def read_inbox(call: CallDep, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """Pending flags of all documents, the newest job first. A page ends with a job, so it may exceed `limit`."""
    page = await call.running.sql.run(list_inbox, call.store, call.scope, limit=limit, cursor=cursor)
    items = await call.running.disk.run(_in_context, call, page.items)
    return page_response(ListPage(tuple(items), page.next_cursor), _render_inbox)


@router.post(f"{DOCUMENT}/blocks/{{block_id}}/review", responses={200: {"model": DecidedBody}})
async def review_block(
    job_id: JobIdDep, document_id: DocumentIdDep, block_id: BlockIdPath, body: DecisionBody, call: CallDep
) -> Response:
    """Decide about one flag of one block; a decision may be changed, the same one again changes nothing."""
    decided = await call.running.disk.run(_decide, call, job_id, document_id, block_id, body)
    return json_response(
        {
            "document_id": document_id,
            "block_id": block_id,
            "flag": body.flag,
            "state": decided.state,
            "decided_by": decided.decided_by,
            "decided_at": decided.decided_at,
        }
    )


def _decide(call: Call, job_id: JobId, document_id: DocumentId, block_id: str, body: DecisionBody) -> Decided:
    """Raises `NotFound` (document or block), `UnknownFlag`."""
    place = _find_place(call, job_id, document_id, block_id, body.flag)
    return decide(
        call.store.db,
        call.scope,
        call.actor,
        document_id=document_id,
        block_id=block_id,
        place=place.place,
        flag=body.flag,
        decision=body.decision,
    )


def _find_place(call: Call, job_id: JobId, document_id: DocumentId, block_id: str, flag: str) -> FlaggedPlace:
    where = locate_tree(call.store.db, call.scope, job_id, document_id)
    tree = call.running.trees.get(call.store, document_id, where.attempt)
    if not any(block.id == block_id for block in tree.blocks):
        raise NotFound("no such block")
    found = next((p for p in find_places(tree) if (p.block_id, p.flag) == (block_id, flag)), None)
    if found is None:
        raise UnknownFlag("the block does not carry this flag")
    return found


def _in_context(call: Call, pending: Iterable[PendingFlag]) -> list[tuple[PendingFlag, Block]]:
    """Each flag with its block; a document that was deleted meanwhile is left out. Opens each tree once."""
    found = []
    for (document_id, attempt), flags in groupby(pending, key=lambda one: (one.document_id, one.attempt)):
        try:
            tree = call.running.trees.get(call.store, document_id, attempt)
        except NotFound:
            continue
        blocks = {block.id: block for block in tree.blocks}
        found += [(one, blocks[one.block_id]) for one in flags]  # type: ignore[index]
    return found


def _render(block: Block, one: PendingFlag) -> dict[str, Any]:
    seen = in_context(block, one.flag)
    return {
        "document_id": one.document_id,
        "block_id": one.block_id,
        "page": block.page,
        "bbox": block.bbox,
        "flag": one.flag,
        "text": seen.text,
        "spans": [{"start": start, "end": end} for start, end in seen.spans],
        "state": FlagState.PENDING,
    }


def _render_inbox(item: tuple[PendingFlag, Block]) -> dict[str, Any]:
    one, block = item
    return _render(block, one) | {"job_id": one.job_id, "source_file": one.source_file}
