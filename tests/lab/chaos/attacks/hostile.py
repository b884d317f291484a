"""Send broken and hostile files of all formats, and count hangs, crashes and delays: `[--minutes 30] [--port P]`.

One tenant keeps mutants and bombs of 25 formats in flight, opens what became of them through every door that takes a
document, and posts broken bodies. Another tenant meanwhile submits a text of one line every two seconds. Reported are
documents without an end, faults of the service (5xx, `internal`), and the time of the other tenant, whose longest wait
may be twice its calm one and a second.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.lab.bench.client import Client
from tests.lab.bench.queue.bench_fairness import one_file, read_health, send_texts
from tests.lab.bench.results import save_results
from tests.lab.chaos.service import QUIRE, start, stop
from tests.security.formats.mutants import BOMBS, make_bomb, make_mutant
from tests.waiting import until

IN_FLIGHT = 8
"""Jobs of the hostile tenant at a time."""
BOMB_EVERY = 40
DOORS_EVERY = 5
LEFT_S = 900.0
"""Seconds in which the last documents end, on a busy machine."""
EXPECTED = frozenset((503, 507))
"""Statuses of 500 and above that say to come again."""


class Hostile:
    """The tenant that attacks, and what it saw."""

    def __init__(self, client: Client, seed: int) -> None:
        self.client, self.seed = client, seed
        self.codes, self.doors, self.faults = Counter[str](), Counter[int](), Counter[str]()
        self.sent, self.open_jobs = 0, dict[str, str]()
        api = client.json("GET", "/openapi.json")["paths"]
        self.readings = [path for path, ways in api.items() if "get" in ways and "{document_id}" in path]
        self.writings = [path for path, ways in api.items() if "post" in ways and "{" not in path]
        self._dice = random.Random(seed)

    def work(self, ended: threading.Event) -> None:
        while not ended.is_set():
            self.collect()
            if len(self.open_jobs) >= IN_FLIGHT:
                time.sleep(0.1)
                continue
            self.send()
        until(self.are_all_ended, LEFT_S)

    def send(self) -> None:
        number, self.sent = self.seed + self.sent, self.sent + 1
        bomb = BOMBS[number // BOMB_EVERY % len(BOMBS)] if number % BOMB_EVERY == 0 else ""
        name, data = (f"bomb-{bomb}", make_bomb(bomb)) if bomb else make_mutant(number)
        status, answer = self._ask("POST", "/v1/jobs", *one_file(name, data))
        if status < 300:
            self.open_jobs[str(json.loads(answer)["id"])] = name
        else:
            self.codes[f"refused {status}"] += 1
        if number % DOORS_EVERY == 0:
            body = self._dice.choice(
                (
                    b"{",
                    b"[" * 90_000,
                    b'{"a":' * 9000,
                    b"\0",
                    b"null",
                    b'{"kind":{},"settings":[],"sql":1,"url":"http://["}',
                )
            )
            self._ask("POST", self._dice.choice(self.writings), body, "application/json")

    def are_all_ended(self) -> bool:
        """Look once more; return whether no job is open."""
        self.collect()
        return not self.open_jobs

    def collect(self) -> None:
        """Look at every open job; open the documents of those that ended."""
        for job, name in list(self.open_jobs.items()):
            status, answer = self._ask("GET", f"/v1/jobs/{job}")
            if status != 200:
                continue
            found = json.loads(answer)
            if found["status"] in ("queued", "running"):
                continue
            del self.open_jobs[job]
            _, listed = self._ask("GET", f"/v1/jobs/{job}/documents")
            documents = json.loads(listed)
            for document in documents.get("documents", documents) if isinstance(documents, dict) else documents:
                code = str(document["error"] or document["status"])
                self.codes[code] += 1
                if code == "internal":
                    self.faults[f"internal {name}"] += 1
                for path in self._dice.sample(self.readings, 2) if document["status"] == "succeeded" else ():
                    place = path.replace("{job_id}", job).replace("{document_id}", document["document_id"])
                    if "{" not in place:
                        self._ask("GET", place + self._dice.choice(("", "?redacted=true&wait=0")))

    def _ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        connection = self.client.connect()
        try:
            status, answer = self.client.call(connection, method, path, body, kind)
        except OSError as error:
            self.faults[f"{type(error).__name__} {method} {path.partition('?')[0][:60]}"] += 1
            return 0, b""
        finally:
            connection.close()
        self.doors[status] += 1
        if status >= 500 and status not in EXPECTED:
            self.faults[f"{status} {method} {path[:90]}"] += 1
        return status, answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--port", type=int, default=18481)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as folder:
        service = start(Path(folder), options.port)
        try:
            add = [str(QUIRE), "keys", "add", "other:write", "--workdir", folder]
            key = subprocess.run(add, capture_output=True, text=True, check=True).stdout.split()[-1]
            hostile = Hostile(Client(service.base_url, service.token), options.seed)
            report = measure(hostile, Client(service.base_url, key), options.minutes * 60)
            print(json.dumps(report, indent=1), flush=True)
            save_results("hostile", report)
        finally:
            stop(service)
    return 1 if report["hangs"] or report["faults"] or report["slowed"] else 0


def measure(hostile: Hostile, other: Client, seconds: float) -> dict[str, Any]:
    """Attack for so many seconds and report what happened."""
    calm = send_texts(other, 30)
    ended = threading.Event()
    found: dict[str, Any] = {}
    jobs: list[Callable[[], object]] = [
        lambda: hostile.work(ended),
        lambda: found.update(health=read_health(other, seconds)),
    ]
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    found["text"] = send_texts(other, seconds)
    ended.set()
    for thread in threads:
        thread.join()
    return {
        "load": os.getloadavg()[0], "sent": hostile.sent, "codes": dict(hostile.codes.most_common()),
        "answers": dict(sorted(hostile.doors.items())),
        "hangs": len(hostile.open_jobs), "faults": dict(hostile.faults), "calm": calm, "hostile": found,
        "slowed": found["text"]["p99_s"] > 2 * calm["p99_s"] + 1,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
