"""Bulk extraction and `quire extract` on the same cores: 10,000 one-page PDFs, both in turns, cold start apart.

    python -m tests.lab.bench.reading.bench_bulk --data DIR [--pages 10000] [--jobs 2] [--rounds 3]

The cold start of each is taken off by a run over a quarter of the corpus (Ray's own start takes another half minute
during the first documents, so a run over two documents would not hold it); figures are of the other three quarters.
Machines are shared: rounds alternate, the best of each counts, and the CPU seconds of all processes are reported too.
Writes bench-results/bulk.json.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.lab.bench.processes import family
from tests.lab.bench.reading.sets import find_data
from tests.lab.bench.results import save_results

TICKS = os.sysconf("SC_CLK_TCK")
EXTRACT = [sys.executable, "-m", "quire.cluster.cli.main", "extract"]
BULK = [sys.executable, "-m", "quire.cluster.jobs.bulk_extract"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall clock and of all processors."""

    wall_s: float
    cpu_s: float

    def less(self, start: "Cost") -> "Cost":
        return Cost(self.wall_s - start.wall_s, self.cpu_s - start.cpu_s)


def make_corpus(pdfs: list[Path], folder: Path, pages: int) -> Path:
    """`pages` files, a thousand a folder, the given ones over and over."""
    for number in range(pages):
        place = folder / f"{number // 1000:03}"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pdfs[number % len(pdfs)], place / f"{number:06}.pdf")
    return folder


@dataclass(frozen=True, slots=True)
class Seen:
    """A process when it was last looked at: its parent, its own seconds, those of children it has outlived."""

    parent: int
    own_s: float
    reaped_s: float
    at: float


class Meter:
    """CPU seconds of a process and everything it started, looked at five times a second."""

    def __init__(self, pid: int) -> None:
        self._pid, self._seen = pid, dict[int, Seen]()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> float:
        self._stop.set()
        self._thread.join()
        return sum(seen.own_s + self._unseen(pid, seen) for pid, seen in self._seen.items())

    def _unseen(self, pid: int, seen: Seen) -> float:
        """Return the CPU time that ended children used after the last sample, or without any sample."""
        ended = [child for child in self._seen.values() if child.parent == pid and child.at < seen.at]
        return max(0.0, seen.reaped_s - sum(child.own_s + child.reaped_s for child in ended))

    def _run(self) -> None:
        known: set[int] = set()
        while not self._stop.wait(0.2):
            known |= family(self._pid)
            for pid in known:
                if (seen := look(pid)) is not None:
                    self._seen[pid] = seen


def look(pid: int) -> Seen | None:
    """None for a process that is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    user, system, reaped_user, reaped_system = (int(field) / TICKS for field in fields[11:15])
    return Seen(int(fields[1]), user + system, reaped_user + reaped_system, time.monotonic())


def run(command: list[str], corpus: Path, short: Path) -> Cost:
    """One run into a fresh folder; its outputs are counted and thrown away."""
    with tempfile.TemporaryDirectory(dir=short) as out:
        begun = time.monotonic()
        job = subprocess.Popen(
            [*command, str(corpus), "--ocr", "never", "-o", out],
            env=environment(short), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        meter = Meter(job.pid)
        status = job.wait()
        cost = Cost(time.monotonic() - begun, meter.end())
        trees = sum(
            1 for path in Path(out).rglob("*.json") if path.name not in ("job.json", "summary.json", "0001.json")
        )
    wanted = sum(1 for _ in corpus.rglob("*.pdf"))
    if status or trees != wanted:
        raise SystemExit(f"{command[2]}: exit {status}, {trees} of {wanted} trees")
    return cost


def environment(short: Path) -> dict[str, str]:
    """Return the variables of a separate Ray with a short path."""
    token = short / "token"
    token.write_text("0" * 64)
    token.chmod(0o600)
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("RAY_", "SVC_"))}
    return kept | {
        "RAY_ADDRESS": "local", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": str(short / "r"), "PYTHONPATH": str(Path.cwd()),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with odl/ (or QUIRE_BENCH_DATA)")
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    pdfs = sorted((find_data(chosen.data) / "odl" / "pdfs").glob("*.pdf"))
    commands = {
        "quire extract": [*EXTRACT, "--jobs", str(chosen.jobs)],
        "bulk_extract": [*BULK, "--workers", str(chosen.jobs)],
    }
    best: dict[str, Cost] = {}
    rounds: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="qb", dir="/tmp") as folder:
        short = Path(folder)
        full = make_corpus(pdfs, short / "full", chosen.pages)
        quarter = make_corpus(pdfs, short / "quarter", chosen.pages // 4)
        pages = chosen.pages - chosen.pages // 4
        for _ in range(chosen.rounds):
            for name, command in commands.items():
                load = os.getloadavg()[0]
                cost = run(command, full, short).less(run(command, quarter, short))
                rounds.append({"what": name, "load": load, **asdict(cost)})
                before = best.get(name, cost)
                best[name] = Cost(min(before.wall_s, cost.wall_s), min(before.cpu_s, cost.cpu_s))
                speed = f"{cost.wall_s:6.1f} s, {pages / cost.wall_s:6.1f} pages/s, {cost.cpu_s:6.1f} CPU-s"
                print(f"{name:14} {speed}, load {load:.1f}", flush=True)
    one, bulk = best["quire extract"], best["bulk_extract"]
    shares = {"wall": one.wall_s / bulk.wall_s, "cpu": one.cpu_s / bulk.cpu_s}
    print(f"bulk_extract reaches {shares['wall']:.0%} of quire extract by the clock, {shares['cpu']:.0%} by CPU time")
    print(save_results("bulk", {"pages": chosen.pages, "jobs": chosen.jobs, "share": shares, "rounds": rounds}))


if __name__ == "__main__":
    main()
