"""The report of `quire extract`: the summary, the JSON of `--json` and the characters of `--report`."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quire.cluster.cli.documents.advice import advise
from quire.cluster.cli.documents.batch import Extraction
from quire.cluster.cli.documents.extract_files import SkippedFile

_NAMED_SKIPPED = 5
"""Skipped files that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Files that an earlier run has read, and those left to read; None if this run was not interrupted."""

    earlier: int
    left: int | None


def summarise(
    done: list[Extraction], skipped: list[SkippedFile], output: Path, seconds: float, counts: RunCounts
) -> str:
    """Return a line such as `4 read, 2 failed, 1 skipped (notes.txt) → out (3.1 s)`."""
    good = [item for item in done if item.result]
    parts = [f"{len(good)} read"]
    if counts.earlier:
        parts.append(f"{counts.earlier} already read")
    if failed := len(done) - len(good):
        parts.append(f"{failed} failed")
    place = f" → {good[0].result if len(good) == 1 else output}" if good else ""
    line = ", ".join(parts)
    if counts.left is not None:
        return f"interrupted: {line}, {counts.left} left{place} ({seconds:.1f} s); run it again with --resume"
    return line + name_skipped(skipped) + place + f" ({seconds:.1f} s)"


def explain_skipped(files: list[SkippedFile]) -> str:
    """Return a line with the reason for each of the first skipped files; `--json` has all."""
    return "".join(f"{file.path}: skipped: {file.reason}\n" for file in files[:_NAMED_SKIPPED])


def name_skipped(files: list[SkippedFile]) -> str:
    """Return a part such as `, 1 skipped (notes.txt)`, empty without skipped files."""
    if not files:
        return ""
    names = ", ".join(file.path.name for file in files[:_NAMED_SKIPPED])
    return f", {len(files)} skipped ({names}{', …' if len(files) > _NAMED_SKIPPED else ''})"


def make_report(done: list[Extraction], skipped: list[SkippedFile]) -> dict[str, object]:
    """Return the machine-readable report: every file with its result or error, sorted by name."""
    documents = []
    for item in sorted(done, key=lambda extraction: extraction.file):
        entry = asdict(item)
        entry["advice"] = advise(item.error, entry.pop("detail"))
        documents.append(entry)
    failed = sum(1 for item in done if item.error)
    return {
        "read": len(done) - failed,
        "failed": failed,
        "skipped": [{"file": str(file.path), "reason": file.reason} for file in skipped],
        "documents": documents,
    }


def describe_coverage(done: Iterable[Extraction]) -> list[str]:
    """Return a line for each file that was read, sorted by name."""
    return [
        f"{item.file}: {_describe(item.coverage or {})}"
        for item in sorted(done, key=lambda d: d.file)
        if not item.error
    ]


def _describe(stated: dict[str, object]) -> str:
    """Return a line such as `complete; 1,200 of 1,240 characters are in the result; left out: 40 covered`."""
    parts = ["complete" if stated.get("complete") else "NOT complete"]
    if stated.get("notice"):
        parts.append(str(stated["notice"]))
    counts = stated.get("characters")
    if isinstance(counts, dict):
        parts.append(f"{counts['placed']:,} of {counts['painted']:,} characters are in the result")
        if counts["excluded"]:
            reasons = (f"{count:,} {reason}" for reason, count in sorted(counts["excluded"].items()))
            parts.append("left out: " + ", ".join(reasons))
        if counts["lost"]:
            parts.append(f"LOST: {counts['lost']:,}")
    else:
        parts.append("characters not counted")
    scans = [page["scan"] for page in _pages_of(stated) if page.get("scan")]
    if scans:
        marks, read = (sum(scan[name] for scan in scans) for name in ("components", "covered"))
        parts.append(f"scans: {read:,} of {marks:,} marks of letter size were read")
    unknown = stated.get("unknown")
    if isinstance(unknown, list) and unknown:
        parts.append("could not be checked: page " + ", ".join(str(page) for page in unknown))
    return "; ".join(parts)


def _pages_of(stated: dict[str, object]) -> list[dict[str, Any]]:
    pages = stated.get("pages")
    return list(pages) if isinstance(pages, (list, tuple)) else []
