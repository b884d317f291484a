"""Operations of the API: each route states its id, the scope that it needs and its refusals.

The scope check, the OpenAPI document, the clients, the dashboard and the tests read them from the routes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import BaseRoute

from quire.serve_apps.access.scopes import KeyScope

UNPAID = "The page quota of this month is used up, or the licence has expired."
UPLOAD_CONFLICTS = "The Idempotency-Key was used for another request, or no file was sent to an upload yet."
SCANNING = "Names are being searched for. Ask again at Location after the seconds in Retry-After."
OTHERS = "One of the documents is unknown, deleted, or another tenant's."

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Operation(APIRoute):
    """A route of the API.

    Attributes:
        id: Stable id, which is also the name of the method in the clients.
        needed: Scope that a key needs. None: open to callers without a key, or the handler checks its caller.
        refusals: Text of each status that only this operation answers with.
        repeatable: Whether the request may be sent twice, for other methods than GET and DELETE.
        principals: Whether requests limited to some principals may use it. None: if its path names the document or job,
            which is checked before the handler runs.
    """

    id: str
    needed: KeyScope | None
    refusals: Mapping[int, str]
    repeatable: bool
    principals: bool | None

    @property
    def method(self) -> str:
        """Return the HTTP method."""
        return next(iter(self.methods or ()))


class Operations(APIRouter):
    """A group of operations that share a tag."""

    def __init__(self, tag: str) -> None:
        super().__init__(tags=[tag])

    def operation(
        self,
        route: str,
        id: str,
        needed: KeyScope | None,
        model: Any = None,
        *,
        status: int = 200,
        media_type: str | None = None,
        refusals: Mapping[int, str] | None = None,
        repeatable: bool = False,
        principals: bool | None = None,
        **options: Any,
    ) -> Callable[[Handler], Handler]:
        """Add the decorated handler as an operation.

        Args:
            route: Method and path template, such as `GET /v1/jobs`.
            id: Stable id. Users' code holds it, so a renamed handler does not change it.
            needed: Scope that a key needs. None: open, or the handler checks its caller.
            model: Shape of the JSON answer.
            status: Status of the answer; 204 has no body.
            media_type: Media type of an answer that is a file.
            refusals: Text of each status that only this operation answers with.
            repeatable: Whether the request may be sent twice, for other methods than GET and DELETE.
            principals: Whether requests limited to some principals may use it: the handler asks
                `Call.limit_principals`, or returns nothing of stored documents. None: if its path names the document
                or job.
            options: Arguments of FastAPI's route.
        """
        method, path = route.split(" ")
        if model is not None:
            options["responses"] = {status: {"model": model}}
        elif media_type is not None:
            options = {"response_class": Response, "responses": {status: {"content": {media_type: {}}}}} | options
        elif status == 204:
            options.setdefault("responses", {status: {"description": "Gone."}})
        options |= {"summary": id.replace("_", " ").capitalize(), "status_code": status, "methods": [method]}

        def add(handler: Handler) -> Handler:
            self.add_api_route(path, handler, route_class_override=Operation, **options)
            added = self.routes[-1]
            assert isinstance(added, Operation)
            added.id, added.needed, added.refusals, added.repeatable = id, needed, refusals or {}, repeatable
            added.principals = principals
            return handler

        return add


def read_operations(routes: Iterable[BaseRoute]) -> Iterator[Operation]:
    """Yield the operations among the routes.

    Raises:
        LookupError: A route of the API states no id and no scope.
    """
    for route in routes:
        if isinstance(route, Operation) and hasattr(route, "id"):
            yield route
        elif isinstance(route, APIRoute):
            raise LookupError(f"a route without id and scope: {sorted(route.methods or ())} {route.path}")
