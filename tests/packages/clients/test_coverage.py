"""Every operation of the OpenAPI document has a method in both clients, and what is generated is up to date."""

import ast
import re
from pathlib import Path

import pytest

from quire.serve_apps.clients.description import Operation, read_operations
from quire.serve_apps.clients.generate import describe_service, make_sources
from quire.serve_apps.clients.typescript_code import camel
from tests.packages.clients.conftest import CLIENTS

AGAIN = "run python -m quire.serve_apps.clients.generate; write uploads and streams by hand in the clients"
PYTHON = CLIENTS / "python" / "quire_client"


@pytest.fixture(scope="module")
def operations() -> list[Operation]:
    return list(read_operations(describe_service()))


def methods(*files: str) -> set[str]:
    return {
        node.name
        for file in files
        for node in ast.walk(ast.parse((PYTHON / file).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize("prefix", ["", "async_"])
def test_python_has_a_method_for_every_operation(operations: list[Operation], prefix: str) -> None:
    found = methods(f"{prefix}operations.py", f"{prefix}client.py")
    assert {operation.name for operation in operations} - found == set(), AGAIN


def test_typescript_has_a_method_for_every_operation(operations: list[Operation]) -> None:
    source = "".join((CLIENTS / "typescript" / "src" / name).read_text() for name in ("operations.ts", "client.ts"))
    found = set(re.findall(r"^  (?:async )?\*?(\w+)\(", source, re.MULTILINE))
    assert {camel(operation.name) for operation in operations} - found == set(), AGAIN


def test_no_two_operations_share_a_name(operations: list[Operation]) -> None:
    names = [operation.name for operation in operations]
    assert sorted(names) == sorted(set(names))


def test_generated_files_match_the_current_service_description() -> None:
    stale = [path.name for path, text in make_sources(describe_service()).items() if read(path) != text]
    assert stale == [], AGAIN


def read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
