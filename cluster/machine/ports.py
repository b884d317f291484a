"""Free loopback ports for one node: a block for Ray, and the ports of HAProxy.

All ports except HTTP are chosen here, so that two workdirs can run in parallel. Knows nothing of Ray's API.
"""

import random
import socket

from quire.cluster.errors import NoFreePorts

_NODE = (
    "gcs",
    "object_manager",
    "node_manager",
    "runtime_env_agent",
    "metrics_agent",
    "dashboard_agent",
    "metrics_export",
    "dashboard_metric",
    "autoscaler_metric",
    "fallback_proxy",
    "haproxy_stats",
    "haproxy_metrics",
)
_INGRESS_AT, _INGRESS_COUNT = 20, 40  # offset and number of ports in the block, of HAProxy's backends
_WORKERS_AT, _WORKERS_COUNT = 60, 240  # offset and number of ports in the block, of Ray's workers
_BLOCK = _WORKERS_AT + _WORKERS_COUNT
_FIRST, _LAST = 20_000, 32_000
"""Above Ray's default worker range (which refuses a GCS port inside it), below Linux's ephemeral ports."""


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether no program listens there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def choose_ports(chance: random.Random | None = None) -> dict[str, int]:
    """Return a block of free ports, by purpose. Raises `NoFreePorts`."""
    chance = chance or random.SystemRandom()
    for _ in range(50):
        base = chance.randrange(_FIRST, _LAST - _BLOCK)
        if all(is_free(port) for port in range(base, base + _BLOCK)):
            return _name(base)
    raise NoFreePorts("no free block of ports between 20000 and 32000")


def _name(base: int) -> dict[str, int]:
    ports = {name: base + offset for offset, name in enumerate(_NODE)}
    ports |= {"ingress_min": base + _INGRESS_AT, "ingress_max": base + _INGRESS_AT + _INGRESS_COUNT - 1}
    return ports | {"worker_min": base + _WORKERS_AT, "worker_max": base + _BLOCK - 1}
