"""Limits of a batch system or of systemd: the sandbox keeps the lower of its own and the inherited one."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource, sys
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
kind, limit, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
resource.setrlimit(kind, (limit, limit))
reader = DocumentReader(SandboxLimits(formats=("txt",)))
with open(path, "rb", buffering=0) as original:
    outcome = reader.read(original, ReadOptions())
print(outcome.error, (outcome.tree_json or b"").count(b"Held by a limit"))
reader.close()
"""


@pytest.mark.parametrize(
    ("kind", "limit"),
    [(resource.RLIMIT_CPU, 60), (resource.RLIMIT_CPU, 15), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, 200)],
)
def test_a_document_is_read_under_an_inherited_limit(kind: int, limit: int, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("Held by a limit.\n")
    command = [sys.executable, "-c", PROGRAM, str(int(kind)), str(limit), str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.stdout.strip(), ended.stderr) == ("None 1", "")
