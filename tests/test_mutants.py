"""Mutants: a copy of the code without its fence, or without its tenant filter, must turn its tests red.

A suite that stays green without them is worth nothing. The copy is also run unchanged: red must mean the mutation.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres import URL
from tests.postgres import TestServer as Server

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("actors", "cluster", "configs", "models", "quire", "serve_apps", "storage", "tests", "docs")
_QUEUE, _LISTINGS = "tests/storage/queue/test_queue.py::test_", "tests/storage/jobs/test_listings.py::test_"
FENCE_TESTS = (f"{_QUEUE}stale_hands_can_do_nothing", f"{_QUEUE}the_same_attempt_of_another_worker_is_not_ours")
TENANT_TESTS = (
    f"{_LISTINGS}documents_are_paged_in_order_of_submission",
    f"{_LISTINGS}tree_is_found_only_when_published",
)
LOOKUP_TESTS = ("tests/security/test_matrix.py::test_foreign_and_unknown_ids_answer_with_the_same_bytes[get_job]",)

HELD = "t.attempt = held.attempt and t.worker = held.worker"
OWNED = "j.tenant = %(tenant)s and j.org = %(org)s and j.deleted_at is null"
MUTANTS = {
    "no fence": ("storage/queue/fence.py", HELD, "true", FENCE_TESTS),
    "a fence that takes any worker": ("storage/queue/fence.py", " and t.worker = held.worker", "", FENCE_TESTS),
    "no tenant filter": ("storage/values/scoping.py", OWNED, "j.deleted_at is null", TENANT_TESTS),
    "no tenant filter in shared lookups": (
        "storage/jobs/job_lookup.py",
        " and j.tenant = w.tenant and j.org = w.org",
        "",
        LOOKUP_TESTS,
    ),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    skipped = shutil.ignore_patterns("__pycache__", "node_modules", "golden", "bench")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    tmp_path.chmod(0o711)
    return tmp_path


def run(copy: Path, tests: tuple[str, ...], server: Server) -> subprocess.CompletedProcess[str]:
    """Run the tests on the copy in a separate process, on the database server of this one."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:randomly", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", URL: server.admin}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.timeout(600)
def test_the_unchanged_copy_is_green(copy: Path, postgres_server: Server) -> None:
    done = run(copy, FENCE_TESTS + TENANT_TESTS + LOOKUP_TESTS, postgres_server)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_turns_the_suite_red(copy: Path, name: str, postgres_server: Server) -> None:
    file, old, new, tests = MUTANTS[name]
    source = (copy / file).read_text()
    assert old in source, f"{file} no longer holds what this mutant removes"
    (copy / file).write_text(source.replace(old, new))
    done = run(copy, tests, postgres_server)
    assert done.returncode == 1, f"the mutant lives: {done.stdout[-2000:]}"
    assert " failed" in done.stdout
