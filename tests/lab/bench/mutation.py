"""Do the tests notice? A sample of small changes to ten modules, each run against the module's own tests.

`python -m tests.lab.bench.mutation [--sample 20] [--seed 1] [NAME …]`: a copy of the checkout per module, its tests
once with their lines, then one mutant at a time, killed when a test fails. Prints survivors and the score of each
module; exit 1 below FLOOR. `--seconds` starts no mutant after so many. Minutes a module.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import apply_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec
from coverage import CoverageData

from quire.cluster.postgres.embedded import EmbeddedPostgres
from tests.postgres import FAST

ROOT = Path(__file__).resolve().parents[3]
FLOOR = 0.8
"""Share of the sampled mutants that the tests kill."""
TIMEOUT_S = 600.0
"""Seconds for the tests of one mutant; a mutant that makes them hang is killed as well."""
_SKIPPED = ("core/NumberReplacer", "core/ReplaceBinaryOperator_BitOr")
"""Limits that only their size tells apart, and the `|` of types."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A module to change, and the test files of that module, which must notice."""

    module: str
    tests: tuple[str, ...]


_DOCUMENT, _LAYOUT = "tests/models/extract/document", "tests/models/extract/layout"
SUBJECTS = {
    "hyphens": Subject("models/extract/document/hyphens.py", (f"{_DOCUMENT}/test_hyphens.py",)),
    "heads": Subject("models/extract/document/running_heads.py", (f"{_DOCUMENT}/test_running_heads.py",)),
    "levels": Subject("models/extract/document/levels.py", (f"{_DOCUMENT}/test_levels.py",)),
    "furniture": Subject("models/extract/layout/text/furniture.py", (f"{_LAYOUT}/test_furniture.py",)),
    "stacks": Subject("models/extract/layout/tables/scoring/features.py", (f"{_LAYOUT}/tables/test_stacks.py",)),
    "phones": Subject("models/pii/patterns/phones.py", ("tests/models/pii/patterns/test_phones.py",)),
    "normalise": Subject("models/pii/normalise.py", ("tests/models/pii/test_normalise.py",)),
    "keys": Subject("serve_apps/access/keys.py", ("tests/serve_apps/test_keys.py",)),
    "ending": Subject("storage/queue/ending.py", ("tests/storage/queue/test_queue.py",)),
    "usage": Subject("storage/queue/usage_over_time.py", ("tests/storage/queue/test_usage_over_time.py",)),
}


def list_mutants(module: Path) -> list[MutationSpec]:
    """Every change cosmic-ray knows for the module, without those that change nothing that runs."""
    with tempfile.TemporaryDirectory() as scratch, use_db(str(Path(scratch) / "work.sqlite")) as work:
        init([module], work, {})
        found = [mutation for item in work.work_items for mutation in item.mutations]
    text = module.read_text()
    lines, heads = text.splitlines(), decorator_lines(text)
    return [
        one
        for one in found
        if not one.operator_name.startswith(_SKIPPED)
        and one.start_pos[0] not in heads
        and not is_signature_star(lines, one)
    ]


def is_signature_star(lines: list[str], mutant: MutationSpec) -> bool:
    """The `*,` before parameters that have names only, which is taken for a product: no caller sees a `/` there."""
    line, column = mutant.start_pos
    return lines[int(line) - 1].startswith("*,", column)


def decorator_lines(text: str) -> set[int]:
    """Lines of the decorators of classes: a frozen dataclass that thaws does nothing else than before."""
    return {
        line
        for node in ast.walk(ast.parse(text))
        for decorator in getattr(node, "decorator_list", [])
        for line in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1)
        if isinstance(node, ast.ClassDef)
    }


def copy_checkout(target: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name, follow_symlinks=False)
    target.chmod(0o711)


