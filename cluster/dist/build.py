"""`python -m quire.cluster.dist.build [--server] [FOLDER]`: wheels of the core and its Python packages; the npm package.

The core's wheel has the layout compiled by mypyc: extension modules next to their sources. Such a wheel fits one
interpreter and platform. Without a C compiler it has the sources only and fits all.

Everything is built from a copy, so nothing is left in the checkout, and with a fixed date, so the same files give the
same bytes. `--server` builds no clients: images need the server and its packages only. Exit status 2 if npm is missing:
the wheels are built, the npm package is not.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from quire.cluster.dist.compile import compile_in_place, find_missing_tools, list_modules

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "serve_apps" / "clients"
SERVER_PACKAGES = ("serve_apps/console", "serve_apps/compat", "models/rare_formats", "cluster/jobs", "actors/vlm")
"""Folders of the server that are separate packages."""
PYTHON_CLIENTS = ("python", "langchain", "llama_index", "haystack")
_CODE = ("actors", "cluster", "configs", "docs", "models", "serve_apps", "storage")
_NOT_SHIPPED = shutil.ignore_patterns("__pycache__", "*.egg-info", "clients", "node_modules", "build", "built")
_EPOCH = "1767225600"
"""2026-01-01: the date of every file in a wheel, in seconds since 1970."""
_PLATFORM_SETUP = """from setuptools import Distribution, setup


class PlatformDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(distclass=PlatformDistribution)
"""
"""The `setup.py` of a wheel with ready extension modules: it names the interpreter and platform that they fit."""


def main(arguments: list[str]) -> int:
    """Build into FOLDER (default `dist`)."""
    only_server = arguments[:1] == ["--server"]
    folders = arguments[only_server:]
    out = Path(folders[0] if folders else "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    missing = find_missing_tools()
    if missing:
        print(f"no {' and no '.join(missing)}: the layout is NOT compiled", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        build_wheels(Path(scratch), out, () if only_server else PYTHON_CLIENTS, compiled=not missing)
    if only_server:
        return 0
    if shutil.which("npm") is None:
        print("npm is missing: quire-client for npm was NOT built", file=sys.stderr)
        return 2
    pack_npm(out)
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    return 0


def build_wheels(scratch: Path, out: Path, clients: Sequence[str] = PYTHON_CLIENTS, *, compiled: bool) -> None:
    """Build the wheels of the server, its packages and the Python clients; `compiled`: with the layout compiled."""
    stage_server(scratch / "server", compiled=compiled)
    folders = [ROOT / name for name in SERVER_PACKAGES] + [CLIENTS / name for name in clients]
    for folder in folders:
        shutil.copytree(folder, scratch / folder.name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("server", *(folder.name for folder in folders)):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": _EPOCH, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        subprocess.run([*command, "-w", out, scratch / name], check=True, env=environment)


def stage_server(folder: Path, *, compiled: bool) -> None:
    """A folder that setuptools makes `quire` of: the package `quire` with the folders of the source in it."""
    app = folder / "quire"
    for name in _CODE:
        shutil.copytree(ROOT / name, app / name, ignore=_NOT_SHIPPED)
    for path in (ROOT / "quire").glob("*.py*"):
        shutil.copy(path, app)
    for name in ("cluster/dist", *SERVER_PACKAGES):
        shutil.rmtree(app / name)
    build_guide(app / "serve_apps" / "guide" / "built")
    if compiled:
        compile_in_place(folder, list_modules(folder))
        (folder / "setup.py").write_text(_PLATFORM_SETUP)
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (folder / "pyproject.toml").write_text("\n".join(_core_project(project, list_folders(app))))


def build_guide(folder: Path) -> None:
    """Build the site of /guide from docs/."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": _EPOCH}
    subprocess.run(command, cwd=ROOT, check=True, env=environment)


def list_folders(package: Path) -> list[str]:
    """Return the dotted names of `package` and of the folders below it whose names are identifiers."""
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    names = [path.relative_to(package.parent).parts for path in folders]
    return sorted(".".join(parts) for parts in names if all(map(str.isidentifier, parts)))


def _core_project(project: dict[str, Any], packages: list[str]) -> Iterator[str]:
    version = project["version"]
    needed = project["dependencies"] + [f"{name}=={version}" for name in ("quire-client", "quire-formats")]
    extras = project["optional-dependencies"] | {
        name: [f"quire-{name}=={version}"] for name in ("bulk", "gpu", "console", "compat")
    }
    extras["service"] = [*extras["service"], "quire[bulk,gpu]"]
    yield '[build-system]\nrequires = ["setuptools>=77"]\nbuild-backend = "setuptools.build_meta"\n'
    yield f'[project]\nname = "quire"\nversion = "{version}"\nreadme = "README.md"'
    yield f'description = "{project["description"]}"\nlicense = "{project["license"]}"'
    yield f'requires-python = "{project["requires-python"]}"'
    yield f"dependencies = {needed!r}"
    yield '\n[project.scripts]\nquire = "quire.cluster.cli.main:main"\n\n[project.optional-dependencies]'
    yield from (f"{name} = {requirements!r}" for name, requirements in extras.items())
    yield f"\n[tool.setuptools]\npackages = {packages!r}\n"
    yield '[tool.setuptools.package-data]\n"*" = ["**/*"]\n'


def pack_npm(out: Path) -> None:
    """The npm package, compiled; its compiler comes by hash-checked lock."""
    client = CLIENTS / "typescript"
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=client, check=True)
    subprocess.run(["npm", "pack", "--silent", "--pack-destination", out], cwd=client, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
