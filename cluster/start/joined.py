"""A service on a Ray cluster of several machines: how a machine's Ray is started, and the service deployed on all.

Every process builds its runtime from its own SVC_ variables (`cluster/bootstrap/shared_runtime.py`). Starts no Ray.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from quire.cluster.bootstrap.shared_runtime import make_joined_runtime
from quire.cluster.errors import StartRefused
from quire.cluster.machine.environment import FEW_HEAPS, SERVE
from quire.cluster.placement import same_version
from quire.cluster.placement.placement import machine_labels
from quire.cluster.runtime import VARIABLE, Runtime, runtime_file
from quire.configs.settings import Settings
from quire.models.import_names import IMPORT_ROOT

GCS_PORT, DASHBOARD_PORT = 6379, 8265  # Ray's own default ports
_HEAD_STATE = {"RAY_gcs_storage", "RAY_gcs_storage_path", "RAY_REDIS_ADDRESS", "RAY_external_storage_namespace"}
_TLS = {"RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT"}
_PATIENCE = {"RAY_gcs_rpc_server_reconnect_timeout_s"}  # seconds that a machine waits for a head that is gone
_KEPT = frozenset({"RAY_TMPDIR", *_TLS, *_HEAD_STATE, *_PATIENCE})
"""Variables of Ray that an operator may set; all other RAY_ variables are ours."""
_SLOW_START = {
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_worker_register_timeout_seconds": "600",
}
"""Ray's limits for processes that start, which its defaults (30 to 60 s) give up while they wait for a core."""


def node_environment(settings: Settings, token_file: Path, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of Ray on a machine that joins: the cluster's token and the runtime file."""
    if not token_file.is_file():
        raise StartRefused(f"no token file {token_file}: copy the cluster's (0600) to this machine")
    if token_file.stat().st_mode & 0o077:
        raise StartRefused(f"{token_file} must be readable by its owner only (chmod 600)")
    given = (base if base is not None else os.environ).items()
    inherited = {name: value for name, value in given if name in _KEPT or not name.startswith(("RAY_", "SVC_"))}
    programs = str(Path(sys.executable).parent)  # `python` of a submitted job is the one that has what jobs import
    ours = {
        "PATH": os.pathsep.join(filter(None, (programs, inherited.get("PATH")))),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file.absolute()),
        "RAY_USAGE_STATS_ENABLED": "0",
        "FORWARDED_ALLOW_IPS": "",
        VARIABLE: str(runtime_file(settings.workdir)),
        "PYTHONPATH": str(IMPORT_ROOT),
    }
    return FEW_HEAPS | SERVE | _SLOW_START | inherited | ours


def node_command(
    *,
    address: str | None,
    labels: Mapping[str, str] | None = None,
    cpus: int | None = None,
    gpus: int | None = None,
    node_ip: str | None = None,
    port: int = GCS_PORT,
    dashboard_port: int = DASHBOARD_PORT,
) -> list[str]:
    """Return `ray start` in the foreground, as head without an address, with labels of this machine and `labels`."""
    marked = {**machine_labels(), same_version.LABEL: same_version.HERE, **(labels or {})}
    command = [sys.executable, "-m", "quire.cluster.serve.ray_start", "start", "--block"]
    command += ["--labels", ",".join(f"{name}={value}" for name, value in sorted(marked.items()))]
    head = ["--head", f"--port={port}", "--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard_port}"]
    if dashboard_port != DASHBOARD_PORT:  # another Ray is on this host: its agent has the usual port too
        head.append(f"--dashboard-agent-listen-port={dashboard_port + 1}")
    command += ["--address", address] if address else head
    command += [f"--num-cpus={cpus}"] if cpus is not None else []
    command += [f"--num-gpus={gpus}"] if gpus is not None else []
    return command + ([f"--node-ip-address={node_ip}"] if node_ip else [])


def serve_on(address: str, settings: Settings) -> Runtime:
    """Deploy or update the service on a running cluster. Raises `ClusterError`."""
    import ray

    from quire.cluster.serve.node import Head
    from quire.cluster.start.database import open_database, settle

    runtime = make_joined_runtime(settings)
    settle(settings, open_database(settings).dsn)
    try:
        ray.init(address, namespace="quire", log_to_driver=False, logging_level="WARNING")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise StartRefused(f"no cluster at {address}: {error}") from None
    try:
        if others := same_version.list_others(ray.nodes()):
            raise StartRefused(
                f"this is Quire {same_version.HERE}, but {', '.join(others)} is not: "
                "install this version there and run `quire worker` again"
            )
        Head(runtime, {}, others_may_join=True).deploy()
    finally:
        ray.shutdown()
    return runtime
