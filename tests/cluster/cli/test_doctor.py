import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from quire.actors.reading.forkserver import SandboxRefused
from quire.cluster.cli.operate.models import models_group
from quire.cluster.cli.service.doctor import (
    Verdict,
    check_disk,
    check_memory,
    check_processor,
    check_proxy,
    check_reading_core,
    check_recogniser,
    check_sandbox,
    doctor,
)
from quire.models.neural import registry
from quire.models.neural.registry import ModelFile, ModelName


def test_models_check_passes_with_the_installed_models() -> None:
    done = CliRunner().invoke(models_group, ["check", "--json"])
    assert done.exit_code == 0
    assert {row["state"] for row in json.loads(done.output)["models"]} == {"ok"}


def test_models_check_ends_with_1_when_a_file_is_not_the_pinned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = ModelFile(name=ModelName.TEXT_DETECTOR, package="quire.models", path="__init__.py", sha256="0" * 64)
    monkeypatch.setitem(registry.MODEL_FILES, ModelName.TEXT_DETECTOR, changed)
    done = CliRunner().invoke(models_group, ["check"])
    assert done.exit_code == 1
    assert "changed" in done.output


def test_a_processor_without_avx2_is_a_warning_not_a_failure() -> None:
    finding = check_processor(frozenset({"sse2"}))
    assert finding.verdict in {Verdict.WARN, Verdict.OK}
    assert ("ml-unavailable" in finding.detail) is (finding.verdict is Verdict.WARN)


def test_unsupported_language_is_a_warning_that_names_the_language() -> None:
    finding = check_recogniser("rapidocr", ("xx",))
    assert (finding.verdict, "xx" in finding.detail) == (Verdict.WARN, True)


def test_a_layer_that_is_off_is_a_warning_and_a_refused_sandbox_a_failure() -> None:
    def refuse() -> dict[str, bool]:
        raise SandboxRefused("the sandbox lets through: connect")

    assert check_sandbox(lambda: {"seccomp": True, "landlock": True}).verdict is Verdict.OK
    assert check_sandbox(lambda: {"seccomp": True, "landlock": False}).verdict is Verdict.WARN
    assert check_sandbox(refuse).verdict is Verdict.FAIL


def test_disk_and_memory_are_reported_for_a_missing_folder(tmp_path: Path) -> None:
    assert "GiB free" in check_disk(tmp_path / "not" / "yet").detail
    assert "GiB" in check_memory().detail


def test_check_reading_core_warns_without_a_compiled_core() -> None:
    assert check_reading_core("compiled").verdict is Verdict.OK
    assert check_reading_core("interpreted").verdict is Verdict.WARN


def test_doctor_says_everything_as_json(tmp_path: Path) -> None:
    done = CliRunner().invoke(doctor, ["--json", "--workdir", str(tmp_path), "--cpu-flags", "sse2"])
    findings = {row["check"]: row["verdict"] for row in json.loads(done.output)["findings"]}
    assert set(findings) == {"processor", "core", "recogniser", "sandbox", "disk", "memory", "proxy"}
    assert done.exit_code == int("fail" in findings.values())


def test_proxy_of_this_machine_is_a_warning_until_it_is_trusted() -> None:
    finding = check_proxy(["bash", "nginx"], "")
    assert (finding.verdict, "SVC_TRUSTED_PROXIES" in finding.detail) == (Verdict.WARN, True)
    assert check_proxy(["bash", "nginx"], "127.0.0.1").verdict is Verdict.OK
    assert check_proxy(["bash", "haproxy"], "").verdict is Verdict.OK
