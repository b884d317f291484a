"""Ray's head node and Serve, in this process's session.

All its processes listen on loopback only. Written against ray 2.60.0, which is pinned:
`Node` and `RayParams` give fixed ports, 230 MB less and half the start time of the public `ray start`.
"""

import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import ray
from ray import serve

from quire.cluster.bootstrap.enabled import embeds, enabled_pools, optional_pools, plan_api, plan_readers, searches
from quire.cluster.errors import StartFailed, StartRefused
from quire.cluster.machine.environment import WORKER_TEMPLATE, clear_sessions, ray_folder
from quire.cluster.machine.patience import session_clock
from quire.cluster.placement.placement import fits, machine_labels, place_readers, unplaceable
from quire.cluster.runtime import Runtime
from quire.cluster.serve import app, doors, forked_worker
from quire.cluster.serve.closed_port import answer_closed
from quire.cluster.serve.ray_start import wait_for_node, with_ports
from quire.cluster.state import STOP_S
from quire.configs.kinds import ProxyNodes
from quire.configs.settings import Settings

log = logging.getLogger("quire.node")
OBJECT_STORE_BYTES = 100_000_000  # bytes of shared memory for Ray's objects: nothing large crosses Ray here
DRAIN_S = 130.0
"""Seconds of a drain: above the longest grace period of a deployment."""
GROUP_S = STOP_S + 4.0
"""Seconds for a group of applications to stop: readers finish or release their documents in `STOP_S`."""
POLL_S = 0.1  # seconds between looks at applications that stop
ENDLESS_S = 86_400.0
"""Seconds for Serve's proxies to start. `up` decides when a start takes too long."""
LOOPBACK = "127.0.0.1"
_HOSTS_OF_EVERY_MACHINE = frozenset({"0.0.0.0", "::", LOOPBACK, "::1"})  # noqa: S104


