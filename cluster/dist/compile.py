"""`python -m cluster.dist.compile`: the layout's modules as machine code for this interpreter, into `compiled/`.

mypyc compiles the annotated sources as they stand; `models.compiled` takes the result in their place. Needs mypy
(of requirements-dev.lock) and a C compiler. Left out is what holds the engine's objects: compiled code lets go of a
value after its last use, and a MuPDF page must outlive the blocks that only point into it.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

from models.compiled import ABI, COMPILED, SOURCES, VARIABLE, digest_source

ROOT = Path(__file__).resolve().parents[2]
_EXTRACT = Path("models") / "extract"
_FOLDERS = ("layout", "math", "text_quality", "document", "formats/pdf/text")
_FILES = ("formats/pdf/vectors.py", "formats/pdf/visibility/paint.py", "formats/pdf/visibility/unseen.py")


def main() -> int:
    """Compile; exit status 2 where a compiler is missing."""
    missing = find_missing_tools()
    if missing:
        print(f"no {' and no '.join(missing)}: nothing was compiled, the sources are read as always", file=sys.stderr)
        return 2
    names = list_modules(ROOT)
    folder = compile_modules(ROOT, names)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{len(names)} modules, {size / 1e6:.1f} MB: {folder}")
    return 0


def find_missing_tools() -> list[str]:
    """What is needed and not there: mypyc, a C compiler, Python's headers."""
    missing = [] if find_spec("mypyc") else ["mypy"]
    if shutil.which(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]) is None:
        missing.append("C compiler")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("Python.h")
    return missing


def list_modules(root: Path) -> list[str]:
    """Names of the modules that are compiled."""
    folders = [path for name in _FOLDERS for path in (root / _EXTRACT / name).rglob("*.py")]
    paths = [path for path in folders if path.name != "__init__.py"] + [root / _EXTRACT / name for name in _FILES]
    return sorted(".".join(path.relative_to(root).with_suffix("").parts) for path in paths)


def compile_modules(root: Path, names: list[str]) -> Path:
    """The folder below `root` with the modules and the digests of their sources; what lay there before is gone."""
    folder = root / COMPILED / ABI
    with tempfile.TemporaryDirectory() as scratch:
        copy, built = Path(scratch, "copy"), Path(scratch, "built")
        shutil.copytree(root / "models", copy / "models", ignore=shutil.ignore_patterns("__pycache__"))
        command = [sys.executable, str(Path(__file__).resolve().with_name("mypyc_setup.py")), str(built), *names]
        environment = {**os.environ, "PYTHONPATH": str(copy), "MYPYPATH": str(copy), VARIABLE: "never", "PYTHONHASHSEED": "0"}
        subprocess.run(command, cwd=copy, env=environment, check=True)
        digests = {name: digest_source(copy, name) for name in names}
        (built / SOURCES).write_text(json.dumps(digests, indent=1) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(built, folder)
    return folder


if __name__ == "__main__":
    sys.exit(main())
