"""Latency of one tenant's operations while another one floods a lane: `python -m tests.lab.bench.door.bench_lanes`.

Each flood keeps twenty times the places of its lane in flight. The table has the 99th percentile of each operation of
the other tenant, calm and beside each flood, and the answers that were not 2xx.
"""

import argparse
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.service import service_up
from tests.lab.bench.bench_service import paper
from tests.lab.bench.client import Client, form
from tests.lab.bench.results import save_results

NOISY, QUIET = "noisy-secret-of-the-bench", "quiet-secret-of-the-bench"
SLOW_SQL = json.dumps({"sql": "select count(*) from range(1000000000000)"}).encode()
ROUNDS = 40
Operation = Callable[[], int]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    arguments.add_argument("--proxy", default="ray")
    options = arguments.parse_args()
    hole = socket.create_server(("127.0.0.1", 0), backlog=512)
    keys = f"noisy:admin={NOISY},quiet:admin={QUIET}"
    with service_up(
        range(18720, 18740),
        keys=keys,
        SVC_PROXY=options.proxy,
        SVC_WEBHOOK_ALLOW="127.0.0.1",
        SVC_TARGET_ALLOW="127.0.0.1",
        SVC_RATE_LIMIT_RPM="0",
    ) as service:
        url = service.state.base_url
        noisy, quiet = Client(url, NOISY), Client(url, QUIET)
        floods = make_floods(noisy, hole.getsockname()[1])
        operations = make_operations(quiet)
        measure(operations, 3)
        figures = {"calm": measure(operations, options.rounds)}
        for name, (request, count) in floods.items():
            with Flood(noisy, request, count):
                figures[name] = measure(operations, options.rounds)
    print_table(figures)
    save_results("lanes", figures)


class Flood:
    """Keeps `count` equal requests in flight while the block runs."""

    def __init__(self, client: Client, request: tuple[str, str, bytes, str], count: int) -> None:
        self._client, self._request, self._count = client, request, count
        self._ended, self._sockets = threading.Event(), list[http.client.HTTPConnection]()

    def __enter__(self) -> None:
        for _ in range(self._count):
            threading.Thread(target=self._run, daemon=True).start()
        time.sleep(5)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for connection in self._sockets:
            if connection.sock is not None:
                connection.sock.close()
        time.sleep(15)

    def _run(self) -> None:
        connection = self._client.connect()
        self._sockets.append(connection)
        while not self._ended.is_set():
            try:
                status, _ = self._client.call(connection, *self._request)
            except (OSError, http.client.HTTPException, ValueError, AttributeError):
                connection.close()
                status = 0
            if status in (0, 503):
                self._ended.wait(1)


def make_floods(client: Client, hole: int) -> dict[str, tuple[tuple[str, str, bytes, str], int]]:
    """Return the request of each flood, and how many are kept in flight."""
    job = client.submit([paper(60, "flood")])
    document = client.wait(job)["documents"][0]["document_id"]
    place = f"/v1/jobs/{job}/documents/{document}"
    target = {"kind": "http", "settings": {"url": f"http://127.0.0.1:{hole}/"}}
    body, kind = form("files", [paper(1, "flood")])
    return {
        "20 x SQL": (("POST", "/v1/sql", SLOW_SQL, "application/json"), 40),
        "20 x checks of targets": (("POST", "/v1/targets", json.dumps(target).encode(), "application/json"), 160),
        "20 x trees": (("GET", f"{place}/tree", b"", ""), 160),
        "20 x pictures": (("GET", f"{place}/pages/7?dpi=200", b"", ""), 40),
        "20 x archives": (("GET", f"/v1/archive?document_id={document}", b"", ""), 80),
        "20 x uploads": (("POST", "/v1/jobs", body, kind), 160),
    }


def make_operations(client: Client) -> dict[str, Operation]:
    """Return operations of the other tenant, over all lanes."""
    job = client.submit([paper(3, "quiet")])
    document = client.wait(job)["documents"][0]["document_id"]
    place = f"/v1/jobs/{job}/documents/{document}"
    body, kind = form("files", [paper(1, "quiet")])
    sql = json.dumps({"sql": "select 1"}).encode()
    target = json.dumps({"kind": "http", "settings": {"url": f"{client.base_url}/v1/health"}}).encode()
    requests = {
        "health": ("GET", "/v1/health?deep=true", b"", ""),
        "job": ("GET", f"/v1/jobs/{job}", b"", ""),
        "list": ("GET", "/v1/documents", b"", ""),
        "tree": ("GET", f"{place}/tree", b"", ""),
        "markdown": ("GET", f"{place}/export/markdown", b"", ""),
        "picture": ("GET", f"{place}/pages/2", b"", ""),
        "archive": ("GET", f"/v1/archive?document_id={document}", b"", ""),
        "tables": ("GET", f"/v1/documents/tables.parquet?document_id={document}", b"", ""),
        "sql": ("POST", "/v1/sql", sql, "application/json"),
        "upload": ("POST", "/v1/jobs", body, kind),
        "target": ("POST", "/v1/targets", target, "application/json"),
    }

    def make(request: tuple[str, str, bytes, str]) -> Operation:
        def send() -> int:
            connection = client.connect()
            try:
                return client.call(connection, *request)[0]
            finally:
                connection.close()

        return send

    return {name: make(request) for name, request in requests.items()}


def measure(operations: dict[str, Operation], rounds: int) -> dict[str, tuple[float, dict[int, int]]]:
    """Return the 99th percentile in seconds and the number of answers by status, for each operation."""
    seconds: dict[str, list[float]] = {name: [] for name in operations}
    statuses: dict[str, dict[int, int]] = {name: {} for name in operations}
    for _ in range(rounds):
        for name, operation in operations.items():
            started = time.monotonic()
            status = operation()
            seconds[name].append(time.monotonic() - started)
            statuses[name][status] = statuses[name].get(status, 0) + 1
    return {name: (sorted(each)[int(len(each) * 0.99)], statuses[name]) for name, each in seconds.items()}


def print_table(figures: dict[str, dict[str, tuple[float, dict[int, int]]]]) -> None:
    load = Path("/proc/loadavg").read_text().split()[0]
    print(f"load {load}\n| operation | {' | '.join(figures)} |\n|---|{'---|' * len(figures)}")
    for name, (calm, _) in figures["calm"].items():
        cells = []
        for flood in figures.values():
            p99, statuses = flood[name]
            cells.append(f"{p99:.2f} s ({p99 / calm:.1f} x) {statuses}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
