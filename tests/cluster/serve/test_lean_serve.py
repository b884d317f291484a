"""Ray's workers import Serve before they have a task, and without what Serve takes along for nothing."""

import subprocess
import sys
from pathlib import Path

from cluster.machine.environment import PRELOADED

ROOT = Path(__file__).resolve().parents[3]


def _run(lines: str) -> str:
    """In an interpreter of its own: what is imported stays imported."""
    command = [sys.executable, "-W", "ignore", "-c", lines]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_a_worker_has_serve_and_no_pandas_until_somebody_wants_it() -> None:
    said = _run(
        f"import sys, {PRELOADED}\nprint('ray.serve' in sys.modules, 'pandas' in sys.modules)\n"
        "import pandas\nprint(pandas.DataFrame([1]).shape)"
    )
    assert said.splitlines() == ["True False", "(1, 1)"]


def test_pandas_that_was_there_before_stays() -> None:
    said = _run(f"import sys, pandas\nimport {PRELOADED}\nprint(sys.modules['pandas'] is pandas)")
    assert said.strip() == "True"
