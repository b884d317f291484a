"""CPUs and GPUs that a machine counts as taken while no living actor has them.

After a head returned, Ray can leave a lease with a replica that it has ended. The pool that needs the machine then
waits for ever, and only a restart of the machine gives the lease back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LEAST = 0.01  # of a CPU or GPU: less is rounding
_SETTLED_S = 60.0  # seconds: Ray's tables of actors and of resources differ while a replica starts or ends


@dataclass(frozen=True, slots=True)
class RayActor:
    """An actor as Ray's table has it.

    Attributes:
        node: Id of its node; empty while it waits for a place.
        changed_at: Seconds since 1970 at which it started or ended.
        needs: Amount of each resource that it has; empty after its end.
    """

    node: str
    changed_at: float
    needs: Mapping[str, float]


def warn_of_held(
    nodes: Iterable[Mapping[str, Any]], free: Mapping[str, Mapping[str, float]], actors: Sequence[RayActor], now: float
) -> list[str]:
    """Return a line with what to do for each machine that counts more as taken than its actors have.

    Args:
        nodes: Ray's table of nodes.
        free: Unused amount of each resource, by the id of the node.
        actors: Ray's table of actors. Machines on which one has changed in the last minute are left out.
        now: Seconds since 1970.
    """
    moving = {actor.node for actor in actors if now - actor.changed_at < _SETTLED_S}
    lines = []
    for node in nodes:
        here = node["NodeID"]
        if not node["Alive"] or here not in free or here in moving:
            continue
        for kind in ("CPU", "GPU"):
            needed = sum(actor.needs.get(kind, 0.0) for actor in actors if actor.node == here)
            held = round(node["Resources"].get(kind, 0.0) - free[here].get(kind, 0.0) - needed, 2)
            if held >= _LEAST:
                lines.append(f"{node['NodeName']}: {held:g} {kind} held by no process; restart `quire worker` on it")
    return lines


def read_actors() -> list[RayActor] | None:
    """Return Ray's table of actors, or None while a job of another program runs: its tasks hold CPUs too."""
    from ray._private.state import jobs, state
    from ray.core.generated.gcs_pb2 import ActorTableData

    records = list(map(ActorTableData.FromString, state._connect_and_get_accessor().get_actor_table(None, None)))
    ours = {record.job_id.hex() for record in records if record.is_detached}  # Serve's controller and replicas
    if any(not job["IsDead"] and job["JobID"] not in ours for job in jobs()):
        return None
    return [
        RayActor(
            node=record.address.node_id.hex() if record.address.worker_id else "",
            changed_at=max(record.start_time, record.end_time, record.timestamp) / 1000,
            needs={} if record.state == ActorTableData.DEAD else dict(record.required_resources),
        )
        for record in records
    ]
