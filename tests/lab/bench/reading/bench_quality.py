"""Quality and speed of reading PDFs on sources with known content, Quire next to other engines in the same run.

    python -m tests.lab.bench.reading.bench_quality --data DIR [--only a,b] [--documents N] [--peers-python PYTHON]

A source is a folder below DIR with `pdfs/` and `gt/` (Markdown) or `gt_tables/` (cells). Sources below a folder named
`blind` are unseen: they are listed first and have a separate mean. Prints one table and writes
bench-results/quality.json. A folder `parsebench` with its scorer adds the dimensions of that benchmark, whose pages are
read with OCR and never trained on; `--only parsebench` measures these alone. Figures of a source that weights were
trained on do not measure unseen documents.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf
from tests.lab.bench.reading.sets import find_peers, find_scorers, find_sources, write_predictions
from tests.lab.bench.results import save_results

PEERS = Path(__file__).with_name("run_peers.py")
FIGURES = ("overall", "nid", "teds", "mhs", "det_f1", "teds_table", "speed")
HEADS = ("overall", "NID", "TEDS", "MHS", "det. F1", "TEDS/table", "pages/CPU-s")
MOST_CELLS = 260
"""Documents with more table cells in their truth are left out: comparing their trees takes minutes each."""
KINDS = {"gt": "*.md", "gt_tables": "*.json"}

Row = dict[str, float | None]


@dataclass(slots=True)
class Source:
    """A sample of one source's documents in a separate folder, with the score of each engine."""

    name: str
    home: Path
    is_unseen: bool
    pages: list[int] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)


def choose_documents(home: Path, most: int) -> list[Path]:
    """At most that many PDFs of a source, the same in every run; those with very many table cells are left out."""
    pdfs = [pdf for pdf in sorted((home / "pdfs").glob("*.pdf")) if _count_cells(home, pdf.stem) <= MOST_CELLS]
    return sorted(random.Random(5).sample(pdfs, most)) if len(pdfs) > most else pdfs


def _count_cells(home: Path, stem: str) -> int:
    truth = home / "gt_tables" / f"{stem}.json"
    return sum(len(table["cells"]) for table in json.loads(truth.read_text("utf-8"))) if truth.exists() else 0


def link_source(home: Path, out: Path, most: int) -> Source:
    """Link a sample of the source's documents and their truth below `out`."""
    source = Source(home.name, out / home.name, "blind" in home.parts)
    (source.home / "pdfs").mkdir(parents=True)
    for pdf in choose_documents(home, most):
        (source.home / "pdfs" / pdf.name).symlink_to(pdf)
        with pymupdf.open(pdf) as document:
            source.pages.append(len(document))
        for kind in KINDS:
            for truth in (home / kind).glob(f"{pdf.stem}.*") if (home / kind).is_dir() else ():
                (source.home / kind).mkdir(exist_ok=True)
                (source.home / kind / truth.name).symlink_to(truth)
    return source


def read_own(source: Source, out: Path, ocr: str) -> float:
    """Write the Markdown of `quire extract`; CPU seconds without its start-up."""
    pdfs = source.home / "pdfs"
    whole = _time_command(pdfs, out, ocr)
    with tempfile.TemporaryDirectory() as empty:
        return whole - _time_command(next(iter(sorted(pdfs.iterdir()))), Path(empty), ocr)


