"""`quire extract --report`: what became of the characters of each file, a line each."""

from collections.abc import Iterable

from cluster.cli.documents.batch import Extraction


def describe_coverage(done: Iterable[Extraction]) -> list[str]:
    """A line for each file that was read, in the order of the names."""
    return [
        f"{one.file}: {_describe(one.coverage or {})}" for one in sorted(done, key=lambda d: d.file) if not one.error
    ]


def _describe(stated: dict[str, object]) -> str:
    """ "complete; 1,200 of 1,240 characters are in the result; left out: 40 covered"."""
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
        parts.append("nobody counted")
    unknown = stated.get("unknown")
    if isinstance(unknown, list) and unknown:
        parts.append("could not be judged: page " + ", ".join(str(page) for page in unknown))
    return "; ".join(parts)
