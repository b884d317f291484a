"""Where the time of reading goes: milliseconds a page by pass, and exact counts of the work of a page.

    make bench SUITE=budget ARGS="--data ../shared/quality [--sources odl c3pr] [--rounds 5] [--files 20]"

Each document is read several times, and the shortest time of a pass on it counts, so that a busy machine adds little.
Times are exclusive; `open`, `close`, `markdown` and the rest of reading and assembling are listed as passes. Counts are
those of tests/golden/counts.py. Writes bench-results/budget.json.
"""

import argparse
import os
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document
from quire.models.extract.steps import Pass, Steps
from tests.golden.counts import choose_documents, count_work, format_counts
from tests.lab.bench.reading.bench_speed import SOURCES
from tests.lab.bench.reading.sets import OPTIONS, SOURCE
from tests.lab.bench.results import save_results


class PassClock:
    """Times passes; nothing else is recorded."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def run(self, item: Pass, record: object) -> None:
        """Apply the pass."""
        start = perf_counter()
        item.apply(record, item.load())
        self.seconds[item.name] += perf_counter() - start


def time_document(data: bytes) -> tuple[dict[str, float], int]:
    """Seconds of each part of reading a document, and its pages."""
    clock = PassClock()
    Steps.recorder = clock
    marks = [perf_counter()]
    document = open_document(data, OPTIONS)
    marks.append(perf_counter())
    pages = [document.read_page(number).content for number in document.facts.page_numbers]
    marks.append(perf_counter())
    document.close()
    marks.append(perf_counter())
    in_pages = sum(clock.seconds.values())
    tree = assemble(document.facts, pages, source=SOURCE, options=OPTIONS)
    marks.append(perf_counter())
    tree_to_markdown(tree)
    marks.append(perf_counter())
    opened, read, closed, assembled, written = (after - before for before, after in pairwise(marks))
    in_document = sum(clock.seconds.values()) - in_pages
    rest = {"open": opened, "close": closed, "markdown": written, "rest of pages": read - in_pages,
            "rest of assembling": assembled - in_document}  # fmt: skip
    return clock.seconds | rest, len(pages)


def measure_files(files: list[bytes], rounds: int) -> tuple[dict[str, float], int]:
    """Milliseconds by part over all files, the shortest of the rounds for each part of each file, and their pages."""
    total: dict[str, float] = defaultdict(float)
    pages = 0
    for data in files:
        runs = [time_document(data) for _ in range(rounds)]
        pages += runs[0][1]
        for name in {name for seconds, _ in runs for name in seconds}:
            total[name] += 1000 * min(seconds.get(name, 0.0) for seconds, _ in runs)
    return total, pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="folder below which the sources are")
    parser.add_argument("--sources", nargs="+", default=SOURCES, help="names of folders with pdfs/")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", type=int, default=20, help="files of each source")
    parser.add_argument("--least", type=float, default=0.05, help="milliseconds a page from which a part is printed")
    chosen = parser.parse_args()
    folders = [path for path in sorted(chosen.data.rglob("pdfs")) if path.parent.name in chosen.sources]
    files = [pdf.read_bytes() for folder in folders for pdf in sorted(folder.glob("*.pdf"))[: chosen.files]]
    total, pages = measure_files(files, chosen.rounds)
    whole = sum(total.values())
    for name, milliseconds in sorted(total.items(), key=lambda part: -part[1]):
        if milliseconds >= chosen.least * pages:
            print(f"{milliseconds / pages:8.2f} ms  {milliseconds / whole:4.0%}  {name}")
    print(f"{whole / pages:8.2f} ms a page, {pages} pages, load {os.getloadavg()[0]:.1f}")
    counts = count_work(choose_documents())
    print(format_counts(counts))
    each = {name: milliseconds / pages for name, milliseconds in total.items()}
    print(save_results("budget", {"ms_a_page": each, "counts": counts}))


if __name__ == "__main__":
    main()
