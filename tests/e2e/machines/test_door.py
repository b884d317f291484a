"""API replicas on a cluster of three machines: killed under load, and replaced by a new deployment."""

import http.client
import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest

from tests.e2e.papers import paper
from tests.lab.bench.client import Client, form
from tests.lab.bench.processes import family
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
KILLS, SENDERS, REPLICAS = 20, 4, 3
Answers = Counter[str]


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    settings = {"SVC_WORKERS": "1", "SVC_API_MIN": str(REPLICAS), "SVC_API_MAX": str(REPLICAS)}
    with on_this_host(settings, gcs_from=6590, http_from=9010) as cluster:
        cluster.start()
        for name in ("one", "two"):
            cluster.join(name, 2)
        cluster.serve()
        wait_for(lambda: len(find_replicas(cluster)) >= REPLICAS, 120, "the API replicas do not start")
        yield cluster


def find_replicas(machines: Machines) -> list[int]:
    """Return the processes of the API's replicas on all machines."""
    pids = family(*(process.pid for process in machines.running.values()))
    return sorted(pid for pid in pids if b"ServeReplica:api:api" in _command(pid))


def _command(pid: int) -> bytes:
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()
    return b""


@contextmanager
def uploading(client: Client, answers: Answers, accepted: set[str]) -> Iterator[None]:
    """Send uploads and reads without pause, each once. Count the kinds of answers and collect the accepted jobs."""
    stop = threading.Event()

    def send(sender: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            connection = client.connect()
            body, kind = form("files", [paper(1, mark=f"{sender}-{number}")])
            for method, path, sent in (("POST", "/v1/jobs", body), ("GET", "/v1/jobs?limit=1", b"")):
                answers[_answer(client, connection, method, path, sent, kind, accepted)] += 1
            connection.close()

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _answer(
    client: Client,
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes,
    kind: str,
    jobs: set[str],
) -> str:
    """Return `right`, `retry` for a 503 with Retry-After, or what came instead."""
    try:
        connection.request(method, path, body or None, {"X-API-Key": client.token, "Content-Type": kind})
        response = connection.getresponse()
        content = response.read()
    except (OSError, http.client.HTTPException) as error:
        return f"{method} {type(error).__name__}"
    if response.status == 503 and response.headers["Retry-After"] and json.loads(content)["code"]:
        return "retry"
    if response.status == 201:
        jobs.add(json.loads(content)["id"])
    expected = 201 if method == "POST" else 200
    return "right" if response.status == expected else f"{method} {response.status} {content[:200]!r}"


def test_killed_api_replicas_give_right_or_retryable_answers_only(machines: Machines) -> None:
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    answers, accepted = Answers(), set[str]()
    with uploading(client, answers, accepted):
        for kill in range(KILLS):
            time.sleep(1)  # for load on the replica that is killed
            replicas = find_replicas(machines)
            os.kill(replicas[kill % len(replicas)], signal.SIGKILL)
            wait_for(lambda: len(find_replicas(machines)) >= REPLICAS, 120, "a killed replica is not replaced")
    print(f"{KILLS} kills: {dict(answers)}")
    assert set(answers) <= {"right", "retry"}, answers
    assert answers["right"] > KILLS
    with psycopg.connect(machines.dsn) as connection:
        stored = {row[0] for row in connection.execute("select id from jobs").fetchall()}
    assert accepted <= stored


def test_new_deployment_refuses_no_upload(machines: Machines) -> None:
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    answers, accepted, before = Answers(), set[str](), find_replicas(machines)
    with uploading(client, answers, accepted):
        machines.serve()
        wait_for(lambda: not set(before) & set(find_replicas(machines)), 120, "the old replicas stay")
    print(f"new deployment: {dict(answers)}")
    assert set(answers) == {"right"}, answers
