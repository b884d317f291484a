"""The console's own rows of the table from errors to HTTP, beside those of `serve_apps.api.problems`."""

import json
from http import HTTPStatus

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response

from serve_apps.api.problems import PROBLEM_JSON, install, invalid_response, problem_response
from serve_apps.console.refusals import EngineFailed, ForeignForm, SignInNeeded
from storage.console.errors import EmailTaken, MonthlyPagesUsed, SignInRefused, TooManyDocuments
from storage.egress import UrlRefused

RETRY_S = 2


def install_problems(app: FastAPI) -> None:
    """Every error of the engine's table and of the console in the one form."""
    install(app)
    app.add_exception_handler(MonthlyPagesUsed, _pages_used)
    app.add_exception_handler(TooManyDocuments, _too_many)
    app.add_exception_handler(EngineFailed, _engine_failed)
    app.add_exception_handler(UrlRefused, _url_refused)
    app.add_exception_handler(EmailTaken, _conflict)
    app.add_exception_handler(SignInRefused, _sign_in_refused)
    app.add_exception_handler(ForeignForm, _foreign_form)
    app.add_exception_handler(SignInNeeded, _sign_in_needed)


async def _pages_used(_: Request, error: Exception) -> Response:
    """402 says when the allowance is whole again, in words and as a date."""
    assert isinstance(error, MonthlyPagesUsed)
    resets_at = f"{error.resets_on.isoformat()}T00:00:00Z"
    body = {
        "type": f"urn:quire:problem:{error.code}",
        "title": HTTPStatus.PAYMENT_REQUIRED.phrase,
        "status": 402,
        "detail": str(error),
        "code": error.code,
        "resets_at": resets_at,
    }
    return Response(json.dumps(body), 402, media_type=PROBLEM_JSON)


async def _too_many(_: Request, error: Exception) -> Response:
    return problem_response(429, TooManyDocuments.code, str(error), {"Retry-After": str(RETRY_S)})


async def _engine_failed(_: Request, __: Exception) -> Response:
    text = "The engine behind this service failed. Nothing was charged; send the request again."
    return problem_response(502, EngineFailed.code, text, {"Retry-After": str(RETRY_S)})


async def _url_refused(_: Request, error: Exception) -> Response:
    return invalid_response([{"type": UrlRefused.code, "loc": ["body", "url"], "msg": str(error)}])


async def _conflict(_: Request, error: Exception) -> Response:
    return problem_response(409, EmailTaken.code, str(error))


async def _sign_in_refused(_: Request, error: Exception) -> Response:
    return problem_response(401, SignInRefused.code, str(error))


async def _foreign_form(_: Request, error: Exception) -> Response:
    return problem_response(403, ForeignForm.code, str(error))


async def _sign_in_needed(request: Request, error: Exception) -> Response:
    """People are led to the sign-in page, programs get 401."""
    root = request.scope.get("root_path", "")
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"{root}/sign-in", 303)
    return problem_response(401, SignInNeeded.code, str(error) or "sign in first")
