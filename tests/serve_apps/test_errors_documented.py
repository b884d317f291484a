"""docs/errors.md names every code the API can answer with."""

from pathlib import Path

import pytest

from quire.serve_apps.api.http.problems import PROBLEMS
from quire.serve_apps.console.context import refusals
from quire.serve_apps.console.store import errors as console

TEXT = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()


CONSOLE = [error for module in (refusals, console) for error in vars(module).values() if hasattr(error, "code")]


@pytest.mark.parametrize("error", CONSOLE, ids=lambda kind: kind.__name__)
def test_a_code_of_the_console_is_documented(error: type[Exception]) -> None:
    assert f"`{vars(error)['code']}`" in TEXT


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda kind: kind.__name__)
def test_a_code_of_the_table_is_documented(error: type[Exception]) -> None:
    codes = getattr(error, "CODES", None) or (getattr(error, "code", None),)
    assert all(isinstance(code, str) for code in codes)
    assert [code for code in codes if f"`{code}`" not in TEXT and code not in TEXT.split()] == []
