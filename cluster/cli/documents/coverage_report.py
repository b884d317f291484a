"""`quire extract --report`: what became of the characters of each file, a line each."""

from collections.abc import Iterable
from typing import Any

from cluster.cli.documents.batch import Extraction


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
