"""Pools land on the nodes their labels name: three raylets on this machine, a GPU that is only said to be one."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys, time
import ray
from ray.cluster_utils import Cluster
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
from cluster.placement import API, FAST_PATH, VLM_GPU, fits, unplaceable

cluster = Cluster(initialize_head=True, head_node_args={
    "num_cpus": 1, "labels": {"arch": "amd64", "accelerator": "none"}, "include_dashboard": False})
ray.init(cluster.address, log_to_driver=False)
before = unplaceable({"vlm_ocr": VLM_GPU, "fast_path": FAST_PATH}, ray.nodes())
cluster.add_node(num_cpus=3, labels={"arch": "arm64", "accelerator": "none"})
cluster.add_node(num_cpus=2, num_gpus=1, labels={"arch": "amd64", "accelerator": "cuda"})
cluster.wait_for_nodes()
labels = {node["NodeID"]: node["Labels"] for node in ray.nodes()}

@ray.remote
class Replica:
    def where(self):
        return ray.get_runtime_context().get_node_id()

def place(placement, count):
    options = placement.actor_options()
    actors = [Replica.options(**options).remote() for _ in range(count)]
    return [labels[node] for node in ray.get([actor.where.remote() for actor in actors], timeout=120)]

landed = {"fast_path": place(FAST_PATH, 3), "vlm_ocr": place(VLM_GPU, 1)}
after = unplaceable({"vlm_ocr": VLM_GPU, "fast_path": FAST_PATH}, ray.nodes())
print(json.dumps({"before": before, "after": after, "landed": landed}))
ray.shutdown()
cluster.shutdown()
"""


def test_replicas_land_on_the_nodes_their_labels_name() -> None:
    with tempfile.TemporaryDirectory(prefix="qp", dir="/tmp") as folder:
        token = Path(folder) / "token"
        token.write_text("0" * 64)
        token.chmod(0o600)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))} | {
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": folder, "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=350
        )
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout.strip().splitlines()[-1])
    assert list(told["before"]) == ["vlm_ocr"]
    assert told["after"] == {}
    assert {(node["arch"], node["accelerator"]) for node in told["landed"]["fast_path"]} == {("arm64", "none")}
    assert {(node["arch"], node["accelerator"]) for node in told["landed"]["vlm_ocr"]} == {("amd64", "cuda")}
