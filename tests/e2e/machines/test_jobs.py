"""The bulk jobs on a small corpus and a separate Ray: resumed, exactly once, the same bytes again."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packages.bulk.corpora import make_corpus, write_pdf
from tests.waiting import until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def short() -> Iterator[Path]:
    """Ray's sockets need a short path."""
    with tempfile.TemporaryDirectory(prefix="qj", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def start_job(short: Path, *arguments: str) -> subprocess.Popen[str]:
    token = short / "token"
    token.write_text("0" * 64)
    token.chmod(0o600)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))} | {
        "RAY_ADDRESS": "local", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": str(short / "r"),
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], env=environment, cwd=ROOT, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def run_job(short: Path, *arguments: str) -> dict[str, Any]:
    """Its summary."""
    job = start_job(short, *arguments)
    told, log = job.communicate(timeout=300)
    assert job.returncode == 0, told + log
    summary: dict[str, Any] = json.loads(told.strip().splitlines()[-1])
    return summary


def results(out: Path) -> dict[Path, bytes]:
    return {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_a_corpus_is_extracted_killed_resumed_and_exported(short: Path) -> None:
    corpus, out, whole, shards = (short / name for name in ("corpus", "out", "whole", "shards"))
    corpus.mkdir()
    make_corpus(corpus, reports=40)
    (corpus / "scan.png").unlink()
    job = ("quire.cluster.jobs.bulk_extract", str(corpus), "--to", "tree", "--workers", "2", "-o")
    killed = start_job(short, *job, str(out))
    assert until(lambda: any((out / "records").glob("*.jsonl")), 120)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (out / "summary.json").exists()
    before = {path: path.stat().st_mtime_ns for path in (out / "records").glob("*.jsonl")}
    summary = run_job(short, *job, str(out))
    assert (summary["read"], summary["failed"], summary["undone"]) == (40, 1, 0)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert run_job(short, *job, str(whole)) == summary
    assert results(out) == results(whole)
    exported = run_job(short, "quire.cluster.jobs.finetune_export", str(out), "-o", str(shards), "--no-dedup")
    assert exported == {"documents": 40, "shards": 1, "lines": 40}


def test_values_by_a_schema_are_extracted_on_ray(short: Path) -> None:
    corpus, out, schema = short / "corpus", short / "out", short / "s.json"
    corpus.mkdir()
    for number in (1, 2):
        (corpus / f"bill{number}.pdf").write_bytes(write_pdf(f"Total: {number}.50"))
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    schema.write_text('{"type": "object", "properties": {"total": {"type": "number"}}}')
    run_job(
        short, "quire.cluster.jobs.bulk_extract", str(corpus), "--schema", str(schema), "--workers", "1", "-o", str(out)
    )
    rows = [json.loads(line) for path in (out / "shards").iterdir() for line in path.read_text().splitlines()]
    found = {row["name"]: row["error"] or row["data"]["data"]["total"] for row in rows}
    assert found == {"bill1.pdf": 1.5, "bill2.pdf": 2.5, "broken.pdf": "malformed"}
