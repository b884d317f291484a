"""The console's cost, and its events over kills: `python -m tests.lab.bench.bench_console gets|events`.

gets: p50 of GET job at the engine and through the console, each a separate process behind a socket, by turns.
events: 2,000 documents while the process that watches and delivers is killed again and again; one event id each.
"""

import asyncio
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from quire.serve_apps.api.app import create_app
from quire.serve_apps.console.app import create_console
from quire.storage.store import open_store
from tests.api.harness import PDF, files, make_resources, reading
from tests.conftest import SIGNING_KEY
from tests.packages.console.harness import ENGINE_KEY, PASSWORD, resources_of
from tests.packages.console.loops import watch_and_deliver
from tests.packages.console.test_webhooks import count_ids, expire_leases
from tests.postgres import test_server
from tests.storage.receivers import receiving

ENGINE_PORT, CONSOLE_PORT = 18431, 18432
ENGINE, CONSOLE = f"http://127.0.0.1:{ENGINE_PORT}", f"http://127.0.0.1:{CONSOLE_PORT}"
ROUNDS, DOCUMENTS = 400, 2000


def serve(kind: str, dsn: str, folder: Path) -> None:
    store = open_store(dsn, folder / "workdir", signing_key=SIGNING_KEY)
    app, port = (
        (create_app(make_resources(store, dsn=dsn)), ENGINE_PORT)
        if kind == "engine"
        else (create_console(resources_of(store, ENGINE, folder)), CONSOLE_PORT)
    )
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_level="warning", access_log=False, timeout_keep_alive=60
    )
    asyncio.run(uvicorn.Server(config).serve())


@contextmanager
def process(target: Any, *args: Any) -> Iterator[Any]:
    started = multiprocessing.get_context("spawn").Process(target=target, args=args)
    started.start()
    try:
        yield started
    finally:
        started.terminate()
        started.join()


def wait_for(url: str) -> None:
    while True:
        try:
            httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def two_services() -> Iterator[tuple[str, Path, Any, Any, str]]:
    """DSN, folder, both processes, and a token."""
    with ExitStack() as stack:
        dsn = stack.enter_context(stack.enter_context(test_server()).database())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = stack.enter_context(process(serve, "engine", dsn, folder))
        console = stack.enter_context(process(serve, "console", dsn, folder))
        wait_for(ENGINE)
        wait_for(CONSOLE)
        with httpx.Client(base_url=CONSOLE) as pages:
            pages.post("/sign-up", data={"email": "a@b.c", "password": PASSWORD})
            token = pages.post("/api/tokens", json={"name": "x"}).json()["token"]
        yield dsn, folder, engine, console, token


def bench_gets() -> None:
    with two_services() as (dsn, folder, _engine, console, token):
        store = open_store(dsn, folder / "workdir", signing_key=SIGNING_KEY)
        with reading(store):
            job = httpx.post(f"{CONSOLE}/v1/parse", files=files(PDF, part="file"), headers={"X-API-Key": token}).json()
        org = store.db.fetch_all("select org from console_submissions")[0]["org"]
        path = f"/v1/jobs/{job['job']['id']}"
        direct = httpx.Client(base_url=ENGINE, headers={"X-API-Key": "zeta-all", "X-DE-Org": org})
        proxied = httpx.Client(base_url=CONSOLE, headers={"X-API-Key": token})
        times: dict[str, list[float]] = {"engine": [], "console": []}
        before = cpu_s(console.pid)
        for _ in range(ROUNDS):
            for name, client in (("engine", direct), ("console", proxied)):
                begun = time.perf_counter()
                assert client.get(path).status_code == 200
                times[name].append((time.perf_counter() - begun) * 1000)
        spent = (cpu_s(console.pid) - before) / ROUNDS * 1000
        p50 = {name: statistics.median(values) for name, values in times.items()}
        print(f"load {os.getloadavg()[0]:.1f}; p50 ms {p50}; added {p50['console'] - p50['engine']:.2f} ms")
        print(f"CPU of the console {spent:.2f} ms a GET")
        store.close()


def bench_events() -> None:
    with two_services() as (dsn, folder, _, __, token), receiving() as receiver:
        store = open_store(dsn, folder / "workdir", signing_key=SIGNING_KEY)
        with store.db.transaction() as conn:
            conn.execute("update console_plans set concurrent_documents = 100000, monthly_pages = null")
        register(receiver.url)
        kills = 0
        sender = threading.Thread(target=send_all, args=(token,))
        with reading(store):
            sender.start()
            begun = time.monotonic()
            while len(count_ids(receiver)) < DOCUMENTS and time.monotonic() - begun < 500:
                args = (dsn, folder / "workdir", (SIGNING_KEY, ENGINE_KEY), ENGINE, None)
                with process(watch_and_deliver, *args) as loops:
                    time.sleep(random.uniform(4, 9))
                    loops.kill()
                kills += 1
                expire_leases(store)
            sender.join()
        ids = count_ids(receiver)
        sent = {row["event_id"] for row in store.db.fetch_all("select event_id from console_documents")}
        print(
            f"{len(ids)} documents told, most ids of one {max(ids.values())}, posts {len(receiver.got)}, kills {kills}"
        )
        print(f"{len(sent)} event ids stored; {time.monotonic() - begun:.0f} s; load {os.getloadavg()[0]:.1f}")
        store.close()


def send_all(token: str) -> None:
    with httpx.Client(base_url=CONSOLE, headers={"X-API-Key": token}, timeout=60) as client:
        for _ in range(DOCUMENTS // 10):
            assert client.post("/v1/jobs", files=files(*[PDF] * 10)).status_code == 201


def register(url: str) -> None:
    """As the page would."""
    with httpx.Client(base_url=CONSOLE) as pages:
        pages.post("/sign-in", data={"email": "a@b.c", "password": PASSWORD})
        assert pages.post("/api/webhooks", json={"url": url}).status_code == 201


if __name__ == "__main__":
    {"gets": bench_gets, "events": bench_events}[sys.argv[1]]()
