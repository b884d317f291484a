"""Every warning that the code raises is listed, every listed one is raised, and the guide shows the list."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from quire.models.cdom.flags import WARNINGS
from tests.docs.warnings_table import PAGE, render_table

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for room in ("models", "actors") for path in sorted((ROOT / room).rglob("*.py"))]
TREES = {path: ast.parse(path.read_text()) for path in SOURCES if path.name != "flags.py"}
CODE = re.compile(r"[a-z]+(-[a-z]+)*-?")
NOT_CODES = {"connections", "other", "externalLink"}
"""Words of a condition beside a code, and the keyword of Python's own warnings."""


def literals(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def constants() -> dict[str, set[str]]:
    """Return the values of the modules' text constants by name."""
    values: dict[str, set[str]] = {}
    for tree in TREES.values():
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    values.setdefault(target.id, set()).add(node.value.value)
    return values


def raised_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a node that hold codes of warnings."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        is_warning = called.rpartition(".")[2] in {"warn", "_warn", "Warning"}
        adds = called.endswith(("warnings.append", "warnings.extend", "warnings.add"))
        yield from node.args if is_warning or adds else ()
        yield from (
            word.value for word in node.keywords if word.arg == "warnings" or (is_warning and word.arg == "code")
        )
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if ast.unparse(target).endswith("warnings"):
            yield node.value


def raised_codes() -> set[str]:
    known, codes = constants(), set[str]()
    for tree in TREES.values():
        for part in (part for node in ast.walk(tree) for part in raised_parts(node)):
            codes.update(literals(part))
            names = (node.id for node in ast.walk(part) if isinstance(node, ast.Name) and node.id.isupper())
            codes.update(value for name in names for value in known.get(name, ()))
    return {code for code in codes if CODE.fullmatch(code)} - NOT_CODES


def test_raised_warnings_are_listed() -> None:
    assert raised_codes() - WARNINGS.keys() == set()


def test_listed_warnings_are_in_the_code() -> None:
    said = {text for tree in TREES.values() for text in literals(tree)}
    assert WARNINGS.keys() - said == set()


def test_guide_shows_the_list() -> None:
    assert render_table() in PAGE.read_text()
