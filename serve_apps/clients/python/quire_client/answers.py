"""Convert HTTP answers to results of methods; shared by both clients."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

from quire_client import types
from quire_client.calls import Content, JobEvent, Page
from quire_client.errors import ApiError, DocumentFailed, read_refusal
from quire_client.retry import read_retry_after


def refusal_of(response: httpx.Response) -> ApiError:
    """Return the error of an answer; its body must have been read."""
    return read_refusal(
        response.status_code,
        response.content,
        response.headers.get("x-request-id"),
        read_retry_after(response.headers),
    )


def is_result(response: httpx.Response) -> bool:
    """Return whether an answer is the result of its call: neither an error nor a 202 for a search for names."""
    media_type = response.headers.get("content-type", "").partition(";")[0]
    return response.is_success and media_type != "application/problem+json"


def with_tree(answer: types.Parsed | types.Accepted) -> types.Parsed | types.Accepted:
    """Return the answer to `parse`. Raises `DocumentFailed` if its document could not be read."""
    if "tree" in answer and answer["tree"] is None:
        raise DocumentFailed.of(answer["job"]["documents"][0])
    return answer


def page_of(response: httpx.Response) -> Page[Any]:
    """Return a page of a listing."""
    return Page(response.json(), response.headers.get("x-next-cursor"))


def content_of(response: httpx.Response) -> Content:
    """Return a binary answer with the page size and page count, if its headers contain them."""
    headers = response.headers
    media_type = headers.get("content-type", "application/octet-stream").partition(";")[0]
    if "x-page-count" not in headers:
        return Content(response.content, media_type)
    width, height = float(headers["x-page-width"]), float(headers["x-page-height"])
    return Content(response.content, media_type, width, height, int(headers["x-page-count"]))


class EventReader:
    """Parses server-sent events line by line and keeps the kind between lines."""

    def __init__(self) -> None:
        self._kind = ""

    def read(self, line: str) -> JobEvent | None:
        """Return the event that this line completes, or None."""
        name, _, value = line.partition(": ")
        if name == "event":
            self._kind = value
        if name != "data" or self._kind not in {"job", "end"}:
            return None
        return JobEvent("job", json.loads(value)) if self._kind == "job" else JobEvent("end")


def read_events(lines: Iterable[str]) -> Iterator[JobEvent]:
    """Yield all events of a stream."""
    reader = EventReader()
    for line in lines:
        event = reader.read(line)
        if event is not None:
            yield event
