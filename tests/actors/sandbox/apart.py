"""Programs run in a process of their own, for how memory lies in this one depends on the tests before."""

import subprocess
import sys
from pathlib import Path

from actors.reading.forkserver import _ENVIRONMENT

ROOT = Path(__file__).resolve().parents[3]


def answers(script: str, *arguments: object) -> tuple[int, ...]:
    """The numbers that a script prints, which is told where our code is before its arguments."""
    command = [sys.executable, "-I", "-c", script, str(ROOT), *map(str, arguments)]
    said = subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True, text=True).stdout
    return tuple(map(int, said.split()))
