"""Changes requested by plain forms: check the form, call the API, redirect. Scripts use the gateway instead."""

from enum import StrEnum
from typing import Literal, assert_never
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_form
from quire.serve_apps.ui.browser.lookups import find_flags
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.ui.pages.locked import opens_original
from quire.serve_apps.ui.pages.reviewing import find_next
from quire.storage.review.reviews import FlagState


class Act(StrEnum):
    """Actions that a form may request."""

    CANCEL = "cancel"
    DELETE_JOB = "delete-job"
    DELETE_DOCUMENT = "delete-document"
    REQUEUE = "requeue"
    REQUEUE_ALL = "requeue-all"
    DECIDE = "decide"
    DECIDE_REST = "decide-rest"
    DECIDE_SHOWN = "decide-shown"
    UNDO = "undo"
    DECIDE_READING = "decide-reading"
    SYNC_SOURCE = "sync-source"
    DELETE_SOURCE = "delete-source"
    TEST_WEBHOOK = "test-webhook"
    ENABLE_WEBHOOK = "enable-webhook"
    DELETE_WEBHOOK = "delete-webhook"
    REDELIVER = "redeliver"
    PAUSE_TARGET = "pause-target"
    RESUME_TARGET = "resume-target"
    BACKFILL_TARGET = "backfill-target"
    RETRY_TARGET = "retry-target"
    DELETE_TARGET = "delete-target"


_Source = Literal[Act.SYNC_SOURCE, Act.DELETE_SOURCE]
_Webhook = Literal[Act.TEST_WEBHOOK, Act.ENABLE_WEBHOOK, Act.DELETE_WEBHOOK, Act.REDELIVER]
_Target = Literal[Act.PAUSE_TARGET, Act.RESUME_TARGET, Act.BACKFILL_TARGET, Act.RETRY_TARGET, Act.DELETE_TARGET]
_Review = Literal[Act.DECIDE, Act.DECIDE_REST, Act.DECIDE_SHOWN, Act.DECIDE_READING, Act.UNDO]
_MOST_REQUEUED = 50  # documents requeued by one form, each an API call
_SYNC_WAIT_S = 2  # seconds that a form waits for a sync


async def act(visit: Visit) -> Response:
    """Run a form's action and redirect to its next page. Raises `ForeignRequest`, `ApiRefused`."""
    require_same_site(visit.request.headers)
    form = await read_form(visit.request)
    require_token(form.get("csrf"), visit.session.csrf)
    try:
        action = Act(form.get("act", ""))
    except ValueError:
        raise ApiRefused(422, "unknown-act", "There is no such action.") from None
    onward = await _do(visit, action, form)
    return RedirectResponse(onward, 303)


async def _do(visit: Visit, action: Act, form: dict[str, str]) -> str:
    """Run the action and return the address of the next page."""
    job, document = _segment(form, "job"), _segment(form, "document")
    match action:
        case Act.CANCEL:
            await visit.api.post(f"/v1/jobs/{job}/cancel")
            return f"/ui/jobs/{job}"
        case Act.DELETE_JOB:
            await visit.api.delete(f"/v1/jobs/{job}")
            return "/ui/jobs"
        case Act.DELETE_DOCUMENT:
            await visit.api.delete(f"/v1/documents/{document}")
            return f"/ui/jobs/{job}"
        case Act.REQUEUE:
            return await _read_again(visit, job, document, form.get("password", ""))
        case Act.REQUEUE_ALL:
            return await _requeue_all(visit)
        case Act.DECIDE | Act.DECIDE_REST | Act.DECIDE_SHOWN | Act.DECIDE_READING | Act.UNDO:
            return await _review(visit, action, form)
        case Act.SYNC_SOURCE | Act.DELETE_SOURCE:
            return await _change_source(visit, action, _segment(form, "id"), documents="documents" in form)
        case Act.TEST_WEBHOOK | Act.ENABLE_WEBHOOK | Act.DELETE_WEBHOOK | Act.REDELIVER:
            return await _change_webhook(visit, action, _segment(form, "id"))
        case Act.PAUSE_TARGET | Act.RESUME_TARGET | Act.BACKFILL_TARGET | Act.RETRY_TARGET | Act.DELETE_TARGET:
            return await _change_target(visit, action, _segment(form, "id"))
        case _:
            assert_never(action)


async def _read_again(visit: Visit, job: str, document: str, password: str) -> str:
    """Requeue a failed document. A password that does not open its file leads back to the document's page."""
    path = f"/v1/jobs/{job}/documents/{document}"
    if password and not await opens_original(visit, path, password):
        return f"/ui/jobs/{job}/documents/{document}?password=wrong"
    await visit.api.post(f"{path}/requeue", {"password": password} if password else None)
    return f"/ui/jobs/{job}"


