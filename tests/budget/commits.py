"""Checks what the commits since the last release owe to the budget, and their subjects."""

import re
from dataclasses import dataclass

from tests.budget.measure import FILE, below, read_numbers, run_git
from tests.test_rooms import ROOT

MAX_ADDED = 300
"""Product lines that a commit may add without lowering a number or stating a reason."""
SUBJECTS = 50
"""Latest commits whose subjects are checked."""
_REASON = re.compile(r"^budget: \w+", re.MULTILINE)


@dataclass(frozen=True)
class Commit:
    """A commit since the last release: `added` product lines net, and the budget's numbers before and after it."""

    id: str
    message: str
    added: int
    before: dict[str, float]
    after: dict[str, float]


def find_commit_fault(commit: Commit) -> str | None:
    """Return what a commit owes to the budget, or None. Commits on branches older than the budget owe nothing."""
    if not commit.before or _REASON.search(commit.message):
        return None
    common = commit.before.keys() & commit.after.keys()
    if raised := sorted(name for name in common if commit.after[name] > commit.before[name]):
        return f"{commit.id} raises {', '.join(raised)} without a line `budget: <reason>` in its message"
    lowered = any(commit.after[name] < commit.before[name] for name in common)
    if commit.added > MAX_ADDED and not lowered:
        return (
            f"{commit.id} adds {commit.added} product lines; it must lower a number of tests/budget.toml or say why "
            "in a line `budget: <reason>` of its message"
        )
    return None


def read_commits() -> list[Commit]:
    """Return the commits since the last release tag; none where the history is cut off or has no tag."""
    if run_git("rev-parse", "--is-shallow-repository").strip() != "false":
        return []
    tag = run_git("tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort=-creatordate").split()
    return [_read_commit(name) for name in run_git("rev-list", "--no-merges", f"{tag[0]}..HEAD").split()] if tag else []


def read_subjects() -> list[str]:
    """Return the subjects of the latest commits since the last release, merges by git excluded."""
    tag = run_git("tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort=-creatordate").split()
    span = [f"{tag[0]}..HEAD"] if tag else []
    return run_git("log", f"-{SUBJECTS}", "--format=%s", *span).splitlines()


def _read_commit(name: str) -> Commit:
    stat = run_git("show", "--numstat", "-M", "--format=", name, "--", *below("*.py")).splitlines()
    added = sum(int(plus) - int(minus) for plus, minus, _ in (line.split("\t", 2) for line in stat) if plus != "-")
    path = FILE.relative_to(ROOT)
    before, after = (read_numbers(run_git("show", f"{at}:{path}", check=False)) for at in (f"{name}~1", name))
    return Commit(name[:8], run_git("show", "-s", "--format=%B", name), added, before, after)
