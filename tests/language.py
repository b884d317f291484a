"""Words and sentence forms that the writing guide rules out (docs/development.md, "Language"), and where they occur."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("cluster", "serve_apps", "actors", "models", "storage", "configs")

RULED_OUT = re.compile(
    r"""\b(nobody|whoever|somebody|whatever|anew|mended|lapses?|lapsed|
      stands?\ in|stood|lies?\ in|lay\ in|of\ its\ own|of\ their\ own|of\ one's\ own|is\ none|are\ none|is\ no|are\ no|
      told|tells?|beside|besides|goes\ on|went\ on|gives?\ back|given\ back|forgets?|forgotten|
      for\ good|at\ all\ times|once\ more|no\ more)\b
    |^(What|Who|Whose|Where|How|Which)\b(?![^.]*\?)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""Words of the former house dialect, and sentences whose subject is a question word."""


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
