"""Speed of reading one-page PDFs, in pages per CPU second: this project, the bare engine, the peers, in turns.

    python -m tests.lab.bench.reading.bench_speed --data DIR [--peers-python PYTHON] [--rounds N]

Machines are shared and speeds wander, so rounds alternate and the best of each counts; compare ratios. Prints a table
and writes bench-results/speed.json. `extract` is `quire extract --jobs 1` over the folder less a run over one file.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path

from quire.models.extract.formats.pdf.engine import mupdf, pymupdf
from quire.models.extract.layout import page
from tests.lab.bench.reading.sets import find_data, find_peers, read_tree
from tests.lab.bench.results import save_results

PEERS = Path(__file__).with_name("run_peers.py")


def parse_barely(data: bytes) -> None:
    """The floor: the engine's text page and nothing else."""
    flags = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_VECTORS | mupdf.FZ_STEXT_CLIP
    document = pymupdf.open(stream=data, filetype="pdf")
    document[0].get_textpage(flags=flags)
    document.close()


def measure(work: Callable[[bytes], object], files: list[bytes]) -> float:
    """Files per CPU second, one round."""
    start = time.process_time()
    for data in files:
        work(data)
    return len(files) / (time.process_time() - start)


def measure_command(folder: Path, count: int) -> float:
    """Pages per CPU second of `quire extract --jobs 1` over `count` one-page files, its start-up taken off."""
    first = next(iter(sorted(folder.glob("*.pdf"))))
    whole, start_up = (_time_command(place) for place in (folder, first))
    return (count - 1) / max(whole - start_up, 1e-6)


def _time_command(place: Path) -> float:
    """CPU seconds of the command and everything it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [
        sys.executable,
        "-m",
        "quire.cluster.cli.main",
        "extract",
        str(place),
        "--jobs",
        "1",
        "--ocr",
        "never",
        "-o",
    ]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([*command, out], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with odl/ (or QUIRE_BENCH_DATA)")
    parser.add_argument("--peers-python", default=find_peers(), help="interpreter of the peers' virtual environment")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    folder = find_data(chosen.data) / "odl" / "pdfs"
    files = [pdf.read_bytes() for pdf in sorted(folder.glob("*.pdf"))]
    best: dict[str, float] = {}

    def note(name: str, value: float) -> None:
        best[name] = max(best.get(name, 0.0), value)

    for _ in range(chosen.rounds):
        note("bare engine", measure(parse_barely, files))
        note("quire.models.extract", measure(read_tree, files))
        note("quire extract --jobs 1", measure_command(folder, len(files)))
        if chosen.peers_python:
            done = subprocess.run(
                [chosen.peers_python, str(PEERS), "time", str(folder), "1"], capture_output=True, text=True, check=True
            )
            for name, value in json.loads(done.stdout.strip().splitlines()[-1]).items():
                note(name, value)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reference = best.get("liteparse")
    for name, value in best.items():
        print(f"{name:24} {value:7.1f} pages/CPU-s" + (f"  {value / reference:5.2f} × liteparse" if reference else ""))
    compiled = isinstance(page.__loader__, ExtensionFileLoader)
    print(f"peak RSS {peak:.0f} MB, layout {'compiled' if compiled else 'interpreted'}")
    print(save_results("speed", {"pages_per_cpu_second": best, "peak_rss_mb": peak, "compiled": compiled}))


if __name__ == "__main__":
    main()
