"""Programs written for 0.11 still find our modules, in processes that load plugins only."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
ACCEPT = "from quire.models.import_names import accept_old_names; accept_old_names()"
OLD = "from models.cdom.tree import BlockType; import storage.targets.contract; from models.pii import kinds"


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


def test_old_names_are_the_same_classes_and_warn(tmp_path: Path) -> None:
    check = "import quire.models.cdom.tree as new, quire.models.pii.kinds as others"
    same = "assert BlockType is new.BlockType and kinds.Hit is others.Hit"
    done = run(f"{ACCEPT}\n{OLD}\n{check}\n{same}", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "FutureWarning: import quire.models.cdom.tree: the name models.cdom.tree ends" in done.stderr


@pytest.mark.parametrize("name", ["models", "storage", "configs", "actors"])
def test_a_library_user_keeps_own_modules_of_these_names(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("MINE = 1")
    program = f"import sys; sys.path.insert(0, '.'); import quire.models.cdom.tree, {name}; assert {name}.MINE"
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_bulk_program_starts_by_its_old_name() -> None:
    done = run("import runpy, sys; sys.argv = ['x', '--help']; runpy.run_module('cluster.jobs.rechunk')", ROOT)
    assert "FutureWarning" in done.stderr
