"""The vision-language model of a bulk job: one engine for each GPU of the job's Ray cluster, or an endpoint.

The engines are actors of the job, so they end with it. A GPU that joins later gets an engine too. A dead engine is
started again, and its pages go to the others meanwhile.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError

from quire.actors.recogniser import Recogniser
from quire.actors.vlm.models.contract import PageRegion
from quire.actors.vlm.models.registry import load_model
from quire.actors.vlm.regions import make_vlm_first
from quire.actors.vlm.with_fallback import VlmFirst
from quire.cluster.bootstrap.vlm import VlmChoice, VlmKind, make_vlm_reader
from quire.cluster.jobs.work.spread import last_line
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.ports import PixelPage, PortUnavailable, RecognisedPage, RecognisePages
from quire.models.neural.ocr import make_recogniser

if TYPE_CHECKING:
    from quire.actors.vlm.page_reader import VlmReader

log = logging.getLogger("quire.jobs")
PORT = "vlm_ocr"
DOCUMENTS_AT_ONCE = 32
"""Documents of one worker that wait for the model while others are read: one-page scans fill the engines too."""
CALLS = 64  # pages at one engine at once; it batches them
ENDPOINT_CALLS = 32  # pages of one worker at an endpoint at once
LOOK_AGAIN_S = 10.0  # seconds between two looks for engines that were added
START_S = 1800.0  # seconds for the first engine to load its weights
GRACE_S = 5.0
"""Seconds added to the engine's timeout, so that it fails first and can say why."""


class Replica:
    """An actor with one engine. It ends itself when the engine is dead, and Ray starts it again."""

    def __init__(self, make: "Callable[[], VlmReader]") -> None:
        self._reader = make()

    def transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        """Return the page as blocks. Raises as `VlmReader.transcribe`."""
        try:
            return self._reader.transcribe(page, regions, timeout_s)
        except PortUnavailable:
            if not self._reader.healthy():
                os._exit(1)
            raise

    def ready(self) -> bool:
        """Return True once the engine was loaded."""
        return True


class Replicas:
    """The actor that keeps one replica for each GPU of the cluster, as it is now."""

    def __init__(self, make: "Callable[[], VlmReader]", gpus: float) -> None:
        self._make, self._gpus = make, gpus
        self._loading: dict[Any, Any] = {}
        self._ready: list[Any] = []
        self._failures: list[str] = []

    def current(self, wait_s: float = 0.0) -> list[Any]:
        """Return the replicas with a loaded engine, after starting those for GPUs that have joined.

        Waits up to `wait_s` for one that is loading. Raises `PortUnavailable` if no engine can load the model.
        """
        made = len(self._loading) + len(self._ready) + len(self._failures)
        actor = ray.remote(num_gpus=self._gpus, num_cpus=0, max_concurrency=CALLS, max_restarts=-1)(Replica)
        for _ in range(int(ray.cluster_resources().get("GPU", 0) / self._gpus) - made):
            replica = actor.remote(self._make)
            self._loading[replica.ready.remote()] = replica
        self._settle(0.0)
        until = time.monotonic() + wait_s
        while self._loading and not self._ready and (left_s := until - time.monotonic()) > 0:
            self._settle(left_s)
        if self._failures and not self._ready and not self._loading:
            raise PortUnavailable(PORT, f"the model does not load: {self._failures[0]}")
        return list(self._ready)

    def _settle(self, wait_s: float) -> None:
        """Note which engines have loaded and which cannot, after waiting for the next of them."""
        if self._loading:
            ray.wait(list(self._loading), num_returns=1, timeout=wait_s)
        for answer, replica in list(self._loading.items()):
            if not is_done(answer):
                continue
            del self._loading[answer]
            try:
                ray.get(answer)
            except RayError as error:
                self._failures.append(last_line(error))
                ray.kill(replica)
            else:
                self._ready.append(replica)


def is_done(answer: Any) -> bool:
    """Return whether the answer of a remote call is there, or its error."""
    return bool(ray.wait([answer], timeout=0)[0])


