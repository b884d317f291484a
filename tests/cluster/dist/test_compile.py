"""An extension module next to its source is imported. `make test SUITE=compiled` compiles the real layout."""

import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.dist.compile import ROOT, compile_in_place, find_missing_tools, list_modules

MODULE = """
def double(number: int) -> int:
    return 2 * number
"""
PROGRAM = "import quire.models.quick as q; print(type(q.__loader__).__name__, q.double(21))"


def run_program(root: Path) -> list[str]:
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(bool(find_missing_tools()), reason="needs mypyc and a C compiler")
def test_compiled_module_is_imported_in_place_of_its_source(tmp_path: Path) -> None:
    models = tmp_path / "quire" / "models"
    models.mkdir(parents=True)
    (models.parent / "__init__.py").touch()
    (models / "__init__.py").touch()
    (models / "quick.py").write_text(MODULE)
    assert run_program(tmp_path) == ["SourceFileLoader", "42"]
    compile_in_place(tmp_path, ["quire.models.quick"])
    assert run_program(tmp_path) == ["ExtensionFileLoader", "42"]


def test_list_modules_has_the_layout_and_no_module_that_holds_the_engine() -> None:
    names = list_modules(ROOT)
    assert {"quire.models.extract.layout.page", "quire.models.extract.layout.tables.scoring.find", "quire.models.extract.math.rows"} <= {
        *names
    }
    sources = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text() for name in names}
    assert [name for name, source in sources.items() if "formats.pdf.engine" in source] == []


def test_no_compiled_module_asks_for_its_own_place() -> None:
    sources = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text() for name in list_modules(ROOT)}
    assert [name for name, source in sources.items() if "__file__" in source] == [], "use HOME of models.extract"
