"""Starts without a checkout: the image's licence, compose, systemd, the chart, sample secrets."""

import configparser
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from quire.configs.settings import Settings
from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps import deployments
from quire.serve_apps.access.license import LicenseRefused, verify_license
from quire.serve_apps.access.license_keys import read_public_keys

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs"
RENDERED = Path(__file__).parent / "chart"
SETTINGS = {f"SVC_{name.upper()}" for name in Settings.model_fields}


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_an_image_accepts_its_evaluation_license_for_a_year(name: str, tmp_path: Path) -> None:
    text = (CONFIGS / "images" / name).read_text().replace("\\\n", " ")
    (command,) = re.findall(r"^RUN (.*license keygen.*)$", text, re.MULTILINE)
    for used, here in (("/opt/tools/bin/python", sys.executable), ("/tmp/", f"{tmp_path}/"), ("/opt/", f"{tmp_path}/")):
        command = command.replace(used, here)
    subprocess.run(command, shell=True, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    keys = read_public_keys(tmp_path / "configs" / "license_keys")
    token, now = (tmp_path / "evaluation.license").read_text().strip(), datetime.now(UTC)
    license = verify_license(token, keys, now + timedelta(days=364))
    assert (license.plan, license.max_pages_per_month, license.features) == ("evaluation", 10_000, ())
    with pytest.raises(LicenseRefused):
        verify_license(token, keys, now + timedelta(days=368))
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize(("given", "used"), [({}, "evaluating"), ({"SVC_LICENSE": "mine"}, "mine")])
def test_the_license_of_the_operator_wins(given: dict[str, str], used: str, tmp_path: Path) -> None:
    start = tmp_path / "start"
    start.write_text((CONFIGS / "images" / "start.sh").read_text())
    (tmp_path / "evaluation.license").write_text("evaluating\n")
    command = ["sh", str(start), "sh", "-c", 'echo "$SVC_LICENSE"']
    environment = {name: value for name, value in os.environ.items() if name != "SVC_LICENSE"} | given
    assert subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout == f"{used}\n"


def test_compose_starts_service_and_database_on_loopback() -> None:
    text = (ROOT / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    assert services.keys() == {"quire", "postgres"}
    assert services["quire"]["image"] == f"quire:{SERVICE_VERSION}"
    assert services["quire"]["ports"] == ["127.0.0.1:8000:8000"]
    assert "ports" not in services["postgres"]
    assert {*services["quire"]["environment"]} <= SETTINGS
    assert re.findall(r"(?:PASSWORD|API_KEYS): (.*)", text) == [
        "${SVC_API_KEYS:?see the head of compose.yaml}",
        "${POSTGRES_PASSWORD:?see the head of compose.yaml}",
    ]
    assert (services["quire"]["read_only"], services["quire"]["cap_drop"]) == (True, ["ALL"])
    assert (ROOT / services["quire"]["build"]["dockerfile"]).exists()


def test_systemd_gives_readers_time_to_finish() -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(CONFIGS / "systemd" / "quire.service")
    service = unit["Service"]
    assert int(service["TimeoutStopSec"]) > deployments.FAST_PATH_GRACE_S
    assert (service["User"], service["KillMode"], service["NoNewPrivileges"]) == ("quire", "mixed", "yes")
    workdir = dict(pair.split("=") for pair in service["Environment"].split())["SVC_WORKDIR"]
    assert workdir == f"/var/lib/{service['StateDirectory']}"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="rates units where systemd is installed")
def test_systemd_rates_the_unit_as_ok() -> None:
    unit = CONFIGS / "systemd" / "quire.service"
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_sample_secrets_are_those_that_the_cluster_names() -> None:
    samples = {
        each["metadata"]["name"]: each["stringData"] for each in load_all(CONFIGS / "kuberay/secrets.example.yaml")
    }
    text = (CONFIGS / "kuberay/rayservice.yaml").read_text()
    assert set(re.findall(r"secretRef: \{name: ([\w-]+)\}|secretKeyRef: \{name: ([\w-]+),", text)) == {
        ("quire", ""),
        ("", "quire-redis"),
    }
    assert samples.keys() == {"quire", "quire-redis"}
    assert {name for name in samples["quire"] if name.startswith("SVC_")} <= SETTINGS
    assert all("<" in value for sample in samples.values() for value in sample.values())


def load_all(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


def test_the_chart_runs_one_unprivileged_pod_of_this_version() -> None:
    chart = yaml.safe_load((CONFIGS / "chart" / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (SERVICE_VERSION, SERVICE_VERSION)
    parts = {part["kind"]: part for part in load_all(RENDERED / "default.yaml")}
    assert parts.keys() == {"NetworkPolicy", "Secret", "Service", "StatefulSet"}
    spec = parts["StatefulSet"]["spec"]
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert (spec["replicas"], container["image"]) == (1, f"quire:{SERVICE_VERSION}")
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"]["readOnlyRootFilesystem"]
    policy = parts["NetworkPolicy"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    assert [port["port"] for rule in policy["egress"] for port in rule["ports"]] == [53, 53]
    assert pod["terminationGracePeriodSeconds"] > deployments.FAST_PATH_GRACE_S
    assert container["envFrom"] == [{"secretRef": {"name": parts["Secret"]["metadata"]["name"]}}]
    assert parts["Service"]["spec"]["selector"].items() <= spec["template"]["metadata"]["labels"].items()


def test_values_of_the_operator_reach_the_pod() -> None:
    parts = {part["kind"]: part for part in load_all(RENDERED / "own.yaml")}
    assert "Secret" not in parts
    pod = parts["StatefulSet"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == "registry.example.com/quire:1.2.3"
    assert container["env"] == [{"name": "SVC_RETENTION_DAYS", "value": "30"}]
    assert container["envFrom"] == [{"secretRef": {"name": "mine"}}]
    assert (pod["imagePullSecrets"], pod["nodeSelector"]) == ([{"name": "pull"}], {"disk": "ssd"})
    (claim,) = parts["StatefulSet"]["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"]["requests"] == {"storage": "1Ti"}


def test_rendered_files_are_of_this_chart() -> None:
    """`make test SUITE=chart` renders with Helm; here only what a template change would leave behind is compared."""
    templates = "".join(path.read_text() for path in sorted((CONFIGS / "chart" / "templates").glob("*.yaml")))
    fixed = [line.strip() for line in templates.splitlines() if "{{" not in line and line.strip()]
    shown = (RENDERED / "default.yaml").read_text() + (RENDERED / "own.yaml").read_text()
    assert [line for line in fixed if line not in shown and line != "---"] == []
