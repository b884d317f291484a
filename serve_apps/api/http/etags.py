"""Cacheable answers: the same content has the same ETag, so a repeated request costs nothing."""

from collections.abc import Awaitable, Callable

from fastapi import Request
from starlette.responses import Response


async def answer_cached(request: Request, content_id: str, read: Callable[[], Awaitable[Response]]) -> Response:
    """Return 304 if the caller has this content already, otherwise the response of `read` with its ETag.

    `content_id` identifies the bytes.
    """
    etag = f'"{content_id}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if _matches(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    response = await read()
    response.headers.update(headers)
    return response


def _matches(sent: str, etag: str) -> bool:
    """Return whether `If-None-Match` names the tag; a weak comparison that ignores W/."""
    return sent.strip() == "*" or etag in {candidate.strip().removeprefix("W/") for candidate in sent.split(",")}
