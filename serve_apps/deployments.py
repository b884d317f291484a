"""Ray Serve deployments: thin wrappers around a web application, a reader, background work and the like.

They receive factories (functions found by name on the replica, so the application is never pickled); the built objects
are independent of Ray. Placement, counts and autoscaling are set in cluster/serve/app.py.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ray import serve
from ray.serve._private import replica

from quire.actors.reading.on_demand import OnDemand as OnDemandReader
from quire.actors.recogniser import Recogniser as PageRecogniser
from quire.actors.search.index_writer import IndexWriting
from quire.models.cdom.ports import PortUnavailable
from quire.serve_apps.api.http.pieces import PIECE_BYTES, InPieces
from quire.serve_apps.api.proxy.small_bodies import CARRIED
from quire.serve_apps.dropped import end_when_dropped
from quire.serve_apps.vlm_fault import VlmFault
from quire.storage.values.native_panics import native_panics

if TYPE_CHECKING:  # of quire-gpu, which may be missing
    from quire.actors.vlm.page_reader import VlmReader

HEALTH_ANSWER_S = 300
"""Seconds that a replica may take to answer a health check. A busy machine delays the answer; what a replica answers
counts its own processor time, and one that died is noticed without a check."""
MAX_ONGOING = 1024
"""Includes waiting requests and event streams, so it is far above the number that work at once."""
FAST_PATH_GRACE_S = 120.0  # seconds for a reader to finish its work when Serve stops it
LISTEN_AFTER_S = 0.5  # seconds after which a replica of the API listens for a disconnect
DRAIN_S = 100.0
"""Drain + 3 s to release + the wait loop must stay below the grace period, after which Serve kills."""


def listen_on_loopback() -> None:
    """Bind this replica's inter-deployment gRPC server to loopback; Ray 2.60 hard-codes all interfaces.

    Called by a constructor, which runs before that server gets its port. Only where the whole node is on loopback.
    """
    if os.environ.get("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER") != "0":
        return
    add_port = replica.add_port_to_grpc_server
    replica.add_port_to_grpc_server = lambda server, address: add_port(server, address.replace("[::]", "127.0.0.1"))


def begin_replica() -> None:
    """Do what each replica needs before its work."""
    listen_on_loopback()
    end_when_dropped()


def accept_carried_bodies() -> None:
    """Let this replica take a small body from the request, and listen late for the client's disconnect.

    Ray 2.60 calls the proxy back for the body and for the disconnect of every request, without a setting to prevent it.
    That costs more CPU time than the upload. The proxy cancels the requests of clients that leave in either case.
    """

    class CarriedReceive(replica.ASGIReceiveProxy):  # type: ignore[misc]
        def __init__(self, scope: dict[str, Any], *rest: Any) -> None:
            super().__init__(scope, *rest)
            self._body = scope.pop(CARRIED, None)
            self._is_carried = self._body is not None

        async def fetch_until_disconnect(self) -> None:
            if self._is_carried:
                await asyncio.sleep(LISTEN_AFTER_S)
            await super().fetch_until_disconnect()

        async def __call__(self) -> Any:
            if self._body is not None:
                body, self._body = self._body, None
                return {"type": "http.request", "body": body, "more_body": False}
            message = await super().__call__()
            while self._is_carried and message["type"] == "http.request":  # the same body again
                message = await super().__call__()
            return message

    replica.ASGIReceiveProxy = CarriedReceive


def pace_answers() -> None:
    """Let this replica's app wait until the proxy has taken what it sent.

    Ray 2.60 puts the messages of an answer into a queue without a limit and sends all that are in it as one message of
    gRPC. The app now waits while the queue holds a piece, so a message has less than two pieces.
    """

    async def call_http_entrypoint(self: Any, metadata: Any, report_status: Any, *request: Any) -> AsyncIterator[Any]:
        queue, has_room, waiting_bytes, has_begun = replica.MessageQueue(), asyncio.Event(), 0, False
        has_room.set()

        async def send(message: dict[str, Any]) -> None:
            nonlocal waiting_bytes
            await has_room.wait()
            queue.put_nowait(message)
            waiting_bytes += len(message.get("body", b""))
            if waiting_bytes >= PIECE_BYTES:
                has_room.clear()

        method = self.get_user_method_info(metadata.call_method)
        call = asyncio.create_task(self._call_http_entrypoint(method, *request, send))
        async for messages in queue.fetch_messages_from_queue(call):
            waiting_bytes = 0
            has_room.set()
            if not has_begun and messages[0]["type"] == "http.response.start":
                report_status(str(messages[0]["status"]))
            has_begun = True
            yield messages

    replica.UserCallableWrapper.call_http_entrypoint = call_http_entrypoint


class Worker(Protocol):
    """A component that runs its own loop in the background."""

    def start(self) -> None:
        """Start the loop."""

    def drain(self, timeout_s: float) -> object:
        """Stop claiming work and finish or release the current work within `timeout_s`."""

    def healthy(self) -> bool:
        """Return whether the loop still does its work."""


AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]


@serve.deployment(
    name="api",
    max_ongoing_requests=MAX_ONGOING,
    max_queued_requests=-1,
    graceful_shutdown_timeout_s=10,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=2,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
@serve.ingress()
class Api:
    """The HTTP front. `below` holds handles of deployments in the same application, so that they start with it."""

    def __init__(self, build: Callable[[], AsgiApp], *below: object) -> None:
        begin_replica()
        accept_carried_bodies()
        pace_answers()
        self._build, self._below = build, below

    def __serve_build_asgi_app__(self) -> AsgiApp:
        return InPieces(self._build())


class _Loop:
    """A worker inside a replica: started with it, checked by its health check, drained when it stops."""

    drain_s = DRAIN_S

    def __init__(self, build: Callable[[], Worker]) -> None:
        begin_replica()
        self._worker = build()
        self._worker.start()

    async def check_health(self) -> None:
        """Ask the worker whether it still works, so that a dead loop does not look healthy."""
        if not await asyncio.to_thread(self._worker.healthy):
            raise RuntimeError("worker loop ended")

    async def __del__(self) -> None:
        """Stop claiming and finish or release current work. Serve awaits this once before a stop."""
        await asyncio.to_thread(self._worker.drain, self.drain_s)


@serve.deployment(
    name="fast_path",
    max_ongoing_requests=8,
    graceful_shutdown_timeout_s=FAST_PATH_GRACE_S,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=5,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class FastPath(_Loop):
    """One reader: claims documents from SQL, one at a time."""


class _Answering:
    """Answers calls of other deployments in dedicated threads, one per admitted call."""

    def __init__(self, calls: int) -> None:
        begin_replica()
        self._threads = ThreadPoolExecutor(calls, thread_name_prefix="call")

    async def _answer(self, method: Callable[..., Any], *values: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, native_panics()(method), *values)


RECOGNISER_CALLS, ON_DEMAND_CALLS, VLM_CALLS = 64, 32, 64  # calls waiting at one replica: pages of several readers
VLM_RETRY_S = 120.0  # seconds between two tries to start an engine
BACKGROUND_CALLS = 256  # calls at the background process: more than waiting writes, to leave room for pictures


@serve.deployment(
    name="recogniser",
    max_ongoing_requests=RECOGNISER_CALLS,
    graceful_shutdown_timeout_s=10,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=5,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class Recogniser(_Answering):
    """Recognises pages. Pages unanswered at a stop are sent to the next replica."""

    def __init__(self, build: Callable[[], PageRecogniser]) -> None:
        super().__init__(RECOGNISER_CALLS)
        self._recogniser = build()

    async def recognise_pages(self, *values: Any) -> Any:
        """Run `RecognisePages.recognise_pages`."""
        return await self._answer(self._recogniser.recognise_pages, *values)

    async def find_elements(self, *values: Any) -> Any:
        """Run `FindElements.find_elements`."""
        return await self._answer(self._recogniser.find_elements, *values)

    async def check_health(self) -> None:
        """Fail if a page takes longer than any page should, so that Serve replaces the replica."""
        if not self._recogniser.healthy():
            raise RuntimeError("stuck at a page")


@serve.deployment(
    name="vlm_ocr",
    max_ongoing_requests=VLM_CALLS,
    graceful_shutdown_timeout_s=120,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=10,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class VlmOcr(_Answering):
    """Reads pages into blocks with a vision-language model. Pages in progress at a stop are finished first.

    An engine that does not start is tried again every `VLM_RETRY_S`: Serve would try three times and then never again.
    """

    def __init__(self, build: "Callable[[], VlmReader]") -> None:
        super().__init__(VLM_CALLS)
        self._build, self._fault, self._retry_at = build, "", 0.0
        self._reader: VlmReader | None = None
        self._shown = VlmFault()
        self._start()

    def _start(self) -> None:
        self._retry_at = time.monotonic() + VLM_RETRY_S
        try:
            self._reader, self._fault = self._build(), ""
        except Exception as error:  # any error of an engine's or model's code
            self._fault = str(error).strip() or type(error).__name__

    async def transcribe(self, *values: Any) -> Any:
        """Run `quire.actors.vlm.page_reader.VlmReader.transcribe`. Raises `PortUnavailable` without an engine."""
        if self._reader is None:
            raise PortUnavailable("vlm_ocr", self._fault)
        return await self._answer(self._reader.transcribe, *values)

    async def fault(self) -> str:
        """Return the reason for which the engine cannot read pages, in its own words; empty if it can."""
        return (self._reader.fault or "") if self._reader is not None else self._fault

    async def check_health(self) -> None:
        """Store the fault, start a missing engine again, and fail if a running one has died: Serve replaces it."""
        self._shown.write(await self.fault())
        if self._reader is None and time.monotonic() > self._retry_at:
            await asyncio.to_thread(self._start)
        elif self._reader is not None and not self._reader.healthy():
            raise RuntimeError("the engine has died")

    async def __del__(self) -> None:
        """Close the engine. Serve awaits this before a stop."""
        if self._reader is not None:
            await asyncio.to_thread(self._reader.close)


EMBEDDER_CALLS, INDEX_WRITER_CALLS, SEARCHER_CALLS = 64, 64, 32
"""Calls waiting at one replica; they are answered together."""


class _Serving(_Answering):
    """A worker with a background loop that also answers calls."""

    drain_s = 15.0

    def __init__(self, build: Callable[[], Any], calls: int) -> None:
        super().__init__(calls)
        self._worker = build()
        self._worker.start()

    async def check_health(self) -> None:
        """Fail if the loop has ended or is stuck, so that Serve replaces the replica."""
        if not self._worker.healthy():
            raise RuntimeError("worker loop ended")

    async def __del__(self) -> None:
        """Answer waiting calls. Serve awaits this before a stop."""
        await asyncio.to_thread(self._worker.drain, self.drain_s)


@serve.deployment(
    name="embedder",
    max_ongoing_requests=EMBEDDER_CALLS,
    graceful_shutdown_timeout_s=20,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=5,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class Embedder(_Serving):
    """Embeds texts, batched over all callers."""

    def __init__(self, build: Callable[[], Any]) -> None:
        super().__init__(build, EMBEDDER_CALLS)

    async def embed(self, texts: Any, tenant: str, urgent: bool) -> Any:
        """Run `Embed.embed`."""
        return await self._answer(partial(self._worker.embed, texts, tenant=tenant, urgent=urgent))

    async def state(self) -> Any:
        """Run `WatchIndexQueue.queue_state`."""
        return self._worker.state()


@serve.deployment(
    name="searcher",
    max_ongoing_requests=SEARCHER_CALLS,
    graceful_shutdown_timeout_s=10,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=5,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class Searcher(_Answering):
    """Answers search requests."""

    def __init__(self, build: Callable[[], Any]) -> None:
        super().__init__(SEARCHER_CALLS)
        self._searcher = build()

    async def search(self, request: Any) -> Any:
        """Run `SearchIndex.search`."""
        return await self._answer(self._searcher.search, request)

    async def check(self) -> float:
        """Run `SearchIndex.check`."""
        behind_s: float = await self._answer(self._searcher.check)
        return behind_s


@dataclass(frozen=True, slots=True)
class BackgroundWork:
    """Components of the background process. `index_writer` exists only with a search index."""

    loops: Worker
    on_demand: OnDemandReader
    index_writer: IndexWriting | None


@serve.deployment(
    name="background",
    max_ongoing_requests=BACKGROUND_CALLS,
    graceful_shutdown_timeout_s=40,
    graceful_shutdown_wait_loop_s=0.5,
    health_check_period_s=2,
    health_check_timeout_s=HEALTH_ANSWER_S,
)
class Background(_Answering):
    """Housekeeping, webhooks, pages on demand and the single index writer, in one process.

    Leases in SQL allow a second instance while this one is being replaced. Documents are read in sandboxes below it.
    """

    drain_s = 15.0

    def __init__(self, build: Callable[[], BackgroundWork]) -> None:
        super().__init__(ON_DEMAND_CALLS)
        self._writes = ThreadPoolExecutor(INDEX_WRITER_CALLS, thread_name_prefix="write")
        work = build()
        self._loops, self._on_demand, self._index_writer = work.loops, work.on_demand, work.index_writer
        self._loops.start()
        self._on_demand.start()

    async def render(self, *values: Any) -> Any:
        """Run `quire.actors.reading.on_demand.OnDemand.render`."""
        return await self._answer(self._on_demand.render, *values)

    async def redact(self, *values: Any) -> Any:
        """Run `quire.actors.reading.on_demand.OnDemand.redact`."""
        return await self._answer(self._on_demand.redact, *values)

    async def read(self, *values: Any) -> Any:
        """Run `quire.actors.reading.on_demand.OnDemand.read`."""
        return await self._answer(self._on_demand.read, *values)

    async def write(self, documents: Any, urgent: bool) -> None:
        """Run `WriteIndex.write` in dedicated threads, because waiting writes must not delay page pictures."""
        assert self._index_writer is not None
        write = partial(self._index_writer.write, documents, urgent=urgent)
        await asyncio.get_running_loop().run_in_executor(self._writes, write)

    async def find_vectors(self, *values: Any) -> Any:
        """Run `WriteIndex.find_vectors` in the threads of writes."""
        assert self._index_writer is not None
        find = partial(self._index_writer.find_vectors, *values)
        return await asyncio.get_running_loop().run_in_executor(self._writes, find)

    async def check_health(self) -> None:
        """Raise when one of the loops ended or is stuck; Serve then replaces the process."""
        if not await asyncio.to_thread(self._loops.healthy):
            raise RuntimeError("worker loop ended")

    async def __del__(self) -> None:
        """Finish what the loops are at and end the fork servers. Awaited by Serve before a stop."""
        drained = asyncio.to_thread(self._loops.drain, self.drain_s)
        await asyncio.gather(drained, asyncio.to_thread(self._on_demand.close))
