"""Quality of reading PDFs on a folder of ground truth: text order, tables, headings, layout, unit tests.

    python -m tests.bench.reading.bench_quality --data DIR [--peers-python PYTHON]

Prints a table and writes bench-results/quality.json. With `--peers-python` (the interpreter of the peers' virtual
environment) the peers' Markdown is scored in the same run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.reading.sets import find_data, find_peers, find_scorers, write_predictions
from tests.bench.results import save_results

PEERS = Path(__file__).with_name("run_peers.py")


def score(scorer: Path, **options: Path) -> dict[str, Any]:
    """The scorer's last line as a dictionary."""
    arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    done = subprocess.run([sys.executable, str(scorer), *arguments], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def measure_own(data: Path, scorers: Path, work: Path) -> dict[str, Any]:
    """Our figures on all sets that are there."""
    write_predictions(sorted((data / "odl" / "pdfs").glob("*.pdf")), work / "odl")
    results = {
        "markdown": score(scorers / "score_markdown.py", pred=work / "odl", gt=data / "odl" / "gt"),
        "layout": score(scorers / "score_layout.py", pred=work / "odl" / "layout", gt=data / "odl" / "layout"),
    }
    tests = data / "olmocr" / "tests.jsonl"
    if tests.exists():
        pdfs = sorted((data / "olmocr" / "pdfs").rglob("*.pdf"))
        for name, furniture in (("olmocr", True), ("olmocr_no_furniture", False)):
            write_predictions(pdfs, work / name, furniture=furniture)
            results[name] = score(scorers / "score_olmocr.py", pred=work / name, tests=tests)
    return results


def measure_peers(python: str, data: Path, scorers: Path, work: Path) -> dict[str, Any]:
    """The peers' Markdown figures."""
    subprocess.run(
        [python, str(PEERS), "write", str(data / "odl" / "pdfs"), str(work)], check=True, capture_output=True
    )
    return {
        folder.name: score(scorers / "score_markdown.py", pred=folder, gt=data / "odl" / "gt")
        for folder in sorted(work.iterdir())
    }


def show(results: dict[str, Any]) -> None:
    for name, figures in {"quire": results["quire"]["markdown"], **results.get("peers", {})}.items():
        print(f"{name:16}", "  ".join(f"{key} {figures[key]:.3f}" for key in ("overall", "nid", "teds", "mhs")))
    layout = results["quire"]["layout"]
    print(f"{'layout':16}", "  ".join(f"{key} {layout[key]:.3f}" for key in ("located", "order", "iou")), end="  ")
    print("  ".join(f"{key} {layout[key]['f1']:.3f}" for key in ("heading", "table", "figure")))
    for name in ("olmocr", "olmocr_no_furniture"):
        if name in results["quire"]:
            print(f"{name:20}", results["quire"][name]["passed"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder with odl/ and olmocr/ (or QUIRE_BENCH_DATA)")
    parser.add_argument("--peers-python", default=find_peers(), help="interpreter of the peers' virtual environment")
    chosen = parser.parse_args()
    data = find_data(chosen.data)
    scorers = find_scorers(data)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        results: dict[str, Any] = {"quire": measure_own(data, scorers, work / "own")}
        if chosen.peers_python:
            (work / "peers").mkdir()
            results["peers"] = measure_peers(chosen.peers_python, data, scorers, work / "peers")
    show(results)
    print(save_results("quality", results))


if __name__ == "__main__":
    main()
