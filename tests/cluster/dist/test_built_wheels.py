"""`make dist`: each wheel is installed from its file into a separate environment and works there.

Dependencies come from the environment of these tests: nothing is downloaded.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from quire.cluster.dist.build import _PLATFORM_SETUP, ROOT, _core_project, build_wheels
from quire.models.cdom.version import SERVICE_VERSION
from tests.models.extract.formats.common.compound_files import cell, wide, workbook, xls

SAMPLE = ROOT / "docs" / "sample" / "quire-sample.pdf"
PACKAGES = ("quire_console", "quire_compat", "quire_formats", "quire_bulk", "quire_gpu")
CLIENTS = ("quire_client", "langchain_quire", "llama_index_readers_quire", "quire_haystack")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("dist")
    build_wheels(tmp_path_factory.mktemp("scratch"), out, compiled=False)
    return {path.name.partition("-")[0]: path for path in out.glob("*.whl")}


@pytest.fixture(scope="module")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the server and its client."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    programs = home / "bin"
    here, there = sysconfig.get_paths()["purelib"], sysconfig.get_paths(vars={"base": str(home)})["purelib"]
    dependencies = home / "dependencies"  # without the checkout, which has the entry points of all packages
    dependencies.mkdir()
    for path in Path(here).iterdir():
        if "quire" not in path.name:
            (dependencies / path.name).symlink_to(path)
    Path(there, "dependencies.pth").write_text(str(dependencies))
    install(programs, wheels["quire"], wheels["quire_client"])
    return programs


def install(programs: Path, *chosen: Path) -> None:
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--ignore-installed", *chosen], check=True)


def run(command: list[str | Path], folder: Path) -> str:
    environment = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_second_build_gives_the_same_bytes(wheels: dict[str, Path], tmp_path: Path) -> None:
    build_wheels(tmp_path / "scratch", tmp_path / "dist", compiled=False)
    again = {path.name.partition("-")[0]: path.read_bytes() for path in (tmp_path / "dist").glob("*.whl")}
    assert again.keys() == wheels.keys() == {"quire", *PACKAGES, *CLIENTS}
    assert [name for name, path in wheels.items() if path.read_bytes() != again[name]] == []


def test_server_packages_and_clients_each_have_a_wheel(wheels: dict[str, Path]) -> None:
    assert set(wheels) == {"quire", *PACKAGES, *CLIENTS}


def test_core_requires_its_formats_and_client(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["quire"]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        needed = re.findall(r"^Requires-Dist: (quire-[a-z]+)==(\S+)$", wheel.read(name).decode(), re.MULTILINE)
    assert {package for package, _ in needed} == {"quire-formats", "quire-client"}
    assert {version for _, version in needed} == {SERVICE_VERSION}


def test_console_and_compat_are_refused_until_their_wheels_are_installed(
    installed: Path, wheels: dict[str, Path], tmp_path: Path
) -> None:
    program = (
        "import sys; from quire.cluster.errors import StartRefused; from quire.cluster.serve.doors import enabled_doors\n"
        "from quire.configs.parsing import parse_settings\n"
        "from importlib import import_module\n"
        "try:\n    doors = enabled_doors(parse_settings(dict.fromkeys(sys.argv[1:], '1')))\n"
        "    print([door.name for door in doors if import_module(door.build.module)])\n"
        "except StartRefused as error:\n    print(error)\n"
    )
    command: list[str | Path] = [installed / "python", "-W", "ignore", "-c", program]
    assert "pip install quire-compat" in run([*command, "SVC_COMPAT"], tmp_path)
    install(installed, wheels["quire_compat"])
    assert run([*command, "SVC_COMPAT"], tmp_path).strip() == "['compat']"
    assert "pip install quire-console" in run([*command, "SVC_CONSOLE"], tmp_path)
    assert "console" not in run([installed / "quire", "--help"], tmp_path)
    install(installed, wheels["quire_console"])
    assert run([*command, "SVC_COMPAT", "SVC_CONSOLE"], tmp_path).strip() == "['console', 'compat']"
    assert "console" in run([installed / "quire", "--help"], tmp_path)


def test_the_installed_server_reads_a_document(installed: Path, tmp_path: Path) -> None:
    assert run([installed / "quire", "extract", SAMPLE, "--to", "md", "-o", "-"], tmp_path).startswith("# Harbour")


def test_server_reads_an_xls_only_with_the_package_of_rare_formats(
    installed: Path, wheels: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "old.xls").write_bytes(xls(workbook({"S": [cell(0x204, 0, 0, wide("needle"))]})))
    command: list[str | Path] = [installed / "quire", "extract", "old.xls", "--to", "md", "-o", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (1, "")
    assert "unsupported-format: xls files are read by a separate package: pip install quire-formats" in done.stderr
    install(installed, wheels["quire_formats"])
    assert "needle" in run(command, tmp_path)


def test_models_and_bulk_jobs_are_refused_until_their_wheels_are_installed(
    installed: Path, wheels: dict[str, Path], tmp_path: Path
) -> None:
    program = (
        "from quire.cluster.bootstrap.vlm import choose_vlm; from quire.cluster.errors import StartRefused\n"
        "try:\n    print(choose_vlm('dots').model)\n"
        "except StartRefused as error:\n    print(error)\n"
    )
    choose: list[str | Path] = [installed / "python", "-W", "ignore", "-c", program]
    job: list[str | Path] = [installed / "python", "-W", "ignore", "-m", "quire.cluster.jobs.bulk_extract", "--help"]
    assert run(choose, tmp_path).strip() == "SVC_VLM_OCR needs the package quire-gpu: pip install quire-gpu"
    install(installed, wheels["quire_gpu"])
    assert run(choose, tmp_path).strip() == "dots"
    done = subprocess.run(job, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert "No module named 'quire.cluster.jobs'" in done.stderr
    install(installed, wheels["quire_bulk"])
    assert "--workers" in run(job, tmp_path)


def test_the_installed_server_brings_its_guide_and_its_migrations(installed: Path, tmp_path: Path) -> None:
    program = (
        "import quire; from quire.serve_apps.guide.site import BUILT; from quire.storage.postgres.schema import MIGRATIONS, UPGRADES\n"
        "from pathlib import Path\n"
        "assert BUILT.is_relative_to(Path(quire.__file__).parent) and (BUILT / 'get-started' / 'index.html').exists()\n"
        "assert UPGRADES and (MIGRATIONS / 'create.sql').exists()\n"
    )
    run([installed / "python", "-c", program], tmp_path)


def test_the_installed_client_is_the_one_of_its_wheel(installed: Path, tmp_path: Path) -> None:
    program = (
        "import quire_client; quire_client.Client('http://127.0.0.1:9', 'k').close(); print(quire_client.__file__)"
    )
    assert run([installed / "python", "-c", program], tmp_path).startswith(str(installed.parent))


def test_the_server_takes_one_name_in_an_environment(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["quire"]) as wheel:
        tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"quire", f"{'-'.join(wheels['quire'].name.split('-')[:2])}.dist-info"}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_says_that_it_has_types(wheels: dict[str, Path], client: str) -> None:
    with zipfile.ZipFile(wheels[client]) as wheel:
        assert [name for name in wheel.namelist() if name.endswith("/py.typed")]


def test_the_same_files_give_the_same_wheels(wheels: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "out").mkdir()
    build_wheels(tmp_path / "scratch", tmp_path / "out", compiled=False)
    again = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.whl")}
    assert again == {path.name: path.read_bytes() for path in wheels.values()}


def test_compiled_wheel_has_the_library_of_its_modules(tmp_path: Path) -> None:
    staged = tmp_path / "server"
    (staged / "quire").mkdir(parents=True)
    for name in ("quire/__init__.py", "quire/native__mypyc.test.so", "README.md"):
        (staged / name).touch()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (staged / "pyproject.toml").write_text("\n".join(_core_project(project, ["quire"])))
    (staged / "setup.py").write_text(_PLATFORM_SETUP)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-w", tmp_path, staged], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "none-any" not in wheel.name
    assert "quire/native__mypyc.test.so" in zipfile.ZipFile(wheel).namelist()
