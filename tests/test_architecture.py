"""Rules of the project that no linter checks: layers, sizes, names, and the content of commits."""

import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cluster", "serve_apps", "actors", "models", "storage", "configs", "quire")
FORBIDDEN_NAMES = {"utils", "helpers", "common", "manager", "base", "misc", "core"}
MAX_FILE_LINES, MAX_FUNCTION_LINES = 500, 60
GENERATED = {"serve_apps/clients/python/quire_client/types.py"}
"""Written by a program from the OpenAPI document: as long as the interface is."""


def python_files(*folders: str) -> list[Path]:
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts
    )


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_the_layers_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_file_is_longer_than_the_house_allows() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in python_files(*PACKAGES, "tests")}
    long = {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > MAX_FILE_LINES}
    assert long.keys() <= GENERATED, long


def test_the_median_file_and_function_stay_small() -> None:
    files = [len(path.read_text().splitlines()) for path in python_files(*PACKAGES) if path.stat().st_size > 0]
    sizes = [lines for path in python_files(*PACKAGES) for _, lines in functions(path)]
    assert statistics.median(files) <= 120
    assert statistics.median(sizes) <= 10


def test_no_function_is_longer_than_the_house_allows() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{name}": lines
        for path in python_files(*PACKAGES)
        for name, lines in functions(path)
        if lines > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_module_names_are_specific() -> None:
    assert [path for path in python_files(*PACKAGES, "tests") if path.stem in FORBIDDEN_NAMES] == []


def test_every_module_has_a_docstring() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in python_files(*PACKAGES)
        if path.stat().st_size > 0 and ast.get_docstring(ast.parse(path.read_text())) is None
    ]
    assert silent == []


def test_every_test_folder_is_a_package() -> None:
    folders = {path.parent for path in python_files("tests")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_commits_name_no_download_address_and_no_path_of_one_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    address = re.compile(
        r"(?i)\"resolved\": *\"https?:|--(extra-)?index-url|files\.pythonhosted|registry\.npmjs|pypi\.org"
    )
    machine = re.compile(r"(?<![a-zA-Z0-9_.])/(work|farm)/")
    bad = []
    for name in filter(None, listed):
        path = ROOT / name
        if path == Path(__file__).resolve() or not path.is_file() or path.stat().st_size > 5_000_000:
            continue
        text = path.read_bytes().decode("utf-8", "ignore")
        if address.search(text) or machine.search(text):
            bad.append(name)
    assert bad == []
