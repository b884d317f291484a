"""The API for a signed-in browser: /ui/v1/… is /v1/… of the same app, called with the session's key.

Pages get their data the same way, in this process, so they show exactly the API's answers and use no storage.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.access.caller import Caller
from quire.serve_apps.api.http import problems
from quire.serve_apps.api.http.request_body import received_whole
from quire.serve_apps.ui.browser.origin import ForeignRequest, over_tls, require_same_site, require_token
from quire.serve_apps.ui.browser.session import SESSION_COOKIE, Sessions

CALLER = "session_caller"
UPLOAD = "/v1/jobs"
_READING = frozenset({"GET", "HEAD"})
_OWN_HEADERS = frozenset({b"cookie", b"authorization", b"x-api-key", b"x-de-org", b"x-csrf-token"})


class ApiRefused(Exception):
    """The API answered a page's request with an error."""

    def __init__(self, status: int, code: str, detail: str, retry_after: str | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.retry_after = status, code, detail, retry_after


class Gateway:
    """ASGI app. `api` is the API's router."""

    def __init__(self, api: ASGIApp, sessions: Sessions) -> None:
        self._api, self._sessions = api, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Authenticate the browser session, check the CSRF token of changes, and call the API."""
        connection = HTTPConnection(scope)
        session = self._sessions.read(SESSION_COOKIE.read(scope["headers"], tls=over_tls(connection)))
        if session is None:
            await problems.problem_response(401, "unauthenticated", "Sign in first.")(scope, receive, send)
            return
        path = scope["path"].removeprefix("/ui")
        is_upload_form = scope["method"] == "POST" and path == UPLOAD and _is_form(connection)
        if scope["method"] not in _READING:
            try:
                require_same_site(connection.headers)
                if not is_upload_form:  # its body is a stream, and a token in the address would be logged by proxies
                    require_token(connection.headers.get("x-csrf-token"), session.csrf)
            except ForeignRequest as foreign:
                await problems.problem_response(403, foreign.code, str(foreign))(scope, receive, send)
                return
        inner = inner_scope(scope, session.caller, path)
        if is_upload_form:
            await self._upload(scope, inner, receive, send)
        else:
            await self._api(inner, receive, send)

    async def _upload(self, scope: Scope, inner: Scope, receive: Receive, send: Send) -> None:
        """Handle a form without a script: redirect to its documents, or back to the form with the reason."""
        answer = _Answer(receive)
        try:
            await self._api(inner, answer.receive, answer.send)
            refused = refusal_in(answer) if answer.status >= 400 else None
        except Exception as error:
            refused = refusal_of(error)
            if refused.status == 500:
                raise
        onward = (
            "/ui/upload?" + urlencode({"problem": refused.detail}) if refused else f"/ui?job_id={answer.json['id']}"
        )
        await RedirectResponse(onward, 303)(scope, receive, send)


def inner_scope(scope: Scope, caller: Caller, path: str, **changes: Any) -> Scope:
    """Return the scope of a call to the API by `caller`, without headers that identify another caller."""
    headers = [(name, value) for name, value in scope["headers"] if name not in _OWN_HEADERS]
    inner = {**scope, "path": path, "raw_path": path.encode(), "headers": headers, CALLER: caller, "path_params": {}}
    for left_over in ("endpoint", "route", "router"):
        inner.pop(left_over, None)
    return {**inner, **changes}


class BrowserApi:
    """API requests of a page, made as one caller. A refused request raises `ApiRefused`."""

    def __init__(self, router: ASGIApp, connection: HTTPConnection, caller: Caller) -> None:
        self._router, self._scope, self._caller = router, connection.scope, caller

    async def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of a GET."""
        return (await self.page(path, **query))[0]

    async def page(self, path: str, **query: Any) -> tuple[Any, str | None]:
        """Return the JSON of a listing and the next page's cursor."""
        answer = await self._call("GET", path, query)
        return answer.json, answer.headers.get("x-next-cursor")

    async def text(self, path: str, **query: Any) -> str:
        """Return the text of a GET."""
        return (await self._call("GET", path, query)).body.decode()

    async def content(self, path: str) -> bytes:
        """Return the bytes of a GET."""
        return (await self._call("GET", path, {})).body

    async def post(self, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Return the JSON of a POST."""
        return (await self._call("POST", path, query, body)).json

    async def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON of a PATCH."""
        return (await self._call("PATCH", path, {}, body)).json

    async def delete(self, path: str, **query: Any) -> None:
        """Send a DELETE."""
        await self._call("DELETE", path, query)

    async def _call(
        self, method: str, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None = None
    ) -> "_Answer":
        parameters = {name: value for name, value in query.items() if value is not None}
        content = b"" if body is None else json.dumps(body).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        scope = inner_scope(
            self._scope,
            self._caller,
            path,
            method=method,
            query_string=urlencode(parameters, doseq=True).encode(),
            headers=headers if body is not None else [],
        )
        answer = _Answer(received_whole(content))
        await self._router(scope, answer.receive, answer.send)
        if answer.status >= 400 or answer.headers.get("content-type") == problems.PROBLEM_JSON:
            raise refusal_in(answer)
        return answer


class _Answer:
    """Collects one answer to a request whose body comes from `receive`."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self._parts = receive, bytearray()
        self.status, self.headers = 500, Headers()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], Headers(raw=message["headers"])
        else:
            self._parts += message.get("body", b"")

    @property
    def body(self) -> bytes:
        return bytes(self._parts)

    @property
    def json(self) -> Any:
        return json.loads(self._parts or b"{}")


def refusal_of(error: Exception) -> ApiRefused:
    """Return an error as the API would have answered it; errors outside its table are 500."""
    answer = problems.answer(error)
    return _refusal(answer.status_code, json.loads(bytes(answer.body)), answer.headers.get("retry-after"))


def refusal_in(answer: _Answer) -> ApiRefused:
    """Return the refusal in an API answer."""
    return _refusal(answer.status, answer.json, answer.headers.get("retry-after"))


def _refusal(status: int, body: dict[str, Any], retry_after: str | None) -> ApiRefused:
    detail = body.get("detail", "")
    if isinstance(detail, list):
        first = detail[0] if detail else {}
        return ApiRefused(status, str(first.get("type", "invalid")), _describe_entry(first), retry_after)
    return ApiRefused(status, str(body.get("code", "error")), str(detail), retry_after)


def _describe_entry(entry: dict[str, Any]) -> str:
    """Return the text of a 422 entry, with the field's name if the text does not mention it."""
    where, text = [part for part in entry.get("loc", []) if part not in {"body", "query"}], str(entry.get("msg", ""))
    return f"{where[-1]}: {text}" if where and text.startswith(("String", "Input", "List", "Field")) else text


def _is_form(connection: HTTPConnection) -> bool:
    """Return whether the browser will show the answer as a page."""
    return "text/html" in connection.headers.get("accept", "")