class Head:
    """Ray's head. Call `start`, `deploy`, then `died` at any time, then `stop`."""

    def __init__(self, runtime: Runtime, ports: Mapping[str, int], *, others_may_join: bool = False) -> None:
        self._runtime, self._ports, self._others_may_join = runtime, ports, others_may_join
        planned = plan_readers(runtime.settings)
        self._sizing = replace(planned, own_application=planned.maximum > 0)  # so that readers can be stopped first
        self._waiting = optional_pools(runtime.settings)
        self._node: Any = None

    def start(self) -> None:
        """Start the node's processes and connect a driver to them."""
        self._node = self._start_node()
        ray.init(f"{LOOPBACK}:{self._ports['gcs']}", namespace="quire", log_to_driver=False, logging_level="WARNING")

    def deploy(self) -> None:
        """Start Serve's proxy and all applications; return when they run. Raises `StartRefused`."""
        impossible = unplaceable(enabled_pools(self._runtime.settings), ray.nodes())
        if impossible:
            raise StartRefused("; ".join(f"{name}: {reason}" for name, reason in impossible.items()))
        settings = self._runtime.settings
        serve.start(
            proxy_location=choose_proxy_location(settings),
            http_options={"host": settings.host, "port": settings.port},
            logging_config=app.QUIET,
        )
        try:
            applications = app.targets(
                self._sizing,
                self._runtime.dsn_file,
                api=plan_api(settings, sum(node["Alive"] for node in ray.nodes())),
                searching=searches(settings),
                embedding=embeds(settings),
                readers=place_readers(ray.nodes()),
            )
            serve.run_many([*applications, *doors.hosted_targets(settings)])
        except RuntimeError as error:
            raise StartFailed(f"{error}\n{_why(serve.status())}") from None
        self.deploy_optional()

    def deploy_optional(self) -> None:
        """Deploy pools that need a special node once one has joined.

        If other machines may join, deploy them at once, because their first page may start a node.
        """
        if not self._waiting:
            return
        nodes, anyway = ray.nodes(), self._others_may_join
        for name in [name for name, placement in self._waiting.items() if anyway or fits(placement, nodes)]:
            log.info("deploying %s", name)
            serve.run_many([app.vlm_target(self._waiting.pop(name))], wait_for_applications_running=False)

    def died(self) -> str | None:
        """Return the name of the first process of the head that is gone, or None."""
        dead = self._node.dead_processes() if self._node else []
        return str(dead[0][0]) if dead else None

    def stop(self) -> None:
        """Drain, then end every process of the node. A head with a dead GCS cannot drain.

        Readers stop first, while the embedder and the index writer still serve them. The proxy answers until the last
        application has stopped, and `answer_closed` from then until this process ends.
        """
        settings = self._runtime.settings
        if self.died() is None:
            _stop_applications([[app.WORKERS_APP], [name for name in _applications() if name != app.WORKERS_APP]])
        answer_closed(settings.host, settings.port)
        if self.died() is None:
            _drain()
            ray.shutdown()
        self._node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)

    def _start_node(self) -> Any:
        from ray._private import node, parameter, services, utils

        folder = ray_folder(self._runtime.settings.workdir)
        clear_sessions(folder)
        ports = self._ports
        parameters = parameter.RayParams(
            node_ip_address=LOOPBACK,
            gcs_server_port=ports["gcs"],
            object_manager_port=ports["object_manager"],
            node_manager_port=ports["node_manager"],
            runtime_env_agent_port=ports["runtime_env_agent"],
            metrics_agent_port=ports["metrics_agent"],
            dashboard_agent_listen_port=ports["dashboard_agent"],
            metrics_export_port=ports["metrics_export"],
            min_worker_port=ports["worker_min"],
            max_worker_port=ports["worker_max"],
            include_dashboard=False,
            no_monitor=True,
            include_log_monitor=False,
            temp_dir=str(folder),
            labels=machine_labels(),
            num_cpus=max(os.cpu_count() or 1, self._sizing.node_cpus),
            object_store_memory=OBJECT_STORE_BYTES,
            worker_path=forked_worker.__file__ if WORKER_TEMPLATE in os.environ else None,
        )
        utils.get_dashboard_dependency_error = lambda: None  # the original imports all of them to check
        # dashboard.py runs even with include_dashboard=False: 80 MB and a cloud-metadata probe. Serve needs none of it.
        node.Node.start_api_server = lambda self, **options: None
        started: list[Any] = []
        native = import_module("ray._raylet")
        services.start_ray_process = with_ports(services.start_ray_process, started, native, None)
        clock = session_clock(os.getpid(), self._runtime.settings.workdir)
        services.get_node = wait_for_node(services.get_node, started, clock)
        vars(import_module("ray.serve._private.client"))["HTTP_PROXY_TIMEOUT"] = ENDLESS_S
        return node.Node(parameters, head=True, shutdown_at_exit=True, spawn_reaper=True)


def choose_proxy_location(settings: Settings) -> str:
    """Return the machines of Serve's proxies: all that have a replica, if they can bind to the address at all."""
    every = settings.proxy_nodes is ProxyNodes.EVERY and settings.host in _HOSTS_OF_EVERY_MACHINE
    return "EveryNode" if every else "HeadOnly"


def _why(status: Any) -> str:
    """Return Serve's messages about deployments that did not start: the errors of their constructors."""
    deployments = [pair for application in status.applications.values() for pair in application.deployments.items()]
    return "\n".join(f"{name}: {facts.message}" for name, facts in deployments if facts.status.value != "HEALTHY")


def _applications() -> list[str]:
    try:
        return list(serve.status().applications)
    except Exception:  # a controller that died meanwhile
        return []


def _stop_applications(groups: Sequence[Sequence[str]]) -> None:
    """Delete each group of applications and wait until its replicas have drained, or too long."""
    for names in groups:
        until = time.monotonic() + GROUP_S
        for name in names:
            with suppress(Exception):  # unknown, or a controller that died meanwhile: the session is swept
                serve.delete(name, _blocking=False)
        while time.monotonic() < until and not set(names).isdisjoint(_applications()):
            time.sleep(POLL_S)


def _drain() -> None:
    """Run `serve.shutdown` with time for the longest grace period (its own limit is 30 s)."""
    from ray.serve._private.api import _get_global_client

    try:
        _get_global_client().shutdown(timeout_s=DRAIN_S)
    except Exception:  # a controller that died meanwhile: leases take over
        log.exception("draining failed")
    serve.shutdown()
