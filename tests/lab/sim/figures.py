"""Runs for the figures in the documentation: efficiency from 1 to 256 nodes, and pools under four kinds of load."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.lab.sim.costs import DATABASE_CORES, Work
from tests.lab.sim.deployment import Deployment, Station

NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BACKLOG = 240
"""Documents for every reader, so that the first and the last ones weigh little."""
SENT_AT_S = 15  # second at which the backlog is sent: all readers run by then
FULL = 0.9


@dataclass(frozen=True, slots=True)
class Scale:
    """Efficiency: documents a second, divided by nodes times one node's rate; `limit` is the saturated resource."""

    nodes: int
    per_s: float
    efficiency: float
    limit: str


def measure_scaling(
    work: Work, nodes: tuple[int, ...] = NODES, *, doors: int = 0, cores: int = DATABASE_CORES
) -> list[Scale]:
    """A backlog sent and worked off by so many nodes, from the first upload to the last end.

    `doors`: API replicas; 0 is one per node. `cores`: of the database.
    """
    scales: list[Scale] = []
    for count in nodes:
        documents = count * 4 * BACKLOG
        run = Deployment(nodes=count, work=work, doors=doors, least=count * 4, database=Station(cores=cores))
        run.run(7200, _burst(documents), until_empty=True)
        assert run.done == documents
        per_s = documents / (run.last_end - SENT_AT_S)
        per_node = per_s / count
        first = scales[0].per_s / scales[0].nodes if scales else per_node
        scales.append(Scale(count, per_s, per_node / first, _full(run)))
    return scales


def _full(run: Deployment) -> str:
    took_s = run.last_end - SENT_AT_S
    stations = {"door": run.door, "database": run.database, "index writer": run.writer}
    busy = {name: station.busy_s / took_s for name, station in stations.items()}
    return next((name for name, share in busy.items() if share > FULL), "")


def breaking_point(work: Work, *, doors: int = 0, cores: int = DATABASE_CORES) -> tuple[str, float]:
    """Return the resource that is full first, and the number of nodes of four readers.

    `doors`: API replicas; 0 is one per node, which are never full first. `cores`: of the database.
    """
    per_node = 4 / (work.node_s + work.door_s)
    limits = {"database": cores / work.database_s(work.group) / per_node}
    if work.index_s:
        limits["index writer"] = 1 / work.index_s / per_node
    if doors and work.door_s:
        limits["door"] = doors / work.door_s / per_node
    name = min(limits, key=lambda one: limits[one])
    return name, limits[name]


def _burst(documents: int) -> Callable[[int], int]:
    return lambda second: documents if second == SENT_AT_S else 0


SMALL = Work(name="half a second", node_s=0.5)


def run_steady(per_s: int = 8, seconds: int = 900) -> Deployment:
    """Eight documents a second of half a second each: four readers' work."""
    return Deployment(nodes=16, work=SMALL).run(seconds, lambda second: per_s)


def run_bursts(seconds: int = 1200) -> Deployment:
    """A quiet stream with 2,000 documents at once every five minutes."""
    return Deployment(nodes=16, work=SMALL).run(seconds, lambda second: 2000 if second % 300 == 30 else 2)


def run_losses(seconds: int = 1200) -> Deployment:
    """Forty a second, twenty readers' work; half of the sixteen nodes die at once, later four more."""
    return Deployment(nodes=16, work=SMALL, lost={300: 8, 600: 4}).run(
        seconds, lambda second: 40 if second < 900 else 0
    )


def run_day(seconds: int = 2400) -> Deployment:
    """Load that rises to eighty a second, falls and is gone."""
    return Deployment(nodes=16, work=SMALL).run(
        seconds, lambda second: max(0, round(80 - abs(second - 900) / 900 * 80))
    )


RUNS: dict[str, Callable[[], Deployment]] = {
    "steady": run_steady,
    "bursts": run_bursts,
    "losses": run_losses,
    "day": run_day,
}
