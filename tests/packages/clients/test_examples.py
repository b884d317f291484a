"""The Python examples of docs/sdk.md run as they stand, with this test's address and key."""

import re
from pathlib import Path

import pytest

from tests.api.harness import PDF

DOCS = Path(__file__).resolve().parents[3] / "docs" / "sdk.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("source", EXAMPLES)
def test_an_example_runs(source: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("invoice.pdf", "letter.pdf"):
        (tmp_path / name).write_bytes(PDF)
    monkeypatch.chdir(tmp_path)
    here = source.replace("http://127.0.0.1:8000", url).replace('"KEY"', '"acme-write"')
    exec(compile(here, "docs/sdk.md", "exec"), {"__name__": "__main__"})
