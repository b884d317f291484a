"""Do the tests notice? A sample of small changes to the code, each run against the tests of its room.

`python -m tests.bench.mutation [--sample 20] [--seed 1] [ROOM …]`: a copy of the checkout per room, one mutant at a
time, killed when a test fails. Prints survivors and the score of each room; exit 1 below FLOOR. Minutes a room.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import apply_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).resolve().parents[2]
FLOOR = 0.85
TIMEOUT_S = 600.0
"""Seconds for the tests of one mutant; a mutant that makes them hang is killed as well."""
_SKIPPED = ("core/NumberReplacer", "core/ReplaceBinaryOperator_BitOr")
"""Limits that only their size tells apart, and the `|` of types."""


@dataclass(frozen=True, slots=True)
class Room:
    """Modules that are changed and the tests that must notice."""

    folder: str
    tests: tuple[str, ...]


ROOMS = {
    "jobs": Room("storage/jobs", ("tests/storage/jobs", "tests/storage/queue", "tests/api/jobs")),
    "queue": Room("storage/queue", ("tests/storage/queue", "tests/storage/jobs")),
    "pii": Room("models/pii", ("tests/models/pii",)),
    "access": Room("serve_apps/access", ("tests/serve_apps", "tests/security", "tests/api/operations")),
}


def list_mutants(folder: Path) -> list[MutationSpec]:
    """Every change cosmic-ray knows for the modules below `folder`, without those that change nothing that runs."""
    modules = [path for path in sorted(folder.rglob("*.py")) if path.name != "__init__.py"]
    with tempfile.TemporaryDirectory() as scratch, use_db(str(Path(scratch) / "work.sqlite")) as work:
        init(modules, work, {})
        found = [mutation for item in work.work_items for mutation in item.mutations]
    return [one for one in found if not one.operator_name.startswith(_SKIPPED)]


def copy_checkout(target: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    target.chmod(0o711)


def is_killed(copy: Path, tests: tuple[str, ...]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def try_mutants(copy: Path, room: Room, chosen: list[MutationSpec]) -> Iterator[tuple[MutationSpec, bool]]:
    for mutant in chosen:
        path = Path(mutant.module_path)
        original = path.read_text()
        try:
            apply_mutation(path, get_operator(mutant.operator_name)(**mutant.operator_args), mutant.occurrence)
            if path.read_text() != original:
                yield mutant, is_killed(copy, room.tests)
        finally:
            path.write_text(original)


def score_room(name: str, room: Room, sample: int, seed: int) -> float:
    with tempfile.TemporaryDirectory(prefix="quire-mutants-") as scratch:
        copy = Path(scratch)
        copy_checkout(copy)
        if is_killed(copy, room.tests):
            raise SystemExit(f"{name}: the unchanged copy is red; its mutants would say nothing")
        mutants = list_mutants(copy / room.folder)
        chosen = random.Random(seed).sample(mutants, min(sample, len(mutants)))
        results = list(try_mutants(copy, room, chosen))
        for mutant, killed in results:
            if not killed:
                where = Path(mutant.module_path).relative_to(copy)
                print(f"  survived  {where}:{mutant.start_pos[0]}  {mutant.operator_name}", flush=True)
    share = sum(killed for _, killed in results) / max(1, len(results))
    print(f"{name:8} {share:6.1%} of {len(results)} killed ({len(mutants)} possible)", flush=True)
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    scores = [score_room(name, ROOMS[name], asked.sample, asked.seed) for name in asked.rooms]
    sys.exit(min(scores) < FLOOR)


if __name__ == "__main__":
    main()
