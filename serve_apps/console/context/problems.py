"""Mapping of the console's errors to HTTP, in addition to the rows of `quire.serve_apps.api.http.problems`."""

import inspect
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.api.http.problems import PROBLEM_JSON, install, problem_response
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.context.refusals import (
    EngineFailed,
    ForeignForm,
    SignInNeeded,
    SignUpClosed,
    TooManyTries,
)
from quire.serve_apps.console.store.errors import EmailTaken, MonthlyPagesUsed, SignInRefused, TooManyDocuments

RETRY_S = 2  # Retry-After in seconds if the engine is unavailable


def install_problems(app: FastAPI) -> None:
    """Register handlers for all errors of the engine's table and of the console."""
    install(app)
    app.add_exception_handler(MonthlyPagesUsed, _pages_used)
    app.add_exception_handler(TooManyDocuments, _too_many)
    app.add_exception_handler(EngineFailed, _engine_failed)
    app.add_exception_handler(EmailTaken, _conflict)
    app.add_exception_handler(SignInRefused, _sign_in_refused)
    app.add_exception_handler(ForeignForm, _foreign_form)
    app.add_exception_handler(SignInNeeded, _sign_in_needed)
    app.add_exception_handler(TooManyTries, _too_many_tries)
    app.add_exception_handler(SignUpClosed, _sign_up_closed)
    for error, handler in list(app.exception_handlers.items()):
        app.add_exception_handler(error, _as_page(handler))


def _as_page(handler: Callable[..., Any]) -> Callable[[Request, Exception], Any]:
    """Wrap an error handler: programs get its JSON, browsers an HTML page with the same text."""

    async def answer(request: Request, error: Exception) -> Response:
        result = handler(request, error)
        response: Response = await result if inspect.isawaitable(result) else result
        if response.status_code < 400 or "text/html" not in request.headers.get("accept", ""):
            return response
        body = json.loads(bytes(response.body))
        detail = body["detail"] if isinstance(body["detail"], str) else body["detail"][0]["msg"]
        status = response.status_code
        shown = page(request, "refused.html", status, title=HTTPStatus(status).phrase, detail=detail)
        if "retry-after" in response.headers:
            shown.headers["Retry-After"] = response.headers["retry-after"]
        return shown

    return answer


async def _pages_used(_: Request, error: Exception) -> Response:
    """Answer 402 with the reset date of the allowance, in words and as a date."""
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


async def _conflict(_: Request, error: Exception) -> Response:
    return problem_response(409, EmailTaken.code, str(error))


async def _sign_in_refused(_: Request, error: Exception) -> Response:
    return problem_response(401, SignInRefused.code, str(error))


async def _foreign_form(_: Request, error: Exception) -> Response:
    return problem_response(403, ForeignForm.code, str(error))


async def _sign_in_needed(request: Request, error: Exception) -> Response:
    """Redirect browsers to the sign-in page; programs get 401."""
    root = request.scope.get("root_path", "")
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(f"{root}/sign-in", 303)
    return problem_response(401, SignInNeeded.code, str(error) or "sign in first")


async def _too_many_tries(_: Request, error: Exception) -> Response:
    assert isinstance(error, TooManyTries)
    return problem_response(429, TooManyTries.code, str(error), {"Retry-After": str(error.retry_after)})


async def _sign_up_closed(_: Request, error: Exception) -> Response:
    return problem_response(403, SignUpClosed.code, str(error))
