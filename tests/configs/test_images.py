"""The GPU image is the service with more in it: both start the same way."""

import re
from pathlib import Path

import pytest

from models.compiled import COMPILED

IMAGES = Path(__file__).resolve().parents[2] / "configs" / "images"


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_an_image_starts_the_service_where_others_reach_it(name: str) -> None:
    text = (IMAGES / name).read_text()
    assert re.findall(r"^CMD (.*)$", text, re.MULTILINE)[-1] == '["quire", "up"]'
    assert "SVC_HOST=0.0.0.0" in text
    assert re.findall(r"^EXPOSE (.*)$", text, re.MULTILINE) == ["8000"]
    assert "USER 10001" in text


def test_all_nodes_of_a_cluster_have_the_same_python() -> None:
    """Ray refuses a node whose Python is another; 3.12 reads small documents a fifth faster than 3.11."""
    bases = [
        base
        for path in IMAGES.glob("Dockerfile*")
        for base in re.findall(r"^FROM (python:.*?)(?: AS|$)", path.read_text(), re.MULTILINE)
    ]
    assert len(bases) >= 4
    assert len(set(bases)) == 1
    major, minor = map(int, re.findall(r"\d+", bases[0])[:2])
    assert (major, minor) >= (3, 12)


def test_the_image_of_a_cpu_node_carries_the_layout_as_machine_code_and_no_compiler() -> None:
    build, last = (IMAGES / "Dockerfile").read_text().rsplit("\nFROM ", 1)
    assert "-m cluster.dist.compile" in build
    assert f"COPY --from=machine-code /opt/quire/{COMPILED} /opt/quire/{COMPILED}" in last
    assert "gcc" not in last
    assert "!requirements-dev.lock" in (IMAGES / "Dockerfile.dockerignore").read_text().splitlines()
