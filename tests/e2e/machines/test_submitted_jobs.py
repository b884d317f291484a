"""The `ray job submit` lines of the documentation, as printed, on a cluster with a service: what they leave behind."""

import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest

from quire.cluster.machine.ports import choose_ports, is_free
from tests.lab.bench.client import Client
from tests.lab.chaos.machines import KEY, Machines
from tests.packages.bulk.corpora import make_corpus
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
ROOT = Path(__file__).resolve().parents[3]
LINE = re.compile(r"^ray job submit -- .*$", re.M)
REPORTS = 6


def printed_lines() -> list[str]:
    return LINE.findall((ROOT / "docs/cluster.md").read_text())


class Cluster(Machines):
    """Machines whose bucket server others reach too."""

    @property
    def environment(self) -> dict[str, str]:
        return self._environment

    def s3(self) -> Any:
        return boto3.client(
            "s3", endpoint_url=self.environment["AWS_ENDPOINT"], region_name="us-east-1", aws_access_key_id="test",
            aws_secret_access_key="test",
        )  # fmt: skip


@pytest.fixture
def machines() -> Iterator[Cluster]:
    """A head, a machine with room for jobs, and the service with search, as the page says."""
    folder = Path(tempfile.mkdtemp(prefix="qs", dir="/tmp"))
    folder.chmod(0o711)  # the sandbox reads the code as nobody
    http_port = next(port for port in range(18800, 18900) if is_free(port))
    started = Cluster(folder, choose_ports()["gcs"], http_port, {"SVC_WORKERS": "1", "SVC_RAG_DB": "s3://index/quire"})
    started.dashboard_port = next(port for port in range(8300, 8400, 2) if is_free(port) and is_free(port + 1))
    try:
        started.start()
        for bucket in ("corpus", "results", "training", "index"):
            started.s3().create_bucket(Bucket=bucket)
        started.join("worker", 4)
        started.serve()
        yield started
    finally:
        nodes = list(started.running.values())
        started.close()
        for node in nodes:
            node.wait(PATIENCE_S)
        shutil.rmtree(folder, ignore_errors=True)


def submit(machines: Cluster, line: str) -> dict[str, Any]:
    """Run one line as an operator on the head; the job's summary."""
    done = machines.submit(*shlex.split(line.removeprefix("ray job submit -- ")), cwd=machines.folder)
    assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}"
    summaries = [text for text in done.stdout.splitlines() if text.startswith("{") and text.endswith("}")]
    summary: dict[str, Any] = json.loads(summaries[-1])
    return summary


def fill(machines: Cluster, folder: Path) -> Any:
    make_corpus(folder, reports=REPORTS)
    (folder / "scan.png").unlink()
    s3 = machines.s3()
    for path in (path for path in sorted(folder.rglob("*")) if path.is_file()):
        s3.upload_file(str(path), "corpus", f"2026/{path.relative_to(folder)}")
    return s3


def read_all(s3: Any, bucket: str, prefix: str) -> dict[str, bytes]:
    listed = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
    return {entry["Key"]: s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read() for entry in listed}


def test_the_printed_lines_work(machines: Cluster, tmp_path: Path) -> None:
    s3 = fill(machines, tmp_path)
    extract, take, rechunk, reembed, tune, tune_service = printed_lines()
    with ThreadPoolExecutor(2) as threads:
        extracted, taken = threads.map(lambda line: submit(machines, line), (extract, take))
    assert (extracted["read"], extracted["failed"], extracted["undone"]) == (REPORTS, 1, 0)
    trees = read_all(s3, "results", "2026/tree/")
    assert len(trees) == REPORTS == len(read_all(s3, "results", "2026/markdown/"))
    assert (taken["taken"], taken["failed"], taken["known"]) == (REPORTS, 1, 0)

    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    jobs = client.json("GET", "/v1/jobs?limit=50")
    assert sum(job["counts"]["succeeded"] for job in jobs) == REPORTS
    hits = client.json("GET", "/v1/search?q=rivers+and+bridges&limit=50")
    assert len({hit["document_id"] for hit in hits}) == REPORTS

    with ThreadPoolExecutor(2) as threads:
        again, exported = threads.map(lambda line: submit(machines, line), (take, tune))
    assert (again["taken"], again["known"]) == (0, REPORTS + 1)
    assert exported["documents"] == REPORTS
    shards = read_all(s3, "training", "2026/all-")
    assert sum(data.count(b"\n") for data in shards.values()) == exported["lines"] > 0

    with ThreadPoolExecutor(3) as threads:
        cut, vectors, org = threads.map(lambda line: submit(machines, line), (rechunk, reembed, tune_service))
    assert cut["documents"] == 0
    assert vectors == {"embedder": "minilm", "documents": 0}
    assert org["documents"] == REPORTS
    assert submit(machines, f"{rechunk} --all")["chunked"] == REPORTS
    hits = client.json("GET", "/v1/search?q=rivers+and+bridges&limit=50")
    assert len({hit["document_id"] for hit in hits}) == REPORTS
