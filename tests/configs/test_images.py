"""The GPU image is the service with more in it: both start the same way."""

import re
from pathlib import Path

import pytest

from quire.cluster.machine.environment import SERVE

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


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_image_installs_the_wheel_and_the_cpu_image_has_no_compiler(name: str) -> None:
    build, last = (IMAGES / name).read_text().rsplit("\nFROM ", 1)
    assert "-m quire.cluster.dist.build --server /wheels" in build
    assert "/wheels/*.whl" in build
    assert "COPY --from=build /opt/venv /opt/venv" in last
    if name == "Dockerfile":
        assert "gcc" not in last
    ignored = (IMAGES / f"{name}.dockerignore").read_text().splitlines()
    assert {"!configs", "!quire"} <= {*ignored}


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_image_has_the_variables_of_serve(name: str) -> None:
    lines = (IMAGES / name).read_text().splitlines()
    given = dict(pair.split("=", 1) for line in lines if line.startswith("ENV RAY_SERVE") for pair in line.split()[1:])
    assert given == SERVE
