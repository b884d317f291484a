"""docs/errors.md names every code the API can answer with."""

from pathlib import Path

import pytest

from serve_apps.api.problems import PROBLEMS

TEXT = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()


@pytest.mark.parametrize("error", PROBLEMS, ids=lambda kind: kind.__name__)
def test_a_code_of_the_table_is_documented(error: type[Exception]) -> None:
    code = getattr(error, "code", None)
    assert isinstance(code, str)
    assert f"`{code}`" in TEXT or code in TEXT.split()
