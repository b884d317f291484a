"""Refuse NUL in paths and queries: ids, names and cursors never contain it, and databases do not accept it."""

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from quire.serve_apps.api.http.problems import NOT_FOUND_TEXT, invalid_response, problem_response


class NoNul:
    """ASGI middleware: a path with NUL is not found, a query with NUL is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a path or query with NUL and pass on all other requests."""
        if scope["type"] == "http" and "\0" in scope["path"]:
            await problem_response(404, "not-found", NOT_FOUND_TEXT)(scope, receive, send)
        elif scope["type"] == "http" and b"\0" in unquote_to_bytes(scope["query_string"]):
            refused = {"type": "invalid-field", "loc": ["query"], "msg": "a parameter contains NUL"}
            await invalid_response([refused])(scope, receive, send)
        else:
            await self.app(scope, receive, send)
