"""A service on a Ray cluster of several machines: every process builds its runtime from its own SVC_ variables.

In come settings that mean the same on every machine (a database, a bucket, keys, a licence: all by value); out goes a
runtime, or a refusal that says which one is local. Starts no Ray itself.
"""

import hashlib
import hmac
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cluster.errors import StartRefused
from cluster.placement import machine_labels
from cluster.runtime import VARIABLE, Runtime, runtime_file, write_runtime
from cluster.state import write_private
from configs.settings import Settings

GCS_PORT = 6379
_KEPT = frozenset({"RAY_TMPDIR", "RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT"})
"""What an operator may say to Ray; the rest of RAY_ is ours."""


def check_shared(settings: Settings) -> None:
    """What one machine keeps to itself cannot serve several. Raises `StartRefused` naming all that is missing."""
    missing = {
        "SVC_DATABASE_URL (the embedded database serves one machine only)": settings.database_url,
        "SVC_BLOBS (a workdir is local: originals and trees must lie in a bucket)": settings.blobs,
        "SVC_API_KEYS (the default token is a file of one machine)": settings.api_keys,
        "SVC_LICENSE (a development licence is for one machine)": settings.license,
    }
    lines = [name for name, value in missing.items() if not value]
    if settings.rag_db and not settings.rag_db.startswith("s3://"):
        lines.append("SVC_RAG_DB as s3://bucket/prefix (a folder is local)")
    if lines:
        raise StartRefused("a cluster of several machines needs " + "; ".join(lines))


def make_joined_runtime(settings: Settings) -> Runtime:
    """The runtime of a machine that joins: checked and written into its workdir. Raises `StartRefused`."""
    from cluster.start import base_url, license_of, settle_vlm
    from serve_apps.access.keys import InvalidApiKeys, parse_api_keys

    check_shared(settings)
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    assert settings.database_url is not None
    assert settings.api_keys is not None
    try:
        parse_api_keys(settings.api_keys)
    except InvalidApiKeys as error:
        raise StartRefused(f"SVC_API_KEYS: {error}") from None
    dsn, api_keys = settings.database_url, settings.api_keys
    license_file, keys = license_of(settings)
    settings = settle_vlm(settings, others_may_join=True)
    dsn_file = runtime_file(settings.workdir).parent / "dsn"
    write_private(dsn_file, dsn.encode())
    runtime = Runtime(
        settings=settings,
        dsn=dsn,
        dsn_file=dsn_file,
        base_url=base_url(settings),
        license_file=license_file,
        license_keys=keys,
        signing_key=derive_signing_key(api_keys),
    )
    write_runtime(runtime)
    return runtime


def derive_signing_key(api_keys: str) -> bytes:
    """The same on every machine without being handed around; new keys make old cursors invalid, no more."""
    return hmac.new(api_keys.encode(), b"quire signing key 1", hashlib.sha256).digest()


@cache
def runtime_from_environment() -> Runtime:
    """For a replica on a machine whose Ray was not started by `quire`: its SVC_ variables. Raises `StartRefused`."""
    from cluster.compose.ground import load_settings

    return make_joined_runtime(load_settings())


def node_environment(settings: Settings, token_file: Path, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of Ray's processes on a machine that joins: the cluster's token, and where the runtime lies."""
    if not token_file.is_file():
        raise StartRefused(f"no token file {token_file}: copy the cluster's (0600) to this machine")
    if token_file.stat().st_mode & 0o077:
        raise StartRefused(f"{token_file} must be readable by its owner only (chmod 600)")
    given = (base if base is not None else os.environ).items()
    kept = {name: value for name, value in given if name in _KEPT or not name.startswith(("RAY_", "SVC_"))}
    return kept | {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file.absolute()),
        "RAY_USAGE_STATS_ENABLED": "0",
        "FORWARDED_ALLOW_IPS": "",
        VARIABLE: str(runtime_file(settings.workdir)),
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
    }


def node_command(
    *,
    address: str | None,
    labels: Mapping[str, str] | None = None,
    cpus: int | None = None,
    gpus: int | None = None,
    node_ip: str | None = None,
) -> list[str]:
    """`ray start` in the foreground; without an address it is the head. Labels are those of this machine and yours."""
    marked = {**machine_labels(), **(labels or {})}
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
    command += ["--labels", ",".join(f"{name}={value}" for name, value in sorted(marked.items()))]
    command += ["--address", address] if address else ["--head", f"--port={GCS_PORT}", "--dashboard-host=127.0.0.1"]
    command += [f"--num-cpus={cpus}"] if cpus is not None else []
    command += [f"--num-gpus={gpus}"] if gpus is not None else []
    return command + ([f"--node-ip-address={node_ip}"] if node_ip else [])


def serve_on(address: str, settings: Settings) -> Runtime:
    """Deploy the service on a cluster that runs; again = bring it to this version. Raises `ClusterError`."""
    import ray

    from cluster.node import Head
    from cluster.start import open_database

    runtime = make_joined_runtime(settings)
    open_database(settings)
    try:
        ray.init(address, namespace="quire", log_to_driver=False, logging_level="WARNING")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise StartRefused(f"no cluster at {address}: {error}") from None
    try:
        Head(runtime, {}).deploy()
    finally:
        ray.shutdown()
    return runtime
