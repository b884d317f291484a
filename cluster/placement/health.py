"""State of the cluster for deep health and `quire status`: replicas per pool, machines, and pools that fit on none.

The `ClusterState` port of the API, asked inside a replica. A warning at most: documents wait safely in SQL.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from quire.cluster.placement.held import read_actors, warn_of_held
from quire.cluster.placement.placement import Placement, unplaceable
from quire.models.cdom.ports import PortUnavailable

_ANSWER_S = 0.8  # seconds until the last known state answers; deep health itself waits 1


class ServeState:
    """Asks Serve's controller and the node table in a thread, and keeps the last answer for a busy cluster."""

    def __init__(self, pools: Mapping[str, Placement]) -> None:
        self._pools = pools
        self._last: dict[str, Any] | None = None
        self._last_at = 0.0

    async def cluster_state(self) -> dict[str, object]:
        """Return pools with their replicas by state, machines, and warnings.

        A cluster that does not answer at once gives its last known state with `age_s`, its age in seconds.

        Raises:
            PortUnavailable: It never answered.
        """
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await asyncio.to_thread(self._ask)
        except Exception as error:  # Ray raises various errors when its head is gone
            if self._last is None:
                raise PortUnavailable("cluster", type(error).__name__) from error
            age_s = round(time.monotonic() - self._last_at)
            warning = f"the cluster does not answer; its state is of {age_s} seconds ago"
            return self._last | {"age_s": age_s, "warnings": [*self._last["warnings"], warning]}

    def _ask(self) -> dict[str, object]:
        import ray
        from ray import serve
        from ray._private.state import available_resources_per_node

        from quire.serve_apps.vlm_fault import VlmFault

        nodes, free = ray.nodes(), available_resources_per_node()
        state = summarise(serve.status(), unplaceable(self._pools, nodes))
        state["machines"] = list_machines(nodes, free)
        if (actors := read_actors()) is not None:
            state["warnings"] += warn_of_held(nodes, free, actors, time.time())
        if fault := VlmFault.read():
            state["warnings"] = [*state["warnings"], f"vlm_ocr: {fault}"]
        self._last, self._last_at = state, time.monotonic()
        return state


def summarise(status: Any, impossible: Mapping[str, str]) -> dict[str, Any]:
    """Return Serve's status and the pools that fit nowhere, as facts and warnings."""
    pools: dict[str, dict[str, Any]] = {}
    for application in status.applications.values():
        for name, deployment in application.deployments.items():
            pools[name] = {"status": str(deployment.status.value), **_counts(deployment.replica_states)}
    warnings = [f"{name}: {reason}" for name, reason in impossible.items()]
    warnings += [f"{name}: {facts['status'].lower()}" for name, facts in pools.items() if not _is_well(facts)]
    return {"pools": pools, "warnings": warnings}


def list_machines(nodes: Sequence[Mapping[str, Any]], free: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Return name, labels, and CPUs and GPUs in use of each machine.

    Args:
        nodes: Ray's table of nodes.
        free: Unused amount of each resource, by the id of the node.
    """
    machines: dict[str, dict[str, Any]] = {}
    for node in sorted(nodes, key=lambda node: bool(node["Alive"])):
        total, left = node["Resources"], free.get(node["NodeID"], {})
        machines[node["NodeName"]] = {
            "name": node["NodeName"],
            "alive": node["Alive"],
            "labels": {name: label for name, label in node.get("Labels", {}).items() if not name.startswith("ray.io/")},
        } | {
            f"{kind.lower()}s": {"total": total[kind], "used": round(total[kind] - left.get(kind, 0.0), 2)}
            for kind in ("CPU", "GPU")
            if node["Alive"] and kind in total
        }
    return [machines[name] for name in sorted(machines)]


def _is_well(facts: Mapping[str, Any]) -> bool:
    """Return whether the pool is stable, or scales while at least one replica answers."""
    return facts["status"] in ("HEALTHY", "DOWNSCALING") or (facts["status"] == "UPSCALING" and facts["running"] > 0)


def _counts(states: Mapping[Any, int]) -> dict[str, int]:
    """Return replicas by state in lower case, `running` always included."""
    counts = {str(getattr(state, "value", state)).lower(): int(count) for state, count in states.items()}
    return {"running": counts.pop("running", 0)} | counts
