"""Hours of ordinary work, sampled: does anything grow? `make bench SUITE=soak ARGS="--hours 2"`.

Mixed documents, searches, reviews and deletes at 60 % of what the service did in its first minute. Every minute: memory
and open files of every process by its role, connections, sizes of tables and folders. At the end a slope per hour for
each, by least squares from when as many jobs are there as are kept, with its standard error; `grows` are those that
rise by more than three of them, `grows_late` those that still do so in the second half: a filling cache ends, a leak
does not. All with the samples themselves in bench-results/soak.json, written at every sample: an interrupted run keeps
its samples. Short runs sample more often and keep fewer jobs.
"""

import argparse
import json
import os
import random
import re
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import psycopg

from tests.lab.bench.bench_service import paper, service
from tests.lab.bench.client import Client
from tests.lab.bench.processes import family, memory_mb
from tests.lab.bench.results import save_results

LOAD = 0.6
SAMPLE_S = 60.0
LEAST_SAMPLES = 24
KEPT_JOBS = 200
KEPT_PER_HOUR = 100
"""Jobs that are there at any time: older ones are deleted, so that what is kept does not grow by itself."""
FIRST_SHARE = 0.1  # of the time, in which everything is used for the first time: no slope looks at it
SURE = 3.0  # standard errors from which a slope is told from none
WARM_UP_S = 60.0
_TABLES = """
select relname, pg_total_relation_size(oid)::float8 from pg_class
where relkind = 'r' and relnamespace = %s::regnamespace
"""
_ROLES = re.compile(
    r"ServeReplica:[a-z_]+:([A-Za-z_]+)|sandbox|(postgres|raylet|gcs_server|ServeController|ProxyActor)"
)

Sample = dict[str, float]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hours", type=float, default=2.0)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="qs") as folder:
        workdir = Path(folder) / "w"
        with service("ray", workdir, SVC_RAG_DB=f"{folder}/index") as (client, roots, _):
            found = soak(client, roots, workdir, options.hours * 3600)
    print(json.dumps({name: value for name, value in found.items() if name != "samples"}, indent=1))


def soak(client: Client, roots: set[int], workdir: Path, seconds: float) -> dict[str, Any]:
    """Work for so long; what grew by how much an hour, and what was done."""
    work = Work(client, min(KEPT_JOBS, max(5, round(KEPT_PER_HOUR * seconds / 3600))))
    every_s = min(SAMPLE_S, seconds / LEAST_SAMPLES)
    began = time.monotonic()
    while time.monotonic() - began < WARM_UP_S:
        work.turn()
    pause = (time.monotonic() - began) / work.turns * (1 / LOAD - 1)
    samples: list[tuple[float, Sample]] = []
    filled = FIRST_SHARE * seconds
    while (now := time.monotonic() - began) < seconds:
        if not samples or now - samples[-1][0] >= every_s:
            samples.append((now, take_sample(roots, workdir)))
            save_results("soak", report(samples, filled, work))
        work.turn()
        if not work.deleted:
            filled = max(filled, now)
        time.sleep(pause)
    found = report(samples, filled, work)
    save_results("soak", found)
    return found


def report(samples: list[tuple[float, Sample]], filled: float, work: "Work") -> dict[str, Any]:
    """Report the work until the last sample, and the growth since `filled` (seconds from the beginning)."""
    kept = [one for one in samples if one[0] >= filled]
    slopes, late = slopes_of(kept), slopes_of(kept[len(kept) // 2 :])
    return {
        "seconds": round(samples[-1][0]),
        "turns": work.turns,
        "deleted_jobs": work.deleted,
        "seconds_until_kept": round(filled),
        "grows": growing(slopes),
        "grows_late": growing(late),
        "per_hour_and_error": slopes,
        "late_per_hour_and_error": late,
        "last": samples[-1][1],
        "load": os.getloadavg(),
        "samples": [{"at_s": round(at), **sample} for at, sample in samples],
    }


class Work:
    """One turn: a job of three documents, a search, perhaps a review, and the oldest job deleted."""

    def __init__(self, client: Client, kept: int) -> None:
        self._client, self._kept, self._chance, self._jobs = client, kept, random.Random(1), deque[str]()
        self.turns = self.deleted = 0

    def turn(self) -> None:
        self.turns += 1
        mark = f"soak {self.turns} person{self.turns}@example.org"
        documents = [paper(1, mark), paper(self._chance.randint(2, 12), mark), b"no document at all"]
        job = self._client.submit(documents)
        self._client.wait(job)
        self._jobs.append(job)
        self._client.json("GET", f"/v1/search?q=rope+{self.turns}&limit=5")
        if self.turns % 5 == 0:
            self._review()
        while len(self._jobs) > self._kept:
            self._delete(self._jobs.popleft())
            self.deleted += 1

    def _review(self) -> None:
        for item in self._client.json("GET", "/v1/review?limit=3"):
            place = f"/v1/jobs/{item['job_id']}/documents/{item['document_id']}/blocks/{item['block_id']}/review"
            body = json.dumps({"decision": "approved", "flag": item["flag"]}).encode()
            self._client.json("POST", place, body, "application/json")

    def _delete(self, job: str) -> None:
        connection = self._client.connect()
        try:
            status, answer = self._client.call(connection, "DELETE", f"/v1/jobs/{job}")
        finally:
            connection.close()
        assert status == 204, answer[:300]


def take_sample(roots: set[int], workdir: Path) -> Sample:
    """MB and open files by role, connections, MB of tables and of the workdir."""
    sample: Sample = {}
    for pid in family(*roots):
        role = _role(pid)
        if role is None:
            continue
        sample[f"mb {role}"] = sample.get(f"mb {role}", 0.0) + memory_mb({pid})
        sample[f"files {role}"] = sample.get(f"files {role}", 0.0) + _open_files(pid)
    with psycopg.connect((workdir / "run" / "dsn").read_text().strip()) as connection:
        sample["connections"] = float(connection.execute("select count(*) from pg_stat_activity").fetchall()[0][0])
        for table, size in connection.execute(_TABLES, ("public",)).fetchall():
            sample[f"table mb {table}"] = float(size) / 1e6
    for place in (workdir / "blobs", workdir / "artifacts", workdir.parent / "index", workdir / "log"):
        sample[f"folder mb {place.name}"] = sum(_size(path) for path in place.rglob("*")) / 1e6
    return sample


def slopes_of(samples: list[tuple[float, Sample]]) -> dict[str, tuple[float, float]]:
    """(rise per hour, standard error) of each figure."""
    names = sorted({name for _, sample in samples for name in sample})
    return {name: slope([(at / 3600, sample.get(name, 0.0)) for at, sample in samples]) for name in names}


def growing(slopes: dict[str, tuple[float, float]]) -> list[str]:
    return [name for name, (rise, error) in slopes.items() if rise > SURE * error]


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Least squares, and the standard error of it."""
    count = len(points)
    if count < 3:
        return 0.0, 0.0
    mean_x, mean_y = (sum(point[axis] for point in points) / count for axis in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if not spread:
        return 0.0, 0.0
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    rest = sum((y - mean_y - rise * (x - mean_x)) ** 2 for x, y in points)
    return round(rise, 3), round((rest / (count - 2) / spread) ** 0.5, 3)


def _role(pid: int) -> str | None:
    try:
        title = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    found = _ROLES.search(title)
    return next((name for name in (*found.groups(), found[0]) if name), None) if found else "other"


def _open_files(pid: int) -> float:
    try:
        return float(len(os.listdir(f"/proc/{pid}/fd")))
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


if __name__ == "__main__":
    main()
