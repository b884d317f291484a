"""The one table from errors to HTTP: an exception in, problem+json out; 422 uses FastAPI's `detail` list.

A body never contains internals: unless an error's text is known to be safe, the table's text is used instead.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from quire.models.cdom.errors import ExtractError, NoSuchPage, UnsupportedFormat
from quire.models.cdom.ports import EmbeddingFailed, PortUnavailable, RedactionRefused, SqlRefused
from quire.models.cdom.tree import DamagedTree
from quire.models.derive.finetune import UnknownSplit, UnknownStyle
from quire.models.derive.finetune_template import InvalidTemplate
from quire.models.export.graph import UnknownGraphFormat
from quire.models.pii.redact import PiiIncomplete
from quire.serve_apps.access import errors as access
from quire.serve_apps.api.http import refusals
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.storage.queue.disk_cap import DiskFull
from quire.storage.sources.connectors.contract import SourceRefused, SourceUnavailable
from quire.storage.targets.contract import TargetRefused
from quire.storage.values import errors as storage

PROBLEM_JSON = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Problem:
    """One row. `text` replaces the error's text; `loc` is the location of a 422; `retry_after` is in seconds."""

    status: int
    text: str | None = None
    retry_after: int | None = None
    loc: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


NOT_FOUND_TEXT = "There is no such resource."
PROBLEMS: Mapping[type[Exception], Problem] = {
    access.Unauthenticated: Problem(401, headers=(("WWW-Authenticate", 'Bearer realm="quire"'),)),
    access.ScopeMissing: Problem(403),
    access.FeatureNotLicensed: Problem(403),
    access.RateLimited: Problem(429),
    DiskFull: Problem(507),
    access.PrincipalsUnsupported: Problem(403),
    access.InvalidPrincipals: Problem(422, loc=("header", "X-DE-Principals")),
    access.InvalidOrg: Problem(422, loc=("header", "X-DE-Org")),
    access.LicenseExpired: Problem(402),
    access.ClockRolledBack: Problem(402),
    storage.NotFound: Problem(404, NOT_FOUND_TEXT),
    storage.Conflict: Problem(409),
    storage.QuotaExceeded: Problem(402, "The page quota of this month is used or reserved."),
    storage.InvalidCursor: Problem(422, "the cursor does not belong to this listing", loc=("query", "cursor")),
    storage.StoreUnavailable: Problem(503, "The database or a store cannot be reached.", retry_after=2),
    storage.NoSpace: Problem(507, retry_after=60),
    storage.SchemaMismatch: Problem(503, "The database is being migrated.", retry_after=10),
    EmbeddingFailed: Problem(422, "the embedding model could not process the text", loc=("body", "tree")),
    PortUnavailable: Problem(503, "This part of the service is not available.", retry_after=2),
    UnsupportedFormat: Problem(422, "the file format is not supported", loc=("body", "file")),
    refusals.TokenRefused: Problem(403),
    refusals.NoDefaultToken: Problem(409),
    PiiIncomplete: Problem(409),
    refusals.ScanRunning: Problem(202, retry_after=5),
    refusals.SearchNotConfigured: Problem(409),
    refusals.SqlNotInstalled: Problem(409),
    SqlRefused: Problem(422, loc=("body", "sql")),
    refusals.NoPageImage: Problem(404),
    refusals.OriginalGone: Problem(404),
    refusals.NoOriginal: Problem(409),
    refusals.FormatNotRedactable: Problem(409),
    RedactionRefused: Problem(409, "The redacted file could not be made, or it still contained a masked value."),
    refusals.PictureNotRedactable: Problem(403),
    refusals.UnknownFlag: Problem(422),
    NoSuchPage: Problem(422, "the file has none of the selected pages", loc=("body", "pages")),
    refusals.ValueRefused: Problem(422),
    ExtractError: Problem(422, "the page cannot be drawn", loc=("path", "page")),
    refusals.InvalidField: Problem(422),
    refusals.UnusableSchema: Problem(422),
    refusals.NoModelEndpoint: Problem(422),
    refusals.ModelUnavailable: Problem(503, "The language model does not answer.", retry_after=10),
    refusals.ModelFailed: Problem(502, "The language model did not answer in the form that was asked for."),
    refusals.UnusableCorrection: Problem(422),
    refusals.UnknownParameter: Problem(422),
    refusals.RepeatedParameter: Problem(422),
    refusals.OverLimit: Problem(422, loc=("path", "document_id")),
    refusals.NotInTime: Problem(422, loc=("body",)),
    refusals.UnreadableFile: Problem(422),
    UnknownStyle: Problem(422, "There is no such style.", loc=("query", "style")),
    InvalidTemplate: Problem(422, loc=("query", "template")),
    UnknownSplit: Problem(422, "A split is train or val.", loc=("query", "split")),
    UnknownGraphFormat: Problem(422, "There is no such graph format.", loc=("query", "format")),
    refusals.UploadTooLarge: Problem(413, headers=(("Connection", "close"),)),
    refusals.EncodingRefused: Problem(415, headers=(("Accept-Encoding", "identity"),)),
    refusals.RangeRefused: Problem(416),
    refusals.BatchTooLarge: Problem(413, headers=(("Connection", "close"),)),
    refusals.InvalidUpload: Problem(422, headers=(("Connection", "close"),)),
    refusals.UrlUnreachable: Problem(422),
    refusals.UploadsNotConfigured: Problem(409),
    refusals.UnknownUpload: Problem(422),
    refusals.UploadMissing: Problem(409),
    refusals.UploadMismatch: Problem(422),
    refusals.UploadStalled: Problem(408, headers=(("Connection", "close"),)),
    storage.UrlRefused: Problem(422, loc=("body", "url")),
    SourceRefused: Problem(422, loc=("body",)),
    TargetRefused: Problem(422, loc=("body",)),
    SourceUnavailable: Problem(503, retry_after=30),
    DamagedTree: Problem(409, "The stored tree is damaged; restore it from a backup, or read the document again."),
    storage.LostLease: Problem(409),
    Overloaded: Problem(503, retry_after=1),
}
_CODES = {400: "bad-request", 404: "not-found", 405: "method-not-allowed", 500: "internal"}


