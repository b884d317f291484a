"""Personal data that awaits review: a job's flags, the inbox over all jobs, decisions and their undoing.

Rows determine the pending flags; their texts are read from the trees of the page shown.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import groupby
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.models.cdom.flags import PII_PREFIX
from quire.models.pii.places import find_places, find_spans
from quire.models.pii.review import InContext, in_context
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.http.refusals import UnknownFlag
from quire.serve_apps.api.shapes.bodies import Body
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.jobs.documents import locate_tree
from quire.storage.review.deciding import Decided, DecisionTarget, Reach, decide, decide_many, undo_decision
from quire.storage.review.reviews import (
    FlagFilter,
    FlagState,
    ListedFlag,
    ReviewOrder,
    count_by_document,
    count_same,
    list_flags,
    list_inbox,
)
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import is_id
from quire.storage.values.paging import ListPage
from quire.storage.values.rows import DocumentId, JobId

router = Operations("review")
BlockIdPath = Annotated[str, Path(max_length=64, description="A block's id in the tree, such as b12.")]
ActPath = Annotated[str, Path(max_length=64, description="The `act` of an earlier decision of the same key.")]
Kinds = Annotated[
    list[Annotated[str, Field(max_length=64)]] | None,
    Query(description="Only these kinds, such as email. Can be repeated."),
]
State = Annotated[
    FlagState | None, Query(description="State of the flag. The default is pending, or any state with decided_by.")
]
MaxConfidence = Annotated[float | None, Query(ge=0, le=1, description="Only flags with at most this confidence.")]
DecidedBy = Annotated[
    str | None, Query(max_length=200, description="Only flags that this key (name:scope) has decided.")
]


def read_filter(
    kind: Kinds = None, state: State = None, max_confidence: MaxConfidence = None, decided_by: DecidedBy = None
) -> FlagFilter:
    """Return the filter of a flag listing."""
    return FlagFilter(
        state=state or (None if decided_by else FlagState.PENDING),
        flags=tuple(PII_PREFIX + name.removeprefix(PII_PREFIX) for name in kind or ()),
        most_confidence=max_confidence,
        decided_by=decided_by,
    )


Conditions = Annotated[FlagFilter, Depends(read_filter)]


class SpanBody(Body):
    """A range of characters of `text`; the end is exclusive."""

    start: int
    end: int


class WordBody(Body):
    """The latest decision of one key."""

    decision: FlagState
    decided_by: str
    decided_at: datetime


class ReviewItem(Body):
    """A flagged value. `text` is the block's or the flagged cell's; `place` identifies it for `POST .../review`.

    `bbox` is the cell's for a flagged cell. `words` are the decisions by key: if several approvals are required, a flag
    waits until enough keys agree.
    """

    document_id: str
    block_id: str
    page: int
    bbox: tuple[float, float, float, float] | None
    flag: str
    text: str
    spans: list[SpanBody]
    state: FlagState
    place: str
    confidence: float
    same: int = Field(description="Flags of this kind and value in the job that match the filter.")
    words: list[WordBody]


class InboxItem(ReviewItem):
    """A flagged value with its job and file."""

    job_id: str
    source_file: str


class DecisionBody(BaseModel):
    """A reviewer's decision: approved masks the flag on redacted outputs, rejected marks it as a false positive.

    Without `place` the decision applies to every value of the flag in the block. `apply_to`: the place alone, or every
    occurrence of the same value in this document or in this job.
    """

    model_config = ConfigDict(extra="forbid")
    flag: str = Field(min_length=1, max_length=64, examples=["pii:email"])
    decision: Literal["approved", "rejected"]
    place: str | None = Field(default=None, max_length=64)
    apply_to: Reach = Reach.PLACE


class PlaceBody(Body):
    """Current review state of a place."""

    document_id: str
    place: str
    state: FlagState


class DecidedBody(Body):
    """Result of a decision: `state` is the current state, `places` are all affected places.

    `act` undoes the decision; it is null if the decision changed nothing.
    """

    document_id: str
    block_id: str
    flag: str
    state: FlagState
    decided_by: str
    decided_at: datetime
    act: str | None
    places: list[PlaceBody]


class ManyBody(BaseModel):
    """A decision about every flag that the filter of the address selects."""

    model_config = ConfigDict(extra="forbid")
    decision: Literal["approved", "rejected"]


class DecidedManyBody(Body):
    """Result of a decision about many flags; `act` undoes it and is null if nothing changed."""

    act: str | None
    places: int
    documents: int


class ReviewedDocumentBody(Body):
    """A document with flags that match the filter, counted by state and by kind."""

    job_id: str
    document_id: str
    source_file: str
    pending: int
    approved: int
    rejected: int
    kinds: dict[str, int]


class Grouping(StrEnum):
    """`value`: list one flag for each kind and value."""

    VALUE = "value"


Group = Annotated[Grouping | None, Query(description="List one flag for each kind and value; `same` counts them.")]
Sort = Annotated[ReviewOrder, Query(description="Order of the documents.")]
DocumentQuery = Annotated[
    str | None, Query(alias="document_id", max_length=64, description="Only flags of this document of the job.")
]


class UndoneBody(Body):
    """Places whose decision was undone."""

    act: str
    places: list[PlaceBody]


@router.operation("GET /v1/jobs/{job_id}/review", "list_job_review", READ, list[ReviewItem])
async def read_pending(
    job_id: JobIdDep, call: CallDep, conditions: Conditions, group: Group = None, document_id: DocumentQuery = None
) -> Response:
    """List the job's flagged values that await a decision, in reading order; filters select others."""
    listed = await call.running.sql.run(list_flags, call.store.db, call.scope, job_id, conditions)
    listed = [flag for flag in listed if document_id in (None, flag.document_id)]
    listed = count_same(listed, grouped=group is not None)
    items = await call.running.disk.run(_in_context, call, listed)
    return json_response([_render(item) for item in items])


