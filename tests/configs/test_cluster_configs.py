"""Cluster files: every schema that is at hand, and the names that must agree between them."""

import json
import re
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml  # type: ignore[import-untyped]

from quire.cluster.placement.placement import FAST_PATH, VLM_GPU, fits
from quire.models.cdom.version import SERVICE_VERSION

with warnings.catch_warnings():  # Ray's own, at import
    warnings.simplefilter("ignore")
    import ray
    from ray.serve.schema import ServeDeploySchema

    from quire.cluster.serve import serve_config
    from quire.serve_apps import deployments

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
RAY_SCHEMA = Path(ray.__file__).parent / "autoscaler" / "ray-schema.json"


def load(name: str) -> Any:
    return yaml.safe_load((CONFIGS / name).read_text())


def serve_configs() -> dict[str, Any]:
    kuberay = load("kuberay/rayservice.yaml")
    return {"serve": load("serve/service.yaml"), "kuberay": yaml.safe_load(kuberay["spec"]["serveConfigV2"])}


@pytest.mark.parametrize("name", ["serve", "kuberay"])
def test_serve_takes_its_configuration_and_every_import_path_is_there(name: str) -> None:
    schema = ServeDeploySchema.model_validate(serve_configs()[name])
    assert [application.name for application in schema.applications] == ["api", "workers", "vlm_ocr"]
    for application in schema.applications:
        module, _, attribute = application.import_path.partition(":")
        assert module == serve_config.__name__
        assert callable(getattr(serve_config, attribute))


def test_launcher_file_is_valid_by_the_schema_of_ray() -> None:
    config = load("ray/two-pools.yaml")
    jsonschema.validate(config, json.loads(RAY_SCHEMA.read_text()))
    assert config["head_node_type"] in config["available_node_types"]


def test_both_pools_of_the_launcher_fit_the_placements() -> None:
    types = load("ray/two-pools.yaml")["available_node_types"]
    nodes = [{"Alive": True, "Labels": kind["labels"], "Resources": kind["resources"]} for kind in types.values()]
    assert [fits(VLM_GPU, [node]) for node in nodes] == [False, False, True]
    assert {"arch": "arm64", "accelerator": "none"}.items() <= nodes[1]["Labels"].items()
    assert FAST_PATH.preferred.items() <= nodes[1]["Labels"].items()


def test_the_kuberay_groups_carry_the_labels_of_their_machines() -> None:
    cluster = load("kuberay/rayservice.yaml")["spec"]["rayClusterConfig"]
    assert cluster["rayVersion"] == ray.__version__
    assert cluster["autoscalerOptions"]["version"] == "v2"
    assert cluster["gcsFaultToleranceOptions"]["redisAddress"]
    groups = {group["groupName"]: group for group in cluster["workerGroupSpecs"]}
    for name, labels in (("cpu-arm64", "arch=arm64,accelerator=none"), ("gpu-amd64", "arch=amd64,accelerator=cuda")):
        spec = groups[name]["template"]["spec"]
        assert groups[name]["rayStartParams"]["labels"] == labels
        assert spec["nodeSelector"]["kubernetes.io/arch"] == labels[5:10]
        assert spec["restartPolicy"] == "Never"
        assert spec["securityContext"]["runAsNonRoot"] is True
    gpu = groups["gpu-amd64"]
    assert (gpu["minReplicas"], gpu["replicas"]) == (0, 0)
    container = gpu["template"]["spec"]["containers"][0]
    assert container["image"].endswith("-gpu")
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"


KUBERAY = {
    "RayServiceSpec": "serveConfigV2 rayClusterConfig upgradeStrategy serveService excludeHeadPodFromServeSvc",
    "RayClusterSpec": "rayVersion headGroupSpec workerGroupSpecs enableInTreeAutoscaling autoscalerOptions authOptions "
    "gcsFaultToleranceOptions headServiceAnnotations suspend managedBy networkPolicy",
    "AutoscalerOptions": "version idleTimeoutSeconds upscalingMode resources image env envFrom securityContext",
    "AuthOptions": "mode secretName enableK8sTokenAuth",
    "GcsFaultToleranceOptions": "redisAddress redisUsername redisPassword externalStorageNamespace",
    "HeadGroupSpec": "rayStartParams template serviceType headService enableIngress resources labels",
    "WorkerGroupSpec": "groupName replicas minReplicas maxReplicas numOfHosts idleTimeoutSeconds rayStartParams "
    "template scaleStrategy suspend resources labels",
}
"""Fields of KubeRay's own API reference (v1.5 to v1.7); deprecated ones are left out on purpose."""


