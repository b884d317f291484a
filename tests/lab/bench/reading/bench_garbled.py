"""Count the pages of PDFs with a sound text layer that triage sends to a recogniser as garbled.

`python -m tests.lab.bench.reading.bench_garbled FOLDER...` reads every PDF below the folders and prints, by folder, the
pages, those that are sent away as garbled, and those that are sent away as outlines. Every PDF must be born digital.
"""

import argparse
from collections import Counter
from pathlib import Path

import pymupdf

from quire.models.cdom.original import ReadOptions
from quire.models.extract.pipeline.plan import GARBAGE_TEXT, GARBLED_FONT, plan_page
from tests.models.extract.passes import find_marks

GARBLED = (GARBAGE_TEXT, GARBLED_FONT)


def count_reasons(pdf: Path) -> Counter[str]:
    """Count each triage reason on the pages of a file."""
    reasons: Counter[str] = Counter()
    with pymupdf.open(pdf) as document:
        for page in document:
            reasons[plan_page(find_marks(page), ReadOptions()).reason] += 1
    return reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="name the files with a garbled page")
    args = parser.parse_args()
    totals: Counter[str] = Counter()
    for folder in args.folders:
        own: Counter[str] = Counter()
        for pdf in sorted(folder.rglob("*.pdf")):
            reasons = count_reasons(pdf)
            own += reasons
            if args.list and any(reasons[reason] for reason in GARBLED):
                print(pdf, dict(reasons))
        _print(str(folder), own)
        totals += own
    _print("all", totals)


def _print(name: str, reasons: Counter[str]) -> None:
    garbled = sum(reasons[reason] for reason in GARBLED)
    print(f"{name}: {reasons.total()} pages, {garbled} garbled; {dict(reasons.most_common())}", flush=True)


if __name__ == "__main__":
    main()
