"""Bulk extraction with stub GPU replicas: pages a second against the rate of the stub engines.

`python -m tests.lab.bench.reading.bench_bulk_vlm [--gpus 4] [--pages 400] [--page-s 2] [--at-once 2] [--workers 2]`.

Every page is a scan of its own, so no document fills the engines alone. The stubs sleep: what is missing to 100 % is
the job's own waiting. Ray is told that this machine has GPUs. The clock of `share` runs from the first page at an
engine to the end of the last one, that of `share_once_full` from the time at which all engines are full to the begin
of the last page. Writes bench-results/bulk-vlm.json.
"""

import argparse
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import ray
from PIL import Image

from quire.actors.vlm.models.contract import Ask, Sampling
from quire.cluster.bootstrap.vlm import choose_vlm
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import find_items
from quire.cluster.jobs.work.to_folder import FolderJob, read_into_folder
from quire.cluster.jobs.work.vlm_pool import start_pool
from quire.models.cdom.original import OcrMode
from tests.lab.bench.reading.bench_vlm import make_scan
from tests.lab.bench.results import save_results
from tests.packages.bulk.stub_vlm import TEXT, StubEngine, make_stub_reader

PAGES_ALONE = 10  # pages of each caller of the engines alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpus", type=int, default=4)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--page-s", type=float, default=2.0)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qv", dir="/tmp") as made:
        report = measure(Path(made), options)
    print(json.dumps(report, indent=2))
    save_results("bulk-vlm", report)


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    corpus, out = folder / "corpus", folder / "out"
    corpus.mkdir()
    for number in range(options.pages):
        (corpus / f"{number:05}.png").write_bytes(make_scan(number).image)
    ray.init(num_cpus=options.workers, num_gpus=options.gpus, log_to_driver=False, include_dashboard=False)
    stub = partial(make_stub_reader, options.page_s, options.at_once)
    job = FolderJob(
        source=str(corpus), output=str(out), formats=("markdown",), shape=Shape.JSONL, ocr=OcrMode.ALWAYS,
        redacted=False, vlm=choose_vlm("dots").setting,
    )  # fmt: skip
    _, items = find_items(str(corpus))
    before = os.getloadavg()
    started = time.time()
    summary = read_into_folder(job, items, options.workers, again=False, start=partial(start_pool, make=stub))
    ended = max(path.stat().st_mtime for path in (out / "shards").iterdir())
    rows = [json.loads(line) for path in (out / "shards").iterdir() for line in path.read_text().splitlines()]
    begun = sorted(float(row["markdown"].rsplit(" ", 1)[1]) for row in rows if TEXT in (row["markdown"] or ""))
    rate = measure_alone(options)
    busy_s = begun[-1] + options.page_s - begun[0]
    full = options.gpus * options.at_once  # pages at the engines when all are full
    return {
        "options": vars(options),
        "load_before": before,
        "load_after": os.getloadavg(),
        "summary": summary,
        "read_by_stub": len(begun),
        "engine_pages_per_s": round(rate, 3),
        "pages_per_s": round(len(begun) / busy_s, 3),
        "share": round(len(begun) / busy_s / rate, 4),
        "share_once_full": round((len(begun) - full) / (begun[-1] - begun[full - 1]) / rate, 4),
        "until_full_s": round(begun[full - 1] - begun[0], 1),
        "before_first_page_s": round(begun[0] - started, 1),
        "after_last_page_s": round(ended - begun[-1] - options.page_s, 1),
    }


def measure_alone(options: argparse.Namespace) -> float:
    """Pages a second of the stub engines alone, which oversleep on a busy machine."""
    engines = [StubEngine(options.page_s, options.at_once) for _ in range(options.gpus)]
    ask = Ask(picture=Image.new("RGB", (1, 1)), prompt="", sampling=Sampling())
    callers = [engine for engine in engines for _ in range(options.at_once)]
    started = time.perf_counter()
    with ThreadPoolExecutor(len(callers)) as threads:
        list(threads.map(lambda engine: engine.generate([ask] * PAGES_ALONE, 600), callers))
    return len(callers) * PAGES_ALONE / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
