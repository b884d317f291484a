"""The service and Ray cluster of a job: the node's own cluster, or that of a service on this machine.

A job submitted to a cluster of `quire worker` nodes finds the runtime through its node. With a workdir it joins the Ray
of the service that runs there; readers reserve all its CPUs, so workers reserve none.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from quire.cluster.bootstrap.enabled import searches
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.compose.handles import API_APP
from quire.cluster.errors import StartRefused
from quire.cluster.machine.environment import ray_token_file
from quire.cluster.runtime import Runtime, read_runtime, runtime_file
from quire.cluster.state import running_state
from quire.storage.store import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service, as plain values for the workers, which reserve `cpus` each. No `runtime_file`: that of the node."""

    runtime_file: str | None = None
    cpus: float = 1.0

    def runtime(self) -> Runtime:
        """Return the service's runtime."""
        return read_runtime(Path(self.runtime_file)) if self.runtime_file else find_runtime()


def find_service(workdir: Path | None) -> Service:
    """Return the service of this node, or the one of `workdir`, for whose Ray cluster the program starts again once.

    Raises:
        StartRefused: No service was started in `workdir`.
    """
    if workdir is None:
        return Service()
    workdir = workdir.expanduser().absolute()
    file = runtime_file(workdir)
    if not file.exists():
        raise StartRefused(f"no service was started in {workdir}")
    state = running_state(workdir)
    if state is None or "gcs" not in state.ports:
        return Service(runtime_file=str(file))
    variables = {
        "RAY_ADDRESS": f"127.0.0.1:{state.ports['gcs']}",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(ray_token_file(workdir)),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    if variables.items() - os.environ.items():
        os.environ |= variables
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606  Ray read its variables when it was imported
    return Service(runtime_file=str(file), cpus=0.0)


def with_store(runtime: Runtime, work: Callable[[Store], T]) -> T:
    """Run one piece of work with a newly opened store."""
    store = open_runtime_store(runtime)
    try:
        return work(store)
    finally:
        store.close()


def index_is_here(runtime: Runtime) -> bool:
    """Return whether the service's index writer runs on the Ray cluster this process has joined."""
    from ray import serve

    return searches(runtime.settings) and API_APP in serve.status().applications
