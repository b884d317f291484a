"""The GPU image is the service with more in it: both start the same way."""

import re
from pathlib import Path

import pytest

IMAGES = Path(__file__).resolve().parents[2] / "configs" / "images"


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.gpu"])
def test_an_image_starts_the_service_where_others_reach_it(name: str) -> None:
    text = (IMAGES / name).read_text()
    assert re.findall(r"^CMD (.*)$", text, re.MULTILINE)[-1] == '["quire", "up"]'
    assert "SVC_HOST=0.0.0.0" in text
    assert re.findall(r"^EXPOSE (.*)$", text, re.MULTILINE) == ["8000"]
    assert "USER 10001" in text
