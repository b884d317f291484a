"""The folders of the source are found under `quire` only."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["models", "storage", "configs", "actors"])
def test_a_library_user_keeps_own_modules_of_these_names(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("MINE = 1")
    program = f"import sys; sys.path.insert(0, '.'); import quire.models.cdom.tree, {name}; assert {name}.MINE"
    command, environment = [sys.executable, "-c", program], {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
