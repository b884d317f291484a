"""Review pages: pending personal data, a document's flags, and documents with low reading confidence."""

from collections import Counter

from starlette.responses import Response

from models.redaction.redact import REDACTABLE
from serve_apps.ui.browser.lookups import Flagged, Waiting, find_flags, find_waiting
from serve_apps.ui.browser.visit import Visit
from serve_apps.ui.pages.documents import document_path, read_document
from storage.review.readings import ReadingState
from storage.review.reviews import FlagState

_INBOX, _AHEAD, _LOOKS = 500, 200, 5  # documents listed; documents a look ahead for the next one, and such looks


async def list_inbox(visit: Visit) -> Response:
    """List documents with pending flags, newest job first."""
    waiting, more = await find_waiting(visit, _INBOX, visit.query("cursor"))
    return visit.page(
        "inbox.html",
        documents=[(one, Counter(one.flags)) for one in waiting],
        waiting=sum(len(one.flags) for one in waiting),
        more=more,
        later=visit.query("cursor") is not None,
    )


async def list_doubtful(visit: Visit) -> Response:
    """List documents with low confidence or lost text, most doubtful first, with their doubtful blocks."""
    wanted = {"state": visit.query("state") or ReadingState.WAITING.value, "below": visit.query("below") or ""}
    documents, more = await visit.api.page(
        "/v1/review/documents",
        state=None if wanted["state"] == "any" else wanted["state"],
        below=wanted["below"] or None,
        cursor=visit.query("cursor"),
    )
    return visit.page(
        "doubtful.html",
        documents=documents,
        wanted=wanted,
        bound=visit.resources.review_below,
        more=more,
        later=visit.query("cursor") is not None,
    )


async def review_document(visit: Visit) -> Response:
    """Show a document's flags, each with its text in context and its place on the page; decisions can be changed."""
    document = await read_document(visit)
    found = await find_flags(visit, document["job_id"], document["document_id"])
    wanted = {name: visit.query(name) or "" for name in ("kind", "state", "sure", "by")}
    flags = [one for one in found if _is_wanted(one, wanted)]
    tree = await visit.api.get(f"{document_path(visit)}/tree")
    pages = {one.page for one in flags}
    pending = sum(one.state is FlagState.PENDING for one in flags)
    return visit.page(
        "review.html",
        document=document,
        path=document_path(visit),
        flags=flags,
        total=len(found),
        wanted=wanted,
        narrowed=any(wanted.values()),
        kinds=sorted({one.flag for one in found}),
        deciders=sorted({word.decided_by for one in found for word in one.words}),
        me=visit.session.caller.actor("").key_name,
        redactable=tree["source"]["format"] in REDACTABLE,
        decided=len(flags) - pending,
        pending=pending,
        pages=[page for page in tree["pages"] if page["number"] in pages],
        drawn=tree["source"]["format"] != "docx",
        onward=await find_next(visit, document["document_id"]),
    )


def _is_wanted(one: Flagged, wanted: dict[str, str]) -> bool:
    """Return whether a flag matches the filters of kind, state, confidence and deciding key."""
    if wanted["kind"] not in ("", one.flag) or wanted["state"] not in ("", one.state.value):
        return False
    if wanted["by"] and wanted["by"] not in {word.decided_by for word in one.words}:
        return False
    try:
        return not wanted["sure"] or one.confidence <= float(wanted["sure"])
    except ValueError:
        return False


async def find_next(visit: Visit, document_id: str) -> str:
    """Return the page after this document: the next pending document, else the first one, else the inbox."""
    first, cursor = None, None
    passed = False
    for _ in range(_LOOKS):
        waiting, cursor = await find_waiting(visit, _AHEAD, cursor)
        for one in waiting:
            if one.document_id == document_id:
                passed = True
            elif passed:
                return _address(one)
            elif first is None:
                first = one
        if cursor is None:
            break
    return _address(first) if first else "/ui/review"


def _address(one: Waiting) -> str:
    return f"/ui/jobs/{one.job_id}/documents/{one.document_id}/review"
