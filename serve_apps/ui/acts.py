"""Changes asked for by plain forms: check the form, call the API, go back. Scripts use the gateway instead."""

from enum import StrEnum
from typing import assert_never
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
    job, document = quote(form.get("job", ""), safe=""), quote(form.get("document", ""), safe="")
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
            await visit.api.post(f"/v1/jobs/{job}/documents/{document}/requeue")
            return f"/ui/jobs/{job}"
        case Act.DECIDE:
            block = quote(form.get("block", ""), safe="")
            decision = {"flag": form.get("flag", ""), "decision": form.get("decision", "")}
            await visit.api.post(f"/v1/jobs/{job}/documents/{document}/blocks/{block}/review", decision)
            return f"/ui/jobs/{job}/documents/{document}/review"
        case _:
            assert_never(asked)
