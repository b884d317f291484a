"""Measures the numbers of `tests/budget.toml` and compares them with it."""

import ast
import math
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.language import iter_test_names
from tests.test_rooms import ROOT, find_circle, imported, late_imports, listed, name_of

FILE = ROOT / "tests" / "budget.toml"
FOLDERS = ("actors", "cluster", "configs", "models", "quire", "serve_apps", "storage")
EXTRACT = "models/extract"
LAB = ROOT / "tests" / "lab"
SLACK = 0.02
"""Share by which a number may lie below its budget before the budget has to be lowered."""
ROOM = 1.01
"""Factor that `--lower` puts on lines and shares of lines; counts get no room."""
USUAL = {0.0, 0.5, 1.0, 2.0}
"""Floats that say nothing about a page: nothing, a half, the whole, twice."""
_ARTICLE = re.compile(r"test_(the|an?)_")
_NAME = re.compile(r"test(_[a-z0-9]+){3,}")
_NUMBER = re.compile(r"^(?P<name>\w+) = (?P<value>[\d.]+)", re.MULTILINE)


@cache
def package_folders() -> tuple[Path, ...]:
    """Return the folders below the top folders that have a `pyproject.toml`: packages beside the core."""
    names = run_git("ls-files", "--cached", "--others", "--exclude-standard", "--", *below("pyproject.toml"))
    return tuple((ROOT / name).parent for name in names.splitlines())


def package_of(path: Path) -> Path | None:
    """Return the folder of the package that a file belongs to, or None for the core."""
    return next((folder for folder in package_folders() if folder in path.parents), None)


def count_lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def count_unusual_floats(text: str) -> int:
    """Count floats in functions, each of which should be a field of a limits class with its unit and reason."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    floats = {
        (node.lineno, node.col_offset)
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value not in USUAL
    }
    return len(floats)


@dataclass(frozen=True)
class _Class:
    bases: tuple[str, ...]
    names: frozenset[str]


def count_lonely_protocols(texts: Iterable[str]) -> int:
    """Count protocols that at most one class satisfies by the names of its methods, its own or inherited ones.

    A protocol with `__call__` alone types a function and is left out.
    """
    classes = {
        node.name: _Class(tuple(map(_base_name, node.bases)), _member_names(node))
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    }

    def all_names(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        if name not in classes or name in seen:
            return frozenset()
        inherited = [all_names(base, seen | {name}) for base in classes[name].bases]
        return classes[name].names.union(*inherited)

    members = {name: all_names(name) for name in classes}
    protocols = {name for name, found in classes.items() if "Protocol" in found.bases}
    concrete = [names for name, names in members.items() if name not in protocols]
    needed = [members[name] for name in protocols if members[name] != {"__call__"}]
    return sum(sum(names <= others for others in concrete) <= 1 for names in needed)


def _base_name(base: ast.expr) -> str:
    return ast.unparse(base).partition("[")[0].rpartition(".")[2]


def _member_names(node: ast.ClassDef) -> frozenset[str]:
    """Return names of methods, of fields, and of attributes that methods set."""
    names = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)}
    names |= {
        inner.target.id
        for inner in node.body
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name)
    }
    stored = {
        inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
    }
    return frozenset(names | stored)


def import_name(path: Path) -> str:
    """Return the name that imports use: `quire.` and the path, or the path inside a package that does not use it."""
    folder = package_of(path)
    if folder is None or not (folder / path.relative_to(folder).parts[0] / "__init__.py").is_file():
        return name_of(path)
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def find_circle_in(texts: dict[str, str]) -> list[str]:
    """Return the modules of one import circle, or an empty list."""
    return find_circle({name: imported(ast.parse(text), set(texts)) - {name} for name, text in texts.items()})


def is_riddle(name: str) -> bool:
    """Return whether a test name lacks the form `test_<unit>_<behaviour>`: three words, no article in front."""
    return _NAME.fullmatch(name) is None or _ARTICLE.match(name) is not None


def measure() -> dict[str, float]:
    """Return all numbers of the tree by name, in the order of the file."""
    product = [path for folder in FOLDERS for path in listed(folder)]
    texts = {path: path.read_text() for path in product}
    extract = [path for path in listed(EXTRACT) if path.stat().st_size]
    tests = [path for path in listed("tests") if LAB not in path.parents]
    lines = count_lines(product)
    return {
        **{f"lines_{folder}": count_lines(listed(folder)) for folder in FOLDERS},
        "lines_product": lines,
        "lines_core": count_lines(path for path in product if package_of(path) is None),
        "files_in_extract": len(extract),
        "floats_in_extract_functions": sum(count_unusual_floats(texts[path]) for path in extract),
        "protocols_with_one_class": count_lonely_protocols(texts.values()),
        "import_circles": int(bool(find_circle_in({import_name(path): text for path, text in texts.items()}))),
        "late_imports": sum(map(late_imports, texts.values())),
        "test_lines_per_product_line": round(count_lines(tests) / lines, 3),
        "test_names_without_form": sum(is_riddle(name) for path in tests for _, name in iter_test_names(path)),
    }


def find_faults(measured: dict[str, float], budget: dict[str, float]) -> Iterator[str]:
    """Yield a sentence per number that is over its budget, too far below it, or missing on one side."""
    for name in sorted(measured.keys() ^ budget.keys()):
        yield f"{name} is missing in tests/budget.toml or no longer measured; keep both lists alike."
    for name in measured.keys() & budget.keys():
        number, limit = measured[name], budget[name]
        if number > limit:
            yield (
                f"{name} is {number:g} and its budget {limit:g}: delete or merge {number - limit:g} elsewhere. If the "
                "product is worth more than its size, raise the number by hand and say why in the commit message, "
                "in a line that begins with `budget: `."
            )
        elif number < limit * (1 - SLACK):
            yield f"{name} fell to {number:g}, its budget is {limit:g}: run `python -m tests.budget --lower`."


def lower(text: str, measured: dict[str, float]) -> str:
    """Return the file with each number that can fall."""

    def fall(match: re.Match[str]) -> str:
        name, limit = match["name"], float(match["value"])
        number = measured.get(name, limit)
        if name.startswith("lines_"):
            number = math.ceil(number * ROOM)
        elif isinstance(number, float):
            number = math.ceil(number * ROOM * 1000) / 1000
        return f"{name} = {number:.12g}" if number < limit else match[0]

    return _NUMBER.sub(fall, text)


def read_numbers(text: str) -> dict[str, float]:
    """Return the numbers of the budget file by name."""
    return {name: number for name, number in tomllib.loads(text).items() if isinstance(number, int | float)}


def below(pattern: str) -> list[str]:
    """Return the git patterns of files of that name below the product's folders."""
    return [f":(glob){folder}/**/{pattern}" for folder in FOLDERS]


def run_git(*arguments: str, check: bool = True) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=check).stdout


def read_budget() -> dict[str, float]:
    """Return the numbers of `tests/budget.toml`."""
    return read_numbers(FILE.read_text())
