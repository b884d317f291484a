"""Answers that a caller may keep: the same content has the same ETag, and asking again with it costs nothing."""

from collections.abc import Awaitable, Callable

from fastapi import Request
from starlette.responses import Response


async def answer_cached(request: Request, content_id: str, read: Callable[[], Awaitable[Response]]) -> Response:
    """304 when the caller has this content already, else what `read` gives, marked. `content_id` names the bytes."""
    etag = f'"{content_id}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if _matches(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    response = await read()
    response.headers.update(headers)
    return response


def _matches(sent: str, etag: str) -> bool:
    """`If-None-Match` compares weakly: W/ is not looked at."""
    return sent.strip() == "*" or etag in {candidate.strip().removeprefix("W/") for candidate in sent.split(",")}