async def _requeue_all(visit: Visit) -> str:
    """Requeue the newest failures, as many as one page shows. Documents that cannot be read again are skipped."""
    for letter in await visit.api.get("/v1/dead-letters", limit=_MOST_REQUEUED):
        try:
            await visit.api.post(f"/v1/jobs/{letter['job_id']}/documents/{letter['document_id']}/requeue")
        except ApiRefused as refused:
            if refused.status != 409:
                raise
    return "/ui/jobs"


async def _review(visit: Visit, action: _Review, form: dict[str, str]) -> str:
    """Store review decisions. After one decision the page stays; after the remaining ones the next document follows."""
    job, document, decision = _segment(form, "job"), _segment(form, "document"), form.get("decision", "")
    path = f"/v1/jobs/{job}/documents/{document}/blocks"
    match action:
        case Act.DECIDE:
            body = {name: form[name] for name in ("flag", "place", "apply_to") if form.get(name)}
            await visit.api.post(f"{path}/{_segment(form, 'block')}/review", body | {"decision": decision})
            return f"/ui/jobs/{job}/documents/{document}/review"
        case Act.DECIDE_SHOWN:
            names = {"kind": "kind", "state": "state", "sure": "max_confidence", "by": "decided_by"}
            chosen = {name: form[name] for name in names if form.get(name)}
            asked = {names[name]: value for name, value in chosen.items()}
            path = f"/v1/jobs/{job}/review"
            decided = await visit.api.post(path, {"decision": decision}, document_id=document, **asked)
            shown = chosen | {"undo": decided["act"] or "", "changed": str(decided["places"])}
            return f"/ui/jobs/{job}/documents/{document}/review?{urlencode(shown)}"
        case Act.DECIDE_READING:
            await visit.api.post(f"/v1/jobs/{job}/documents/{document}/review", {"decision": decision})
            return f"/ui/review/documents?state={_segment(form, 'state')}&below={_segment(form, 'below')}"
        case Act.UNDO:
            await visit.api.delete(f"/v1/review/{_segment(form, 'id')}")
            return f"/ui/jobs/{job}/documents/{document}/review"
        case Act.DECIDE_REST:
            onward = await find_next(visit, form.get("document", ""))
            for flag in await find_flags(visit, form.get("job", ""), form.get("document", "")):
                if flag.state is FlagState.PENDING:
                    body = {"flag": flag.flag, "place": flag.place, "decision": decision}
                    await visit.api.post(f"{path}/{quote(flag.block_id, safe='')}/review", body)
            return onward
        case _:
            assert_never(action)


async def _change_source(visit: Visit, action: _Source, id: str, *, documents: bool) -> str:
    """Sync a source, waiting a limited time, or remove it, with its documents if requested."""
    match action:
        case Act.SYNC_SOURCE:
            await visit.api.post(f"/v1/sources/{id}/sync", wait=_SYNC_WAIT_S)
        case Act.DELETE_SOURCE:
            await visit.api.delete(f"/v1/sources/{id}", documents="true" if documents else None)
        case _:
            assert_never(action)
    return "/ui/sources"


async def _change_webhook(visit: Visit, action: _Webhook, id: str) -> str:
    """Run an admin's action on a receiver or on one of its deliveries."""
    match action:
        case Act.TEST_WEBHOOK:
            await visit.api.post(f"/v1/webhooks/{id}/test")
            return f"/ui/webhooks/{id}"
        case Act.ENABLE_WEBHOOK:
            await visit.api.post(f"/v1/webhooks/{id}/enable")
            return f"/ui/webhooks/{id}"
        case Act.DELETE_WEBHOOK:
            await visit.api.delete(f"/v1/webhooks/{id}")
            return "/ui/webhooks"
        case Act.REDELIVER:
            sent = await visit.api.post(f"/v1/webhooks/deliveries/{id}/redeliver")
            return f"/ui/webhooks/{sent['webhook_id']}"
        case _:
            assert_never(action)


async def _change_target(visit: Visit, action: _Target, id: str) -> str:
    """Run an admin's action on a target."""
    path = f"/v1/targets/{id}"
    match action:
        case Act.PAUSE_TARGET:
            await visit.api.patch(path, {"paused": True})
        case Act.RESUME_TARGET:
            await visit.api.patch(path, {"paused": False})
        case Act.BACKFILL_TARGET:
            await visit.api.post(f"{path}/backfill")
        case Act.RETRY_TARGET:
            await visit.api.post(f"{path}/retry")
        case Act.DELETE_TARGET:
            await visit.api.delete(path)
        case _:
            assert_never(action)
    return "/ui/targets"


def _segment(form: dict[str, str], name: str) -> str:
    """Return a form value quoted as one path segment."""
    return quote(form.get(name, ""), safe="")
