"""HTTP client of the engine behind the console: one key, one organisation per tenant. Its faults become EngineFailed.

Answers about the caller's request (success, not found, unacceptable) are passed on. All others, also the engine's own
limits and its licence, are the provider's responsibility and become 502.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from quire.serve_apps.console.context.refusals import EngineFailed
from quire.storage.values.errors import NotFound

PASSED_ON = frozenset({200, 201, 202, 204, 304, 404, 409, 413, 422})
_KEPT_HEADERS = (
    *("content-type", "content-encoding", "content-length", "etag", "cache-control", "vary"),
    *("x-next-cursor", "content-security-policy", "content-disposition"),
)
_WHOLE_BYTES = 1 << 20  # bytes of an answer taken as a whole; larger ones are streamed
_HUNG_UP = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
_TRANSPORT = (httpx.TransportError, httpx.InvalidURL)


class EngineClient:
    """Client of the engine, shared by all requests of one app."""

    def __init__(self, url: str, key: str, timeout_s: float) -> None:
        self._client = httpx.AsyncClient(
            base_url=url,
            headers={"X-API-Key": key},
            timeout=httpx.Timeout(timeout_s, connect=5.0),
            limits=httpx.Limits(max_keepalive_connections=64),
            trust_env=False,
        )
        self._timeout_s = timeout_s

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def get(self, path: str, org: str, *, wait_s: float = 0.0) -> httpx.Response:
        """Return a complete answer. Raises EngineFailed."""
        request = self._client.build_request("GET", path, headers={"X-DE-Org": org}, timeout=self._timeout_s + wait_s)
        return await self._send(request)

    async def delete(self, path: str, org: str) -> httpx.Response:
        """Send a DELETE. Raises EngineFailed."""
        return await self._send(self._client.build_request("DELETE", path, headers={"X-DE-Org": org}))

    async def post_files(
        self, path: str, org: str, key: str, *, files: list[tuple[str, Any]], fields: Mapping[str, str]
    ) -> httpx.Response:
        """Send an upload with an Idempotency-Key. Raises EngineFailed."""
        headers = {"X-DE-Org": org, "Idempotency-Key": key}
        return await self._send(self._client.build_request("POST", path, headers=headers, files=files, data=fields))

    async def download(self, path: str, org: str) -> AsyncIterator[bytes]:
        """Yield the bytes of an answer as they arrive.

        Raises:
            NotFound: The engine does not have the file.
            EngineFailed: The connection failed.
        """
        answer = await self._send(self._client.build_request("GET", path, headers={"X-DE-Org": org}), stream=True)
        try:
            if answer.status_code != httpx.codes.OK:
                raise NotFound("the engine no longer has the file")
            async for data in answer.aiter_bytes():
                yield data
        except _TRANSPORT:
            raise EngineFailed("the engine closed the connection") from None
        finally:
            await answer.aclose()

    async def relay(self, target: str, org: str, headers: Mapping[str, str], *, wait_s: float = 0.0) -> Response:
        """Return the engine's answer unchanged, a long one as a stream. Raises EngineFailed."""
        sent_headers = {name: headers[name] for name in ("accept-encoding", "if-none-match") if name in headers}
        sent_headers.setdefault("accept-encoding", "identity")
        request = self._client.build_request(
            "GET", target, headers=sent_headers | {"X-DE-Org": org}, timeout=self._timeout_s + wait_s
        )
        answer = await self._send(request, stream=True)
        relayed_headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        if int(relayed_headers.get("content-length", _WHOLE_BYTES)) >= _WHOLE_BYTES:
            return StreamingResponse(
                answer.aiter_raw(), answer.status_code, relayed_headers, background=BackgroundTask(answer.aclose)
            )
        try:
            body = b"".join([data async for data in answer.aiter_raw()])
        except _TRANSPORT:
            raise EngineFailed("the engine closed the connection") from None
        finally:
            await answer.aclose()
        return Response(body, answer.status_code, relayed_headers)

    async def _send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        try:
            answer = await self._try(request, stream=stream)
        except _TRANSPORT as error:
            raise EngineFailed(type(error).__name__) from None
        if answer.status_code not in PASSED_ON:
            await answer.aclose()
            raise EngineFailed(f"the engine answered {answer.status_code}")
        return answer

    async def _try(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        """Send a request, and a GET again if its idle connection had been closed by the engine."""
        try:
            return await self._client.send(request, stream=stream)
        except _HUNG_UP:
            if request.method != "GET":
                raise
        return await self._client.send(request, stream=stream)
