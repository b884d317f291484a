"""What others notice of hostile and large work: `python -m tests.lab.bench.queue.bench_fairness [--seconds N]`.

One service with the engine `names`, on loopback. One tenant sends a JSON bomb of 45 MB again and again, one table
with a cell of three million characters and a document of 300 pages. Meanwhile the health answer is read twenty times a
second and another tenant submits texts of one line. Figures go to bench-results/fairness.json.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.lab.bench.bench_service import paper
from tests.lab.bench.client import Client
from tests.lab.bench.results import save_results
from tests.lab.chaos.service import QUIRE, start, stop

PORT = 18471
HEALTH_EVERY_S = 0.05
TEXT_EVERY_S = 2.0
BOMB = b'{"urls":[' + b"{}," * 15_000_000 + b"{}]}"
CELL = b"name,note\nx," + b"word *_+ 'and', " * 190_000 + b"\n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=int, default=60)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = start(Path(folder), PORT, SVC_PII_ENGINE="names")
        try:
            added = [str(QUIRE), "keys", "add", "other:write", "--workdir", folder]
            key = subprocess.run(added, capture_output=True, text=True, check=True).stdout.split()[-1]
            report = measure(Client(service.base_url, service.token), Client(service.base_url, key), options.seconds)
        finally:
            stop(service)
    print(json.dumps(report, indent=1))
    save_results("fairness", report)


def measure(hostile: Client, other: Client, seconds: int) -> dict[str, Any]:
    """Return the seconds that answers took, without and with the hostile work."""
    calm = {"health": read_health(other, 10), "text": send_texts(other, 10)}
    ended = threading.Event()
    answers: list[int] = []
    hostile.submit([paper(300, "long")])
    hostile.json("POST", "/v1/jobs", *one_file("cell.csv", CELL))
    bombs = threading.Thread(target=_repeat, args=(ended, lambda: answers.append(_send_bomb(hostile))))
    bombs.start()
    found: dict[str, Any] = {}
    health = threading.Thread(target=lambda: found.update(health=read_health(other, seconds)))
    health.start()
    found["text"] = send_texts(other, seconds)
    health.join()
    ended.set()
    bombs.join()
    return {"calm": calm, "hostile": found, "bomb_answers": sorted(set(answers)), "bombs": len(answers)}


def _repeat(ended: threading.Event, work: Callable[[], None]) -> None:
    while not ended.is_set():
        work()


def _send_bomb(client: Client) -> int:
    connection = client.connect()
    try:
        return client.call(connection, "POST", "/v1/jobs", BOMB, "application/json")[0]
    except OSError:  # the service refused it before all was sent
        return 0
    finally:
        connection.close()


def read_health(client: Client, seconds: float) -> dict[str, float]:
    times, end = [], time.monotonic() + seconds
    connection = client.connect()
    while time.monotonic() < end:
        begun = time.monotonic()
        status, _ = client.call(connection, "GET", "/v1/health")
        assert status == 200, status
        times.append(time.monotonic() - begun)
        time.sleep(HEALTH_EVERY_S)
    connection.close()
    return _summary(times)


def send_texts(client: Client, seconds: float) -> dict[str, float]:
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begun = time.monotonic()
        job = client.json("POST", "/v1/jobs", *one_file("line.txt", f"One line {begun}.".encode()))
        while client.json("GET", f"/v1/jobs/{job['id']}")["status"] in ("queued", "running"):
            time.sleep(0.05)
        times.append(time.monotonic() - begun)
        time.sleep(TEXT_EVERY_S)
    return _summary(times)


def _summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    figures = {"count": len(ordered), "p50_s": statistics.median(ordered), "p99_s": p99, "max_s": ordered[-1]}
    return {name: round(value, 3) for name, value in figures.items()}


def one_file(name: str, data: bytes) -> tuple[bytes, str]:
    """Return a form with one file, and its content type."""
    head = f'--edge\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    return head.encode() + data + b"\r\n--edge--\r\n", "multipart/form-data; boundary=edge"


if __name__ == "__main__":
    main()
