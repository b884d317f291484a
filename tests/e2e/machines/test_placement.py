"""Pages land on the nodes their pools' labels allow: three raylets on this machine, a GPU only said to be one."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = Path(__file__).resolve().parents[3]
PAGES = 200
PROGRAM = """
import json, sys
import ray
from ray import serve
from ray.cluster_utils import Cluster
from quire.cluster.serve.app import QUIET
from quire.cluster.placement.placement import DOOR, FAST_PATH, VLM_GPU, unplaceable

pages = int(sys.argv[1])
cluster = Cluster(initialize_head=True, head_node_args={
    "num_cpus": 1, "labels": {"arch": "amd64", "accelerator": "none"}, "include_dashboard": False})
ray.init(cluster.address, log_to_driver=False)
wanted = {"vlm_ocr": VLM_GPU, "fast_path": FAST_PATH, "console": DOOR}
before = unplaceable(wanted, ray.nodes())
cluster.add_node(num_cpus=3, labels={"arch": "arm64", "accelerator": "none"})
cluster.add_node(num_cpus=2, num_gpus=1, labels={"arch": "amd64", "accelerator": "cuda"})
cluster.wait_for_nodes()
labels = {node["NodeID"]: [node["Labels"]["arch"], node["Labels"]["accelerator"]] for node in ray.nodes()}
serve.start(proxy_location="Disabled", logging_config=QUIET)

@serve.deployment
class Pool:
    async def read(self, number):
        return ray.get_runtime_context().get_node_id()

def read_pages(name, placement, replicas):
    pool = Pool.options(name=name, ray_actor_options=placement.actor_options(), num_replicas=replicas)
    handle = serve.run(pool.bind(), name=name, route_prefix=None, logging_config=QUIET)
    answers = [handle.read.remote(number) for number in range(pages)]
    return [labels[answer.result(timeout_s=60)] for answer in answers]

landed = {"fast_path": read_pages("fast_path", FAST_PATH, 3), "vlm_ocr": read_pages("vlm_ocr", VLM_GPU, 1),
          "console": read_pages("console", DOOR, 1)}
print(json.dumps({"before": before, "after": unplaceable(wanted, ray.nodes()), "landed": landed}))
serve.shutdown()
ray.shutdown()
cluster.shutdown()
"""


def test_every_page_lands_on_a_node_its_labels_allow() -> None:
    with tempfile.TemporaryDirectory(prefix="qp", dir="/tmp") as folder:
        token = Path(folder) / "token"
        token.write_text("0" * 64)
        token.chmod(0o600)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))} | {
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": folder, "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(PAGES)],
            env=environment, cwd=ROOT, capture_output=True, text=True, timeout=350, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    assert list(told["before"]) == ["vlm_ocr"]
    assert told["after"] == {}
    assert told["landed"] == {
        "fast_path": [["arm64", "none"]] * PAGES,
        "vlm_ocr": [["amd64", "cuda"]] * PAGES,
        "console": [["amd64", "none"]] * PAGES,
    }
