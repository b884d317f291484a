"""Paged listings: `limit` and `cursor` in, the next page's token in a header out."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Query
from starlette.responses import Response

from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.values.paging import ListPage

T = TypeVar("T")
NEXT_CURSOR = "X-Next-Cursor"

Limit = Annotated[int, Query(ge=1, le=1000, description="Items per page.")]
Cursor = Annotated[str | None, Query(max_length=1000, description=f"The {NEXT_CURSOR} of the page before.")]


def page_response(page: ListPage[T], render: Callable[[T], dict[str, Any]]) -> Response:
    """Return the items as a JSON array with a cursor header, which is absent on the last page."""
    headers = {NEXT_CURSOR: page.next_cursor} if page.next_cursor else None
    return json_response([render(item) for item in page.items], headers=headers)