@router.operation("POST /v1/jobs/{job_id}/review", "review_job", WRITE, DecidedManyBody, repeatable=True)
async def review_job(
    job_id: JobIdDep, body: ManyBody, call: CallDep, conditions: Conditions, document_id: DocumentQuery = None
) -> Response:
    """Decide about every flagged value that the filter selects, as `GET` lists them. One undo takes all of it back."""
    listed = await call.running.sql.run(list_flags, call.store.db, call.scope, job_id, conditions)
    decided = await call.running.sql.run(
        partial(
            decide_many,
            call.store.db,
            call.scope,
            call.actor,
            flags=[flag for flag in listed if document_id in (None, flag.document_id)],
            decision=FlagState(body.decision),
            approvals=call.running.resources.review_approvals,
        )
    )
    return json_response({"act": decided.act, "places": decided.places, "documents": decided.documents})


@router.operation("GET /v1/review/counts", "list_review_counts", READ, list[ReviewedDocumentBody])
async def read_counts(
    call: CallDep, conditions: Conditions, sort: Sort = ReviewOrder.PENDING, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """List the documents with flags that match the filter, with exact counts of them by state."""
    page = await call.running.sql.run(
        count_by_document, call.store, call.scope, order=sort, conditions=conditions, limit=limit, cursor=cursor
    )
    return page_response(page, asdict)


@router.operation("GET /v1/review", "list_review", READ, list[InboxItem])
async def read_inbox(call: CallDep, conditions: Conditions, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List pending flags of all documents, newest job first. A page ends with a whole job, so it may exceed `limit`."""
    page = await call.running.sql.run(
        list_inbox, call.store, call.scope, limit=limit, cursor=cursor, conditions=conditions
    )
    items = await call.running.disk.run(_in_context, call, count_same(page.items))
    return page_response(ListPage(tuple(items), page.next_cursor), _render_inbox)


@router.operation(f"POST {DOCUMENT}/blocks/{{block_id}}/review", "review_block", WRITE, DecidedBody, repeatable=True)
async def review_block(
    job_id: JobIdDep, document_id: DocumentIdDep, block_id: BlockIdPath, body: DecisionBody, call: CallDep
) -> Response:
    """Decide about flagged values; a decision may be changed, the same one again changes nothing."""
    decided = await call.running.disk.run(_decide, call, job_id, document_id, block_id, body)
    return json_response(
        {
            "document_id": document_id,
            "block_id": block_id,
            "flag": body.flag,
            "state": decided.state,
            "decided_by": decided.decided_by,
            "decided_at": decided.decided_at,
            "act": decided.act,
            "places": [_place(place) for place in decided.places],
        }
    )


@router.operation("DELETE /v1/review/{act}", "undo_review", WRITE, UndoneBody)
async def undo_review(act: ActPath, call: CallDep) -> Response:
    """Take back a decision of the same key, with all the places it reached; what held before holds again."""
    if not is_id("act", act):
        raise NotFound("no such decision of this key")
    approvals = call.running.resources.review_approvals
    undone = await call.running.disk.run(undo_decision, call.store.db, call.scope, call.actor, act, approvals=approvals)
    return json_response({"act": act, "places": [_place(place) for place in undone]})


def _place(place: Any) -> dict[str, Any]:
    return {"document_id": place.document_id, "place": place.place, "state": place.state}


def _decide(call: Call, job_id: JobId, document_id: DocumentId, block_id: str, body: DecisionBody) -> Decided:
    """Store a decision.

    Raises:
        NotFound: The document or block does not exist.
        UnknownFlag: The block does not have this flag.
    """
    return decide(
        call.store.db,
        call.scope,
        call.actor,
        document_id=document_id,
        targets=_find_targets(call, job_id, document_id, block_id, body),
        decision=FlagState(body.decision),
        reach=body.apply_to,
        approvals=call.running.resources.review_approvals,
    )


def _find_targets(
    call: Call, job_id: JobId, document_id: DocumentId, block_id: str, body: DecisionBody
) -> list[DecisionTarget]:
    where = locate_tree(call.store.db, call.scope, job_id, document_id)
    tree = call.running.trees.get(call.store, document_id, where.attempt)
    if not any(block.id == block_id for block in tree.blocks):
        raise NotFound("no such block")
    targets = [
        DecisionTarget(block_id=block_id, flag=place.flag, place=place.place, value=place.value)
        for place in find_places(tree)
        if (place.block_id, place.flag) == (block_id, body.flag) and body.place in (None, place.place)
    ]
    if not targets:
        raise UnknownFlag("the block does not have this flag")
    return targets


@dataclass(frozen=True, slots=True)
class _Shown:
    """A listed flag with its displayed text."""

    flag: ListedFlag
    seen: InContext


def _in_context(call: Call, listed: Iterable[ListedFlag]) -> list[_Shown]:
    """Return each flag with its text, without documents deleted in the meantime. Opens each tree once."""
    shown = []
    for (document_id, attempt), flags in groupby(listed, key=lambda flag: (flag.document_id, flag.attempt)):
        try:
            tree = call.running.trees.get(call.store, document_id, attempt)
        except NotFound:
            continue
        blocks, spans = {str(block.id): block for block in tree.blocks}, find_spans(tree)
        for flag in flags:
            block = blocks[flag.block_id]
            together = [span for span in block.flag_spans if span.flag == flag.flag]
            marked = spans.get((flag.block_id, flag.flag, flag.place), together)
            shown.append(_Shown(flag, in_context(block, marked)))
    return shown


def _render(shown: _Shown) -> dict[str, Any]:
    flag, seen = shown.flag, shown.seen
    return {
        "document_id": flag.document_id,
        "block_id": flag.block_id,
        "page": seen.page,
        "bbox": seen.bbox,
        "flag": flag.flag,
        "text": seen.text,
        "spans": [{"start": start, "end": end} for start, end in seen.spans],
        "state": flag.state,
        "place": flag.place,
        "confidence": flag.confidence,
        "same": flag.same,
        "words": [
            {"decision": word.decision, "decided_by": word.decided_by, "decided_at": word.decided_at}
            for word in flag.words
        ],
    }


def _render_inbox(shown: _Shown) -> dict[str, Any]:
    return _render(shown) | {"job_id": shown.flag.job_id, "source_file": shown.flag.source_file}
