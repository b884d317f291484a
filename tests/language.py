"""Words and sentence forms that the writing guide rules out (docs/development.md, "Language"), and where they occur."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("cluster", "serve_apps", "actors", "models", "storage", "configs", "quire")

DIALECT = r"""nobody|whoever|somebody|whatever|anew|mended|lapses?|lapsed|stood|lay\ in|told|tells?|beside|besides|
      goes\ on|went\ on|forgets?|forgotten|at\ all\ times|once\ more"""
BANNED = re.compile(rf"\b({DIALECT})\b", re.VERBOSE | re.IGNORECASE)
"""Words that no text for users contains: templates, messages, help and documents."""

RULED_OUT = re.compile(
    rf"""\b({DIALECT}|stands?\ in|lies?\ in|of\ its\ own|of\ their\ own|of\ one's\ own|
      (?-i:is\ none|are\ none)|(?:is|are)\ no(?!\ longer)|gives?\ back|given\ back|for\ good|no\ more)\b
    |^(What|Who|Whose|Where|How|Which)\b(?![^.]*\?)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""Words of the former house dialect, and sentences whose subject is a question word."""

RIDDLE = re.compile(
    r"(?:^|_)(what|who|whom|whoever|whose|nobody|somebody|told|found_out|whatever|"
    r"anew|mended|beside|stood|goes_on|lapse[sd]?)(?=_|$)"
)
"""Words that hide the subject or the behaviour in the name of a test."""

MAX_TEST_NAME = 70
"""Characters in the name of a test."""

COMMENT = {
    ".html": re.compile(r"\{#.*?#\}", re.DOTALL),
    ".js": re.compile(r"/\*.*?\*/|(?:^|\s)//.*?$", re.DOTALL | re.MULTILINE),
}
"""Comments of templates and scripts, which users do not see."""

SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|CREATE|ALTER|WHERE|FROM)\b")


def list_files(*patterns: str) -> list[Path]:
    """Return tracked files by pattern, e.g. `*.py`."""
    names = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split()]


def iter_docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:line`, docstring) of the module, its classes and functions, private ones included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def iter_test_names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:line`, name) of each test function and method."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield f"{path.relative_to(ROOT)}:{node.lineno}", node.name


def iter_messages(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:line`, text) of each string of at least three words that is not a docstring or SQL."""
    tree = ast.parse(path.read_text())
    unread = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in unread:
            continue
        if node.value.count(" ") >= 2 and not SQL.search(node.value):
            yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value
