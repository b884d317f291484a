"""Rooms of the house: modules in a folder, no two rooms that need each other, class names that stand once."""

import ast
import subprocess
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cluster", "serve_apps", "actors", "models", "storage", "configs")
MAX_MODULES = 15
CLIENT = "serve_apps/clients/python/"
"""A package of its own, made from the interface: its types carry the names of the answers they stand for."""
WRAPPERS = "serve_apps/deployments.py"
"""A Ray deployment bears the name of the actor it wraps."""
Imports = dict[str, set[str]]


def listed(*folders: str) -> list[Path]:
    command = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        *(f"{name}/**.py" for name in folders),
    ]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in sorted(set(names)) if (ROOT / name).is_file()]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str, packages: set[str]) -> str:
    return module if module in packages else module.rpartition(".")[0]


def imported(tree: ast.AST, modules: set[str]) -> set[str]:
    """Modules of ours that a file imports, in functions as well."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {name if (name := f"{node.module}.{a.name}") in modules else node.module for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return found & modules


def room_imports(texts: dict[str, str], packages: set[str]) -> Imports:
    rooms: Imports = defaultdict(set)
    for module, text in texts.items():
        here = room_of(module, packages)
        rooms[here] |= {room_of(other, packages) for other in imported(ast.parse(text), set(texts))} - {here}
    return rooms


def find_circle(rooms: Imports) -> list[str]:
    try:
        TopologicalSorter(rooms).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_a_folder_holds_no_more_than_fifteen_modules() -> None:
    modules = Counter(path.parent for path in listed(*PACKAGES, "tests") if path.name != "__init__.py")
    crowded = {
        str(folder.relative_to(ROOT)): count
        for folder, count in modules.items()
        if count > MAX_MODULES and folder.name != "versions"  # migrations are numbered and only ever added to
    }
    assert crowded == {}


def test_no_two_rooms_need_each_other() -> None:
    paths = listed(*PACKAGES)
    packages = {name_of(path) for path in paths if path.name == "__init__.py"}
    assert find_circle(room_imports({name_of(path): path.read_text() for path in paths}, packages)) == []


def test_a_circle_between_rooms_is_seen_even_when_an_import_is_late() -> None:
    texts = {"a": "", "b": "", "a.x": "def f():\n    from b.y import g\n", "b.y": "from a import z\n", "a.z": ""}
    assert set(find_circle(room_imports(texts, {"a", "b"}))) == {"a", "b"}


def test_a_class_name_stands_once() -> None:
    places = defaultdict(list)
    for path in listed(*PACKAGES):
        name = str(path.relative_to(ROOT))
        if not name.startswith(CLIENT) and name != WRAPPERS:
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
