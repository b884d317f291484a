"""The service's figures: `python -m tests.lab.bench.bench_service [ray] [haproxy]`. Starts and stops its own service.

`--vectors 5000` instead reads that many pages of 400 words with search: documents a second, CPU of each process.

Prints a table per proxy mode and writes bench-results/service.json. No figure is a pass or fail: the machine's load is
reported with them.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymupdf

from quire.cluster.state import read_state
from tests.lab.bench.client import Client, form, requests_per_second
from tests.lab.bench.processes import cpu_by_name, cpu_seconds, family, memory_mb
from tests.lab.bench.results import save_results

ROOT = Path(__file__).resolve().parents[3]
QUIRE = [sys.executable, "-m", "quire.cluster.cli.main"]
SENTENCE = "the keeper of our office who measured a rope and anchor twice was written down in ledger by invoice"
PORT = {"ray": 18411, "haproxy": 18412}


def paper(pages: int, mark: str) -> bytes:
    """A born-digital PDF of plain text pages, different for every mark."""
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        lines = [
            f"{mark}.{number}.{line} The office measured every rope twice and wrote it down." for line in range(42)
        ]
        page.insert_text((72, 72), lines)
    return bytes(document.tobytes(garbage=1))


@contextmanager
def service(mode: str, workdir: Path, **variables: str) -> Iterator[tuple[Client, set[int], float]]:
    """A running service: client, the roots of its process tree, seconds from the command to ready."""
    environment = {**os.environ, "SVC_PROXY": mode, "SVC_WORKERS": "2", **variables}
    command = [*QUIRE, "up", "--detach", "--workdir", str(workdir), "--port", str(PORT[mode])]
    started = time.monotonic()
    subprocess.run(command, env=environment, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    ready = time.monotonic() - started
    state = read_state(workdir)
    assert state is not None
    try:
        client = Client(state.base_url, (workdir / "token").read_text().strip())
        yield client, {state.supervisor.pid, *database_pids(workdir)}, ready
    finally:
        subprocess.run([*QUIRE, "down", "--workdir", str(workdir)], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def database_pids(workdir: Path) -> list[int]:
    """The embedded database's postmaster."""
    from quire.cluster.postgres.embedded import EmbeddedPostgres

    pid = EmbeddedPostgres(workdir).pid
    return [pid] if pid else []


