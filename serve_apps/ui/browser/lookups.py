"""Data that pages show beyond the API: job names, pending reviews, decided flags, the state of the audit chain.

It uses the API's storage functions, always with the caller's scope and in the app's threads.
"""

from dataclasses import dataclass
from datetime import UTC, date
from itertools import groupby
from typing import Any

from pydantic_core import to_jsonable_python

from quire.models.export.bar_plot import PlotBar, bar_plot
from quire.models.pii.confidence import judge_confidence
from quire.models.pii.places import find_places, find_spans
from quire.models.pii.review import in_context
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.shapes.rendering import render_listed_document
from quire.serve_apps.ui.browser.visit import Visit
from quire.storage.access.audit import seal, verify
from quire.storage.inside.relatives import Copies, find_copies, find_members, find_source_files
from quire.storage.jobs.document_list import list_formats
from quire.storage.jobs.documents import PublishedTree, locate_tree
from quire.storage.jobs.job_names import name_jobs
from quire.storage.queue.usage_over_time import usage_by_day, usage_by_hour
from quire.storage.review.reviews import (
    FlagState,
    KeyDecision,
    ListedFlag,
    ReviewedDocument,
    ReviewOrder,
    count_by_document,
    list_inbox,
    read_decisions,
    read_key_decisions,
)
from quire.storage.values.paging import ListPage
from quire.storage.values.rows import DocumentId

OFTEN_WRONG = 0.7
"""Share of right findings of a kind below which its flags are listed only when they are asked for."""