def test_the_kuberay_file_uses_only_fields_its_reference_knows() -> None:
    document = load("kuberay/rayservice.yaml")
    assert (document["apiVersion"], document["kind"]) == ("ray.io/v1", "RayService")
    cluster = document["spec"]["rayClusterConfig"]
    parts = [
        ("RayServiceSpec", document["spec"]),
        ("RayClusterSpec", cluster),
        ("AutoscalerOptions", cluster["autoscalerOptions"]),
        ("AuthOptions", cluster["authOptions"]),
        ("GcsFaultToleranceOptions", cluster["gcsFaultToleranceOptions"]),
        ("HeadGroupSpec", cluster["headGroupSpec"]),
        *(("WorkerGroupSpec", group) for group in cluster["workerGroupSpecs"]),
    ]
    for name, part in parts:
        assert set(part) <= set(KUBERAY[name].split()), name
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        assert group["template"]["spec"]["terminationGracePeriodSeconds"] > deployments.FAST_PATH_GRACE_S


def bake_targets(version: str) -> dict[str, dict[str, list[str]]]:
    """Tags and platforms of docker-bake.hcl, with its variables and its one function put in."""
    text = (CONFIGS / "images/docker-bake.hcl").read_text()
    minor = ".".join(version.split(".")[:2])
    targets = {}
    for name, body in re.findall(r'^target "(\w+)" \{\n(.*?)^\}', text, re.MULTILINE | re.DOTALL):
        lists = {
            key: re.findall(r'"((?:[^"$]|\$\{[^}]*\})*)"', values)
            for key, values in re.findall(r"(\w+)\s+= \[(.*)\]", body)
        }
        put = {"${REPOSITORY}": "quire", "${VERSION}": version, "${minor(VERSION)}": minor}
        for mark, value in put.items():
            lists = {key: [item.replace(mark, value) for item in items] for key, items in lists.items()}
        targets[name] = lists
    return targets


def test_bake_makes_exactly_the_promised_tags_and_platforms() -> None:
    assert bake_targets("1.4.7") == {
        "cpu": {
            "platforms": ["linux/amd64", "linux/arm64"],
            "tags": ["quire:1.4.7", "quire:1.4", "quire:latest"],
        },
        "gpu": {"platforms": ["linux/amd64"], "tags": ["quire:1.4.7-gpu", "quire:latest-gpu"]},
    }
    assert f'default = "{SERVICE_VERSION}"' in (CONFIGS / "images/docker-bake.hcl").read_text()


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_images_are_pinned_unprivileged_and_watched(name: str) -> None:
    lines = (CONFIGS / "images" / name).read_text().replace("\\\n", " ").splitlines()
    instructions = [line.split(maxsplit=1) for line in lines if line and not line.startswith((" ", "#"))]
    stages = [rest.split() for word, rest in instructions if word == "FROM"]
    bases = {stage[0] for stage in stages} - {stage[2] for stage in stages if len(stage) > 1}
    assert bases
    assert all(re.search(r":\d+\.\d+", base) and "latest" not in base for base in bases)
    users = [rest for word, rest in instructions if word == "USER"]
    assert users == ["10001"]
    (check,) = [rest for word, rest in instructions if word == "HEALTHCHECK"]
    command = json.loads(check[check.index("CMD") + 3 :])
    assert command[0] == "python"
    compile(command[2], name, "exec")
    runs = " ".join(rest for word, rest in instructions if word == "RUN")
    assert "--require-hashes" in runs
    assert "--no-install-recommends" in runs
    assert "rm -rf /var/lib/apt/lists" in runs
    assert not any(word == "ADD" for word, _ in instructions)
    root = CONFIGS.parent
    for word, rest in instructions:
        if word == "COPY" and "--from" not in rest:
            assert all((root / source).exists() for source in rest.split()[:-1])
    last = [rest for word, rest in instructions if word == "CMD"][-1]
    assert json.loads(last)[0] == "quire"


def test_no_file_of_the_cluster_holds_a_secret() -> None:
    for name in ("ray/two-pools.yaml", "kuberay/rayservice.yaml", "serve/service.yaml"):
        text = (CONFIGS / name).read_text()
        assert not re.search(r"(?i)(api_keys|license|database_url|password): *[^\s{<]", text)


def test_network_policy_opens_only_the_http_port_to_all_clients() -> None:
    policy = load("kuberay/network-policy.yaml")["spec"]
    open_to_all = [rule["ports"] for rule in policy["ingress"] if "from" not in rule]
    cluster = load("kuberay/rayservice.yaml")["spec"]["rayClusterConfig"]
    (container,) = cluster["headGroupSpec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert open_to_all == [[{"protocol": "TCP", "port": ports["serve"]}]]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert sorted(port["port"] for rule in policy["egress"] if "to" not in rule for port in rule["ports"]) == [
        53, 53, 443, 5432, 6379,
    ]  # fmt: skip
