"""The environment of every process of ours that uses Ray, made by one function so that they find each other.

Ports and folders become a complete environment. A driver without the same loopback variable as the node rewrites
127.0.0.1 and hangs for minutes, so never set these by hand.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from quire.cluster.errors import StartRefused
from quire.cluster.machine.haproxy import narrow_haproxy
from quire.cluster.runtime import VARIABLE
from quire.cluster.state import run_folder, scratch_folder
from quire.models.import_names import IMPORT_ROOT
from quire.storage.objects.durable_files import replace_file

_SOCKETS = 38
"""Longest folder name below which Ray's unix sockets (up to 69 characters more) have a legal path (107 bytes)."""
SERVE = {
    "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH": "quire.serve_apps.api.proxy.middlewares.proxy_middlewares",
    "RAY_SERVE_USE_GRPC_BY_DEFAULT": "1",
    "RAY_SERVE_RUN_USER_CODE_IN_SEPARATE_THREAD": "0",
    "RAY_SERVE_FREEZE_GC_ON_STARTUP": "1",
    "RAY_SERVE_RUN_ROUTER_IN_SEPARATE_LOOP": "1",
}
"""Serve's variables on every machine: the proxy calls the API by gRPC, with Ray's token and TLS, and a replica handles
requests in the thread that receives them. Both save CPU time. Handles need their own loop, because threads call them.
"""
PATIENT = {
    "RAY_worker_register_timeout_seconds": "600",
    "RAY_gcs_server_request_timeout_seconds": "300",
    "RAY_py_gcs_connect_timeout_s": "300",
    "RAY_health_check_timeout_ms": "60000",
    "RAY_health_check_failure_threshold": "20",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",
    "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": "60",
    "RAY_enable_metrics_collection": "0",
    "RAY_enable_pipe_based_agent_to_parent_health_check": "1",
}
"""Ray's limits for the processes of one machine, which its defaults (5 to 60 s) call dead while they wait for a core.
The supervisor sees a process that ended at once. No agent collects metrics; agents end with the raylet.
"""
WORKER_TEMPLATE = "QUIRE_WORKER_TEMPLATE"
"""Environment variable with the socket at which workers are forked; absent with SVC_WORKER_TEMPLATE=0."""
TEMPLATE_SEARCHES = "QUIRE_TEMPLATE_SEARCHES"
"""Environment variable that is set if workers of this service search, so that they are forked with those libraries."""
_DROPPED = ("RAY_", "SVC_", "PYTHON")
FEW_HEAPS = {"MALLOC_ARENA_MAX": str(max(2, os.cpu_count() or 1))}
"""One heap of the C library per core, unless the environment sets another number.

The default is eight per core, and memory that a thread freed stays in its heap: a process with many threads grows for
hours.
"""


def ray_token_file(workdir: Path) -> Path:
    """Return the file of Ray's own cluster token (0600), created once."""
    path = run_folder(workdir) / "ray-token"
    if not path.exists():
        replace_file(path, secrets.token_hex(32).encode())
    return path


def ray_folder(workdir: Path) -> Path:
    """Return the folder of Ray's sockets, logs and spill: in the workdir, or in a short one if that path is too long.

    Ray opens its folder to all users (0777), so its parent is accessible to the owner only.
    """
    private = run_folder(workdir)
    if len(str(private / "ray")) > _SOCKETS:
        private = short_folder(workdir)
    _check_private(private)
    (private / "ray").mkdir(exist_ok=True)
    return private / "ray"


def short_folder(workdir: Path) -> Path:
    """Create and return a private folder of this workdir whose path leaves room for unix sockets."""
    folder = _short_path(workdir)
    folder.mkdir(mode=0o700, exist_ok=True)
    _check_private(folder)
    return folder


def remove_short_folder(workdir: Path) -> None:
    """Remove the folder outside the workdir."""
    folder = _short_path(workdir)
    if folder.is_dir() and not folder.is_symlink() and folder.lstat().st_uid == os.geteuid():
        shutil.rmtree(folder, ignore_errors=True)


