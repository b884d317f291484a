"""`python -m quire.cluster.dist.compile [FOLDER]`: compile the reading core in this checkout.

With a folder: copy the checkout into it and compile its layout there as well.

`make test SUITE=compiled` runs the tests of reading in that copy; `make dist` compiles what goes into the server's wheel in
the same way. Each extension module is built next to its source, where Python imports it first. mypyc needs mypy (of
configs/locks/dev.lock) and a C compiler.

Modules that hold the engine's objects are not compiled: compiled code releases a value after its last use, but a MuPDF
page must outlive the blocks that point into it.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_EXTRACT = Path("quire") / "models" / "extract"
CORE_GROUP = "quire.models.extract.core.native"
CORE = ("core",)
"""Folders of `models/extract` that `make up` compiles: a minute."""
_FOLDERS = (*CORE, "layout", "math", "text_quality", "document", "formats/pdf/text")
_FILES = ("formats/pdf/vectors.py", "formats/pdf/visibility/paint.py", "formats/pdf/visibility/unseen.py")


def main(arguments: list[str]) -> int:
    """Copy and compile; exit status 2 if a tool is missing."""
    if missing := find_missing_tools():
        print(f"no {' and no '.join(missing)}: nothing was compiled", file=sys.stderr)
        return 2
    if not arguments:
        for built in (ROOT / _EXTRACT / CORE[0]).glob("*.so"):
            built.unlink()
        compile_in_place(ROOT, list_modules(ROOT, CORE, ()), CORE_GROUP)
        return 0
    folder = Path(arguments[0]).resolve()
    copy_checkout(folder)
    names = list_modules(folder)
    compile_in_place(folder, names)
    print(f"{len(names)} modules compiled in {folder}")
    return 0


def find_missing_tools() -> list[str]:
    """List the tools that compiling needs and this machine lacks: mypyc, a C compiler, Python's headers."""
    missing = [] if find_spec("mypyc") else ["mypy"]
    if shutil.which(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]) is None:
        missing.append("C compiler")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("Python.h")
    return missing


def copy_checkout(folder: Path) -> None:
    """Copy every file that git tracks or would track, so that tests run in `folder` as they do here."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and ((ROOT / name).is_file() or (ROOT / name).is_symlink()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)


def list_modules(
    root: Path, folders: tuple[str, ...] = _FOLDERS, files: tuple[str, ...] = _FILES
) -> list[str]:
    """Return the names of the modules that are compiled."""
    found = [path for name in folders for path in (root / _EXTRACT / name).rglob("*.py")]
    paths = [path for path in found if path.name != "__init__.py"] + [root / _EXTRACT / name for name in files]
    return sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in paths)


def compile_in_place(root: Path, names: list[str], group: str = "quire") -> None:
    """Build the extension modules next to their sources below `root`, and the library they share, named by `group`."""
    script = str(Path(__file__).resolve().with_name("mypyc_setup.py"))
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "copy")  # mypyc writes its C files and caches there
        shutil.copytree(root / "quire" / "models", copy / "quire" / "models", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(root / "quire" / "__init__.py", copy / "quire")
        environment = {**os.environ, "PYTHONPATH": str(copy), "MYPYPATH": str(copy), "PYTHONHASHSEED": "0"}
        subprocess.run([sys.executable, script, str(root), group, *names], cwd=copy, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
