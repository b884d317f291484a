"""Blocking transport: sends calls, reads answers, and retries repeatable requests."""

import os
import time
from collections.abc import Iterator
from typing import Any, TypeVar

import httpx

from quire_client.answers import content_of, is_result, page_of, refusal_of
from quire_client.calls import DEFAULT_URL, SCAN_RUNNING, SCANS_S, Call, Content, Page
from quire_client.errors import ApiError, ConnectionFailed
from quire_client.retry import Retry, read_retry_after
from quire_client.version import VERSION

T = TypeVar("T")


class Transport:
    """Holds one HTTP client, open between calls and closed by `close`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        org: str | None = None,
        timeout_s: float = 60.0,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        base_url = base_url or os.environ.get("QUIRE_URL") or DEFAULT_URL
        api_key = api_key or os.environ.get("QUIRE_TOKEN")
        headers = {"X-API-Key": api_key, "X-DE-Org": org, "User-Agent": f"quire-client/{VERSION}"}
        self._http = httpx.Client(
            base_url=base_url,
            headers={name: value for name, value in headers.items() if value is not None},
            timeout=timeout_s,
            transport=transport,
        )
        self._retry = retry or Retry()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _json(self, call: Call[T]) -> T:
        body: T = self._send(call).json()
        return body

    def _page(self, call: Call[T]) -> Page[T]:
        return page_of(self._send(call))

    def _text(self, call: Call[str]) -> str:
        return self._send(call).text

    def _content(self, call: Call[Content]) -> Content:
        return content_of(self._send(call))

    def _nothing(self, call: Call[None]) -> None:
        self._send(call)

    def _iterate(self, call: Call[T]) -> Iterator[T]:
        query = dict(call.query or {})
        while True:
            page = self._page(Call[T](call.method, call.path, query=query))
            yield from page
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    def _send(self, call: Call[Any]) -> httpx.Response:
        """Return the result of a call; waits for a search for names. Raises `ApiError`, `ConnectionFailed`."""
        headers, attempt, deadline = call.headers(), 0, time.monotonic() + SCANS_S
        while True:
            attempt += 1
            error, status, retry_after_s = self._try(call, headers)
            if isinstance(error, httpx.Response):
                return error
            if isinstance(error, ApiError) and error.code == SCAN_RUNNING and time.monotonic() < deadline:
                time.sleep(error.retry_after or 1.0)
                attempt -= 1
                continue
            pause = self._retry.delay(attempt, status, retry_after_s, repeatable=call.may_repeat)
            if pause is None:
                raise error
            time.sleep(pause)

    def _try(
        self, call: Call[Any], headers: dict[str, str]
    ) -> tuple[httpx.Response | ApiError | ConnectionFailed, int | None, float | None]:
        """Send once and return the answer or error, its status, and the pause in seconds that the service asks for."""
        try:
            response = self._request(call, headers)
        except httpx.TransportError as failed:
            return ConnectionFailed(str(self._http.base_url), failed), None, None
        if is_result(response):
            return response, response.status_code, None
        return refusal_of(response), response.status_code, read_retry_after(response.headers)

    def _request(self, call: Call[Any], headers: dict[str, str]) -> httpx.Response:
        options: dict[str, Any] = {"params": call.parameters(), "headers": headers}
        if call.read_timeout_s is not None:
            options["timeout"] = call.read_timeout_s
        if call.parts is None:
            return self._http.request(call.method, call.path, json=call.json_body(), **options)
        with call.parts() as files:
            return self._http.request(call.method, call.path, data=dict(call.fields or {}), files=files, **options)