def _time_command(place: Path, out: Path, ocr: str) -> float:
    """CPU seconds of the command and everything it started."""
    out.mkdir(parents=True, exist_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "quire.cluster.cli.main", "extract", str(place), "--to", "markdown", "--plain"]
    subprocess.run([*command, "--ocr", ocr, "--jobs", "1", "-o", str(out)], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read_peers(python: str, source: Source, out: Path) -> dict[str, float]:
    """Write the Markdown of every peer that is installed; CPU seconds by engine."""
    command = [python, str(PEERS), "write", str(source.home / "pdfs"), str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return seconds


def score(source: Source, predictions: Path, scorers: Path) -> Row:
    """Figures of the pages and of the tables, as far as the source has their truth."""
    row: Row = dict.fromkeys(FIGURES)
    if (source.home / "gt").is_dir():
        result = _run_scorer(scorers / "score_markdown.py", predictions, source.home / "gt")
        row |= {key: result[key] for key in ("overall", "nid", "teds", "mhs")}
    if (source.home / "gt_tables").is_dir():
        result = _run_scorer(scorers / "score_tables.py", predictions, source.home / "gt_tables")
        row |= {"det_f1": result["det_f1"], "teds_table": result["teds"]}
    return row


def _run_scorer(scorer: Path, predictions: Path, truth: Path, *, truth_option: str = "--gt") -> dict[str, Any]:
    command = [sys.executable, str(scorer), "--pred", str(predictions), truth_option, str(truth)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def measure(source: Source, scorers: Path, out: Path, peers: str | None, ocr: str) -> None:
    """Read and score the source with every engine."""
    own = read_own(source, out / "quire", ocr)
    pages = {"quire": (sum(source.pages[1:]), own)}
    if peers:
        pages |= {name: (sum(source.pages), seconds) for name, seconds in read_peers(peers, source, out).items()}
    for name, (count, seconds) in pages.items():
        source.rows[name] = score(source, out / name, scorers)
        source.rows[name]["speed"] = count / max(seconds, 1e-6) if count else None


def measure_parts(data: Path, scorers: Path, work: Path) -> dict[str, Any]:
    """Measure boxes and order where a source has `layout/`, and unit tests where it has `tests.jsonl`."""
    results: dict[str, Any] = {}
    for truth in (found for found in sorted(data.rglob("layout")) if (found.parent / "pdfs").is_dir()):
        write_predictions(sorted((truth.parent / "pdfs").glob("*.pdf")), work / truth.parent.name)
        results["layout"] = _run_scorer(scorers / "score_layout.py", work / truth.parent.name / "layout", truth)
    for tests in sorted(data.rglob("tests.jsonl")):
        for name, furniture in (("unit_tests", True), ("unit_tests_no_furniture", False)):
            write_predictions(sorted((tests.parent / "pdfs").rglob("*.pdf")), work / name, furniture=furniture)
            results[name] = _run_scorer(scorers / "score_olmocr.py", work / name, tests, truth_option="--tests")
    return results


def score_parsebench(home: Path, out: Path) -> dict[str, Any]:
    """The score of each dimension of ParseBench, of the trees and the Markdown of its pages."""
    for kind, form in (("text", "md"), ("table", "md"), ("layout", "md"), ("layout", "tree")):
        command = [sys.executable, "-m", "quire.cluster.cli.main", "extract", str(home / "docs" / kind), "--to", form]
        subprocess.run([*command, "-o", str(out / kind)], check=False, capture_output=True)
    command = [
        sys.executable,
        str(home / "score_parsebench.py"),
        "--pred",
        str(out),
        "--json",
        str(out / "scores.json"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return dict(json.loads((out / "scores.json").read_text("utf-8"))["summary"]["dimensions"])


def show_parts(results: dict[str, Any]) -> None:
    """Print the figures of `measure_parts`."""
    if layout := results.get("layout"):
        print("layout ", "  ".join(f"{key} {layout[key]:.3f}" for key in ("located", "order", "iou")), end="  ")
        print("  ".join(f"{key} {layout[key]['f1']:.3f}" for key in ("heading", "table", "figure")))
    for name in ("unit_tests", "unit_tests_no_furniture"):
        if name in results:
            print(name, results[name]["passed"])
    for name, part in results.get("parsebench", {}).items():
        print(f"ParseBench {name:10} {part['score']:.3f} of {part['documents']} documents")


def find_means(sources: list[Source]) -> dict[str, Row]:
    """The mean over sources of each figure, by engine; a figure that a source lacks is left out."""
    means: dict[str, Row] = {}
    for engine in sources[0].rows:
        values = {key: [row[key] for row in (one.rows[engine] for one in sources)] for key in FIGURES}
        known = {key: [value for value in column if value is not None] for key, column in values.items()}
        means[engine] = {key: fmean(column) if column else None for key, column in known.items()}
    return means


def write_table(sources: list[Source]) -> Iterator[str]:
    """Lines of a Markdown table: unseen sources and their mean, then the others and theirs."""
    yield "| source (documents, pages) | engine | " + " | ".join(HEADS) + " |"
    yield "|" + "---|" * (len(HEADS) + 2)
    for is_unseen, label in ((True, "mean of unseen sources"), (False, "mean of seen sources")):
        group = [source for source in sources if source.is_unseen is is_unseen]
        for source in group:
            size = f"{source.name} ({len(source.pages)}, {sum(source.pages)})"
            yield from _write_rows(size + (" unseen" if is_unseen else ""), source.rows)
        if group:
            yield from _write_rows(f"**{label}**", find_means(group))


def _write_rows(label: str, rows: dict[str, Row]) -> Iterator[str]:
    for engine, row in rows.items():
        figures = " | ".join(_write_figure(key, row[key]) for key in FIGURES)
        yield f"| {label} | {engine} | {figures} |"
        label = ""


def _write_figure(key: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if key == "speed" and value >= 10 else f"{value:.3f}".removeprefix("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of sources, with score/ inside or next to it")
    parser.add_argument("--only", help="names of sources, separated by commas")
    parser.add_argument("--documents", type=int, default=25, help="most documents of a source")
    parser.add_argument("--ocr", choices=("never", "auto"), default="never", help="of Quire; the peers use none")
    parser.add_argument("--peers-python", default=find_peers(), help="interpreter of the peers' virtual environment")
    chosen = parser.parse_args()
    scorers = find_scorers(chosen.data)
    names = chosen.only.split(",") if chosen.only else []
    homes = [] if names == ["parsebench"] else find_sources(chosen.data, names)
    sources: list[Source] = []
    with tempfile.TemporaryDirectory() as folder:
        for home in homes:
            source = link_source(home, Path(folder) / "sources", chosen.documents)
            measure(source, scorers, Path(folder) / "read" / source.name, chosen.peers_python, chosen.ocr)
            sources.append(source)
            print(f"measured {source.name}", file=sys.stderr, flush=True)
        parts = {} if names else measure_parts(chosen.data, scorers, Path(folder) / "parts")
        field = chosen.data / "parsebench"
        if (not names or "parsebench" in names) and (field / "score_parsebench.py").is_file():
            parts["parsebench"] = score_parsebench(field, Path(folder) / "parsebench")
    print("\n".join(write_table(sources)))
    show_parts(parts)
    print(save_results("quality", {"sources": {source.name: source.rows for source in sources}, "parts": parts}))


if __name__ == "__main__":
    main()