def _short_path(workdir: Path) -> Path:
    return Path("/tmp") / f"quire-{hashlib.sha256(str(workdir).encode()).hexdigest()[:12]}"  # noqa: S108


def _check_private(folder: Path) -> None:
    facts = folder.lstat()
    if folder.is_symlink() or facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise StartRefused(f"{folder} is not a folder of our own with mode 0700")


def clear_sessions(folder: Path) -> None:
    """Remove sessions of earlier runs: logs and spill may hold document bytes."""
    for session in folder.glob("session_*"):
        session.unlink() if session.is_symlink() else shutil.rmtree(session, ignore_errors=True)


def service_environment(
    workdir: Path,
    ports: Mapping[str, int],
    runtime: Path,
    *,
    haproxy: bool,
    template: bool,
    searching: bool = False,
    base: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the environment of the supervisor and its children. It holds no secret; settings travel in `runtime`."""
    inherited = {name: text for name, text in (base or os.environ).items() if not name.startswith(_DROPPED)}
    ours = {
        VARIABLE: str(runtime),
        "PYTHONPATH": str(IMPORT_ROOT),
        "TMPDIR": str(scratch_folder(workdir)),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(ray_token_file(workdir)),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_DEDUP_LOGS": "0",
        "DASHBOARD_METRIC_PORT": str(ports["dashboard_metric"]),
        "AUTOSCALER_METRIC_PORT": str(ports["autoscaler_metric"]),
        "FORWARDED_ALLOW_IPS": "",
    }
    if template:
        ours[WORKER_TEMPLATE] = str(ray_folder(workdir).parent / "workers.sock")
        ours |= {TEMPLATE_SEARCHES: "1"} if searching else {}
    return FEW_HEAPS | SERVE | inherited | PATIENT | ours | (haproxy_environment(workdir, ports) if haproxy else {})


def haproxy_environment(workdir: Path, ports: Mapping[str, int]) -> dict[str, str]:
    """Return HAProxy's variables: extra ports pinned to loopback, files in a private folder, no log to the network."""
    folder = short_folder(workdir) / "h"  # HAProxy takes 97 characters, and Ray adds a folder of 56
    folder.mkdir(mode=0o700, exist_ok=True)
    program = narrow_haproxy(folder, (ports["haproxy_stats"], ports["haproxy_metrics"]))
    return {
        "RAY_SERVE_ENABLE_HA_PROXY": "1",
        "RAY_SERVE_HAPROXY_BINARY_PATH": str(program or ""),
        "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
        "RAY_SERVE_DIRECT_INGRESS_MIN_HTTP_PORT": str(ports["ingress_min"]),
        "RAY_SERVE_DIRECT_INGRESS_MAX_HTTP_PORT": str(ports["ingress_max"]),
        "RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S": "2",
        "RAY_SERVE_FALLBACK_PROXY_HTTP_PORT": str(ports["fallback_proxy"]),
        "RAY_SERVE_HAPROXY_STATS_PORT": str(ports["haproxy_stats"]),
        "RAY_SERVE_HAPROXY_METRICS_PORT": str(ports["haproxy_metrics"]),
        "RAY_SERVE_HAPROXY_METRICS_ENABLED": "0",
        "RAY_SERVE_HAPROXY_NBTHREAD": "1",
        "RAY_SERVE_HAPROXY_LOG_TARGET": str(folder / "log.sock"),
        "RAY_SERVE_HAPROXY_CONFIG_FILE_LOC": str(folder / "haproxy.cfg"),
        "RAY_SERVE_HAPROXY_SOCKET_PATH": str(folder / "admin.sock"),
        "RAY_SERVE_HAPROXY_METRICS_SOCKET_PATH": str(folder / "metrics.sock"),
        "RAY_SERVE_HAPROXY_SERVER_STATE_BASE": str(folder),
        "RAY_SERVE_HAPROXY_SERVER_STATE_FILE": str(folder / "server-state"),
    }
