"""Structure of the packages: modules per folder, no cyclic packages, unique class names.

Named numbers state their unit and their reason.
"""

import ast
import re
import subprocess
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cluster", "serve_apps", "actors", "models", "storage", "configs", "quire")
MAX_MODULES = 15
CLIENT = "serve_apps/clients/"
"""Packages of their own; their types carry the names of answers, and of what their frameworks call a reader."""
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
    parts = path.relative_to(ROOT).with_suffix("").parts
    if path.is_relative_to(ROOT / CLIENT) and len(parts) > 4:  # a Python client, imported by its own name
        return ".".join(parts[3:]).removesuffix(".__init__")
    return ".".join(parts if parts[0] == "quire" else ("quire", *parts)).removesuffix(".__init__")


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
    crowded = {str(folder.relative_to(ROOT)): count for folder, count in modules.items() if count > MAX_MODULES}
    assert crowded == {}


def test_no_two_rooms_need_each_other() -> None:
    paths = [path for path in listed(*PACKAGES) if CLIENT not in f"{path}"]  # one room each, with a folder inside
    packages = {name_of(path) for path in paths if path.name == "__init__.py"}
    assert find_circle(room_imports({name_of(path): path.read_text() for path in paths}, packages)) == []


def test_no_two_modules_need_each_other_in_any_package() -> None:
    texts = {name_of(path): path.read_text() for path in listed(*PACKAGES)}
    assert "quire_client.documents.folder" in texts
    modules = {name: imported(ast.parse(text), set(texts)) - {name} for name, text in texts.items()}
    assert find_circle(modules) == []


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


CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
LAYOUT = "models/extract/layout/"


def is_numeric(value: ast.expr | None) -> bool:
    """A number, arithmetic with numbers, or a tuple of them."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(operand=inner):
            return is_numeric(inner)
        case ast.BinOp(left=left, right=right):
            return is_numeric(left) and is_numeric(right)
        case ast.Tuple(elts=[_, *_] as parts):
            return all(map(is_numeric, parts))
    return False


def numeric_constants(body: list[ast.stmt], name: re.Pattern[str]) -> list[tuple[int, ast.stmt]]:
    """Place in the body and statement of each assignment of numbers to names that match."""
    found: list[tuple[int, ast.stmt]] = []
    for at, node in enumerate(body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_numeric(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            if all(isinstance(one, ast.Name) and name.fullmatch(one.id) for one in names):
                found.append((at, node))
    return found


def is_explained(body: list[ast.stmt], at: int, lines: list[str]) -> bool:
    """By a string after it, or a comment on its line or the one above."""
    after = body[at + 1] if at + 1 < len(body) else None
    match after:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    last, first = lines[(body[at].end_lineno or 0) - 1], lines[body[at].lineno - 2]
    return "#" in last or first.strip().startswith("#")


def threshold_classes(body: list[ast.stmt]) -> list[ast.ClassDef]:
    return [node for node in body if isinstance(node, ast.ClassDef) and node.name.endswith(("Limits", "Thresholds"))]


def silent_constants(text: str) -> list[str]:
    """Lines of constants of which nothing says what they count and why."""
    body, lines = ast.parse(text).body, text.split("\n")
    silent = [node for at, node in numeric_constants(body, CONSTANT) if not is_explained(body, at, lines)]
    return [lines[node.lineno - 1].strip() for node in silent]


def silent_thresholds(text: str) -> list[str]:
    """The same of the fields of thresholds, which the docstring of their class may explain by name."""
    lines = text.split("\n")
    silent = []
    for owner in threshold_classes(ast.parse(text).body):
        known = ast.get_docstring(owner) or ""
        for at, node in numeric_constants(owner.body, re.compile(r"\w+")):
            if f"`{ast.unparse(node).partition(':')[0]}`" not in known and not is_explained(owner.body, at, lines):
                silent.append(lines[node.lineno - 1].strip())
    return silent


def test_every_numeric_constant_says_its_unit_and_reason() -> None:
    paths = [path for path in listed(*PACKAGES) if CLIENT not in f"{path}" and path.parent.name != "versions"]
    silent = {str(path.relative_to(ROOT)): found for path in paths if (found := silent_constants(path.read_text()))}
    assert silent == {}


def test_a_silent_constant_and_a_silent_threshold_are_seen() -> None:
    told = 'A = 1  # bytes\n# lines\nB = 2\nC = 1 << 3\n"""Bits."""\n'
    assert silent_constants(told + "D = 7 * 7\nE, F = 1, -2.0\n") == ["D = 7 * 7", "E, F = 1, -2.0"]
    limits = 'class XLimits:\n    """`a`: points."""\n    a: int = 1\n    b: int = 2\n    c: int = 3\n    """Ems."""\n'
    assert silent_thresholds(limits) == ["b: int = 2"]


def test_thresholds_of_a_layout_module_are_in_a_documented_dataclass() -> None:
    wrong = {}
    for path in listed(LAYOUT):
        body = ast.parse(text := path.read_text()).body
        loose, gathered = numeric_constants(body, CONSTANT), threshold_classes(body)
        if silent_thresholds(text) or len(gathered) > 1 or len(loose) > (0 if gathered else 1):
            wrong[str(path.relative_to(ROOT))] = [*silent_thresholds(text), *(ast.unparse(node) for _, node in loose)]
    assert wrong == {}


def late_imports(text: str) -> int:
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return len(
        {
            inner.lineno
            for function in functions
            for inner in ast.walk(function)
            if isinstance(inner, ast.Import | ast.ImportFrom)
        }
    )
