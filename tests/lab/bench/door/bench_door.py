"""CPU time of the door for one-page uploads, and its requests per second: `make bench SUITE=door [ARGS="ray haproxy"]`.

Starts services without readers, so that only the door works: jobs of one file, jobs of ten files and health requests
over several connections. CPU time is that of the `api` replicas, the proxy and the database, from /proc. Figures go to
bench-results/door.json.
"""

import argparse
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from quire.cluster.state import read_state
from tests.lab.bench.bench_service import ROOT, database_pids, paper
from tests.lab.bench.client import Client, form
from tests.lab.bench.processes import cpu_seconds, family
from tests.lab.bench.results import save_results

FIRST_PORT = 18430
CONNECTIONS = 4
WARM_UP = 40
"""Requests before each measurement, so that no first request is part of it."""
Send = Callable[[HTTPConnection, int], None]


@dataclass(frozen=True, slots=True)
class Door:
    """A running service: its name in the table, its client and the roots of its process tree."""

    name: str
    client: Client
    roots: frozenset[int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("modes", nargs="*", default=["ray", "haproxy"])
    arguments.add_argument("--uploads", type=int, default=400)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--before", type=Path, help="another checkout with its .venv, measured in turns with this")
    options = arguments.parse_args()
    trees = [ROOT, options.before] if options.before else [ROOT]
    with ExitStack() as stack:
        doors = [
            stack.enter_context(open_door(mode, tree, FIRST_PORT + number))
            for number, (mode, tree) in enumerate((mode, tree) for mode in options.modes for tree in trees)
        ]
        results = measure(doors, options.uploads, options.rounds)
    print_table(results)
    save_results("door", {"cores": os.cpu_count(), "doors": results})


@contextmanager
def open_door(mode: str, tree: Path, port: int, **variables: str) -> Iterator[Door]:
    """Run the service of a checkout without readers."""
    with tempfile.TemporaryDirectory(prefix="qd") as folder:
        workdir = Path(folder) / "w"
        quire = [str(tree / ".venv" / "bin" / "quire")]
        environment = {**os.environ, "SVC_PROXY": mode, "SVC_WORKERS": "0", **variables}
        command = [*quire, "up", "--detach", "--workdir", str(workdir), "--port", str(port)]
        subprocess.run(command, env=environment, check=True, cwd=tree, stdout=subprocess.DEVNULL)
        try:
            state = read_state(workdir)
            assert state is not None
            client = Client(state.base_url, (workdir / "token").read_text().strip())
            roots = frozenset({state.supervisor.pid, *database_pids(workdir)})
            yield Door(f"{mode}{'' if tree == ROOT else ', before'}", client, roots)
        finally:
            subprocess.run([*quire, "down", "--workdir", str(workdir)], check=True, stdout=subprocess.DEVNULL)


def measure(doors: list[Door], uploads: int, rounds: int) -> dict[str, dict[str, Any]]:
    """Return the best round of each kind of request for each door. Doors take turns, so that load hits all alike."""
    figures: dict[str, dict[str, Any]] = {door.name: {} for door in doors}
    for kind, count, documents in (
        ("jobs of one", uploads, 1),
        ("jobs of ten", uploads // 4, 10),
        ("health", uploads, 1),
    ):
        measured: dict[str, list[dict[str, float]]] = {door.name: [] for door in doors}
        for _ in range(rounds):
            for door in doors:
                send = make_sender(door.client, kind, count)
                drive(door.client, send, min(WARM_UP, count))
                measured[door.name].append(_measure_once(door, send, count, documents))
        for name, each in measured.items():
            figures[name][kind] = min(each, key=lambda one: one["api_ms"] + one["proxy_ms"])
    return {name: each | {"load": os.getloadavg()[0]} for name, each in figures.items()}


def _measure_once(door: Door, send: Send, count: int, documents: int) -> dict[str, float]:
    groups = find_groups(set(door.roots))
    before = {name: cpu_seconds(pids) for name, pids in groups.items()}
    took_s = drive(door.client, send, count)
    used = {name: cpu_seconds(pids) - before[name] for name, pids in groups.items()}
    each = {f"{name}_ms": round(1000 * used[name] / count / documents, 2) for name in used}
    return each | {"requests_per_s": round(count / took_s, 1)}


def find_groups(roots: set[int]) -> dict[str, set[int]]:
    """Return the processes of the door by part."""
    groups: dict[str, set[int]] = {"api": set(), "proxy": set(), "database": set()}
    for pid in family(*roots):
        command = _command(pid)
        if "ServeReplica:api" in command:
            groups["api"].add(pid)
        elif "ProxyActor" in command or "haproxy" in command.partition(" ")[0] or "HAProxy" in command:
            groups["proxy"].add(pid)
        elif command.startswith(("postgres", "/")) and "postgres" in command:
            groups["database"].add(pid)
    return groups


def drive(client: Client, send: Send, count: int, connections: int = CONNECTIONS) -> float:
    """Send requests number 0 to `count` - 1 over several connections; return the seconds."""
    numbers = iter(range(count))
    lock, failures = threading.Lock(), list[BaseException]()

    def run() -> None:
        connection = client.connect()
        try:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                send(connection, number)
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(connections)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return time.monotonic() - started


def make_sender(client: Client, kind: str, count: int) -> Send:
    """Return a sender of requests; the bodies of uploads are made before anything is measured."""
    if kind == "health":
        return lambda connection, number: _expect(client.call(connection, "GET", "/v1/health"), 200)
    papers = [paper(1, f"door{number}") for number in range(10 if kind == "jobs of ten" else 1)]
    mark = os.urandom(8).hex()
    bodies = [form("files", [content + b"%%%b%d" % (mark.encode(), n) for content in papers]) for n in range(count)]

    def send(connection: HTTPConnection, number: int) -> None:
        body, media_type = bodies[number]
        _expect(client.call(connection, "POST", "/v1/jobs", body, media_type), 201)

    return send


def _expect(answer: tuple[int, bytes], status: int) -> None:
    if answer[0] != status:
        raise AssertionError(answer)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def print_table(results: dict[str, dict[str, Any]]) -> None:
    print("| proxy | requests | API ms | proxy ms | database ms | requests/s | load |\n|---|---|---|---|---|---|---|")
    for mode, figures in results.items():
        for name, each in figures.items():
            if name != "load":
                values = " | ".join(str(each[key]) for key in ("api_ms", "proxy_ms", "database_ms", "requests_per_s"))
                print(f"| {mode} | {name} | {values} | {figures['load']:.1f} |")


if __name__ == "__main__":
    main()
