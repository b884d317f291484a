"""The proof of the GPU tier (`make gpu-proof DEVICE=cpu`), where torch is installed (`make test SUITE=gpu`)."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from quire.actors.vlm.models.registry import VLM_MODELS
from tests.packages.gpu.proof import list_faults
from tests.packages.gpu.tiny_models import MAKERS

ROOT = Path(__file__).parents[3]


def test_all_registered_models_but_dots_are_proved() -> None:
    assert set(VLM_MODELS) - set(MAKERS) == {"dots"}


def test_faults_of_all_depths_are_listed() -> None:
    assert list_faults({"a": {"b": {"faults": ["memory freed"]}}, "c": {"faults": ["two replicas differ"]}}) == [
        "memory freed", "two replicas differ",
    ]  # fmt: skip


@pytest.mark.skipif(not (find_spec("torch") and find_spec("transformers")), reason="the GPU lock is not installed")
@pytest.mark.timeout(900)
def test_proof_on_the_cpu_finds_no_fault(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.packages.gpu.proof", "--device", "cpu", "--out", str(tmp_path / "p.json")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    facts = json.loads((tmp_path / "p.json").read_text())
    assert set(facts["engines"]["transformers"]) == set(MAKERS)
    assert list_faults(facts) == []