def install(app: FastAPI) -> None:
    """Answer every error of the table, of routing and of validation in the one form."""
    for error in PROBLEMS:
        app.add_exception_handler(error, _answer_known)
    app.add_exception_handler(refusals.ScanRunning, _answer_scanning)
    app.add_exception_handler(HTTPException, _answer_routing)
    app.add_exception_handler(RequestValidationError, _answer_validation)


def problem_response(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem response; its bytes depend only on the arguments."""
    body = {
        "type": f"urn:quire:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    return Response(json.dumps(body), status, headers, PROBLEM_JSON)


def invalid_response(entries: Sequence[dict[str, Any]], headers: Mapping[str, str] | None = None) -> Response:
    """Return a 422 response in FastAPI's form: entries of `type` (our code), `loc` and `msg`."""
    return Response(json.dumps({"detail": list(entries)}), 422, headers, "application/json")


def answer(error: Exception) -> Response:
    """Return the response for an error of the table. All other errors are `internal`, without details."""
    problem = next((PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS), None)
    if problem is None:
        return problem_response(500, _CODES[500], "An internal error occurred. Report it with the request id.")
    code = getattr(error, "code", "error")
    headers = dict(problem.headers) | getattr(error, "headers", {})
    retry_after = getattr(error, "retry_after", problem.retry_after)
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    text = problem.text if problem.text is not None else str(error) or code
    if problem.status == 422:
        loc = list(getattr(error, "loc", problem.loc))
        return invalid_response([{"type": code, "loc": loc, "msg": text}], headers)
    return problem_response(problem.status, code, text, headers)


async def _answer_known(_: Request, error: Exception) -> Response:
    return answer(error)


async def _answer_scanning(request: Request, error: Exception) -> Response:
    """Return the 202 of a result that is not ready; the same request returns the result later."""
    response = answer(error)
    query = request.scope["query_string"].decode("latin-1")
    response.headers["Location"] = request.scope["path"] + (f"?{query}" if query else "")
    return response


async def _answer_routing(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return answer(error)
    if error.status_code == 405:
        allow = {"Allow": ", ".join(allowed_methods(request.app.router.routes, request.scope))}
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=allow)
        return problem_response(405, _CODES[405], HTTPStatus(405).phrase, allow)
    if error.status_code == 404:
        return problem_response(404, "not-found", NOT_FOUND_TEXT)
    code = _CODES.get(error.status_code, "bad-request")
    return problem_response(error.status_code, code, HTTPStatus(error.status_code).phrase, error.headers)


def allowed_methods(routes: Iterable[BaseRoute], scope: Scope) -> list[str]:
    """Return all methods that the routes accept at this path."""
    methods = {"OPTIONS"}
    for route in routes:
        if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


async def _answer_validation(_: Request, error: Exception) -> Response:
    """Return FastAPI's list of errors without the rejected input, which may be huge, secret or not JSON."""
    errors = error.errors() if isinstance(error, RequestValidationError) else []
    return invalid_response([{"type": e["type"], "loc": list(e["loc"]), "msg": e["msg"]} for e in errors])