def is_python(text: str) -> bool:
    """Not so where the two stars of `{**facts}` were taken for a power: that no test would have to notice."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class TestRunner:
    """Runs pytest in the copy, on a database server that all runs share."""

    __test__ = False
    copy: Path
    database: str

    def passes(self, tests: tuple[str, ...], *options: str) -> bool:
        """False also for tests that hang."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:xdist", *options, *tests]
        paths = {"PYTHONPATH": str(self.copy), "PYTHONDONTWRITEBYTECODE": "1", "SVC_TEST_DATABASE_URL": self.database}
        try:
            done = subprocess.run(
                command,
                cwd=self.copy,
                env=os.environ | paths,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


@contextmanager
def test_runner(copy: Path) -> Iterator[TestRunner]:
    with tempfile.TemporaryDirectory(prefix="quire-mutants-pg-") as folder:
        Path(folder).chmod(0o711)
        postgres = EmbeddedPostgres(Path(folder), FAST)
        try:
            yield TestRunner(copy, postgres.start())
        finally:
            postgres.stop()


@dataclass
class Reach:
    """Tests that run a line, the tests in the order of their files."""

    subject: Subject
    by_line: dict[Path, dict[int, list[str]]] = field(default_factory=dict)

    def tests_of(self, mutant: MutationSpec) -> tuple[str, ...]:
        """All tests for a line that is run by an import or in a child, which no single test is known to reach."""
        known = self.by_line.get(Path(mutant.module_path), {})
        lines = statement_lines(Path(mutant.module_path).read_text(), mutant.start_pos[0])
        found = {test for line in lines for test in known.get(line, [])}
        if not found or "" in found:
            return self.subject.tests
        return tuple(sorted(found, key=lambda test: (self._rank(test), test)))

    def _rank(self, test: str) -> int:
        return next(
            (at for at, folder in enumerate(self.subject.tests) if test.startswith(folder)), len(self.subject.tests)
        )


def measure_reach(copy: Path, subject: Subject, runner: TestRunner) -> Reach | None:
    """None when a test fails on the unchanged copy."""
    options = ("--cov", str(Path(subject.module).parent), "--cov-context=test", "--cov-report=")
    if not runner.passes(subject.tests, *options):
        return None
    data = CoverageData(str(copy / ".coverage"))
    data.read()
    reach = Reach(subject)
    for name in data.measured_files():
        lines: dict[int, list[str]] = defaultdict(list)
        for line, contexts in data.contexts_by_lineno(name).items():
            lines[line] = sorted({context.partition("|")[0] for context in contexts})
        reach.by_line[Path(name)] = lines
    return reach


def statement_lines(text: str, line: int) -> range:
    """Lines of the statement around `line`, of a block only its head: a change of a part shows in any of them."""
    around = range(line, line + 1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            if node.lineno <= line <= max(end, node.lineno):
                around = range(node.lineno, max(end, node.lineno) + 1)
    return around


def try_mutants(runner: TestRunner, reach: Reach, chosen: list[MutationSpec]) -> Iterator[tuple[MutationSpec, bool]]:
    for mutant in chosen:
        path = Path(mutant.module_path)
        original = path.read_text()
        tests = reach.tests_of(mutant)
        try:
            apply_mutation(path, get_operator(mutant.operator_name)(**mutant.operator_args), mutant.occurrence)
            mutated = path.read_text()
            if mutated != original and is_python(mutated):
                yield mutant, not runner.passes(tests)
        finally:
            path.write_text(original)


def score_subject(name: str, subject: Subject, sample: int, seed: int, seconds: float) -> float:
    until = time.monotonic() + seconds
    killed = tried = 0
    with tempfile.TemporaryDirectory(prefix="quire-mutants-") as scratch:
        copy = Path(scratch)
        copy_checkout(copy)
        mutants = list_mutants(copy / subject.module)
        chosen = random.Random(seed).sample(mutants, min(sample, len(mutants)))
        with test_runner(copy) as runner:
            reach = measure_reach(copy, subject, runner)
            if reach is None:
                raise SystemExit(f"{name}: the unchanged copy is red; its mutants would say nothing")
            for mutant, is_killed in try_mutants(runner, reach, chosen):
                tried, killed = tried + 1, killed + is_killed
                if not is_killed:
                    where = Path(mutant.module_path).relative_to(copy)
                    print(f"  survived  {where}:{mutant.start_pos[0]}  {mutant.operator_name}", flush=True)
                if time.monotonic() > until:
                    break
    share = killed / max(1, tried)
    print(f"{name:10} {share:6.1%} of {tried} killed ({len(mutants)} possible)", flush=True)
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of a module, after which no mutant starts")
    asked = parser.parse_args()
    scores = [score_subject(name, SUBJECTS[name], asked.sample, asked.seed, asked.seconds) for name in asked.names]
    sys.exit(min(scores) < FLOOR)


if __name__ == "__main__":
    main()
