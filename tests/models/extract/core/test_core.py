"""The reading core: what it may import, and equal results compiled and not."""

import ast
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.dist.compile import find_stale, list_modules
from quire.models.cdom.version import read_core_state
from quire.models.extract.core.copies import may_have_copies
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import TableWord, gather_rows

ROOT = Path(__file__).resolve().parents[4]
SOURCES = sorted((ROOT / "models" / "extract" / "core").glob("*.py"))
ALLOWED = (
    "collections.abc",
    "dataclasses",
    "librt.vecs",
    "mypy_extensions",
    "operator",
    "quire.models.extract.core.",
    "typing",
)
FIGURE = re.compile(r"[\d$€£%+\-−.,()/~≈<>≤≥± ]*\d[\d$€£%+\-−.,()/~≈<>≤≥± eE]*[%a-zA-Z*†]{0,3}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_core_imports_only_itself_and_has_no_lambda(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.Import | ast.AsyncFunctionDef)]
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert [node.module for node in imports if not (node.module or "").startswith(ALLOWED)] == []
    assert "replace" not in {alias.name for node in imports for alias in node.names}


@pytest.mark.parametrize("seed", range(20))
def test_is_figure_equals_the_pattern(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(500):
        text = "".join(chance.choice("019٣²½$€%+-−.,()~≤ eEkgX*†é\n") for _ in range(chance.randrange(9)))
        assert is_figure(text) == (FIGURE.fullmatch(text) is not None), text


@pytest.mark.parametrize("pages", ["made_pages", pytest.param("hostile_pages", marks=pytest.mark.nightly)])
def test_compiled_core_and_sources_make_the_same_of_made_pages(pages: str) -> None:
    known = _digest_pages(pages)
    interpreted = _digest_pages(pages, "--interpreted")
    assert interpreted[0].endswith("steps.py")
    assert known[0].endswith("steps.py") == (read_core_state() == "interpreted")
    assert known[1] == interpreted[1]


def test_core_is_compiled_from_its_present_sources() -> None:
    if read_core_state() == "compiled":
        assert find_stale(ROOT, list_modules(ROOT)) == [], "run: make .venv/.core"


def test_gather_rows_reads_many_words_at_one_place() -> None:
    words = [TableWord(10.0, 10.0, 0.0, 10.0, 10.0, 10.0, "x", False) for _ in range(100_000)]
    rows = gather_rows(words)
    assert (len(rows), len(rows[0].words), len(rows[0].segments)) == (1, 100_000, 1)


def test_may_have_copies_of_a_hundred_thousand_spans_at_one_place_ends() -> None:
    spans = [(10.0 + 100 * number, 10.0, 10.0, 10.0, 20.0) for number in range(100_000)]
    assert may_have_copies(spans, 0.2, 4.0)
    apart = [(10.0 + 100 * n, 10.0, 10.0, 10.0 + 100 * n, 20.0 + 100 * n) for n in range(100_000)]
    assert may_have_copies(apart, 0.2, 4.0)
    assert not may_have_copies(apart[:100], 0.2, 4.0)


def _digest_pages(pages: str, *options: str) -> list[str]:
    command = [sys.executable, "-m", f"tests.models.extract.core.{pages}", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
