"""Changes asked for by plain forms: check the form, call the API, go back. Scripts use the gateway instead."""

from enum import StrEnum
from typing import Literal, assert_never
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from serve_apps.ui.gateway import ApiRefused
from serve_apps.ui.guard import require_same_site, require_token
from serve_apps.ui.login import read_form
from serve_apps.ui.visit import Visit


class Act(StrEnum):
    """What a form may ask for."""

    CANCEL = "cancel"
    DELETE_JOB = "delete-job"
    DELETE_DOCUMENT = "delete-document"
    REQUEUE = "requeue"
    DECIDE = "decide"
    SYNC_SOURCE = "sync-source"
    DELETE_SOURCE = "delete-source"
    TEST_WEBHOOK = "test-webhook"
    DELETE_WEBHOOK = "delete-webhook"
    REDELIVER = "redeliver"


async def act(visit: Visit) -> Response:
    """303 to where the form says, after the change. Raises `ForeignRequest`, `ApiRefused`."""
    require_same_site(visit.request.headers)
    form = await read_form(visit.request)
    require_token(form.get("csrf"), visit.session.csrf)
    try:
        asked = Act(form.get("act", ""))
    except ValueError:
        raise ApiRefused(422, "unknown-act", "There is no such action.") from None
    onward = await _do(visit, asked, form)
    return RedirectResponse(onward, 303)


async def _do(visit: Visit, asked: Act, form: dict[str, str]) -> str:
    """Does it and says where to go."""
    job, document = _segment(form, "job"), _segment(form, "document")
    path = f"/v1/jobs/{job}/documents/{document}"
    match asked:
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
            await visit.api.post(f"{path}/requeue")
            return f"/ui/jobs/{job}"
        case Act.DECIDE:
            decision = {"flag": form.get("flag", ""), "decision": form.get("decision", "")}
            await visit.api.post(f"{path}/blocks/{_segment(form, 'block')}/review", decision)
            return f"/ui/jobs/{job}/documents/{document}/review"
        case Act.SYNC_SOURCE | Act.DELETE_SOURCE | Act.TEST_WEBHOOK | Act.DELETE_WEBHOOK | Act.REDELIVER:
            return await _operate(visit, asked, _segment(form, "id"))
        case _:
            assert_never(asked)


_Operator = Literal[Act.SYNC_SOURCE, Act.DELETE_SOURCE, Act.TEST_WEBHOOK, Act.DELETE_WEBHOOK, Act.REDELIVER]


async def _operate(visit: Visit, asked: _Operator, id: str) -> str:
    """What an admin does to a row of a list."""
    match asked:
        case Act.SYNC_SOURCE:
            await visit.api.post(f"/v1/sources/{id}/sync")
            return "/ui/lists/sources"
        case Act.DELETE_SOURCE:
            await visit.api.delete(f"/v1/sources/{id}")
            return "/ui/lists/sources"
        case Act.TEST_WEBHOOK:
            await visit.api.post(f"/v1/webhooks/{id}/test")
            return "/ui/lists/deliveries"
        case Act.DELETE_WEBHOOK:
            await visit.api.delete(f"/v1/webhooks/{id}")
            return "/ui/lists/webhooks"
        case Act.REDELIVER:
            await visit.api.post(f"/v1/webhooks/deliveries/{id}/redeliver")
            return "/ui/lists/deliveries"
        case _:
            assert_never(asked)


def _segment(form: dict[str, str], name: str) -> str:
    """A value of the form as one segment of a path."""
    return quote(form.get(name, ""), safe="")