@dataclass(frozen=True, slots=True)
class VlmAccess:
    """Address of the model for workers, as plain values that travel: the actor of the engines, or an endpoint."""

    choice: VlmChoice
    key: str | None = field(default=None, repr=False)
    replicas: Any = None

    def open(self, cpu: RecognisePages) -> VlmFirst:
        """Return the model with this CPU recogniser as fallback, for one worker."""
        needs_regions = load_model(self.choice.model).needs_regions
        if self.replicas is None:
            reader = make_vlm_reader(self.choice, self.key, ENDPOINT_CALLS)
            return make_vlm_first(reader, cpu, needs_regions=needs_regions)
        return make_vlm_first(PoolClient(self.replicas), cpu, needs_regions=needs_regions)


def make_bulk_recogniser(langs: tuple[str, ...], vlm: VlmAccess | None) -> RecognisePages:
    """Return the recogniser of a worker: the CPU recogniser in its process, after the model if there is one."""
    cpu = Recogniser(lambda: make_recogniser(langs=langs))
    return cpu if vlm is None else vlm.open(cpu)


def start_pool(
    choice: VlmChoice, key: str | None = None, *, make: "Callable[[], VlmReader] | None" = None, gpus: float = 1.0
) -> VlmAccess:
    """Start the engines on the GPUs of the cluster that this process has joined; nothing to start for an endpoint.

    Args:
        choice: The model.
        key: Key of the endpoint.
        make: Makes the page reader of a replica, that of the model by default.
        gpus: GPUs of one engine.

    Raises:
        PortUnavailable: The cluster has no GPU, or no engine could load the model.
    """
    if choice.kind is VlmKind.ENDPOINT:
        return VlmAccess(choice, key)
    if ray.cluster_resources().get("GPU", 0) < gpus:
        raise PortUnavailable(PORT, "SVC_VLM_OCR is set and no node of this Ray cluster has a GPU")
    replicas = ray.remote(num_cpus=0)(Replicas).remote(make or (lambda: make_vlm_reader(choice, None, CALLS)), gpus)
    log.info("loading %s on the GPUs of the cluster", choice.model)
    try:
        current = ray.get(replicas.current.remote(START_S))
    except RayTaskError as error:
        raise (error.cause if isinstance(error.cause, PortUnavailable) else error) from None
    if not current:
        raise PortUnavailable(PORT, f"no engine was ready after {START_S:.0f} s")
    return VlmAccess(choice, None, replicas)


class PoolClient:
    """A worker's way to the engines: each page goes to the one with the fewest pages of this worker. Thread-safe."""

    def __init__(self, replicas: Any) -> None:
        self._replicas = replicas
        self._lock = threading.Lock()
        self._busy: dict[Any, int] = {}
        self._restarting: dict[Any, Any] = {}
        self._look_at = 0.0

    def transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        """Return the page as blocks. Raises `PortUnavailable`, and the errors of the model's reader."""
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            replica = self._choose()
            if replica is None:
                break
            try:
                answer: RecognisedPage = ray.get(
                    replica.transcribe.remote(page, tuple(regions), left_s), timeout=left_s + GRACE_S
                )
                return answer
            except RayActorError:
                self._avoid(replica)
            except GetTimeoutError as error:
                raise PortUnavailable(PORT, "too slow") from error
            except RayTaskError as error:
                if isinstance(error.cause, PortUnavailable | ExtractError):
                    raise error.cause from None
                raise
            finally:
                with self._lock:
                    self._busy[replica] -= 1
        raise PortUnavailable(PORT, "no engine")

    def _choose(self) -> Any:
        with self._lock:
            now = time.monotonic()
            if now >= self._look_at:
                self._look_at = now + LOOK_AGAIN_S
                for replica in ray.get(self._replicas.current.remote()):
                    self._busy.setdefault(replica, 0)
            for replica, answer in list(self._restarting.items()):
                if is_done(answer):
                    self._welcome(replica, answer)
            usable = [replica for replica in self._busy if replica not in self._restarting]
            if not usable:
                return None
            chosen = min(usable, key=lambda replica: self._busy[replica])
            self._busy[chosen] += 1
            return chosen

    def _avoid(self, replica: Any) -> None:
        """Give a dead replica no page until its new engine is loaded."""
        with self._lock:
            self._restarting[replica] = replica.ready.remote()

    def _welcome(self, replica: Any, answer: Any) -> None:
        try:
            ray.get(answer)
        except RayError:
            self._restarting[replica] = replica.ready.remote()
        else:
            del self._restarting[replica]
