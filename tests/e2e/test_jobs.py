"""The bulk jobs on a small corpus and a Ray of their own: resumed, exactly once, the same bytes again."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.jobs.test_ledger import make_corpus

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def short() -> Iterator[Path]:
    """Ray's sockets need a short path."""
    with tempfile.TemporaryDirectory(prefix="qj", dir="/tmp") as folder:
        yield Path(folder)


def run_job(short: Path, *arguments: str) -> dict[str, int]:
    token = short / "token"
    token.write_text("0" * 64)
    token.chmod(0o600)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))} | {
        "RAY_ADDRESS": "local", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": str(short / "r"),
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", *arguments], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    summary: dict[str, int] = json.loads(done.stdout.strip().splitlines()[-1])
    return summary


def test_a_corpus_is_extracted_resumed_and_exported(short: Path) -> None:
    corpus, out, shards = short / "corpus", short / "out", short / "shards"
    corpus.mkdir()
    make_corpus(corpus)
    (corpus / "scan.png").unlink()
    job = ("cluster.jobs.extract", str(corpus), "-o", str(out), "--to", "tree", "--workers", "2")
    summary = run_job(short, *job)
    assert (summary["read"], summary["failed"], summary["undone"]) == (3, 1, 0)
    first = {path: path.read_bytes() for path in out.rglob("*.json")}
    lost = next((out / "records").rglob("*.json"))
    lost.unlink()  # as if the job had been killed before this one was done
    assert run_job(short, *job) == summary
    assert {path: path.read_bytes() for path in out.rglob("*.json")} == first
    exported = run_job(short, "cluster.jobs.finetune", str(out), "-o", str(shards), "--no-dedup")
    assert exported == {"trees": 3, "shards": 1, "lines": 3}
