"""One running service per test session."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.machine.ports import is_free
from tests.e2e.service import Service

DOORS = {"SVC_CONSOLE": "1", "SVC_WEBHOOK_ALLOW": "127.0.0.1"}
"""The console beside the API; its receivers may be this machine."""


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """Up before the first test that wants it, down after the last."""
    workdir = Path(tempfile.mkdtemp(prefix="qe", dir="/tmp"))
    workdir.chmod(0o711)
    port = next(port for port in range(18500, 18600) if is_free(port))
    started = Service(workdir, port)
    done = started.quire("up", "--detach", "--port", str(port), check=False, SVC_API_KEYS="", **DOORS)
    assert done.returncode == 0, done.stdout + done.stderr
    try:
        yield started
    finally:
        started.quire("down", check=False)
        shutil.rmtree(workdir, ignore_errors=True)
