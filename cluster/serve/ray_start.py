"""Ray's private start-up, made patient: on a busy machine a node registers late instead of never.

`python -m quire.cluster.serve.ray_start start …` is `ray start …` of a machine in a cluster. Written against ray
2.60.0, which is pinned. A raylet aborts if its two Python agents (metrics and jobs, packages of runtime environments)
have not written their ports within 15 s, a constant of its C++ code, so the ports are written before it starts.
"""

import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from quire.cluster.errors import HeadFailed
from quire.cluster.machine.patience import LOOK_S
from quire.cluster.placement.same_version import refuse_to_join
from quire.models.fair_time import FairClock, read_threads_of

REFUSED = 78
"""Exit code of a machine that may not join, EX_CONFIG of sysexits.h: starting it again would not help."""
NODE_S = 60.0  # seconds of a fair clock for Ray's node to register
POLL_S = 0.1  # seconds between looks at a node that starts
ALIVE = 0  # Ray's number of a node that lives
_AGENTS = {"dashboard_agent_command", "runtime_env_agent_command"}
_IDLE = 'sh -c "exec cat" idle'
"""A raylet needs an agent and ends with it. This one ends with the raylet, which holds its standard input."""
_OPTIONS = {
    "METRICS_AGENT_PORT_NAME": "dashboard-agent-grpc-port",
    "METRICS_EXPORT_PORT_NAME": "metrics-export-port",
    "DASHBOARD_AGENT_LISTEN_PORT_NAME": "dashboard-agent-listen-port",
    "RUNTIME_ENV_AGENT_PORT_NAME": "runtime-env-agent-port",
}
"""Options of `ray start` by Ray's names of the files of its agents' ports."""


def wait_for_node(get_node: Callable[..., Any], started: Sequence[Any], clock: FairClock) -> Callable[..., Any]:
    """Return Ray's `get_node` that waits for a slow raylet, for which `Node` itself allows 30 s of wall time.

    It raises `HeadFailed` when one of the `started` processes has ended, or after `NODE_S` of a fair clock.
    """

    def get_node_patiently(*address: Any) -> Any:
        while True:
            try:
                return get_node(*address)
            except RuntimeError:  # not registered yet
                for info in started:
                    if info.process.poll() is not None:
                        raise HeadFailed(f"Ray's process ended with {info.process.returncode} while starting") from None
                if clock.read() > NODE_S:
                    raise HeadFailed(
                        f"Ray's node did not register; {clock.running_s:.0f} CPU seconds were used"
                    ) from None
            time.sleep(POLL_S)

    return get_node_patiently


def with_ports(
    start: Callable[..., Any], started: list[Any], native: Any, ports: Mapping[str, int] | None
) -> Callable[..., Any]:
    """Return Ray's `start_ray_process` that writes the ports of a raylet's agents before it starts the raylet.

    It adds each process to `started`. `native` is Ray's compiled module, which has no types. `ports` are by the names
    of `_OPTIONS`. With None the raylet starts neither agent: they serve metrics, Ray's dashboard, jobs and packages of
    runtime environments, none of which one machine uses, and a port of -1 means "not in use".
    """

    def start_ray_process(command: list[str], *rest: Any, **options: Any) -> Any:
        given = {_name(part): part.partition("=")[2] for part in command}
        if given.keys() >= _AGENTS:
            if ports is None:
                command = [f"--{name}={_IDLE}" if (name := _name(part)) in _AGENTS else part for part in command]
            for name in _OPTIONS:
                port = -1 if ports is None else ports[name]
                native.persist_port(given["session_dir"], given["node_id"], getattr(native, name), port)
        started.append(start(command, *rest, **options))
        return started[-1]

    return start_ray_process


def _name(part: str) -> str:
    return part.removeprefix("--").partition("=")[0]


def choose_agent_ports(arguments: Sequence[str]) -> dict[str, int]:
    """Return ports of the agents by the names of `_OPTIONS`: given as options of `ray start`, or free."""
    given = {_name(part): part.partition("=")[2] for part in arguments if "=" in part}
    probes = [socket.socket() for _ in _OPTIONS]  # open together, so that no port is chosen twice
    try:
        for probe in probes:
            probe.bind(("", 0))
        free = [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
    return {name: int(given.get(option, port)) for (name, option), port in zip(_OPTIONS.items(), free, strict=True)}


def _refusal(arguments: Sequence[str], native: Any) -> str | None:
    if "--address" not in arguments:
        return None
    with suppress(native.RpcError):  # no head there: `ray start` says so
        cluster = native.GcsClient(address=arguments[arguments.index("--address") + 1])
        heads = [node for node in cluster.get_all_node_info().values() if node.is_head_node and node.state == ALIVE]
        return next(filter(None, (refuse_to_join(dict(node.labels)) for node in heads)), None)
    return None


def main(arguments: Sequence[str]) -> None:
    """Run `ray` with these arguments, those of `ray start`."""
    import ray._raylet as native
    from ray._private import services
    from ray.scripts import scripts

    if reason := _refusal(arguments, native):
        print(reason, file=sys.stderr, flush=True)
        sys.exit(REFUSED)
    ports, started = choose_agent_ports(arguments), list[Any]()
    clock = FairClock(lambda: read_threads_of(info.process.pid for info in started), look_s=LOOK_S)
    patched = vars(services)
    patched["start_ray_process"] = with_ports(services.start_ray_process, started, native, ports)
    patched["get_node"] = wait_for_node(services.get_node, started, clock)
    options = [f"--{option}={ports[name]}" for name, option in _OPTIONS.items()]
    scripts.cli([*arguments, *options], standalone_mode=True)


if __name__ == "__main__":
    main(sys.argv[1:])
