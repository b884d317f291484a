"""A child without rights loads no codec: every codec that our PDF code names is in its list."""

import ast
import codecs
from collections.abc import Iterator
from pathlib import Path

from quire.models.extract.pipeline import preload

MODELS = Path(preload.__file__).parents[2]
SHARED = {"pdf", "sniffing", "common", "flow"}
OTHER_FORMATS = {path.name for path in (MODELS / "extract/formats").iterdir() if path.is_dir()} - SHARED
"""Their children load every codec."""


def named_codecs(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of each codec that a module names in a call of `encode`, `decode` or `getencoder`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        name = node.args[0]
        if node.func.attr in {"encode", "decode", "getencoder", "getdecoder"} and isinstance(name, ast.Constant):
            yield node.lineno, str(name.value)


def test_codecs_that_our_code_names_are_loaded_before_rights_are_given_up() -> None:
    loaded = {codecs.lookup(name).name for name in preload._CODECS_OF_PDF}
    named = [
        (path.relative_to(MODELS), line, name)
        for path in MODELS.rglob("*.py")
        if OTHER_FORMATS.isdisjoint(path.parts)
        for line, name in named_codecs(path)
    ]
    assert len(named) > 10
    assert [one for one in named if codecs.lookup(one[2]).name not in loaded] == []
