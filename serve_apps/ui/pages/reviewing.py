"""Review pages: pending personal data, a document's flags, and documents with low reading confidence."""

from collections import Counter
from dataclasses import replace

from starlette.responses import Response

from quire.models.redaction.redact import REDACTABLE
from quire.serve_apps.api.context.redaction_scans import PATTERNS
from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.lookups import Flagged, Waiting, count_documents, find_flags, find_waiting
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.ui.pages.documents import document_path, read_document
from quire.serve_apps.viewer.document_view import has_page_pictures
from quire.storage.review.readings import ReadingState
from quire.storage.review.reviews import FlagState, ReviewOrder

_INBOX, _AHEAD, _LOOKS = 500, 200, 5  # documents listed; documents a look ahead for the next one, and such looks


async def list_inbox(visit: Visit) -> Response:
    """List documents with pending flags and their exact numbers, in the order asked for."""
    order = next((order for order in ReviewOrder if order == visit.query("sort")), ReviewOrder.NEWEST)
    counted = await count_documents(visit, order, _INBOX, visit.query("cursor"))
    return visit.page(
        "inbox.html",
        documents=[(document, Counter(document.kinds)) for document in counted.items],
        waiting=sum(document.pending for document in counted.items),
        order=order.value,
        more=counted.next_cursor,
        later=visit.query("cursor") is not None,
    )


async def list_doubtful(visit: Visit) -> Response:
    """List documents with low confidence or lost text, most doubtful first, with their doubtful blocks."""
    filters = {"state": visit.query("state") or ReadingState.WAITING.value, "below": visit.query("below") or ""}
    documents, more = await visit.api.page(
        "/v1/review/documents",
        state=None if filters["state"] == "any" else filters["state"],
        below=filters["below"] or None,
        cursor=visit.query("cursor"),
    )
    return visit.page(
        "doubtful.html",
        documents=documents,
        filters=filters,
        bound=visit.resources.review_below,
        more=more,
        later=visit.query("cursor") is not None,
    )


async def review_document(visit: Visit) -> Response:
    """Show a document's flags, each with its text in context and its place on the page; decisions can be changed."""
    document = await read_document(visit)
    if visit.query("names"):  # a redacted tree is made after names were searched for; their flags are then stored
        try:
            await visit.api.get(f"{document_path(visit)}/tree", redacted="true")
        except ApiRefused as refused:
            if refused.code not in ("pii-incomplete", "scan-running"):
                raise
    all_flags = await find_flags(visit, document["job_id"], document["document_id"])
    filters = {name: visit.query(name) or "" for name in ("kind", "state", "sure", "by")}
    group = visit.query("group") != "place"
    flags = [flag for flag in all_flags if _is_wanted(flag, filters)]
    weak = [] if any(filters.values()) else [flag for flag in flags if flag.is_often_wrong]
    flags = [flag for flag in flags if flag not in weak]
    wanted_state = filters["state"] or ("" if filters["by"] else FlagState.PENDING)
    matching = sum(wanted_state in ("", flag.state.value) for flag in flags)
    flags = _join_values(flags) if group else flags
    tree = await visit.api.get(f"{document_path(visit)}/tree")
    pages = {place.page for flag in flags for place in (flag, *flag.others)}
    pending = sum(flag.state is FlagState.PENDING for flag in flags)
    return visit.page(
        "review.html",
        document=document,
        path=document_path(visit),
        flags=flags,
        total=len(all_flags),
        filters=filters,
        narrowed=any(filters.values()),
        group=group,
        weak=len(weak),
        matching=matching,
        undo=visit.query("undo"),
        changed=visit.query("changed"),
        kinds=sorted({flag.flag for flag in all_flags}),
        deciders=sorted({word.decided_by for flag in all_flags for word in flag.words}),
        me=visit.session.caller.actor("").key_name,
        without_names=(tree.get("pii") or {}).get("engine") == PATTERNS,
        redactable=tree["source"]["format"] in REDACTABLE,
        decided=len(flags) - pending,
        pending=pending,
        pages=[page for page in tree["pages"] if page["number"] in pages],
        drawn=has_page_pictures(tree, document),
        onward=await find_next(visit, document["document_id"]),
    )


def _join_values(flags: list[Flagged]) -> list[Flagged]:
    """Return a flag for each kind and value, a pending one where there is one, with the others that have the value."""
    groups: dict[tuple[str, str], list[Flagged]] = {}
    for flag in flags:
        groups.setdefault((flag.flag, flag.value or flag.place), []).append(flag)
    for same in groups.values():
        same.sort(key=lambda flag: flag.state is not FlagState.PENDING)
    return [replace(first, others=tuple(others)) for first, *others in groups.values()]


def _is_wanted(flag: Flagged, filters: dict[str, str]) -> bool:
    """Return whether a flag matches the filters of kind, state, confidence and deciding key."""
    if filters["kind"] not in ("", flag.flag) or filters["state"] not in ("", flag.state.value):
        return False
    if filters["by"] and filters["by"] not in {word.decided_by for word in flag.words}:
        return False
    try:
        return not filters["sure"] or flag.confidence <= float(filters["sure"])
    except ValueError:
        return False


async def find_next(visit: Visit, document_id: str) -> str:
    """Return the page after this document: the next pending document, else the first one, else the inbox."""
    first, cursor = None, None
    passed = False
    for _ in range(_LOOKS):
        waiting, cursor = await find_waiting(visit, _AHEAD, cursor)
        for document in waiting:
            if document.document_id == document_id:
                passed = True
            elif passed:
                return _address(document)
            elif first is None:
                first = document
        if cursor is None:
            break
    return _address(first) if first else "/ui/review"


def _address(document: Waiting) -> str:
    return f"/ui/jobs/{document.job_id}/documents/{document.document_id}/review"