def timed(act: Callable[[], object], times: int) -> list[float]:
    """Milliseconds of each call."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        act()
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def measure_parse(client: Client) -> dict[str, float]:
    """POST /v1/parse of a one-page PDF, one after the other."""
    body, kind = form("file", [paper(1, "parse")])
    connection = client.connect()

    def once() -> None:
        status, answer = client.call(connection, "POST", "/v1/parse", body, kind)
        assert status == 200, answer[:300]
        assert json.loads(answer)["tree"], answer[:300]
        time.sleep(0.05)

    timed(once, 5)
    taken = [one - 50 for one in timed(once, 60)]
    return {"parse_p50_ms": statistics.median(taken), "parse_p95_ms": sorted(taken)[int(len(taken) * 0.95)]}


def measure_gets(client: Client) -> dict[str, float]:
    """GET of a finished job against a route that does nothing, 16 connections, alternating."""
    job = client.submit([paper(1, "get")])
    client.wait(job)
    noop, get = [], []
    for _ in range(3):
        noop.append(requests_per_second(client, "/v1/health", 16, 3))
        get.append(requests_per_second(client, f"/v1/jobs/{job}", 16, 3))
    best = statistics.median(noop), statistics.median(get)
    return {"noop_rps": best[0], "get_job_rps": best[1], "get_job_share": best[1] / best[0]}


def measure_many(client: Client, roots: set[int], documents: int = 200) -> dict[str, float]:
    """Small documents in jobs of ten: documents a second from the first POST to the last end, CPU outside children."""
    papers = [paper(1, f"many{number}") for number in range(documents)]
    before, started = cpu_seconds(family(*roots)), time.monotonic()
    jobs = [client.submit(papers[at : at + 10]) for at in range(0, documents, 10)]
    ends = [client.wait(job) for job in jobs]
    taken = time.monotonic() - started
    used = cpu_seconds(family(*roots)) - before
    assert all(end["status"] == "succeeded" for end in ends)
    return {"documents_per_s": documents / taken, "cpu_ms_outside_child": used / documents * 1000}


def measure_long(client: Client, documents: int = 12) -> dict[str, float]:
    """50-page documents by the service and by `quire extract --jobs 2`."""
    papers = [paper(50, f"long{number}") for number in range(documents)]
    started = time.monotonic()
    jobs = [client.submit(papers[at : at + 4]) for at in range(0, documents, 4)]
    assert all(client.wait(job)["status"] == "succeeded" for job in jobs)
    by_service = documents * 50 / (time.monotonic() - started)
    by_extract = documents * 50 / extract_seconds(papers)
    return {
        "long_pages_per_s": by_service,
        "extract_pages_per_s": by_extract,
        "long_share_of_extract": by_service / by_extract,
    }


def extract_seconds(papers: list[bytes]) -> float:
    """Wall time of the command over the same documents, its start included."""
    with tempfile.TemporaryDirectory() as folder:
        for number, content in enumerate(papers):
            (Path(folder) / f"{number}.pdf").write_bytes(content)
        command = [*QUIRE, "extract", folder, "-o", folder + "/out", "--jobs", "2"]
        started = time.monotonic()
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - started


def measure(mode: str) -> dict[str, Any]:
    """All figures of one proxy mode."""
    figures: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory(prefix="qb") as folder:
        with service(mode, Path(folder) / "w") as (client, roots, ready):
            figures["up_cold_workdir_s"] = ready
            time.sleep(3)
            figures["idle_pss_mb"] = memory_mb(family(*roots))
            figures |= measure_parse(client) | measure_gets(client) | measure_many(client, roots)
            figures |= measure_long(client)
            figures["pss_after_mb"] = memory_mb(family(*roots))
        with service(mode, Path(folder) / "w") as (_, _, ready):
            figures["up_warm_s"] = ready
    return figures | {"load_after": os.getloadavg()[0]}


def measure_vectors(documents: int) -> dict[str, Any]:
    """Documents a second from the first POST to the last end, the load, and CPU ms a document by process name."""
    with (
        tempfile.TemporaryDirectory(prefix="qb") as folder,
        service("ray", Path(folder) / "w", SVC_RAG_DB=f"{folder}/index") as (client, roots, _),
    ):
        papers = [letter(number) for number in range(documents)]
        before, started = cpu_by_name(family(*roots)), time.monotonic()
        jobs = [client.submit(papers[at : at + 10]) for at in range(0, documents, 10)]
        accepted = time.monotonic() - started
        ends = [client.wait(job, seconds=3600) for job in jobs]
        taken = time.monotonic() - started
        used = cpu_by_name(family(*roots))
        found = client.json("GET", "/v1/search?q=rope&mode=vector&limit=1")
    assert all(end["status"] == "succeeded" for end in ends)
    assert found
    spent = {name: round((used[name] - before.get(name, 0)) / documents * 1000, 1) for name in used}
    return {
        "documents": documents, "per_second": documents / taken, "accepted_per_second": documents / accepted,
        "cpu_ms_each": {name: ms for name, ms in sorted(spent.items(), key=lambda one: -one[1]) if ms >= 0.5},
        "load": os.getloadavg(),
    }  # fmt: skip


def letter(number: int) -> bytes:
    """A page of 400 words in sentences, different for every number."""
    drawn, document = random.Random(number), pymupdf.open()
    words = SENTENCE.split()
    text = [drawn.choice(words) + ("." if place % 12 == 11 else "") for place in range(400)]
    lines = [" ".join(text[at : at + 10]) for at in range(0, 400, 10)]
    document.new_page().insert_text((72, 72), [f"Letter {number}", *lines])
    return bytes(document.tobytes(garbage=1))


def main() -> None:
    if sys.argv[1:2] == ["--vectors"]:
        figures = measure_vectors(int(sys.argv[2]))
        print(json.dumps(figures, indent=1))
        save_results("vectors", figures)
        return
    modes = [mode for mode in ("ray", "haproxy") if len(sys.argv) == 1 or mode in sys.argv[1:]]
    results = {mode: measure(mode) for mode in modes}
    for name in next(iter(results.values())):
        print(f"{name:<24}" + "".join(f"{results[mode][name]:>12.2f}" for mode in modes))
    save_results("service", {"cores": os.cpu_count(), "modes": results})


if __name__ == "__main__":
    main()
