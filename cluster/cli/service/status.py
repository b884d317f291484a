"""`quire status`: what runs for a workdir. Exit 0 when it is up, 1 when it is down, 2 when it starts or stops.

Asks the state file, the service over HTTP and the database; no Ray.
"""

import json
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from quire.cluster.cli.shared.options import settings_from, workdir_option
from quire.cluster.machine.ready import fetch_json
from quire.cluster.runtime import Runtime, read_runtime, runtime_file
from quire.cluster.state import ServicePhase, find_phase, running_state
from quire.configs.settings import Settings
from quire.models.cdom.version import SERVICE_VERSION
from quire.storage.postgres.database import Database
from quire.storage.queue.queue import queue_depth
from quire.storage.values.errors import StorageError

_EXITS = {ServicePhase.UP: 0, ServicePhase.DOWN: 1, ServicePhase.STARTING: 2, ServicePhase.STOPPING: 2}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@workdir_option
@click.pass_context
def status(context: click.Context, as_json: bool, workdir: Path | None) -> None:
    """Show what runs where and the length of the queue."""
    facts = describe(settings_from(workdir))
    click.echo(json.dumps(facts, indent=2) if as_json else _lines(facts))
    context.exit(_EXITS[ServicePhase(facts["phase"])])


def describe(settings: Settings) -> dict[str, Any]:
    """Return the whole status; unreachable parts are null."""
    state = running_state(settings.workdir)
    phase = find_phase(settings.workdir)
    up = phase is ServicePhase.UP
    facts: dict[str, Any] = {"up": up, "phase": phase.value, "workdir": str(settings.workdir), "versions": versions()}
    runtime = read_runtime(runtime_file(settings.workdir)) if runtime_file(settings.workdir).exists() else None
    if runtime is None or (state is None and not runtime.settings.database_url):
        return facts | {"base_url": None, "token_file": None, "pools": None, "machines": None, "queue": None}
    base_url = state.base_url if state else runtime.base_url  # without a state: served by a cluster this machine joined
    health = fetch_json(base_url, "/v1/health?deep=true") if up or state is None else None
    if state is None and health is not None:
        facts |= {"up": True, "phase": ServicePhase.UP.value}
    return facts | {
        "base_url": base_url,
        "token_file": str(runtime.token_file) if runtime.token_file else None,
        "supervisor_pid": state.supervisor.pid if state else None,
        "health": health and health.get("status"),
        "warnings": list((health or {}).get("warnings") or ()),
        **_cluster(health),
        "queue": queue(runtime),
    }


def versions() -> dict[str, str]:
    """Of what matters when a result or a fault is reported."""
    return {
        "quire": SERVICE_VERSION,
        "python": platform.python_version(),
        "ray": version("ray"),
        "pymupdf": version("pymupdf"),
    }


def _cluster(health: dict[str, Any] | None) -> dict[str, Any]:
    """Return the pools and machines from the API's deep health."""
    cluster = (health or {}).get("cluster") or {}
    return {"pools": cluster.get("pools"), "machines": cluster.get("machines")}


def queue(runtime: Runtime) -> dict[str, Any] | None:
    """Depth by state, from the database itself; None when it cannot be reached."""
    try:
        database = Database(runtime.dsn, pool_size=1)
        try:
            return asdict(queue_depth(database))
        finally:
            database.close()
    except StorageError:
        return None


def _lines(facts: dict[str, Any]) -> str:
    if not facts["up"]:
        return f"quire is {facts['phase']} ({facts['workdir']})"
    rows = [
        f"quire is up: {facts['base_url']}",
        f"  workdir     {facts['workdir']}",
        f"  token file  {facts['token_file']}",
    ]
    rows += [f"  health      {facts['health']}", f"  queue       {_pairs(facts['queue'])}"]
    rows += [f"  pool        {name}: {_pairs(pool)}" for name, pool in (facts["pools"] or {}).items()]
    rows += [f"  machine     {_machine(machine)}" for machine in facts["machines"] or ()]
    rows += [f"  warning     {warning}" for warning in facts["warnings"]]
    return "\n".join(rows)


def _machine(facts: dict[str, Any]) -> str:
    """Return for example `10.0.0.3: CPU 2 of 4 used, arch=arm64`."""
    if not facts["alive"]:
        return f"{facts['name']}: gone"
    used = [
        f"{kind} {facts[key]['used']:g} of {facts[key]['total']:g} used"
        for kind, key in (("CPU", "cpus"), ("GPU", "gpus"))
        if key in facts
    ]
    return f"{facts['name']}: " + ", ".join(used + [f"{name}={label}" for name, label in facts["labels"].items()])


def _pairs(values: dict[str, Any] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in (values or {}).items()) or "unknown"
