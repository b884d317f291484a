"""Ports over Serve handles: calls between deployments, always with a timeout, and with Ray's errors mapped to ours.

Handles are looked up by name at the first call, so nothing waits for the other side to start. Ray is imported then.
"""

import asyncio
import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from quire.models.cdom.errors import ErrorCode, ExtractError
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import (
    DetectedPage,
    EmbeddingFailed,
    PageImage,
    PageMark,
    PeerDied,
    PixelPage,
    PortUnavailable,
    QueueState,
    ReadOutcome,
    RecognisedPage,
    RedactionRefused,
    keep_waiting,
)
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.models.fair_time import fair_time
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope

if TYPE_CHECKING:  # Lance is imported by the index writer only; quire-gpu may be missing
    from quire.actors.vlm.models.contract import PageRegion
    from quire.storage.index.table.entries import DocumentChunks, KnownVectors, Vectors

API_APP, VLM_APP = "api", "vlm_ocr"
RECOGNISER, BACKGROUND = "recogniser", "background"
RENDER_TIMEOUT_S = 20.0  # fair seconds for a page's picture; the slowest pages of the hostile set take ten
EMBEDDER, SEARCHER = "embedder", "searcher"
SEARCH_TIMEOUT_S = 10.0  # fair seconds; a question at a million chunks takes a tenth of one
CHECK_TIMEOUT_S = 3.0  # fair seconds for a health check of the searcher, below the limit of the API's own
REDACT_TIMEOUT_S = 120.0  # fair seconds for a redacted file; a hundred pages take three of CPU time
LOOK_S = 1.0  # seconds between two checks of a call that may take as long as it takes
READY_S, READY_AGAIN_S = 8.0, 30.0
"""Seconds to wait for a replica of the GPU tier, and seconds since its last answer after which it is asked again."""
GRACE_S = 5.0
"""Seconds added to the other side's timeout, so that it fails first and can report the reason."""


async def _answer(response: Any) -> Any:
    return await response


class HandleClient:
    """Calls another deployment, by default one of the application `api`."""

    def __init__(self, deployment: str, application: str = API_APP) -> None:
        self._deployment, self._application = deployment, application

    @cached_property
    def _handle(self) -> Any:
        from ray import serve

        handle = serve.get_deployment_handle(
            self._deployment, self._application, _check_exists=False, _record_telemetry=False
        )
        return handle.options(_by_reference=True)  # actor calls: they distinguish a dead replica from a failed call

    def call(self, method: str, *values: object, timeout_s: float) -> Any:
        """Call a method from a thread. Raises `PortUnavailable`, and our own errors of the other side."""
        with self._translated():
            response = getattr(self._handle, method).remote(*values)
            try:
                return response.result(timeout_s=timeout_s)
            except TimeoutError:
                response.cancel()
                raise

    def wait(self, method: str, *values: object, check: Callable[[], None]) -> Any:
        """Call a method from a thread for as long as it takes: a stuck replica is replaced, which ends the call.

        `check` is called about once a second; an exception that it raises cancels the call. Raises as `call` does.
        """
        from ray.exceptions import GetTimeoutError, RayError

        with self._translated():
            check()
            response = getattr(self._handle, method).remote(*values)
            try:
                while True:
                    try:
                        return response.result(timeout_s=LOOK_S)
                    except RayError as error:
                        if not isinstance(error, GetTimeoutError):
                            raise
                    except TimeoutError:
                        pass
                    check()
            except BaseException:
                response.cancel()
                raise

    async def ask(self, method: str, *values: object, timeout_s: float) -> Any:
        """Call a method from an event loop; raises as `call` does. `timeout_s` are fair seconds of this process."""
        with self._translated():
            task = asyncio.ensure_future(_answer(getattr(self._handle, method).remote(*values)))
            until = fair_time() + timeout_s
            try:
                while not (await asyncio.wait({task}, timeout=min(LOOK_S, timeout_s)))[0]:
                    if fair_time() > until:
                        raise TimeoutError
                return task.result()
            finally:
                task.cancel()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from ray.exceptions import ActorDiedError, RayError, RayTaskError
        from ray.serve.exceptions import RayServeException

        try:
            yield
        except TimeoutError as error:
            raise PortUnavailable(self._deployment, "too slow") from error
        except RayTaskError as error:
            if isinstance(error.cause, PortUnavailable | ExtractError | EmbeddingFailed):
                raise error.cause from None
            raise PortUnavailable(self._deployment, type(error.cause).__name__) from error
        except ActorDiedError as error:
            raise PeerDied(self._deployment, "died") from error
        except (RayError, RayServeException) as error:
            raise PortUnavailable(self._deployment, type(error).__name__) from error


def _give_up_after(timeout_s: float) -> Callable[[], None]:
    """Return a check that raises `PortUnavailable` once the other side's timeout has passed."""
    until = time.monotonic() + timeout_s + GRACE_S

    def check() -> None:
        if time.monotonic() > until:
            raise PortUnavailable(RECOGNISER, "too slow")

    return check


