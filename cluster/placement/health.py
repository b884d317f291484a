"""State of the cluster for deep health and `quire status`: replicas per pool, and pools that fit on no node.

The `ClusterState` port of the API, asked inside a replica. A warning at most: documents wait safely in SQL.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from quire.cluster.placement.placement import Placement, unplaceable
from quire.models.cdom.ports import PortUnavailable


class ServeState:
    """Asks Serve's controller and the node table in a thread; callers bring the timeout."""

    def __init__(self, pools: Mapping[str, Placement]) -> None:
        self._pools = pools

    async def cluster_state(self) -> dict[str, object]:
        """Return pools with their replicas by state, and warnings. Raises `PortUnavailable`."""
        try:
            return await asyncio.to_thread(self._ask)
        except Exception as error:  # Ray raises various errors when its head is gone
            raise PortUnavailable("cluster", type(error).__name__) from error

    def _ask(self) -> dict[str, object]:
        import ray
        from ray import serve

        from quire.serve_apps.vlm_fault import VlmFault

        state = summarise(serve.status(), unplaceable(self._pools, ray.nodes()))
        if fault := VlmFault.read():
            state["warnings"] = [*state["warnings"], f"vlm_ocr: {fault}"]
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


def _is_well(facts: Mapping[str, Any]) -> bool:
    """Return whether the pool is stable, or scales while at least one replica answers."""
    return facts["status"] in ("HEALTHY", "DOWNSCALING") or (facts["status"] == "UPSCALING" and facts["running"] > 0)


def _counts(states: Mapping[Any, int]) -> dict[str, int]:
    """Return replicas by state in lower case, `running` always included."""
    counts = {str(getattr(state, "value", state)).lower(): int(count) for state, count in states.items()}
    return {"running": counts.pop("running", 0)} | counts
