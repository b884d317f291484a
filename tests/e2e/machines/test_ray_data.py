"""Quire in Ray Data on a Ray of its own: documented program, writers, late node, GPU replicas, near-duplicates."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packages.bulk.corpora import make_corpus

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[3]
(DOCUMENTED,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/bulk.md").read_text(), re.DOTALL | re.MULTILINE)
CLUSTER_STARTED_ELSEWHERE = """
import os, pathlib
import ray
from ray.cluster_utils import Cluster

home = pathlib.Path.cwd()
(home / "other").mkdir()
os.chdir("other")
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
os.chdir(home)
ray.init(cluster.address, log_to_driver=False)
"""
WRITERS = """
import json, pathlib
import lance, pyarrow.parquet as pq
import ray.data
from pyiceberg.catalog.sql import SqlCatalog
from quire.cluster.jobs.data import QuireLance

read = ray.data.read_parquet("results").materialize()
read.write_json("json")
read.write_datasink(QuireLance("results.lance"))
pathlib.Path("ice").mkdir()
catalog = {"type": "sql", "uri": f"sqlite:///{pathlib.Path.cwd()}/ice/c.db", "warehouse": f"file://{pathlib.Path.cwd()}/ice"}
made = SqlCatalog("quire", **catalog)
made.create_namespace("quire")
made.create_table("quire.documents", schema=pq.read_schema(next(pathlib.Path("results").glob("*.parquet"))))
read.write_iceberg("quire.documents", catalog_kwargs={"name": "quire", **catalog})
tables = {
    "parquet": read.to_pandas(),
    "json": ray.data.read_json("json").to_pandas(),
    "lance": lance.dataset("results.lance").to_table().to_pandas(),
    "iceberg": made.load_table("quire.documents").scan().to_pandas(),
}
print(json.dumps({kind: sorted(zip(t["name"], t["error"].fillna(""), t["markdown"].fillna("").str.len()))
                  for kind, t in tables.items()}))
"""
LATE = """
import json, threading, time
import ray
from ray.cluster_utils import Cluster
from quire.cluster.jobs.work.spread import spread

class Where:
    def __call__(self, row):
        time.sleep(0.3)
        return {"node": ray.get_runtime_context().get_node_id()}

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
ray.init(cluster.address, log_to_driver=False)
nodes = []
for row in spread([{"n": n} for n in range(150)], Where, (), workers=None):
    nodes.append(row["node"])
    if len(nodes) == 5:
        cluster.add_node(num_cpus=1)
print(json.dumps({"rows": len(nodes), "nodes": len(set(nodes))}))
ray.shutdown()
cluster.shutdown()
"""
GPU = """
import json
from functools import partial
from pathlib import Path
import ray
from quire.cluster.bootstrap.vlm import choose_vlm
from quire.cluster.jobs.work.vlm_pool import PoolClient, start_pool
from quire.models.cdom.ports import PortUnavailable
from tests.lab.bench.reading.bench_vlm import make_scan
from tests.packages.bulk.stub_vlm import make_stub_reader

ray.init(num_cpus=2, num_gpus=2, log_to_driver=False, include_dashboard=False)
try:
    start_pool(choose_vlm("dots"), make=partial(make_stub_reader, "no number", -1))
except PortUnavailable as error:
    refused = str(error)
access = start_pool(choose_vlm("dots"), make=partial(make_stub_reader, 0.01, 4))
client = PoolClient(access.replicas)
while len(replicas := ray.get(access.replicas.current.remote(1.0))) < 2:
    pass
before = [client.transcribe(make_scan(n), (), 60).blocks[0].text[:19] for n in range(6)]
ray.kill(replicas[0], no_restart=False)
after = [client.transcribe(make_scan(n), (), 60).blocks[0].text[:19] for n in range(6)]
texts = before + after
print(json.dumps({"refused": refused, "replicas": len(replicas), "texts": sorted(set(texts)), "pages": len(texts)}))
"""
DUPLICATES = """
import json, random
from pathlib import Path
from quire.cluster.jobs.work.duplicates import find_duplicates
from tests.packages.bulk.inline import find_duplicates_here

chance, texts = random.Random(5), []
for _ in range(40):
    words = [f"w{chance.randrange(20_000)}" for _ in range(150)]
    texts += [" ".join(words), " ".join([*words[:140], "other", *words[141:]]), " ".join(words)]
chance.shuffle(texts)
Path("parts").mkdir()
names = [f"parts/{number}.jsonl" for number in range(4)]
for number, name in enumerate(names):
    lines = [json.dumps(["d", {"text": text}]) for text in texts[number * 30:number * 30 + 30]]
    Path(name).write_text("\\n".join(lines) + "\\n")
here = str(Path.cwd())
found = find_duplicates(here, names, workers=None)
print(json.dumps({"same": found == find_duplicates_here(here, names), "dropped": len(found)}))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Ray's sockets need a short path."""
    with tempfile.TemporaryDirectory(prefix="qd", dir="/tmp", ignore_cleanup_errors=True) as made:
        yield Path(made)


def run(program: str, folder: Path) -> str:
    token = folder / "token"
    token.write_text("0" * 64)
    token.chmod(0o600)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))} | {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_TMPDIR": str(folder / "r"),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_raylet_start_wait_time_s": "120", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_documented_lines_and_writers_keep_each_row(folder: Path) -> None:
    (folder / "scans").mkdir()
    make_corpus(folder / "scans")
    (folder / "scans" / "scan.png").unlink()
    run(CLUSTER_STARTED_ELSEWHERE + DOCUMENTED, folder)
    tables = json.loads(run(WRITERS, folder).splitlines()[-1])
    assert [name for name, *_ in tables["parquet"]] == [
        "broken.pdf", "sub0/report.pdf", "sub1/report.pdf", "sub2/report.pdf",
    ]  # fmt: skip
    assert [error for _, error, _ in tables["parquet"]] == ["malformed", "", "", ""]
    assert all(table == tables["parquet"] for table in tables.values())


def test_node_that_joins_late_works_too(folder: Path) -> None:
    assert json.loads(run(LATE, folder).splitlines()[-1]) == {"rows": 150, "nodes": 2}


def test_pages_of_a_dead_gpu_replica_go_to_another(folder: Path) -> None:
    answer = json.loads(run(GPU, folder).splitlines()[-1])
    assert "the model does not load" in answer.pop("refused")
    assert answer == {
        "replicas": 2, "texts": ["Read by the stub at"], "pages": 12,
    }  # fmt: skip


def test_cluster_drops_the_same_near_duplicates_as_one_process(folder: Path) -> None:
    assert json.loads(run(DUPLICATES, folder).splitlines()[-1]) == {"same": True, "dropped": 80}
