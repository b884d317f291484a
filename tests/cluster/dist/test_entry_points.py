"""The checkout has the entry points of all packages."""

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from quire.cluster.dist.build import ROOT, SERVER_PACKAGES

NEED_A_PACKAGE = {
    "quire.cluster.cli.operate.console",
    "quire.cluster.dist.guide_hooks",
    "quire.cluster.serve.hosted",
    "quire.cluster.serve.hosted_compat",
    "quire.cluster.start.console_only",
}
"""Modules of the core that start a package, imported only for it."""
WITHOUT_PACKAGES = """
import importlib, pkgutil, sys, warnings

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(hidden):
            raise ModuleNotFoundError(name)

hidden = tuple(sys.argv[1:])
warnings.simplefilter("ignore")
sys.meta_path.insert(0, Hidden())
import quire

for module in pkgutil.walk_packages(quire.__path__, "quire.", onerror=lambda name: None):
    if not module.name.startswith((*hidden, "quire.storage.migrations")):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError:
            print(module.name)
"""


def read_project(folder: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return project


def test_checkout_declares_the_entry_points_of_all_packages() -> None:
    together: dict[str, dict[str, str]] = {}
    for name in SERVER_PACKAGES:
        for group, points in read_project(ROOT / name).get("entry-points", {}).items():
            assert together.setdefault(group, {}).keys().isdisjoint(points)
            together[group] |= points
    assert read_project(ROOT)["entry-points"] == together


@pytest.mark.parametrize("group", read_project(ROOT)["entry-points"])
def test_entry_points_of_the_checkout_are_installed_and_load(group: str) -> None:
    points = {point.name: point for point in entry_points(group=group)}
    wanted = read_project(ROOT)["entry-points"][group]
    missing = "run: pip install --no-deps --no-build-isolation -e ."
    assert {name: points[name].value for name in wanted if name in points} == wanted, missing
    assert all(callable(points[name].load()) for name in wanted)


@pytest.mark.parametrize("name", SERVER_PACKAGES)
def test_package_lists_all_its_folders(name: str) -> None:
    listed = tomllib.loads((ROOT / name / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent for path in (ROOT / name).rglob("__init__.py")}
    names = {".".join(("quire", *path.relative_to(ROOT).parts)) for path in folders}
    assert set(listed["packages"]) == names
    assert listed["package-dir"] == {".".join(("quire", *Path(name).parts)): "."}


def test_modules_of_the_core_are_imported_without_packages() -> None:
    hidden = [".".join(("quire", *Path(name).parts)) for name in (*SERVER_PACKAGES, "serve_apps/clients")]
    command = [sys.executable, "-c", WITHOUT_PACKAGES, *hidden]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=280)
    assert set(done.stdout.split()) == NEED_A_PACKAGE
