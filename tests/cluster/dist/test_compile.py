"""An extension module next to its source is imported. `make test SUITE=compiled` compiles the real layout."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quire.cluster.dist.compile import ROOT, compile_in_place, find_missing_tools, list_modules

MODULE = """
def double(number: int) -> int:
    return 2 * number
"""


@pytest.mark.skipif(bool(find_missing_tools()), reason="needs mypyc and a C compiler")
def test_process_that_began_with_the_sources_stays_with_them(tmp_path: Path) -> None:
    """`make up` compiles while the service runs. Modules of both kinds in one process do not know each other."""
    reader = tmp_path / "quire" / "models" / "extract"
    reader.mkdir(parents=True)
    for folder in (reader, reader.parent, reader.parent.parent):
        (folder / "__init__.py").touch()
    for name in ("models/import_names.py", "models/extract/__init__.py"):
        shutil.copy(ROOT / name, tmp_path / "quire" / name)
    (reader / "quick.py").write_text(MODULE)
    (reader / "late.py").write_text("from quire.models.extract.quick import double\n\ndef run() -> int:\n    return double(21)\n")
    program = (
        "import quire.models.extract.quick; print('ready', flush=True); input(); import quire.models.extract.late as late;"
        "print(type(late.__loader__).__name__, late.run())"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        compile_in_place(tmp_path, ["quire.models.extract.late", "quire.models.extract.quick"])
        assert running.communicate("\n")[0].split() == ["SourceFileLoader", "42"]
    after = subprocess.run(command, cwd=tmp_path, input="\n", capture_output=True, text=True, check=True)
    assert after.stdout.split() == ["ready", "ExtensionFileLoader", "42"]


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
