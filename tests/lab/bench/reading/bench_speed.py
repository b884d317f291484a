"""Speed of reading PDFs next to liteparse: `quire extract` in one run, this project in process, the bare engine.

    make bench SUITE=speed ARGS="--data ../shared/quality [--sources odl c3pr] [--rounds 3] [--files 40]"

Machines are shared and speeds wander, so every round measures liteparse and Quire in turns, and the best of each
counts. CPU seconds of the command are those of all its processes, orphans included, less those of a run over as many
one-page PDFs with one word (an empty page is drawn to look for ink, so it costs more). Prints pages per CPU second and
the ratio to liteparse; writes bench-results/speed.json.
"""

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from statistics import fmean

from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.pdf.engine import mupdf, pymupdf
from quire.models.extract.layout.text import order
from tests.lab.bench.reading.sets import find_peers, read_tree
from tests.lab.bench.results import save_results

PEERS = Path(__file__).with_name("run_peers.py")
SOURCES = ("odl", "latex_twins", "c3pr", "icdar_us")
"""Mixed pages, papers, files of office programs, statistics."""
RUNS = {"command": ("--ocr", "never"), "command, defaults": ()}
_USUAL = ("--jobs", "1", "--to", "markdown")
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: children whose parent has ended become ours, so that their seconds can be waited for."""


def parse_barely(data: bytes) -> None:
    """The floor: the engine's text page and nothing else."""
    flags = mupdf.FZ_STEXT_PRESERVE_WHITESPACE | mupdf.FZ_STEXT_COLLECT_VECTORS | mupdf.FZ_STEXT_CLIP
    document = pymupdf.open(stream=data, filetype="pdf")
    for page in document:
        page.get_textpage(flags=flags)
    document.close()


def write_markdown(data: bytes) -> None:
    """What the command does, in this process."""
    tree_to_markdown(read_tree(data))


def time_work(work: Callable[[bytes], object], files: list[bytes]) -> float:
    """CPU seconds of one round."""
    start = time.process_time()
    for data in files:
        work(data)
    return time.process_time() - start


def time_command(folder: Path, options: tuple[str, ...]) -> float:
    """CPU seconds of `quire extract --jobs 1` over a folder and of everything that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "quire.cluster.cli.main", "extract", str(folder)]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([*command, *options, *_USUAL, "-o", out], check=False, capture_output=True)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_peers(python: str, folder: Path) -> dict[str, float]:
    """CPU seconds of each peer, one round in a process of its own."""
    command = [python, str(PEERS), "time", str(folder), "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def make_small(folder: Path, count: int) -> Path:
    """Write one-page PDFs with one word, no two alike."""
    folder.mkdir()
    for number in range(count):
        document = pymupdf.open()
        document.new_page(width=500 + number, height=700).insert_text((72, 72), "word")
        document.save(folder / f"{number}.pdf")
    return folder


def measure_source(pdfs: list[Path], rounds: int, peers: str | None, work: Path) -> dict[str, float]:
    """Return the best pages per CPU second of each reader over the files."""
    least: dict[str, float] = {}
    folder = work / "files"
    folder.mkdir()
    for pdf in pdfs:
        (folder / pdf.name).write_bytes(pdf.read_bytes())
    small = make_small(work / "small", len(pdfs))
    files = [pdf.read_bytes() for pdf in pdfs]
    pages = sum(len(pymupdf.open(stream=data, filetype="pdf")) for data in files)

    def note(name: str, seconds: float) -> None:
        least[name] = min(least.get(name, seconds), seconds)

    for _ in range(rounds):
        if peers:
            for name, seconds in time_peers(peers, folder).items():
                note(name, seconds)
        note("bare engine", time_work(parse_barely, files))
        note("in process", time_work(write_markdown, files))
        for name, options in RUNS.items():
            note(f"start-up of {name}", time_command(small, options))
            note(name, time_command(folder, options))
    own = {name: seconds - least.get(f"start-up of {name}", 0.0) for name, seconds in least.items()}
    best = {name: pages / max(own[name], 1e-6) for name in own if not name.startswith("start-up")}
    return best | {"pages": pages} | {name: least[name] for name in least if name.startswith("start-up")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="folder below which the sources are")
    parser.add_argument("--sources", nargs="+", default=SOURCES, help="names of folders with pdfs/")
    parser.add_argument("--peers-python", default=find_peers(), help="interpreter of the peers' virtual environment")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=40, help="files of each source")
    chosen = parser.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    results: dict[str, dict[str, float]] = {}
    print(f"layout {'compiled' if isinstance(order.__loader__, ExtensionFileLoader) else 'interpreted'}, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    for name in chosen.sources:
        place = next((path for path in sorted(chosen.data.rglob("pdfs")) if path.parent.name == name), None)
        if place is None:
            raise SystemExit(f"no {name}/pdfs below {chosen.data}")
        with tempfile.TemporaryDirectory() as work:
            pdfs = sorted(place.glob("*.pdf"))[: chosen.files]
            results[name] = found = measure_source(pdfs, chosen.rounds, chosen.peers_python, Path(work))
        reference = found.get("liteparse", 0.0)
        shown = {key: value for key, value in found.items() if key != "pages" and not key.startswith("start-up")}
        cells = (f"{key} {value:.1f}" + f" ({value / reference:.2f})" * bool(reference) for key, value in shown.items())
        print(f"{name}, {found['pages']:.0f} pages: {', '.join(cells)}", flush=True)
    if all("liteparse" in found for found in results.values()):
        for name in ("in process", *RUNS):
            ratio = fmean(found[name] / found["liteparse"] for found in results.values())
            print(f"mean of ratios, {name}: {ratio:.3f}")
    print(f"load {os.getloadavg()[0]:.1f}", save_results("speed", results))


if __name__ == "__main__":
    main()
