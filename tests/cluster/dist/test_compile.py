"""`make compiled`: a module runs as machine code until its source changes. The real layout takes minutes: `make test-compiled`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cluster.dist.compile import ROOT, compile_modules, find_missing_tools, list_modules
from models.compiled import VARIABLE

MODULE = """
from pathlib import Path

HOME = Path(__file__).parent


def double(number: int) -> int:
    return 2 * number
"""
PROGRAM = "import models.quick as q; print(type(q.__loader__).__name__, q.double(21), q.HOME)"


def ask(root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(command, cwd=root, env={**os.environ, **environment}, capture_output=True, text=True)


@pytest.mark.skipif(bool(find_missing_tools()), reason="needs mypyc and a C compiler")
def test_a_module_is_machine_code_until_its_source_changes(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    for name in ("__init__.py", "compiled.py"):
        shutil.copy(ROOT / "models" / name, models / name)
    (models / "quick.py").write_text(MODULE)
    assert "make compiled" in ask(tmp_path, **{VARIABLE: "always"}).stderr
    compile_modules(tmp_path, ["models.quick"])
    assert ask(tmp_path, **{VARIABLE: "always"}).stdout.split() == ["ExtensionFileLoader", "42", str(models)]
    assert ask(tmp_path, **{VARIABLE: "never"}).stdout.split() == ["SourceFileLoader", "42", str(models)]
    (models / "quick.py").write_text(MODULE.replace("2 *", "3 *"))
    assert ask(tmp_path).stdout.split() == ["SourceFileLoader", "63", str(models)]


def test_all_of_the_layout_is_compiled_and_nothing_that_holds_the_engine() -> None:
    names = list_modules(ROOT)
    assert {"models.extract.layout.page", "models.extract.layout.tables.scoring.find", "models.extract.math.rows"} <= {
        *names
    }
    sources = {name: ROOT.joinpath(*name.split(".")).with_suffix(".py").read_text() for name in names}
    assert [name for name, source in sources.items() if "formats.pdf.engine" in source] == []
