"""`python -m quire.cluster.dist.compile [FOLDER]`: compile the reading core and the layout in this checkout.

With a folder: copy the checkout into it and compile there.

`make test SUITE=compiled` runs the tests of reading in that copy; `make dist` compiles what goes into the server's wheel in
the same way. Each extension module is built next to its source, where Python imports it first. mypyc needs mypy (of
configs/locks/dev.lock) and a C compiler.

Modules that hold the engine's objects are not compiled: compiled code releases a value after its last use, but a MuPDF
page must outlive the blocks that point into it.
"""

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_EXTRACT = Path("quire") / "models" / "extract"
_FOLDERS = ("core", "layout", "math", "text_quality", "document", "formats/pdf/text")
_FILES = ("formats/pdf/vectors.py", "formats/pdf/visibility/paint.py", "formats/pdf/visibility/unseen.py")


def main(arguments: list[str]) -> int:
    """Copy and compile; exit status 2 if a tool is missing."""
    if missing := find_missing_tools():
        print(f"no {' and no '.join(missing)}: nothing was compiled", file=sys.stderr)
        return 2
    root = Path(arguments[0]).resolve() if arguments else ROOT
    if root != ROOT:
        copy_checkout(root)
    names = list_modules(root)
    (root / "build").mkdir(exist_ok=True)
    with open(root / "build" / "compile.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # `make up` compiles in the background
        if find_stale(root, names):
            compile_in_place(root, names)
            print(f"{len(names)} modules compiled in {root}")
    return 0


def find_missing_tools() -> list[str]:
    """List the tools that compiling needs and this machine lacks: mypyc, a C compiler, Python's headers."""
    missing = [] if find_spec("mypyc") else ["mypy"]
    if shutil.which(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]) is None:
        missing.append("C compiler")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("Python.h")
    return missing


def find_stale(root: Path, names: list[str]) -> list[str]:
    """Return the modules that have no extension module, or an older one than their source."""
    places = {name: root.joinpath(*name.split(".")).with_suffix(".py") for name in names}
    built = {name: place.with_suffix(EXTENSION_SUFFIXES[0]) for name, place in places.items()}
    return [name for name in names if not built[name].exists() or built[name].stat().st_mtime < places[name].stat().st_mtime]


def copy_checkout(folder: Path) -> None:
    """Copy every file that git tracks or would track, so that tests run in `folder` as they do here."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and ((ROOT / name).is_file() or (ROOT / name).is_symlink()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)


def list_modules(root: Path) -> list[str]:
    """Return the names of the modules that are compiled."""
    found = [path for name in _FOLDERS for path in (root / _EXTRACT / name).rglob("*.py")]
    paths = [path for path in found if path.name != "__init__.py"] + [root / _EXTRACT / name for name in _FILES]
    return sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in paths)


def compile_in_place(root: Path, names: list[str]) -> None:
    """Build the extension modules next to their sources below `root`, and at last the library that they share."""
    script = str(Path(__file__).resolve().with_name("mypyc_setup.py"))
    (root / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / "build") as scratch:
        copy, out = Path(scratch, "copy"), Path(scratch, "out")  # mypyc writes its C files and caches there
        shutil.copytree(root / "quire" / "models", copy / "quire" / "models", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(root / "quire" / "__init__.py", copy / "quire")
        environment = {**os.environ, "PYTHONPATH": str(copy), "MYPYPATH": str(copy), "PYTHONHASHSEED": "0"}
        subprocess.run([sys.executable, script, str(out), *names], cwd=copy, env=environment, check=True)
        for old in sorted((root / _EXTRACT).rglob("*.so"), key=_is_library, reverse=True):
            old.unlink()
        for new in sorted(out.rglob("*.so"), key=_is_library):
            new.replace(root / new.relative_to(out))


def _is_library(path: Path) -> bool:
    """Whether it is the library that all modules share: it goes first and comes last, as processes look for it."""
    return path.name.startswith("native__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
