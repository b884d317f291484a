"""Number and placement of readers, and the CPUs that the node must offer for them.

Settings and the machine's cores become a frozen plan. Knows nothing of Ray.
"""

from dataclasses import dataclass
from math import ceil

from quire.cluster.placement.placement import (
    API,
    BACKGROUND,
    EMBEDDER,
    FAST_PATH,
    RECOGNISER,
    SEARCHER,
    Placement,
)

MOST_API = 256  # API replicas of a cluster, far above what was run


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """The plan of the reader pool. `minimum == maximum`: a fixed pool.

    `own_application`: separate from the API, scaled by the queue. `inflight`: most documents one reader holds.
    """

    minimum: int
    maximum: int
    own_application: bool
    inflight: int = 8

    @property
    def fixed(self) -> bool:
        """Whether the pool has a fixed size."""
        return self.minimum == self.maximum

    @property
    def node_cpus(self) -> int:
        """Logical CPUs one machine must offer Ray: one per reader, and one for all other deployments."""
        return self.maximum + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiReplicas:
    """Minimum and maximum number of API replicas, and the maximum for each machine."""

    minimum: int = 1
    maximum: int
    per_node: int


def size_api(*, cores: int, machines: int, least: int, most: int | None) -> ApiReplicas:
    """Return the plan of the API's replicas. One of them uses one core; the other cores are for readers.

    On several machines they are apart, so that the death of one machine leaves others: one per machine, unless more
    are asked for than there are machines.
    """
    asked = max(least, most or 0)
    per_node = max(2, cores // 2, asked) if machines < 2 else ceil(asked / machines)
    return ApiReplicas(minimum=least, maximum=most or MOST_API, per_node=per_node)


def size_readers(
    *, cores: int, workers: int | None, background: bool, least: int, most: int | None, inflight: int = 8
) -> Sizing:
    """Return the plan of the reader pool.

    `workers` None means: as many as cores, at most 4. With `background` the pool scales from `least` to `most`, and
    `workers` is ignored: the API only enqueues.
    """
    default = max(1, min(cores, 4))
    if not background:
        count = default if workers is None else workers
        return Sizing(minimum=count, maximum=count, own_application=False, inflight=inflight)
    most = max(default, least, 1) if most is None else most
    return Sizing(minimum=least, maximum=most, own_application=True, inflight=inflight)


def pools(sizing: Sizing, *, search: bool = False, embed: bool = False) -> dict[str, Placement]:
    """Return every pool of this service, with its placement."""
    readers = {"fast_path": FAST_PATH} if sizing.maximum else {}
    searching = {"searcher": SEARCHER} if search else {}
    embedding = {"embedder": EMBEDDER} if embed else {}
    always = {"api": API, "background": BACKGROUND, "recogniser": RECOGNISER}
    return always | readers | searching | embedding
