"""The registry of replica roles: every entry names a function, and naming it imports nothing."""

import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from quire.cluster.compose.factory import ROLES, Factory

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.function)
def test_factory_names_a_function_without_arguments(role: Factory) -> None:
    function = getattr(import_module(role.module), role.function)
    assert function.__code__.co_argcount == 0


def test_factory_calls_its_function_after_pickling() -> None:
    assert pickle.loads(pickle.dumps(Factory("os", "getpid")))() > 0


def test_registry_imports_no_role_module() -> None:
    roles = sorted({role.module for role in ROLES})
    program = f"import sys, quire.cluster.compose.factory; print([name for name in {roles!r} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "[]"