_MOST_MEMBERS = 20
"""Files inside one document that have rows in the document list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A document with undecided flags. `flags` are in reading order and may repeat."""

    job_id: str
    document_id: str
    source_file: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """A flagged value with its text in context; `bbox` in points, `spans` [start, end) in `text`.

    `others`: further places of the same value, where one decision is for all of them.
    """

    block_id: str
    page: int
    bbox: tuple[float, float, float, float] | None
    flag: str
    text: str
    spans: tuple[tuple[int, int], ...]
    state: FlagState
    place: str
    confidence: float
    words: tuple[KeyDecision, ...]
    value: str = ""
    is_often_wrong: bool = False
    others: tuple["Flagged", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """A row of the document list.

    `level`: files around the file, where these are rows above it. `around`: address and name of the document that
    contains it, where that is no row above it. `copies`: documents with the same content. `hidden_members`: files
    inside the document, below the last one shown, that have no row.
    """

    document: dict[str, Any]
    level: int = 0
    around: tuple[str, str] | None = None
    copies: Copies | None = None
    hidden_members: int = 0


async def find_rows(visit: Visit, documents: list[dict[str, Any]], *, with_members: bool) -> list[ListRow]:
    """Return the list rows of these documents, each followed by the files inside it if these are asked for."""
    return await app_state_of(visit).sql.run(_rows, visit, documents, with_members)


async def find_names(visit: Visit, jobs: list[dict[str, object]]) -> dict[str, str]:
    """Return the first file's name of each job."""
    running, ids = app_state_of(visit), [str(job["id"]) for job in jobs]
    names = await running.sql.run(name_jobs, visit.resources.store.db, visit.session.caller.data, ids)
    return {str(id): name for id, name in names.items()}


async def find_formats(visit: Visit) -> list[str]:
    """Return the formats of the organisation's documents."""
    return await app_state_of(visit).sql.run(list_formats, visit.resources.store.db, visit.session.caller.data)


async def plot_month(visit: Visit, month: date) -> str:
    """Plot the pages of each day of the month."""
    db, scope = visit.resources.store.db, visit.session.caller.data
    days = await app_state_of(visit).sql.run(usage_by_day, db, scope, month)
    bars = [PlotBar(f"{usage.day.day} {usage.day:%b}", usage.pages) for usage in days]
    return bar_plot("Pages by day", bars)


async def plot_day(visit: Visit) -> str:
    """Plot the pages of each of the last hours."""
    hours = await app_state_of(visit).sql.run(usage_by_hour, visit.resources.store.db, visit.session.caller.data)
    bars = [PlotBar(f"{usage.hour.astimezone(UTC):%H:00}", usage.pages) for usage in hours]
    return bar_plot("Pages by hour, the last day", bars)


async def count_documents(
    visit: Visit, order: ReviewOrder, limit: int, cursor: str | None
) -> ListPage[ReviewedDocument]:
    """Return the documents with pending flags and the exact numbers of these, in the order asked for."""
    running = app_state_of(visit)
    return await running.sql.run(
        count_by_document, visit.resources.store, visit.session.caller.data, order=order, limit=limit, cursor=cursor
    )


async def find_waiting(visit: Visit, limit: int, cursor: str | None = None) -> tuple[list[Waiting], str | None]:
    """Return documents with pending flags, newest job first, with at least `limit` flags if so many exist."""
    running = app_state_of(visit)
    page = await running.sql.run(
        list_inbox, visit.resources.store, visit.session.caller.data, limit=limit, cursor=cursor
    )
    groups = groupby(page.items, key=lambda flag: (flag.job_id, flag.document_id, flag.source_file))
    return [_waiting(key, list(flags)) for key, flags in groups], page.next_cursor


async def find_flags(visit: Visit, job_id: str, document_id: str) -> list[Flagged]:
    """Return all flags of a document, decided or not, in reading order. Raises `NotFound`."""
    running, store = app_state_of(visit), visit.resources.store
    where = await running.sql.run(locate_tree, store.db, visit.session.caller.data, job_id, document_id)
    return await running.disk.run(_flags, running, DocumentId(document_id), where)


async def check_chain(visit: Visit) -> int | None:
    """Return the first entry at which the organisation's audit chain was altered, or None if it is intact."""
    return await app_state_of(visit).disk.run(_check_chain, visit)


def _rows(visit: Visit, documents: list[dict[str, Any]], with_members: bool) -> list[ListRow]:
    db, scope = visit.resources.store.db, visit.session.caller.data
    ids = [document["document_id"] for document in documents] if with_members else []
    members, totals = find_members(db, scope, ids, most=_MOST_MEMBERS)
    inside = {
        root: [(member.level, to_jsonable_python(render_listed_document(member.listed))) for member in group]
        for root, group in groupby(members, key=lambda member: member.root)
    }
    everything = [*documents, *(document for group in inside.values() for _, document in group)]
    copies = find_copies(db, scope, [document["sha256"] for document in everything if document["sha256"]])
    around = find_source_files(db, scope, [d["parent_document_id"] for d in documents if d["parent_document_id"]])
    rows = []
    for document in documents:
        parent = around.get(document["parent_document_id"])
        address = f"/ui/jobs/{parent[0]}/documents/{document['parent_document_id']}" if parent else ""
        below = inside.get(document["document_id"], [])
        rows.append(
            ListRow(
                document=document,
                around=(address, parent[1]) if parent else None,
                copies=copies.get(document["sha256"]),
                hidden_members=totals.get(document["document_id"], 0) - len(below),
            )
        )
        rows += [ListRow(document=one, level=level, copies=copies.get(one["sha256"])) for level, one in below]
    return rows


def app_state_of(visit: Visit) -> AppState:
    """Return the app state with its threads and caches."""
    running: AppState = visit.request.app.state.running
    return running


def _check_chain(visit: Visit) -> int | None:
    db = visit.resources.store.db
    seal(db)
    return verify(db, visit.session.caller.data)


def _waiting(key: tuple[str, str, str], flags: list[ListedFlag]) -> Waiting:
    job_id, document_id, source_file = key
    names = tuple(flag.flag for flag in flags)
    return Waiting(job_id=job_id, document_id=document_id, source_file=source_file, flags=names)


def _flags(running: AppState, document_id: DocumentId, where: PublishedTree) -> list[Flagged]:
    store = running.resources.store
    tree = running.trees.get(store, document_id, where.attempt)
    decided, key_decisions = read_decisions(store.db, document_id), read_key_decisions(store.db, [document_id])
    blocks, spans = {str(block.id): block for block in tree.blocks}, find_spans(tree)
    engine = tree.pii.engine if tree.pii is not None else ""
    flags = []
    for place in find_places(tree):
        block = blocks[place.block_id]
        seen = in_context(block, spans[place.block_id, place.flag, place.place])
        flags.append(
            Flagged(
                block_id=place.block_id,
                page=seen.page,
                bbox=seen.bbox,
                flag=place.flag,
                text=seen.text,
                spans=seen.spans,
                state=FlagState(decided.get((place.place, place.flag), FlagState.PENDING)),
                place=place.place,
                confidence=place.confidence,
                words=key_decisions.get((document_id, place.place, place.flag), ()),
                value=place.value,
                is_often_wrong=judge_confidence(engine, place.flag, 1.0) < OFTEN_WRONG,
            )
        )
    return flags