class ServedRecogniser:
    """The ports `RecognisePages` and `FindElements`, for threads."""

    def __init__(self) -> None:
        self._peer = HandleClient(RECOGNISER)

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Return the recognised pages, in the order given. Raises `PortUnavailable`."""
        check = _give_up_after(timeout_s)
        answer: list[RecognisedPage] = self._peer.wait("recognise_pages", pages, langs, timeout_s, check=check)
        return answer

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        """Return the elements of a page. Raises `PortUnavailable`."""
        check = _give_up_after(timeout_s)
        answer: DetectedPage = self._peer.wait("find_elements", page, timeout_s, check=check)
        return answer


class ServedVlm:
    """`quire.actors.vlm.with_fallback.Transcribe` over the pool `vlm_ocr`, for threads."""

    def __init__(self) -> None:
        self._peer, self._answered_at = HandleClient(VLM_APP, VLM_APP), -math.inf

    def transcribe(self, page: PixelPage, regions: "Sequence[PageRegion]", timeout_s: float) -> RecognisedPage:
        """Return a page as blocks. Raises `PortUnavailable` (no pool yet, too slow) and the model reader's errors.

        A pool that has not answered for a while is asked for a ready replica first, so that a page waits seconds for a
        pool that starts or cannot start. The question makes a pool without replicas start one.
        """
        if time.monotonic() - self._answered_at > READY_AGAIN_S and (
            fault := self._peer.call("fault", timeout_s=READY_S)
        ):
            raise PortUnavailable(VLM_APP, fault)
        answer: RecognisedPage = self._peer.call(
            "transcribe", page, tuple(regions), timeout_s, timeout_s=timeout_s + GRACE_S
        )
        self._answered_at = time.monotonic()
        return answer


class DrawingFailed(ExtractError):
    """A page could not be drawn; `code` names the reason."""

    def __init__(self, code: ErrorCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class ServedOnDemand:
    """The ports `RenderPage`, `RedactOriginal` and `ReadOnce`, for the API's event loop."""

    def __init__(self) -> None:
        self._peer = HandleClient(BACKGROUND)

    async def render_page(
        self,
        blob_key: str,
        page: int,
        dpi: int,
        password: str | None,
        area: Bbox | None = None,
        marks: Sequence[PageMark] = (),
    ) -> PageImage:
        """Return a picture of a page. Raises `NotFound` if the original is gone, `ExtractError`, `PortUnavailable`."""
        asked = (blob_key, page, dpi, password, area, RENDER_TIMEOUT_S, tuple(marks))
        answer = await self._peer.ask("render", *asked, timeout_s=RENDER_TIMEOUT_S + GRACE_S)
        if isinstance(answer, PageImage):
            return answer
        if answer.code is ErrorCode.ORIGINAL_MISSING:
            raise NotFound("no such original")
        raise DrawingFailed(answer.code, answer.detail)

    async def redact_original(
        self, blob_key: str, tree: bytes, decisions: Mapping[tuple[str, str, int], str], password: str | None
    ) -> bytes:
        """Return the redacted file.

        Raises:
            NotFound: The original is gone.
            RedactionRefused: The file cannot be redacted.
            ExtractError: The file cannot be read.
            PortUnavailable: The background process is away or too slow.
        """
        answer = await self._peer.ask(
            "redact", blob_key, tree, dict(decisions), password, REDACT_TIMEOUT_S, timeout_s=REDACT_TIMEOUT_S + GRACE_S
        )
        if isinstance(answer, bytes):
            return answer
        if isinstance(answer, RedactionRefused):
            raise answer
        if answer.code is ErrorCode.ORIGINAL_MISSING:
            raise NotFound("no such original")
        raise DrawingFailed(answer.code, answer.detail)

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        """Read a document without storing it. Raises `PortUnavailable`."""
        outcome: ReadOutcome = await self._peer.ask("read", original, options, timeout_s, timeout_s=timeout_s + GRACE_S)
        return outcome


class ServedEmbedder:
    """The port `Embed`, for threads."""

    def __init__(self) -> None:
        self._peer = HandleClient(EMBEDDER)

    def embed(
        self,
        texts: Sequence[str],
        *,
        tenant: str = "",
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> "Vectors":
        """Return unit vectors, one row a text. Raises `PortUnavailable`."""
        vectors: Vectors = self._peer.wait("embed", list(texts), tenant, urgent, check=check)
        return vectors

    async def queue_state(self) -> QueueState:
        """Return the state of the embedder's queue. Raises `PortUnavailable`."""
        state: QueueState = await self._peer.ask("state", timeout_s=CHECK_TIMEOUT_S)
        return state


class ServedIndexWriter:
    """The port `WriteIndex`, for threads."""

    def __init__(self) -> None:
        self._peer = HandleClient(BACKGROUND)

    def write(
        self,
        documents: "Sequence[DocumentChunks]",
        *,
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> None:
        """Write chunks; searches find them when this returns. Raises `PortUnavailable`."""
        self._peer.wait("write", list(documents), urgent, check=check)

    def find_vectors(
        self,
        scope: Scope,
        documents: Collection[str],
        texts: Sequence[str],
        check: Callable[[], None] = keep_waiting,
    ) -> "KnownVectors":
        """Return the vectors that these documents have for any of the texts. Raises `PortUnavailable`."""
        known: KnownVectors = self._peer.wait("find_vectors", scope, list(documents), list(texts), check=check)
        return known


class ServedSearcher:
    """The port `SearchIndex`, for the API's event loop."""

    def __init__(self) -> None:
        self._peer = HandleClient(SEARCHER)

    async def search(self, request: SearchRequest) -> list[SearchHit] | None:
        """Return hits; None if the caller has no such document or job. Raises `PortUnavailable`."""
        hits: list[SearchHit] | None = await self._peer.ask("search", request, timeout_s=SEARCH_TIMEOUT_S)
        return hits

    async def check(self) -> float:
        """Return the seconds for which the keyword index has been behind. Raises `PortUnavailable`."""
        behind_s: float | None = await self._peer.ask("check", timeout_s=CHECK_TIMEOUT_S)
        return behind_s or 0.0  # a searcher of the previous version returns None
