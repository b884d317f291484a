"""The sandbox where only root may enter: the checkout, its environment, its interpreter."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from quire.actors.reading.forkserver import ForkServer
from tests.actors.sandbox.conftest import SMALL

ROOT = Path(__file__).resolve().parents[3]
START = "from quire.actors.reading.forkserver import sandbox_layers; print(sandbox_layers()['unprivileged'])"


def test_the_server_needs_no_file_after_its_privileges_are_gone() -> None:
    server = ForkServer(SMALL, entry="tests.actors.sandbox.servers.blind")
    server.start()
    child = server.take()
    server.discard(child)
    server.close()


def test_sandbox_starts_from_a_checkout_in_a_folder_closed_to_other_users(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for room in ("actors", "models", "storage", "configs", "quire"):
        shutil.copytree(ROOT / room, home / room, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=home, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("True", "")
